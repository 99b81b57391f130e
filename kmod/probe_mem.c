// SPDX-License-Identifier: GPL-2.0
/*
 * Memory to measure with: of one node, mapped for the device, registered.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "chunk.h"
#include "probe.h"
#include "probe_link.h"
#include "probe_mem.h"

static void nrdma_mem_free_pages(struct nrdma_mem *mem)
{
	while (mem->nr)
		put_page(sg_page(&mem->sg[--mem->nr]));
	kvfree(mem->sg);
	mem->sg = NULL;
}

/* In pages of one order: a registration has one page size. */
static int nrdma_mem_alloc_pages(struct nrdma_mem *mem, int node, unsigned int order)
{
	u32 page_bytes = PAGE_SIZE << order, left = mem->bytes;
	unsigned int nr = DIV_ROUND_UP(mem->bytes, page_bytes);

	mem->order = order;
	mem->sg = kvcalloc(nr, sizeof(*mem->sg), GFP_KERNEL);
	if (!mem->sg)
		return -ENOMEM;
	sg_init_table(mem->sg, nr);
	while (mem->nr < nr) {
		struct page *page = alloc_pages_node(node, nrdma_chunk_gfp(false), order);

		if (!page) {
			nrdma_mem_free_pages(mem);
			return -ENOMEM;
		}
		sg_set_page(&mem->sg[mem->nr++], page, min(left, page_bytes), 0);
		left -= min(left, page_bytes);
	}
	return 0;
}

/*
 * With the largest pages that device and addresses allow: the IOMMU may have put
 * large ones where they are not aligned.
 */
static int nrdma_mem_map(struct nrdma_mem *mem)
{
	struct ib_device_attr *attrs = &mem->link->ib->attrs;
	unsigned int shift, pages;
	struct ib_mr *mr;

	for (shift = mem->order + PAGE_SHIFT; shift >= PAGE_SHIFT; shift--) {
		/* One more where the first address is not aligned */
		pages = DIV_ROUND_UP(mem->bytes, 1U << shift) + 1;
		/* Where the CPU moves the data, page sizes are a matter of form */
		if (!(attrs->page_size_cap & BIT_ULL(shift)) && !ib_uses_virt_dma(mem->link->ib))
			continue;
		if (pages > attrs->max_fast_reg_page_list_len)
			continue;
		mr = ib_alloc_mr(mem->link->pd, IB_MR_TYPE_MEM_REG, pages);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		if (ib_map_mr_sg(mr, mem->sg, mem->mapped, NULL, 1U << shift) == mem->mapped) {
			mem->mr = mr;
			return 0;
		}
		ib_dereg_mr(mr);
	}
	return -EMSGSIZE;
}

static int nrdma_mem_register(struct nrdma_mem *mem)
{
	struct nrdma_link *link = mem->link;
	struct ib_reg_wr wr = {
		.wr = {
			.wr_cqe		= &link->sent,
			.opcode		= IB_WR_REG_MR,
			.send_flags	= IB_SEND_SIGNALED,
		},
		.mr	= mem->mr,
		.key	= mem->mr->rkey,
		.access	= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	};
	int ret;

	ret = ib_post_send(link->qp[NRDMA_SIDE_A], &wr.wr, NULL);
	if (ret)
		return ret;
	return nrdma_link_wait(link, &link->nr_sent, link->nr_sent + 1);
}

/**
 * nrdma_mem_open() - make memory
 * @mem: zeroed; for nrdma_mem_close() whatever is returned
 * @link: connected
 * @node: where it shall be, there or nowhere
 * @bytes: size
 *
 * Context: may sleep, polls @link.
 * Return: 0, -ENOMEM the node has no room, or another negative errno with words
 * in the slice.
 */
int nrdma_mem_open(struct nrdma_mem *mem, struct nrdma_link *link, int node, u32 bytes)
{
	unsigned int order = min_t(unsigned int, get_order(bytes), NRDMA_CHUNK_MAX_ORDER);
	int ret;

	mem->link = link;
	mem->bytes = bytes;
	do {
		ret = nrdma_mem_alloc_pages(mem, node, order);
	} while (ret && order--);
	if (ret)
		return nrdma_slice_fail(link->slice, ret, "the node has not that much memory");

	mem->mapped = ib_dma_map_sg(link->ib, mem->sg, mem->nr, DMA_BIDIRECTIONAL);
	if (!mem->mapped)
		return nrdma_slice_fail(link->slice, -EIO,
					"the memory cannot be mapped for the device");
	ret = nrdma_mem_map(mem);
	if (ret == -EMSGSIZE)
		return nrdma_slice_fail(link->slice, ret,
					"the device cannot register that much at once: take a smaller size");
	return ret ?: nrdma_mem_register(mem);
}

/**
 * nrdma_mem_close() - undo nrdma_mem_open()
 * @mem: memory that no queue pair uses any more, or zeroed
 */
void nrdma_mem_close(struct nrdma_mem *mem)
{
	if (mem->mr)
		ib_dereg_mr(mem->mr);
	if (mem->mapped)
		ib_dma_unmap_sg(mem->link->ib, mem->sg, mem->nr, DMA_BIDIRECTIONAL);
	if (mem->sg)
		nrdma_mem_free_pages(mem);
}

static void nrdma_mem_sync(struct nrdma_mem *mem, bool for_cpu)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sg(mem->sg, sg, mem->mapped, i) {
		if (for_cpu)
			ib_dma_sync_single_for_cpu(mem->link->ib, sg_dma_address(sg),
						   sg_dma_len(sg), DMA_BIDIRECTIONAL);
		else
			ib_dma_sync_single_for_device(mem->link->ib, sg_dma_address(sg),
						      sg_dma_len(sg), DMA_BIDIRECTIONAL);
	}
}

/* What stands at the 8 bytes from @offset on: no two places, no two seeds alike */
static u64 nrdma_mem_pattern(u64 seed, u32 offset)
{
	return hash_64(seed + offset / sizeof(u64) + 1, 64);
}

/* Writes the pattern, or compares with it. The last word may be cut. */
static bool nrdma_mem_walk(struct nrdma_mem *mem, u64 seed, bool fill)
{
	u32 offset = 0;
	unsigned int i;

	for (i = 0; i < mem->nr; i++) {
		void *p = sg_virt(&mem->sg[i]);
		u32 left = mem->sg[i].length;

		while (left) {
			u64 word = nrdma_mem_pattern(seed, offset);
			u32 n = min_t(u32, left, sizeof(word));

			if (fill)
				memcpy(p, &word, n);
			else if (memcmp(p, &word, n))
				return false;
			p += n;
			offset += n;
			left -= n;
		}
		cond_resched();
	}
	return true;
}

/**
 * nrdma_mem_fill() - write a pattern
 * @mem: memory that no operation uses
 * @seed: which
 */
void nrdma_mem_fill(struct nrdma_mem *mem, u64 seed)
{
	nrdma_mem_sync(mem, true);
	nrdma_mem_walk(mem, seed, true);
	nrdma_mem_sync(mem, false);
}

/**
 * nrdma_mem_holds() - is the pattern there?
 * @mem: memory that no operation uses
 * @seed: which
 *
 * Return: whether every byte is.
 */
bool nrdma_mem_holds(struct nrdma_mem *mem, u64 seed)
{
	bool holds;

	nrdma_mem_sync(mem, true);
	holds = nrdma_mem_walk(mem, seed, false);
	nrdma_mem_sync(mem, false);
	return holds;
}

static u8 *nrdma_mem_last_byte(struct nrdma_mem *mem, u64 *dma)
{
	struct scatterlist *sg = &mem->sg[mem->mapped - 1];

	*dma = sg_dma_address(sg) + sg_dma_len(sg) - 1;
	sg = &mem->sg[mem->nr - 1];
	return sg_virt(sg) + sg->length - 1;
}

/**
 * nrdma_mem_last() - the last byte, which is written last
 * @mem: memory
 *
 * Return: its value.
 */
u8 nrdma_mem_last(struct nrdma_mem *mem)
{
	u64 dma;
	u8 *byte = nrdma_mem_last_byte(mem, &dma);

	ib_dma_sync_single_for_cpu(mem->link->ib, dma, 1, DMA_BIDIRECTIONAL);
	return READ_ONCE(*byte);
}

/**
 * nrdma_mem_set_last() - write the last byte
 * @mem: memory
 * @value: what it becomes
 */
void nrdma_mem_set_last(struct nrdma_mem *mem, u8 value)
{
	u64 dma;
	u8 *byte = nrdma_mem_last_byte(mem, &dma);

	WRITE_ONCE(*byte, value);
	ib_dma_sync_single_for_device(mem->link->ib, dma, 1, DMA_BIDIRECTIONAL);
}
