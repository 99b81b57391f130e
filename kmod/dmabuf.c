// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer seen from outside: the dma-buf that maps it into processes and
 * hands it to other drivers.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "buffer.h"
#include "dmabuf.h"

/*
 * No VM_MIXEDMAP, and the chunk's own compound page: so the core itself maps
 * a whole PMD where area and chunk allow, counts it in RSS, and takes it apart
 * again on a partial unmap. Called again after MADV_DONTNEED and fork.
 */
static vm_fault_t nrdma_dmabuf_fault(struct vm_fault *vmf)
{
	struct nrdma_buf *buf = vmf->vma->vm_private_data;
	struct nrdma_chunk *chunk;

	chunk = nrdma_chunks_find(&buf->chunks, vmf->pgoff);
	if (!chunk)
		return VM_FAULT_SIGBUS;
	vmf->page = chunk->page + (vmf->pgoff - chunk->pgoff);
	get_page(vmf->page);
	return 0;
}

/*
 * Neither page_mkwrite nor pfn_mkwrite: with them, long-term pins of a shared
 * file mapping are refused from 6.12 on (mm/gup.c).
 */
static const struct vm_operations_struct nrdma_dmabuf_vm_ops = {
	.fault	= nrdma_dmabuf_fault,
};

/* The area's file is the dma-buf, which keeps the buffer until it is unmapped. */
static int nrdma_dmabuf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	/* A private mapping would be copied, to any node, when it is pinned */
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &nrdma_dmabuf_vm_ops;
	vma->vm_private_data = dmabuf->priv;
	return 0;
}

/**
 * struct nrdma_attachment - an importer
 * @list: in nrdma_buf.attachments
 * @dev: the importer's device
 * @sgt: the buffer's pages, adjoining ones as one entry
 * @dir: direction of the mapping
 * @mapped: @sgt is DMA-mapped; protected by nrdma_buf.lock
 */
struct nrdma_attachment {
	struct list_head	list;
	struct device		*dev;
	struct sg_table		sgt;
	enum dma_data_direction	dir;
	bool			mapped;
};

/*
 * The chunks as few segments of at most @max bytes: those that adjoin are one.
 * Fills in @sg unless that is NULL. Returns how many there are.
 */
static unsigned int nrdma_dmabuf_segments(const struct nrdma_chunks *chunks, unsigned int max,
					  struct scatterlist *sg)
{
	unsigned int nr = 0, bytes = 0, c;
	unsigned long next = 0;

	for (c = 0; c < chunks->count; c++) {
		unsigned long left = nrdma_chunk_pages(&chunks->chunk[c]) << PAGE_SHIFT;
		struct page *page = chunks->chunk[c].page;
		unsigned int more;

		for (; left; left -= more) {
			if (nr && page_to_pfn(page) == next && bytes < max) {
				more = min_t(unsigned long, left, max - bytes);
				bytes += more;
				if (sg)
					sg->length = bytes;
			} else {
				more = min_t(unsigned long, left, max);
				bytes = more;
				if (sg && nr)
					sg = sg_next(sg);
				if (sg)
					sg_set_page(sg, page, bytes, 0);
				nr++;
			}
			page += more >> PAGE_SHIFT;
			next = page_to_pfn(page);
		}
		cond_resched();
	}
	return nr;
}

static int nrdma_dmabuf_fill_sgt(const struct nrdma_buf *buf, struct nrdma_attachment *att)
{
	size_t most = min_t(size_t, dma_get_max_seg_size(att->dev), dma_max_mapping_size(att->dev));
	unsigned int max = round_down(most, PAGE_SIZE) ?: PAGE_SIZE;
	int ret;

	ret = sg_alloc_table(&att->sgt, nrdma_dmabuf_segments(&buf->chunks, max, NULL),
			     GFP_KERNEL);
	if (!ret)
		nrdma_dmabuf_segments(&buf->chunks, max, att->sgt.sgl);
	return ret;
}

static int nrdma_dmabuf_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct nrdma_buf *buf = dmabuf->priv;
	struct nrdma_attachment *att;
	int ret;

	att = kzalloc(sizeof(*att), GFP_KERNEL);
	if (!att)
		return -ENOMEM;
	att->dev = attach->dev;
	ret = nrdma_dmabuf_fill_sgt(buf, att);
	if (ret) {
		kfree(att);
		return ret;
	}
	mutex_lock(&buf->lock);
	list_add(&att->list, &buf->attachments);
	mutex_unlock(&buf->lock);
	attach->priv = att;
	return 0;
}

static void nrdma_dmabuf_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct nrdma_buf *buf = dmabuf->priv;
	struct nrdma_attachment *att = attach->priv;

	mutex_lock(&buf->lock);
	list_del(&att->list);
	mutex_unlock(&buf->lock);
	sg_free_table(&att->sgt);
	kfree(att);
}

/*
 * Several devices may have a buffer at once, and each sees to the caches by itself:
 * of mappings that do, the kernel's debugging of DMA allows one.
 */
static struct sg_table *nrdma_dmabuf_map(struct dma_buf_attachment *attach,
					 enum dma_data_direction dir)
{
	struct nrdma_buf *buf = attach->dmabuf->priv;
	struct nrdma_attachment *att = attach->priv;
	int ret;

	mutex_lock(&buf->lock);
	ret = att->mapped ? -EBUSY :
	      dma_map_sgtable(att->dev, &att->sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (!ret) {
		dma_sync_sgtable_for_device(att->dev, &att->sgt, dir);
		att->dir = dir;
		att->mapped = true;
	}
	mutex_unlock(&buf->lock);
	return ret ? ERR_PTR(ret) : &att->sgt;
}

static void nrdma_dmabuf_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			       enum dma_data_direction dir)
{
	struct nrdma_buf *buf = attach->dmabuf->priv;
	struct nrdma_attachment *att = attach->priv;

	mutex_lock(&buf->lock);
	att->mapped = false;
	dma_sync_sgtable_for_cpu(att->dev, sgt, dir);
	dma_unmap_sgtable(att->dev, sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	mutex_unlock(&buf->lock);
}

static int nrdma_dmabuf_begin_cpu(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct nrdma_buf *buf = dmabuf->priv;
	struct nrdma_attachment *att;

	mutex_lock(&buf->lock);
	list_for_each_entry(att, &buf->attachments, list)
		if (att->mapped)
			dma_sync_sgtable_for_cpu(att->dev, &att->sgt, att->dir);
	mutex_unlock(&buf->lock);
	return 0;
}

static int nrdma_dmabuf_end_cpu(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct nrdma_buf *buf = dmabuf->priv;
	struct nrdma_attachment *att;

	mutex_lock(&buf->lock);
	list_for_each_entry(att, &buf->attachments, list)
		if (att->mapped)
			dma_sync_sgtable_for_device(att->dev, &att->sgt, att->dir);
	mutex_unlock(&buf->lock);
	return 0;
}

static void nrdma_dmabuf_release(struct dma_buf *dmabuf)
{
	nrdma_buf_free(dmabuf->priv);
}

static const struct dma_buf_ops nrdma_dmabuf_ops = {
	.attach			= nrdma_dmabuf_attach,
	.detach			= nrdma_dmabuf_detach,
	.map_dma_buf		= nrdma_dmabuf_map,
	.unmap_dma_buf		= nrdma_dmabuf_unmap,
	.begin_cpu_access	= nrdma_dmabuf_begin_cpu,
	.end_cpu_access		= nrdma_dmabuf_end_cpu,
	.mmap			= nrdma_dmabuf_mmap,
	.release		= nrdma_dmabuf_release,
};

/**
 * nrdma_dmabuf_is_ours() - is it an nrdma buffer?
 * @dmabuf: a dma-buf
 *
 * Return: true when its private data is a struct nrdma_buf.
 */
bool nrdma_dmabuf_is_ours(const struct dma_buf *dmabuf)
{
	return dmabuf->ops == &nrdma_dmabuf_ops;
}

/**
 * nrdma_dmabuf_export() - make a buffer a dma-buf
 * @buf: buffer; on success the dma-buf owns it
 *
 * Context: may sleep.
 * Return: the dma-buf, or ERR_PTR() and the buffer is the caller's still.
 */
struct dma_buf *nrdma_dmabuf_export(struct nrdma_buf *buf)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;

	info.exp_name = buf->label;
	info.ops = &nrdma_dmabuf_ops;
	info.size = buf->size;
	info.flags = O_RDWR;
	info.priv = buf;
	dmabuf = dma_buf_export(&info);
	/*
	 * vma_migratable() compares with the mapping's zone: NUMA balancing
	 * and page migration leave such an area alone, and its pages cannot
	 * move anyway.
	 */
	if (!IS_ERR(dmabuf))
		mapping_set_gfp_mask(dmabuf->file->f_mapping, GFP_DMA);
	return dmabuf;
}
