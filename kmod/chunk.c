// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks: physically contiguous, zeroed memory of one node.
 */
#include <linux/bsearch.h>
#include <linux/gfp.h>
#include <linux/mmzone.h>
#include <linux/slab.h>

#include "account.h"
#include "chunk.h"
#include "pool.h"

/**
 * nrdma_fail_clear() - nothing has failed
 * @fail: record
 */
void nrdma_fail_clear(struct nrdma_fail *fail)
{
	*fail = (struct nrdma_fail){ .reason = NRDMA_REASON_NONE, .node = NUMA_NO_NODE };
}

/*
 * Of the zones that GFP_USER takes: movable memory cannot be pinned for long.
 */
static unsigned long nrdma_node_zones_sum(int node, enum zone_stat_item item)
{
	unsigned long pages = 0;
	int i;

	for (i = 0; i <= ZONE_NORMAL; i++)
		pages += zone_page_state(&NODE_DATA(node)->node_zones[i], item);
	return pages;
}

/**
 * nrdma_node_free() - free memory of a node that buffers could have
 * @node: online node
 *
 * Return: pages.
 */
unsigned long nrdma_node_free(int node)
{
	return nrdma_node_zones_sum(node, NR_FREE_PAGES);
}

/**
 * nrdma_node_can_give() - might a node give so much, if it reclaimed all it can?
 * @node: online node
 * @pages: how many
 *
 * So that what cannot succeed does not reclaim all of a node first.
 *
 * Return: false when it certainly cannot.
 */
bool nrdma_node_can_give(int node, unsigned long pages)
{
	return pages <= nrdma_node_free(node) +
			nrdma_node_zones_sum(node, NR_ZONE_INACTIVE_FILE) +
			nrdma_node_zones_sum(node, NR_ZONE_ACTIVE_FILE) +
			nrdma_node_zones_sum(node, NR_ZONE_INACTIVE_ANON) +
			nrdma_node_zones_sum(node, NR_ZONE_ACTIVE_ANON) +
			atomic_long_read(&NODE_DATA(node)->vm_stat[NR_SLAB_RECLAIMABLE_B]);
}

/**
 * nrdma_fail_set() - say why
 * @fail: record; @fail->wanted is left alone
 * @reason: why
 * @node: the node that it is about, or NUMA_NO_NODE
 *
 * Return: the negative errno of @reason, as the uapi header has it.
 */
int nrdma_fail_set(struct nrdma_fail *fail, enum nrdma_reason reason, int node)
{
	fail->reason = reason;
	fail->node = node;
	fail->available = 0;
	if (node != NUMA_NO_NODE && node < MAX_NUMNODES && node_online(node))
		fail->available = (u64)(reason == NRDMA_REASON_POOL ?
					nrdma_pool_free(node) :
					nrdma_node_free(node)) << PAGE_SHIFT;

	switch (reason) {
	case NRDMA_REASON_CAP:
		return -EDQUOT;
	case NRDMA_REASON_NODE_UNKNOWN:
		return -ENXIO;
	case NRDMA_REASON_NODE_ABSENT:
		return -EINVAL;
	case NRDMA_REASON_DEVICE_GONE:
		return -ENODEV;
	case NRDMA_REASON_INTERRUPTED:
		return -EINTR;
	default:
		return -ENOMEM;
	}
}

/**
 * nrdma_chunk_gfp() - how chunks are allocated
 * @hard: reclaim and compact for it
 *
 * Never the OOM killer: __GFP_THISNODE keeps it away for single pages too.
 *
 * Return: flags, without a memory cgroup.
 */
gfp_t nrdma_chunk_gfp(bool hard)
{
	return GFP_USER | __GFP_THISNODE | __GFP_ZERO | __GFP_COMP | __GFP_NOWARN |
	       (hard ? __GFP_RETRY_MAYFAIL : __GFP_NORETRY);
}

/**
 * nrdma_chunk_free() - let go of a chunk
 * @payers: who is charged for it
 * @chunk: chunk
 *
 * Into the pool that it came from, if nobody else holds it. The last reference
 * is whoever's it is.
 */
void nrdma_chunk_free(struct nrdma_payers *payers, struct nrdma_chunk *chunk)
{
	unsigned long pages = nrdma_chunk_pages(chunk);
	int node = page_to_nid(chunk->page);

	if (!chunk->pooled || !nrdma_pool_give(node, chunk->page))
		put_page(chunk->page);
	nrdma_payers_uncharge(payers, node, pages);
}

/**
 * nrdma_chunks_held() - does a memory registration still pin some?
 * @chunks: chunks that nothing maps or attaches any more
 *
 * Context: may sleep.
 * Return: false and it stays so, or true and it may end any moment.
 */
bool nrdma_chunks_held(const struct nrdma_chunks *chunks)
{
	unsigned int i;

	for (i = 0; i < chunks->count; i++) {
		if (page_count(chunks->chunk[i].page) != 1)
			return true;
		cond_resched();
	}
	return false;
}

/**
 * nrdma_chunks_release() - free the chunks that nobody else holds
 * @chunks: chunks that nothing maps or attaches any more; those that a memory
 *	registration still pins stay, and stay charged: to be called again.
 *	They are lost to their pool, which refills.
 *
 * Context: may sleep.
 * Return: how many are left.
 */
unsigned int nrdma_chunks_release(struct nrdma_chunks *chunks)
{
	unsigned int i, left = 0;

	for (i = 0; i < chunks->count; i++) {
		struct nrdma_chunk *chunk = &chunks->chunk[i];

		if (page_count(chunk->page) == 1) {
			nrdma_chunk_free(chunks->payers, chunk);
		} else {
			if (chunk->pooled)
				nrdma_pool_lose(page_to_nid(chunk->page));
			chunk->pooled = false;
			chunks->chunk[left++] = *chunk;
		}
		cond_resched();
	}
	chunks->count = left;
	return left;
}

/**
 * nrdma_chunks_drop() - give up all chunks, whoever else holds them
 * @chunks: chunks; the array is freed as well
 */
void nrdma_chunks_drop(struct nrdma_chunks *chunks)
{
	unsigned int i;

	for (i = 0; i < chunks->count; i++) {
		nrdma_chunk_free(chunks->payers, &chunks->chunk[i]);
		cond_resched();
	}
	kvfree(chunks->chunk);
	chunks->chunk = NULL;
	chunks->count = 0;
}

static int nrdma_chunk_cmp(const void *key, const void *elem)
{
	const struct nrdma_chunk *chunk = elem;
	unsigned long pgoff = *(const unsigned long *)key;

	if (pgoff < chunk->pgoff)
		return -1;
	return pgoff >= chunk->pgoff + nrdma_chunk_pages(chunk);
}

/**
 * nrdma_chunks_find() - the chunk that holds a page
 * @chunks: chunks
 * @pgoff: offset of the page, pages
 *
 * Return: the chunk, NULL past the end.
 */
struct nrdma_chunk *nrdma_chunks_find(const struct nrdma_chunks *chunks,
				      unsigned long pgoff)
{
	return bsearch(&pgoff, chunks->chunk, chunks->count, sizeof(*chunks->chunk),
		       nrdma_chunk_cmp);
}

/**
 * nrdma_chunks_runs() - where the chunks lie, in runs
 * @chunks: chunks
 * @at: in: the first chunk to look at; out: the first that was not
 * @runs: filled in, or NULL only to count
 * @nr: room in @runs
 *
 * Return: number of runs.
 */
unsigned int nrdma_chunks_runs(const struct nrdma_chunks *chunks, unsigned int *at,
			       struct nrdma_run *runs, unsigned int nr)
{
	struct nrdma_run run = { };
	unsigned int n = 0;

	for (; *at < chunks->count; ++*at) {
		const struct nrdma_chunk *chunk = &chunks->chunk[*at];
		u64 bytes = (u64)nrdma_chunk_pages(chunk) << PAGE_SHIFT;
		int node = page_to_nid(chunk->page);

		/* What a lingering buffer has left need not adjoin */
		if (!n || run.node != node || run.chunk_bytes != bytes ||
		    run.offset + run.bytes != (u64)chunk->pgoff << PAGE_SHIFT) {
			if (runs && n == nr)
				break;
			run = (struct nrdma_run){
				.offset = (u64)chunk->pgoff << PAGE_SHIFT,
				.chunk_bytes = bytes,
				.node = node,
			};
			n++;
		}
		run.bytes += bytes;
		if (runs)
			runs[n - 1] = run;
	}
	return n;
}

/**
 * nrdma_chunks_bytes_on() - how much lies on a node
 * @chunks: chunks
 * @node: node
 *
 * Return: bytes.
 */
u64 nrdma_chunks_bytes_on(const struct nrdma_chunks *chunks, int node)
{
	u64 pages = 0;
	unsigned int i;

	for (i = 0; i < chunks->count; i++)
		if (page_to_nid(chunks->chunk[i].page) == node)
			pages += nrdma_chunk_pages(&chunks->chunk[i]);
	return pages << PAGE_SHIFT;
}
