// SPDX-License-Identifier: GPL-2.0
/*
 * Pools: chunks that an administrator set aside on a node, zeroed beforehand,
 * so that a buffer made of them only needs to be mapped.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/isolation.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "chunk.h"
#include "pool.h"

/* How long a node that gave nothing is left alone, unless memory comes back */
#define NRDMA_POOL_RETRY	(30 * HZ)

/**
 * struct nrdma_pool - the pool of a node
 *
 * Chunks are handed out and taken back under @lock alone; what takes time,
 * zeroing and allocating, is done by @filler on the node itself. Pools live as
 * long as the module; one that was never set costs this structure.
 *
 * @lock: protects all below but @filler; a leaf
 * @state: settings and counts
 * @ready: zeroed chunks, by page->lru
 * @dirty: chunks to be zeroed, by page->lru
 * @zeroing: one that the filler zeroes, in none of these lists
 * @shrunk: chunks that memory pressure took and that are not to be replaced
 *	until the pool is next used
 * @wait: where the filler sleeps
 * @set_mutex: one change at a time; protects @filler
 * @filler: fills, zeroes, gives back; started by the first change
 */
struct nrdma_pool {
	spinlock_t		lock;	/* of all below but filler */
	struct nrdma_pool_state	state;
	struct list_head	ready;
	struct list_head	dirty;
	bool			zeroing;
	unsigned long		shrunk;
	wait_queue_head_t	wait;
	struct mutex		set_mutex;	/* of filler, and changes */
	struct task_struct	*filler;
};

static struct nrdma_pool *nrdma_pools;
static struct shrinker *nrdma_pool_shrinker;

/* @lock is held. Chunks more than there should be; negative when too few */
static long nrdma_pool_excess(const struct nrdma_pool *pool)
{
	const struct nrdma_pool_state *s = &pool->state;

	return (long)(s->ready + s->dirty + pool->zeroing + s->used + pool->shrunk) -
	       (long)s->chunks;
}

static struct page *nrdma_pool_pop(struct list_head *list, unsigned long *count)
{
	struct page *page = list_first_entry_or_null(list, struct page, lru);

	if (page) {
		list_del(&page->lru);
		--*count;
	}
	return page;
}

/**
 * nrdma_pool_allowed() - may the caller use a node's pool?
 * @node: node
 *
 * As hugetlbfs has it: CAP_IPC_LOCK, or the pool's group.
 *
 * Return: false also when there is no pool.
 */
bool nrdma_pool_allowed(int node)
{
	struct nrdma_pool_state state;

	nrdma_pool_get(node, &state);
	if (!state.chunks && !state.ready)
		return false;
	return capable(CAP_IPC_LOCK) || (gid_valid(state.gid) && in_group_p(state.gid));
}

/**
 * nrdma_pool_order() - size of a pool's chunks
 * @node: node
 *
 * Return: order of pages.
 */
unsigned int nrdma_pool_order(int node)
{
	return READ_ONCE(nrdma_pools[node].state.order);
}

/**
 * nrdma_pool_take() - a zeroed chunk
 * @node: node
 * @order: of which size
 *
 * Context: any process context.
 * Return: a chunk, NULL when the pool has none of that size.
 */
struct page *nrdma_pool_take(int node, unsigned int order)
{
	struct nrdma_pool *pool = &nrdma_pools[node];
	struct page *page = NULL;
	bool refill;

	spin_lock(&pool->lock);
	if (pool->state.order == order)
		page = nrdma_pool_pop(&pool->ready, &pool->state.ready);
	if (page)
		pool->state.used++;
	refill = pool->shrunk;
	pool->shrunk = 0;
	spin_unlock(&pool->lock);
	if (refill)
		wake_up(&pool->wait);
	return page;
}

/**
 * nrdma_pool_give() - take a chunk back
 * @node: node
 * @page: from nrdma_pool_take(); nobody but the caller holds it
 *
 * Context: any process context.
 * Return: false when somebody else holds it after all, or the pool has enough:
 * the page is still the caller's, and lost to the pool.
 */
bool nrdma_pool_give(int node, struct page *page)
{
	struct nrdma_pool *pool = &nrdma_pools[node];
	bool keep;

	spin_lock(&pool->lock);
	keep = nrdma_pool_excess(pool) <= 0 && page_count(page) == 1 &&
	       pool->state.order == compound_order(page);
	pool->state.used--;
	if (keep) {
		list_add(&page->lru, &pool->dirty);
		pool->state.dirty++;
	}
	spin_unlock(&pool->lock);
	wake_up(&pool->wait);
	return keep;
}

/**
 * nrdma_pool_lose() - a chunk will not come back
 * @node: node
 */
void nrdma_pool_lose(int node)
{
	struct nrdma_pool *pool = &nrdma_pools[node];

	spin_lock(&pool->lock);
	pool->state.used--;
	spin_unlock(&pool->lock);
	wake_up(&pool->wait);
}

/* False, and it is of no use any more, when memory of it has failed */
static bool nrdma_pool_zero(struct page *page)
{
	unsigned long i;

	for (i = 0; i < 1UL << compound_order(page); i++) {
		if (PageHWPoison(page + i))
			return false;
		clear_highpage(page + i);
		cond_resched();
	}
	return true;
}

/* Is there something to do for nrdma_pool_step()? What is used cannot be dropped */
static bool nrdma_pool_busy(struct nrdma_pool *pool)
{
	bool busy;

	spin_lock(&pool->lock);
	busy = pool->state.dirty || (nrdma_pool_excess(pool) > 0 && pool->state.ready) ||
	       (nrdma_pool_excess(pool) < 0 && !pool->state.error);
	spin_unlock(&pool->lock);
	return busy;
}

/* Drops, zeroes or allocates one chunk; false when there is nothing to do. */
static bool nrdma_pool_step(struct nrdma_pool *pool, int node)
{
	struct page *page = NULL, *drop = NULL;
	bool want, good = true;
	unsigned int order;

	spin_lock(&pool->lock);
	if (nrdma_pool_excess(pool) > 0) {
		drop = nrdma_pool_pop(&pool->dirty, &pool->state.dirty) ?:
		       nrdma_pool_pop(&pool->ready, &pool->state.ready);
	} else {
		page = nrdma_pool_pop(&pool->dirty, &pool->state.dirty);
		/* It still counts, so that it is not replaced meanwhile */
		pool->zeroing = page;
	}
	want = nrdma_pool_excess(pool) < 0 && !pool->state.error;
	order = pool->state.order;
	spin_unlock(&pool->lock);

	if (drop) {
		put_page(drop);
		return true;
	}
	if (page) {
		good = nrdma_pool_zero(page);
		spin_lock(&pool->lock);
		pool->zeroing = false;
	} else if (want) {
		page = alloc_pages_node(node, nrdma_chunk_gfp(true), order);
		spin_lock(&pool->lock);
	} else {
		return false;
	}
	/* One that is being allocated counts nowhere: its size may have changed */
	if (order == pool->state.order && !page) {
		pool->state.error = -ENOMEM;
	} else if (order == pool->state.order && good && nrdma_pool_excess(pool) < 0) {
		list_add(&page->lru, &pool->ready);
		pool->state.ready++;
		page = NULL;
	}
	spin_unlock(&pool->lock);
	/* Not what is wanted now */
	if (page)
		put_page(page);
	return true;
}

static int nrdma_pool_filler_fn(void *data)
{
	struct nrdma_pool *pool = data;
	int node = pool - nrdma_pools;

	while (!kthread_should_stop()) {
		if (nrdma_pool_step(pool, node)) {
			cond_resched();
			continue;
		}
		/* Nothing tells when a full node has room again */
		if (READ_ONCE(pool->state.error)) {
			wait_event_interruptible_timeout(pool->wait,
							 kthread_should_stop() ||
							 nrdma_pool_busy(pool),
							 NRDMA_POOL_RETRY);
			spin_lock(&pool->lock);
			pool->state.error = 0;
			spin_unlock(&pool->lock);
		} else {
			wait_event_interruptible(pool->wait, kthread_should_stop() ||
						 nrdma_pool_busy(pool));
		}
	}
	return 0;
}

/**
 * nrdma_pool_get() - what a pool is and has
 * @node: node
 * @state: filled in
 */
void nrdma_pool_get(int node, struct nrdma_pool_state *state)
{
	struct nrdma_pool *pool = &nrdma_pools[node];

	spin_lock(&pool->lock);
	*state = pool->state;
	state->dirty += pool->zeroing;
	spin_unlock(&pool->lock);
}

/**
 * nrdma_pool_free() - what a pool has that is in no buffer
 * @node: online node
 *
 * Return: pages, those still to be zeroed among them: what a call that failed for
 * want of more had taken is just being zeroed.
 */
unsigned long nrdma_pool_free(int node)
{
	struct nrdma_pool_state state;

	nrdma_pool_get(node, &state);
	return (state.ready + state.dirty) << state.order;
}

/* On the node's own CPUs, unless they are isolated: then where kernel threads go */
static int nrdma_pool_start(struct nrdma_pool *pool, int node)
{
	struct task_struct *task;
	cpumask_var_t cpus;

	if (pool->filler)
		return 0;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	task = kthread_create_on_node(nrdma_pool_filler_fn, pool, node, "nrdma_pool/%d", node);
	if (!IS_ERR(task)) {
		rcu_read_lock();
		cpumask_and(cpus, cpumask_of_node(node), housekeeping_cpumask(HK_TYPE_DOMAIN));
		cpumask_and(cpus, cpus, housekeeping_cpumask(HK_TYPE_TICK));
		rcu_read_unlock();
		if (!cpumask_empty(cpus))
			kthread_affine_preferred(task, cpus);
		pool->filler = task;
		wake_up_process(task);
	}
	free_cpumask_var(cpus);
	return PTR_ERR_OR_ZERO(task);
}

/**
 * nrdma_pool_set() - change a pool
 * @node: node with memory
 * @state: its @chunks, @order, @gid and @shrink are taken
 *
 * Memory comes and goes in the background; what is in use goes when it is
 * given back.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY the chunks' size cannot change while there are any; or a
 * negative errno. On failure nothing has changed.
 */
int nrdma_pool_set(int node, const struct nrdma_pool_state *state)
{
	struct nrdma_pool *pool = &nrdma_pools[node];
	struct nrdma_pool_state *s = &pool->state;
	int ret;

	mutex_lock(&pool->set_mutex);
	ret = nrdma_pool_start(pool, node);
	if (ret)
		goto unlock;

	spin_lock(&pool->lock);
	if (s->order != state->order && s->ready + s->dirty + pool->zeroing + s->used) {
		ret = -EBUSY;
	} else {
		s->order = state->order;
		s->chunks = state->chunks;
		s->gid = state->gid;
		s->shrink = state->shrink;
		s->error = 0;
		pool->shrunk = 0;
	}
	spin_unlock(&pool->lock);
	wake_up(&pool->wait);
unlock:
	mutex_unlock(&pool->set_mutex);
	return ret;
}

static unsigned long nrdma_pool_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct nrdma_pool_state state;

	nrdma_pool_get(sc->nid, &state);
	return state.shrink ? (state.ready + state.dirty) << state.order : 0;
}

static unsigned long nrdma_pool_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct nrdma_pool *pool = &nrdma_pools[sc->nid];
	unsigned long freed = 0;
	struct page *page;

	while (freed < sc->nr_to_scan) {
		page = NULL;
		spin_lock(&pool->lock);
		if (pool->state.shrink)
			page = nrdma_pool_pop(&pool->dirty, &pool->state.dirty) ?:
			       nrdma_pool_pop(&pool->ready, &pool->state.ready);
		if (page)
			pool->shrunk++;
		spin_unlock(&pool->lock);
		if (!page)
			break;
		freed += 1UL << compound_order(page);
		put_page(page);
	}
	return freed ?: SHRINK_STOP;
}

/**
 * nrdma_pool_init() - make the pools, all of size 0
 *
 * Return: 0 or -ENOMEM.
 */
int __init nrdma_pool_init(void)
{
	int node;

	nrdma_pools = kcalloc(nr_node_ids, sizeof(*nrdma_pools), GFP_KERNEL);
	if (!nrdma_pools)
		return -ENOMEM;
	for (node = 0; node < nr_node_ids; node++) {
		struct nrdma_pool *pool = &nrdma_pools[node];

		spin_lock_init(&pool->lock);
		mutex_init(&pool->set_mutex);
		init_waitqueue_head(&pool->wait);
		INIT_LIST_HEAD(&pool->ready);
		INIT_LIST_HEAD(&pool->dirty);
		pool->state.order = min_t(unsigned int, NRDMA_CHUNK_MAX_ORDER,
					  get_order(SZ_2M));
		pool->state.gid = INVALID_GID;
	}

	nrdma_pool_shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE, "nrdma_pool");
	if (!nrdma_pool_shrinker) {
		kfree(nrdma_pools);
		return -ENOMEM;
	}
	nrdma_pool_shrinker->count_objects = nrdma_pool_count;
	nrdma_pool_shrinker->scan_objects = nrdma_pool_scan;
	shrinker_register(nrdma_pool_shrinker);
	return 0;
}

/**
 * nrdma_pool_exit() - give all memory back
 *
 * No buffer is left that could hold a chunk.
 */
void nrdma_pool_exit(void)
{
	struct nrdma_pool *pool;
	struct page *page;
	int node;

	shrinker_free(nrdma_pool_shrinker);
	for (node = 0; node < nr_node_ids; node++) {
		pool = &nrdma_pools[node];
		if (pool->filler)
			kthread_stop(pool->filler);
		while ((page = nrdma_pool_pop(&pool->ready, &pool->state.ready)))
			put_page(page);
		while ((page = nrdma_pool_pop(&pool->dirty, &pool->state.dirty)))
			put_page(page);
		mutex_destroy(&pool->set_mutex);
	}
	kfree(nrdma_pools);
}
