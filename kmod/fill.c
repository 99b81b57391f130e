// SPDX-License-Identifier: GPL-2.0
/*
 * Filling a buffer with chunks: from the pool, then from the page allocator,
 * by several workers where there is much to zero.
 *
 * Debian and others boot with init_on_alloc=1: the page allocator zeroes inside
 * the call, so to zero in parallel is to allocate in parallel.
 */
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "account.h"
#include "fill.h"
#include "node.h"
#include "pool.h"

static unsigned int fill_workers = 4;
module_param(fill_workers, uint, 0644);
MODULE_PARM_DESC(fill_workers, "Most CPUs of a node that allocate one buffer together");

/*
 * Sizes that are tried in turn when a larger chunk is not to be had, then a page.
 * (Where pages have 64 KiB a PMD maps 512 MiB.)
 */
static const unsigned long nrdma_fill_sizes[] = { SZ_2M, SZ_64K };

/* Reclaim and compact for these even when larger ones were not to be had */
#define NRDMA_FILL_EASY_ORDER	get_order(SZ_64K)

/* Less than this is not worth waking a worker for */
#define NRDMA_FILL_SHARE	(SZ_32M >> PAGE_SHIFT)

static struct workqueue_struct *nrdma_fill_wq;

/**
 * struct nrdma_fill - an allocation; its fillers share it
 * @req: what is asked for
 * @payers: who pays
 * @memcg: whose memory cgroup pays, or NULL
 * @task: who waits: a fatal signal to it ends the allocation
 * @allowed: nodes of its cpuset, which the page allocator does not know of in a
 *	worker
 * @pool: may the pool be used?
 * @stop: one filler has failed, the others need not go on
 */
struct nrdma_fill {
	const struct nrdma_fill_request	*req;
	struct nrdma_payers		*payers;
	struct mem_cgroup		*memcg;
	struct task_struct		*task;
	nodemask_t			allowed;
	bool				pool;
	bool				stop;
};

/**
 * struct nrdma_filler - fills a part of a buffer
 * @work: unless the caller itself does it
 * @fill: the whole
 * @pgoff: how far it got, pages of the buffer
 * @end: how far it has to go
 * @chunk: what there is so far
 * @count: entries in it
 * @room: room in it
 * @reason: why it stopped
 */
struct nrdma_filler {
	struct work_struct	work;
	struct nrdma_fill	*fill;
	unsigned long		pgoff;
	unsigned long		end;
	struct nrdma_chunk	*chunk;
	unsigned int		count;
	unsigned int		room;
	enum nrdma_reason	reason;
};

/* Room for so many, or why there is none */
static enum nrdma_reason nrdma_fill_array(struct nrdma_chunk **array, unsigned int nr)
{
	*array = kvmalloc_array(nr, sizeof(**array), NRDMA_GFP_RECORD);
	if (*array)
		return NRDMA_REASON_NONE;
	/* Would it do without the memory cgroup? */
	*array = kvmalloc_array(nr, sizeof(**array), NRDMA_GFP_RECORD & ~__GFP_ACCOUNT);
	if (!*array)
		return NRDMA_REASON_KERNEL;
	kvfree(*array);
	*array = NULL;
	return NRDMA_REASON_CGROUP;
}

static enum nrdma_reason nrdma_filler_make_room(struct nrdma_filler *f)
{
	unsigned long left = f->end - f->pgoff;
	enum nrdma_reason reason;
	struct nrdma_chunk *chunk;
	unsigned int room;

	if (f->count < f->room)
		return NRDMA_REASON_NONE;
	/* Enough if all come as large as they can; else twice as many */
	room = 2 * f->room ?: (left >> NRDMA_CHUNK_MAX_ORDER) + NRDMA_CHUNK_MAX_ORDER;
	reason = nrdma_fill_array(&chunk, room);
	if (reason)
		return reason;
	if (f->count)
		memcpy(chunk, f->chunk, array_size(f->count, sizeof(*chunk)));
	kvfree(f->chunk);
	f->chunk = chunk;
	f->room = room;
	return NRDMA_REASON_NONE;
}

static unsigned int nrdma_filler_order(const struct nrdma_filler *f)
{
	unsigned int order = min_t(unsigned int, NRDMA_CHUNK_MAX_ORDER,
				   ilog2(f->end - f->pgoff));

	/* Each chunk at a multiple of its size, so that a PMD can map it */
	if (f->pgoff)
		order = min_t(unsigned int, order, __ffs(f->pgoff));
	return order;
}

/* Would it do without the memory cgroup? The page allocator does not tell. */
static bool nrdma_filler_uncharged_would(int node, unsigned int order)
{
	struct page *page;

	if (!NRDMA_GFP_ACCOUNT)
		return false;
	page = alloc_pages_node(node, nrdma_chunk_gfp(false) & ~__GFP_ZERO, order);
	if (page)
		__free_pages(page, order);
	return page;
}

/* One chunk. @hard: reclaim and compact for it. Returns why not. */
static enum nrdma_reason nrdma_filler_add(struct nrdma_filler *f, int node,
					  unsigned int order, bool pooled, bool hard)
{
	struct nrdma_payers *payers = f->fill->payers;
	bool remote = f->fill->req->remote;
	enum nrdma_reason reason;
	struct page *page;

	reason = nrdma_filler_make_room(f);
	if (reason)
		return reason;
	if (remote && !nrdma_payers_charge(payers, node, 1UL << order))
		return NRDMA_REASON_CAP;

	if (pooled)
		page = nrdma_pool_take(node, order);
	else
		page = alloc_pages_node(node, nrdma_chunk_gfp(hard) | NRDMA_GFP_ACCOUNT, order);
	if (!page) {
		if (remote)
			nrdma_payers_uncharge(payers, node, 1UL << order);
		return pooled ? NRDMA_REASON_POOL : NRDMA_REASON_NODE_FULL;
	}
	nrdma_page_set_index(page, f->pgoff);
	f->chunk[f->count++] = (struct nrdma_chunk){
		.page = page,
		.pgoff = f->pgoff,
		.pooled = pooled,
	};
	f->pgoff += 1UL << order;
	return NRDMA_REASON_NONE;
}

/* Only the wanted node's pool: that is the one that the caller may use. */
static enum nrdma_reason nrdma_filler_add_pooled(struct nrdma_filler *f, int node)
{
	const struct nrdma_fill_request *req = f->fill->req;
	unsigned int order = nrdma_pool_order(node);

	if (!f->fill->pool || node != req->node || order < req->min_order ||
	    order > nrdma_filler_order(f))
		return NRDMA_REASON_POOL;
	return nrdma_filler_add(f, node, order, true, false);
}

/* The next smaller order to try, or -1 */
static int nrdma_filler_smaller(const struct nrdma_filler *f, unsigned int order)
{
	unsigned int min_order = f->fill->req->min_order, i;

	if (order <= min_order)
		return -1;
	for (i = 0; i < ARRAY_SIZE(nrdma_fill_sizes); i++)
		if (get_order(nrdma_fill_sizes[i]) < order)
			return max_t(unsigned int, min_order, get_order(nrdma_fill_sizes[i]));
	return min_order;
}

static bool nrdma_filler_stopped(const struct nrdma_filler *f)
{
	return READ_ONCE(f->fill->stop) || fatal_signal_pending(f->fill->task);
}

/* As large as it can be had. @scarce: larger ones were not, before. */
static enum nrdma_reason nrdma_filler_add_fresh(struct nrdma_filler *f, int node, bool *scarce)
{
	int order, smaller = nrdma_filler_order(f);
	enum nrdma_reason reason;

	do {
		order = smaller;
		if (nrdma_filler_stopped(f))
			return NRDMA_REASON_INTERRUPTED;
		smaller = nrdma_filler_smaller(f, order);
		/* Once they were scarce, large ones are taken if at hand */
		reason = nrdma_filler_add(f, node, order, false, !*scarce || smaller < 0 ||
					  order <= NRDMA_FILL_EASY_ORDER);
		if (reason != NRDMA_REASON_NODE_FULL)
			return reason;
		*scarce = true;
	} while (smaller >= 0);

	/* A second time, for the node may just have got it back */
	if (nrdma_filler_uncharged_would(node, order)) {
		reason = nrdma_filler_add(f, node, order, false, false);
		return reason == NRDMA_REASON_NODE_FULL ? NRDMA_REASON_CGROUP : reason;
	}
	if (order && nrdma_node_free(node) >= f->end - f->pgoff)
		return NRDMA_REASON_FRAGMENTED;
	return NRDMA_REASON_NODE_FULL;
}

/* From one node, until all is there or the node has no more. */
static enum nrdma_reason nrdma_filler_run_on(struct nrdma_filler *f, int node)
{
	enum nrdma_reason reason;
	bool scarce = false;

	while (f->pgoff < f->end) {
		if (nrdma_filler_stopped(f))
			return NRDMA_REASON_INTERRUPTED;
		reason = nrdma_filler_add_pooled(f, node);
		if (reason == NRDMA_REASON_POOL && !f->fill->req->pool_only)
			reason = nrdma_filler_add_fresh(f, node, &scarce);
		if (reason)
			return reason;
		cond_resched();
	}
	return NRDMA_REASON_NONE;
}

/* The nearest node with memory that was not tried yet */
static int nrdma_node_next(int from, const nodemask_t *tried)
{
	int node, best = NUMA_NO_NODE;

	for_each_online_node(node) {
		if (node_isset(node, *tried) || !nrdma_node_has_memory(node))
			continue;
		if (best == NUMA_NO_NODE ||
		    node_distance(from, node) < node_distance(from, best))
			best = node;
	}
	return best;
}

/* Another node can only help where this one is at its end */
static bool nrdma_filler_may_go_on(const struct nrdma_filler *f, enum nrdma_reason reason)
{
	return f->fill->req->remote && reason != NRDMA_REASON_INTERRUPTED &&
	       reason != NRDMA_REASON_KERNEL && reason != NRDMA_REASON_CGROUP;
}

static void nrdma_filler_run(struct nrdma_filler *f)
{
	int first = f->fill->req->node, node = first;
	struct mem_cgroup *old;
	enum nrdma_reason reason;
	nodemask_t tried;

	nodes_complement(tried, f->fill->allowed);
	old = set_active_memcg(f->fill->memcg);
	reason = nrdma_filler_run_on(f, node);
	f->reason = reason;
	while (reason && nrdma_filler_may_go_on(f, reason)) {
		node_set(node, tried);
		node = nrdma_node_next(first, &tried);
		if (node == NUMA_NO_NODE)
			break;
		reason = nrdma_filler_run_on(f, node);
	}
	set_active_memcg(old);
	/* What matters is why the wanted node did not do, unless all is there */
	if (!reason || reason == NRDMA_REASON_INTERRUPTED)
		f->reason = reason;
	if (f->reason)
		WRITE_ONCE(f->fill->stop, true);
}

static void nrdma_filler_work_fn(struct work_struct *work)
{
	nrdma_filler_run(container_of(work, struct nrdma_filler, work));
}

static unsigned int nrdma_fill_count(const struct nrdma_fill_request *req)
{
	unsigned long most = min3((unsigned long)READ_ONCE(fill_workers),
				  (unsigned long)nr_cpus_node(req->node),
				  req->pages / NRDMA_FILL_SHARE);

	/* A pool has nothing to zero */
	return req->pool_only ? 1 : max(most, 1UL);
}

/* Equal parts that end where a largest chunk does */
static void nrdma_fill_share(struct nrdma_fill *fill, struct nrdma_filler *f, unsigned int nr)
{
	unsigned long share = round_up(DIV_ROUND_UP(fill->req->pages, nr),
				       1UL << NRDMA_CHUNK_MAX_ORDER);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		f[i].fill = fill;
		f[i].pgoff = min(i * share, fill->req->pages);
		f[i].end = min((i + 1) * share, fill->req->pages);
	}
}

static void nrdma_fill_run(struct nrdma_fill *fill, struct nrdma_filler *f, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++) {
		INIT_WORK(&f[i].work, nrdma_filler_work_fn);
		queue_work_node(fill->req->node, nrdma_fill_wq, &f[i].work);
	}
	nrdma_filler_run(&f[0]);
	for (i = 1; i < nr; i++)
		flush_work(&f[i].work);
}

/* A filler that gave up because another did has nothing to say */
static enum nrdma_reason nrdma_fill_reason(const struct nrdma_fill *fill,
					   const struct nrdma_filler *f, unsigned int nr)
{
	enum nrdma_reason reason = NRDMA_REASON_NONE;
	unsigned int i;

	if (fatal_signal_pending(fill->task))
		return fill->stop ? NRDMA_REASON_INTERRUPTED : NRDMA_REASON_NONE;
	for (i = 0; i < nr; i++)
		if (f[i].reason && (!reason || reason == NRDMA_REASON_INTERRUPTED))
			reason = f[i].reason;
	return reason;
}

/* The parts one after the other; a single one is taken as it is. */
static enum nrdma_reason nrdma_fill_join(struct nrdma_filler *f, unsigned int nr,
					 struct nrdma_chunks *chunks)
{
	unsigned int i, count = 0;
	enum nrdma_reason reason;

	if (nr > 1) {
		for (i = 0; i < nr; i++)
			count += f[i].count;
		reason = nrdma_fill_array(&chunks->chunk, count);
		if (reason)
			return reason;
		for (i = 0; i < nr; i++) {
			memcpy(chunks->chunk + chunks->count, f[i].chunk,
			       array_size(f[i].count, sizeof(*chunks->chunk)));
			chunks->count += f[i].count;
		}
	} else {
		swap(chunks->chunk, f->chunk);
		chunks->count = f->count;
	}
	for (i = 0; i < nr; i++)
		f[i].count = 0;
	return NRDMA_REASON_NONE;
}

/*
 * What lies on one node is charged as a whole: who asks for more than he may have
 * takes none of it. Of what may lie anywhere each chunk is charged where it lies.
 */
static bool nrdma_fill_reserve(struct nrdma_fill *fill)
{
	const struct nrdma_fill_request *req = fill->req;

	return req->remote || nrdma_payers_charge(fill->payers, req->node, req->pages);
}

/* All that is left, and of the reserve what was not used */
static void nrdma_fill_drop(struct nrdma_fill *fill, struct nrdma_filler *f, unsigned int nr)
{
	unsigned int i, c;

	for (i = 0; i < nr; i++) {
		if (!fill->req->remote)
			nrdma_payers_uncharge(fill->payers, fill->req->node,
					      f[i].end - f[i].pgoff);
		for (c = 0; c < f[i].count; c++) {
			nrdma_chunk_free(fill->payers, &f[i].chunk[c]);
			cond_resched();
		}
		kvfree(f[i].chunk);
	}
}

/* Without what a pool has for the caller, or would give the kernel */
static unsigned long nrdma_fill_beside_pool(const struct nrdma_fill *fill)
{
	struct nrdma_pool_state pool;
	unsigned long pages = 0;

	nrdma_pool_get(fill->req->node, &pool);
	if (fill->pool || pool.shrink)
		pages = (pool.ready + pool.dirty) << pool.order;
	return fill->req->pages - min(fill->req->pages, pages);
}

static enum nrdma_reason nrdma_fill_check(const struct nrdma_fill *fill)
{
	const struct nrdma_fill_request *req = fill->req;

	if (!node_isset(req->node, fill->allowed))
		return NRDMA_REASON_CPUSET;
	/* Past that no chunk is looked for, and the list of them would be absurd */
	if (req->pool_only)
		return fill->pool && req->pages <= node_present_pages(req->node) ?
		       NRDMA_REASON_NONE : NRDMA_REASON_POOL;
	if (req->remote ? req->pages > totalram_pages() :
			  !nrdma_node_can_give(req->node, nrdma_fill_beside_pool(fill)))
		return NRDMA_REASON_NODE_FULL;
	return NRDMA_REASON_NONE;
}

/**
 * nrdma_chunks_fill() - zeroed memory for a buffer
 * @chunks: @chunks->payers is set; the rest is filled in
 * @req: what is asked for
 * @fail: filled in on failure
 *
 * All or nothing.
 *
 * Context: may sleep, for as long as zeroing takes; a fatal signal ends it.
 * mmap_lock may be held.
 * Return: 0, or the negative errno of @fail->reason.
 */
int nrdma_chunks_fill(struct nrdma_chunks *chunks, const struct nrdma_fill_request *req,
		      struct nrdma_fail *fail)
{
	struct nrdma_fill fill = {
		.req = req,
		.payers = chunks->payers,
		.task = current,
		.allowed = cpuset_current_mems_allowed,
		.pool = nrdma_pool_allowed(req->node),
	};
	enum nrdma_reason reason;
	struct nrdma_filler *f;
	unsigned int nr;

	reason = nrdma_fill_check(&fill);
	if (reason)
		return nrdma_fail_set(fail, reason, req->node);

	nr = nrdma_fill_count(req);
	f = kcalloc(nr, sizeof(*f), GFP_KERNEL);
	if (!f)
		return nrdma_fail_set(fail, NRDMA_REASON_KERNEL, req->node);
	if (!nrdma_fill_reserve(&fill)) {
		kfree(f);
		return nrdma_fail_set(fail, NRDMA_REASON_CAP, req->node);
	}
	fill.memcg = get_mem_cgroup_from_mm(current->mm);
	nrdma_fill_share(&fill, f, nr);
	nrdma_fill_run(&fill, f, nr);
	mem_cgroup_put(fill.memcg);

	reason = nrdma_fill_reason(&fill, f, nr);
	if (!reason)
		reason = nrdma_fill_join(f, nr, chunks);
	nrdma_fill_drop(&fill, f, nr);
	kfree(f);
	return reason ? nrdma_fail_set(fail, reason, req->node) : 0;
}

/**
 * nrdma_fill_init() - make the workers' queue
 *
 * Return: 0 or -ENOMEM.
 */
int __init nrdma_fill_init(void)
{
	nrdma_fill_wq = alloc_workqueue("nrdma_fill", WQ_UNBOUND, 0);
	return nrdma_fill_wq ? 0 : -ENOMEM;
}

/**
 * nrdma_fill_exit() - undo nrdma_fill_init()
 */
void nrdma_fill_exit(void)
{
	destroy_workqueue(nrdma_fill_wq);
}
