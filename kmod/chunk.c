// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks: physically contiguous, zeroed memory of one node.
 */
#include <linux/bsearch.h>
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "account.h"
#include "chunk.h"

/* Tried in turn when a chunk is not to be had: a PMD's, 64 KiB, a page */
#define NRDMA_CHUNK_MID_ORDER	(PAGE_SHIFT < 16 ? 16 - PAGE_SHIFT : 0)

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

static unsigned long nrdma_node_free(int node)
{
	return nrdma_node_zones_sum(node, NR_FREE_PAGES);
}

/* An upper bound, so that what cannot succeed does not reclaim all of a node */
static bool nrdma_node_can_give(int node, unsigned long pages)
{
	return pages <= nrdma_node_free(node) +
			nrdma_node_zones_sum(node, NR_ZONE_INACTIVE_FILE) +
			nrdma_node_zones_sum(node, NR_ZONE_ACTIVE_FILE) +
			nrdma_node_zones_sum(node, NR_ZONE_INACTIVE_ANON) +
			nrdma_node_zones_sum(node, NR_ZONE_ACTIVE_ANON);
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
		fail->available = (u64)nrdma_node_free(node) << PAGE_SHIFT;

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

/*
 * Never the OOM killer: __GFP_THISNODE keeps it away for single pages too.
 * With @hard, reclaim and compact for it.
 */
static gfp_t nrdma_chunk_gfp(bool hard)
{
	return GFP_USER | __GFP_THISNODE | __GFP_ZERO | __GFP_COMP | __GFP_NOWARN |
	       NRDMA_GFP_ACCOUNT | (hard ? __GFP_RETRY_MAYFAIL : __GFP_NORETRY);
}

static struct page *nrdma_chunk_alloc(struct nrdma_user *user, int node,
				      unsigned int order, bool hard)
{
	struct page *page;

	if (!nrdma_user_charge(user, node, 1UL << order))
		return ERR_PTR(-EDQUOT);
	page = alloc_pages_node(node, nrdma_chunk_gfp(hard), order);
	if (!page) {
		nrdma_user_uncharge(user, node, 1UL << order);
		return ERR_PTR(-ENOMEM);
	}
	return page;
}

/* The last reference is whoever's it is: a registration may outlive us. */
static void nrdma_chunk_free(struct nrdma_user *user, struct page *page)
{
	int node = page_to_nid(page);
	unsigned long pages = 1UL << compound_order(page);

	put_page(page);
	nrdma_user_uncharge(user, node, pages);
}

/* Was it the memory cgroup? The page allocator does not tell. */
static bool nrdma_chunk_cgroup_refused(int node, unsigned int order)
{
	struct page *page;

	if (!NRDMA_GFP_ACCOUNT)
		return false;
	page = alloc_pages_node(node, nrdma_chunk_gfp(false) & ~(__GFP_ACCOUNT | __GFP_ZERO),
				order);
	if (page)
		__free_pages(page, order);
	return page;
}

/**
 * struct nrdma_filler - state of one allocation
 * @user: who pays
 * @list: what there is so far, in order, by page->lru
 * @count: how many
 * @pgoff: how many pages that is
 * @pages: how many there shall be
 * @min_order: smallest chunk
 */
struct nrdma_filler {
	struct nrdma_user	*user;
	struct list_head	list;
	unsigned int		count;
	unsigned long		pgoff;
	unsigned long		pages;
	unsigned int		min_order;
};

static unsigned int nrdma_filler_order(const struct nrdma_filler *f)
{
	unsigned int order = min_t(unsigned int, NRDMA_CHUNK_MAX_ORDER,
				   ilog2(f->pages - f->pgoff));

	/* Each chunk at a multiple of its size, so that a PMD can map it */
	if (f->pgoff)
		order = min_t(unsigned int, order, __ffs(f->pgoff));
	return order;
}

/*
 * Fills from one node until all is there or the node has no more.
 * Returns 0 when it is all there, or why not.
 */
static enum nrdma_reason nrdma_filler_fill(struct nrdma_filler *f, int node)
{
	unsigned int order;
	struct page *page;
	bool soft = false;

	if (!node_isset(node, cpuset_current_mems_allowed))
		return NRDMA_REASON_CPUSET;

	while (f->pgoff < f->pages) {
		order = nrdma_filler_order(f);
retry:
		if (fatal_signal_pending(current))
			return NRDMA_REASON_INTERRUPTED;
		/* Having failed once in full, large chunks are taken if at hand */
		page = nrdma_chunk_alloc(f->user, node, order,
					 !soft || order <= NRDMA_CHUNK_MID_ORDER);
		if (PTR_ERR(page) == -EDQUOT)
			return NRDMA_REASON_CAP;
		if (IS_ERR(page)) {
			soft = true;
			if (order > f->min_order) {
				order = order > NRDMA_CHUNK_MID_ORDER ?
					max_t(unsigned int, f->min_order, NRDMA_CHUNK_MID_ORDER) :
					f->min_order;
				goto retry;
			}
			if (nrdma_chunk_cgroup_refused(node, order))
				return NRDMA_REASON_CGROUP;
			if (order && nrdma_node_free(node) >= f->pages - f->pgoff)
				return NRDMA_REASON_FRAGMENTED;
			return NRDMA_REASON_NODE_FULL;
		}
		list_add_tail(&page->lru, &f->list);
		f->count++;
		f->pgoff += 1UL << order;
		cond_resched();
	}
	return NRDMA_REASON_NONE;
}

/* The nearest node with memory that was not tried yet */
static int nrdma_node_next(int from, const nodemask_t *tried)
{
	int node, best = NUMA_NO_NODE;

	for_each_node_state(node, N_MEMORY) {
		if (node_isset(node, *tried))
			continue;
		if (best == NUMA_NO_NODE ||
		    node_distance(from, node) < node_distance(from, best))
			best = node;
	}
	return best;
}

static void nrdma_filler_drop(struct nrdma_filler *f)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &f->list, lru) {
		list_del(&page->lru);
		nrdma_chunk_free(f->user, page);
	}
}

static int nrdma_filler_finish(struct nrdma_filler *f, struct nrdma_chunks *chunks)
{
	struct nrdma_chunk *chunk;
	struct page *page, *next;
	unsigned long pgoff = 0;

	chunk = kvmalloc_array(f->count, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	chunks->chunk = chunk;
	chunks->count = f->count;
	list_for_each_entry_safe(page, next, &f->list, lru) {
		list_del(&page->lru);
		chunk->page = page;
		chunk->pgoff = pgoff;
		pgoff += nrdma_chunk_pages(chunk);
		chunk++;
	}
	return 0;
}

/**
 * nrdma_chunks_alloc() - zeroed memory for a buffer
 * @chunks: @chunks->user is set; the rest is filled in
 * @pages: how many, above 0
 * @node: where; has memory
 * @min_order: smallest chunk, as an order of pages; divides @pages
 * @remote: other nodes may help out, nearest first
 * @fail: filled in on failure
 *
 * All or nothing.
 *
 * Context: may sleep, for as long as zeroing takes; a fatal signal ends it.
 * Return: 0, or the negative errno of @fail->reason.
 */
int nrdma_chunks_alloc(struct nrdma_chunks *chunks, unsigned long pages, int node,
		       unsigned int min_order, bool remote, struct nrdma_fail *fail)
{
	struct nrdma_filler f = {
		.user = chunks->user,
		.list = LIST_HEAD_INIT(f.list),
		.pages = pages,
		.min_order = min_order,
	};
	nodemask_t tried = NODE_MASK_NONE;
	enum nrdma_reason reason, first;
	int at = node;

	if (remote ? pages > totalram_pages() : !nrdma_node_can_give(node, pages))
		return nrdma_fail_set(fail, NRDMA_REASON_NODE_FULL, node);

	first = reason = nrdma_filler_fill(&f, at);
	while (reason && remote && reason != NRDMA_REASON_INTERRUPTED) {
		node_set(at, tried);
		at = nrdma_node_next(node, &tried);
		if (at == NUMA_NO_NODE)
			break;
		reason = nrdma_filler_fill(&f, at);
	}
	if (reason) {
		nrdma_filler_drop(&f);
		return nrdma_fail_set(fail, reason == NRDMA_REASON_INTERRUPTED ? reason : first,
				      node);
	}
	if (nrdma_filler_finish(&f, chunks)) {
		nrdma_filler_drop(&f);
		return nrdma_fail_set(fail, NRDMA_REASON_KERNEL, node);
	}
	return 0;
}

/**
 * nrdma_chunks_free() - undo nrdma_chunks_alloc()
 * @chunks: chunks that nothing maps any more; pages that a registration still
 *	pins are freed when it lets go
 */
void nrdma_chunks_free(struct nrdma_chunks *chunks)
{
	unsigned int i;

	for (i = 0; i < chunks->count; i++) {
		nrdma_chunk_free(chunks->user, chunks->chunk[i].page);
		cond_resched();
	}
	kvfree(chunks->chunk);
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

		if (!n || run.node != node || run.chunk_bytes != bytes) {
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
