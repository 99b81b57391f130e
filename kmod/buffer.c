// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: node-local memory with an owner, an account and a dma-buf.
 */
#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "account.h"
#include "buffer.h"
#include "device.h"
#include "dmabuf.h"
#include "event.h"
#include "fill.h"
#include "node.h"
#include "pool.h"

/*
 * nrdma_bufs_mutex protects the table of live buffers: one that is in it has
 * all its memory. Whoever lists buffers holds it for as long as it takes to
 * fill one message. Under it: nrdma_dev.ib_sem, nrdma_dev.lock.
 */
static DEFINE_MUTEX(nrdma_bufs_mutex);
static DEFINE_XARRAY_ALLOC1(nrdma_bufs);
static u32 nrdma_bufs_last_id;
static unsigned int nrdma_bufs_changes;
static LIST_HEAD(nrdma_bufs_lingering);

/*
 * Nothing tells when a registration lets go of its pages, so while there are
 * lingering buffers a work item looks: soon after they were freed, since a
 * process that exits closes its registrations just then, then ever more rarely.
 */
#define NRDMA_LINGER_FIRST	msecs_to_jiffies(20)
#define NRDMA_LINGER_LAST	(10 * HZ)

static void nrdma_linger_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(nrdma_linger_work, nrdma_linger_work_fn);
static unsigned long nrdma_linger_delay;

/**
 * nrdma_chunk_max() - the largest chunk
 *
 * Return: bytes.
 */
u64 nrdma_chunk_max(void)
{
	return PAGE_SIZE << NRDMA_CHUNK_MAX_ORDER;
}

/**
 * nrdma_bufs_lock() - no buffer comes or goes until nrdma_bufs_unlock()
 */
void nrdma_bufs_lock(void)
{
	mutex_lock(&nrdma_bufs_mutex);
}

/**
 * nrdma_bufs_unlock() - undo nrdma_bufs_lock()
 */
void nrdma_bufs_unlock(void)
{
	mutex_unlock(&nrdma_bufs_mutex);
}

/**
 * nrdma_bufs_generation() - a number that changes with the table of buffers
 *
 * Context: between nrdma_bufs_lock() and nrdma_bufs_unlock().
 * Return: never 0, as genl_dump_check_consistent() wants it.
 */
unsigned int nrdma_bufs_generation(void)
{
	return nrdma_bufs_changes | 1;
}

/**
 * nrdma_bufs_next() - walk the table of buffers
 * @id: in: the first id to look at; out: the id of the buffer returned
 *
 * Context: between nrdma_bufs_lock() and nrdma_bufs_unlock().
 * Return: a buffer, NULL at the end.
 */
struct nrdma_buf *nrdma_bufs_next(unsigned long *id)
{
	return xa_find(&nrdma_bufs, id, ULONG_MAX, XA_PRESENT);
}

/*
 * Publish last: from here on it is listed. Its id says that it was; the xarray
 * writes one even when it then has no memory.
 */
static int nrdma_buf_publish(struct nrdma_buf *buf)
{
	u32 id;
	int ret;

	mutex_lock(&nrdma_bufs_mutex);
	ret = xa_alloc_cyclic(&nrdma_bufs, &id, buf, xa_limit_31b, &nrdma_bufs_last_id,
			      GFP_KERNEL);
	if (ret >= 0)
		buf->id = id;
	nrdma_bufs_changes += 2;
	mutex_unlock(&nrdma_bufs_mutex);
	if (ret < 0)
		return ret;

	atomic_inc(&buf->dev->nr_bufs);
	atomic64_add(buf->size, &buf->dev->buf_bytes);
	atomic64_add(buf->remote_bytes, &buf->dev->buf_remote_bytes);
	return 0;
}

/* nrdma_bufs_mutex is held. */
static void nrdma_buf_erase(struct nrdma_buf *buf)
{
	xa_erase(&nrdma_bufs, buf->id);
	nrdma_bufs_changes += 2;
}

/* Neither chunks nor the charge to the maker are left. */
static void nrdma_buf_destroy(struct nrdma_buf *buf)
{
	nrdma_chunks_drop(&buf->chunks);
	nrdma_payers_put(buf->chunks.payers);
	put_pid(buf->pid);
	nrdma_dev_put(buf->dev);
	mutex_destroy(&buf->lock);
	kfree(buf);
}

/* What there is of it */
static void nrdma_buf_survey(struct nrdma_buf *buf)
{
	unsigned int i;

	buf->size = 0;
	buf->min_chunk = nrdma_chunk_max();
	buf->warm_bytes = 0;
	buf->remote_bytes = 0;
	buf->uncharged_bytes = 0;
	for (i = 0; i < buf->chunks.count; i++) {
		const struct nrdma_chunk *chunk = &buf->chunks.chunk[i];
		u64 bytes = (u64)nrdma_chunk_pages(chunk) << PAGE_SHIFT;

		buf->size += bytes;
		buf->min_chunk = min(buf->min_chunk, bytes);
		if (chunk->pooled)
			buf->warm_bytes += bytes;
		if (page_to_nid(chunk->page) != buf->node)
			buf->remote_bytes += bytes;
		if (!PageMemcgKmem(chunk->page))
			buf->uncharged_bytes += bytes;
		cond_resched();
	}
}

/* nrdma_bufs_mutex is held. Frees what it can; false when that was all. */
static bool nrdma_buf_still_lingers(struct nrdma_buf *buf)
{
	unsigned int count = buf->chunks.count;

	if (!nrdma_chunks_release(&buf->chunks))
		return false;
	/* Who lists it is at some chunk of it */
	if (buf->chunks.count != count)
		nrdma_bufs_changes += 2;
	nrdma_buf_survey(buf);
	return true;
}

/* Looks once at the lingering buffers; true when there are some still. */
static bool nrdma_linger_look(void)
{
	struct nrdma_buf *buf, *next;
	bool left;

	mutex_lock(&nrdma_bufs_mutex);
	list_for_each_entry_safe(buf, next, &nrdma_bufs_lingering, linger) {
		if (nrdma_buf_still_lingers(buf))
			continue;
		list_del(&buf->linger);
		nrdma_buf_erase(buf);
		nrdma_buf_destroy(buf);
	}
	left = !list_empty(&nrdma_bufs_lingering);
	mutex_unlock(&nrdma_bufs_mutex);
	return left;
}

static void nrdma_linger_work_fn(struct work_struct *work)
{
	if (!nrdma_linger_look())
		return;
	/* A buffer that came to linger since has asked for an early look */
	mutex_lock(&nrdma_bufs_mutex);
	nrdma_linger_delay = min(2 * nrdma_linger_delay, (unsigned long)NRDMA_LINGER_LAST);
	queue_delayed_work(system_dfl_wq, &nrdma_linger_work, nrdma_linger_delay);
	mutex_unlock(&nrdma_bufs_mutex);
}

/**
 * nrdma_buf_free() - the last user has let go
 * @buf: buffer; nothing maps or attaches it any more
 *
 * Context: may sleep; any mmap_lock may be held.
 */
void nrdma_buf_free(struct nrdma_buf *buf)
{
	bool held;

	/* Never published: nobody but the caller has seen it */
	if (!buf->id) {
		nrdma_memlock_uncharge(buf->memlock);
		nrdma_buf_destroy(buf);
		return;
	}

	nrdma_event_buf(buf, NRDMA_BUF_EVENT_FREED);
	atomic_dec(&buf->dev->nr_bufs);
	atomic64_sub(buf->size, &buf->dev->buf_bytes);
	atomic64_sub(buf->remote_bytes, &buf->dev->buf_remote_bytes);
	nrdma_memlock_uncharge(buf->memlock);

	/*
	 * Nobody can come to hold them any more. Memory goes without the mutex: a
	 * large buffer takes its time.
	 */
	held = nrdma_chunks_held(&buf->chunks);
	mutex_lock(&nrdma_bufs_mutex);
	if (held && nrdma_buf_still_lingers(buf)) {
		buf->lingering = true;
		list_add_tail(&buf->linger, &nrdma_bufs_lingering);
		nrdma_linger_delay = NRDMA_LINGER_FIRST;
		mod_delayed_work(system_dfl_wq, &nrdma_linger_work, nrdma_linger_delay);
		buf = NULL;
	} else {
		nrdma_buf_erase(buf);
	}
	mutex_unlock(&nrdma_bufs_mutex);
	if (buf)
		nrdma_buf_destroy(buf);
}

/**
 * nrdma_buffer_exit() - give up what lingers
 *
 * The registrations keep their pages; they are freed when these let go.
 */
void nrdma_buffer_exit(void)
{
	struct nrdma_buf *buf, *next;

	cancel_delayed_work_sync(&nrdma_linger_work);
	list_for_each_entry_safe(buf, next, &nrdma_bufs_lingering, linger)
		nrdma_buf_destroy(buf);
	xa_destroy(&nrdma_bufs);
}

static int nrdma_buf_charge(struct nrdma_buf *buf, const struct nrdma_buf_request *req,
			    struct nrdma_fail *fail)
{
	struct nrdma_memlock *memlock;

	memlock = nrdma_memlock_charge(buf->size >> PAGE_SHIFT, req->mmap_locked);
	if (!IS_ERR(memlock)) {
		buf->memlock = memlock;
		return 0;
	}
	switch (PTR_ERR(memlock)) {
	case -EPERM:
		return nrdma_fail_set(fail, NRDMA_REASON_MEMLOCK, buf->node);
	case -EINTR:
		return nrdma_fail_set(fail, NRDMA_REASON_INTERRUPTED, buf->node);
	default:
		return nrdma_fail_set(fail, NRDMA_REASON_KERNEL, buf->node);
	}
}

/* What the size is rounded up to, and no chunk is smaller than */
static u64 nrdma_buf_granule(const struct nrdma_buf_request *req, int node)
{
	u64 granule = req->min_chunk ?: PAGE_SIZE;

	if (req->flags & NRDMA_ALLOC_POOL_ONLY)
		granule = max(granule, (u64)PAGE_SIZE << nrdma_pool_order(node));
	return granule;
}

static struct nrdma_buf *nrdma_buf_alloc(struct nrdma_dev *dev,
					 const struct nrdma_buf_request *req, u64 size,
					 int node, struct nrdma_fail *fail)
{
	struct nrdma_fill_request fill = {
		.pages = size >> PAGE_SHIFT,
		.node = node,
		.min_order = ilog2(nrdma_buf_granule(req, node)) - PAGE_SHIFT,
		.remote = req->flags & NRDMA_ALLOC_REMOTE,
		.pool_only = req->flags & NRDMA_ALLOC_POOL_ONLY,
	};
	char name[NRDMA_NAME_MAX];
	struct nrdma_buf *buf;
	unsigned int changes;
	int ret;

	buf = kzalloc(sizeof(*buf), NRDMA_GFP_RECORD);
	if (!buf)
		return ERR_PTR(nrdma_fail_set(fail, NRDMA_REASON_KERNEL, node));
	buf->size = size;
	buf->node = node;
	mutex_init(&buf->lock);
	INIT_LIST_HEAD(&buf->attachments);

	buf->chunks.payers = nrdma_payers_get();
	if (!buf->chunks.payers) {
		ret = nrdma_fail_set(fail, NRDMA_REASON_KERNEL, node);
		goto free_buf;
	}
	ret = nrdma_buf_charge(buf, req, fail);
	if (ret)
		goto put_payers;
	changes = READ_ONCE(nrdma_bufs_changes);
	ret = nrdma_chunks_fill(&buf->chunks, &fill, fail);
	/*
	 * A user at his cap may have pages that a registration let go of; or had, if
	 * somebody else looked meanwhile.
	 */
	if (ret == -EDQUOT) {
		nrdma_linger_look();
		if (READ_ONCE(nrdma_bufs_changes) != changes) {
			nrdma_fail_clear(fail);
			fail->wanted = size;
			ret = nrdma_chunks_fill(&buf->chunks, &fill, fail);
		}
	}
	if (ret)
		goto uncharge;

	kref_get(&dev->ref);
	buf->dev = dev;
	buf->pid = get_pid(task_tgid(current));
	get_task_comm(buf->comm, current);
	nrdma_dev_name(dev, name);
	snprintf(buf->label, sizeof(buf->label), "nrdma:%s:node%d", name, node);
	nrdma_buf_survey(buf);
	return buf;

uncharge:
	nrdma_memlock_undo(buf->memlock, req->mmap_locked);
put_payers:
	nrdma_payers_put(buf->chunks.payers);
free_buf:
	mutex_destroy(&buf->lock);
	kfree(buf);
	return ERR_PTR(ret);
}

static int nrdma_buf_pick_node(struct nrdma_dev *dev, int node, struct nrdma_fail *fail)
{
	if (node == NRDMA_NODE_DEVICE) {
		node = nrdma_dev_mem_node(dev);
		if (node == NUMA_NO_NODE)
			return nrdma_fail_set(fail, NRDMA_REASON_NODE_UNKNOWN, node);
	}
	if (!nrdma_node_has_memory(node))
		return nrdma_fail_set(fail, NRDMA_REASON_NODE_ABSENT, node);
	return node;
}

static struct dma_buf *nrdma_buf_try_create(struct nrdma_dev *dev,
					    const struct nrdma_buf_request *req,
					    struct nrdma_fail *fail)
{
	struct dma_buf *dmabuf;
	struct nrdma_buf *buf;
	u64 granule, size;
	int node;

	if (nrdma_dev_gone(dev))
		return ERR_PTR(nrdma_fail_set(fail, NRDMA_REASON_DEVICE_GONE, NUMA_NO_NODE));
	node = nrdma_buf_pick_node(dev, req->node, fail);
	if (node < 0)
		return ERR_PTR(node);

	granule = nrdma_buf_granule(req, node);
	if (check_add_overflow(req->size, granule - 1, &size) || size > S64_MAX)
		return ERR_PTR(-E2BIG);
	size = round_down(size, granule);
	fail->wanted = size;

	buf = nrdma_buf_alloc(dev, req, size, node, fail);
	if (IS_ERR(buf))
		return ERR_CAST(buf);

	dmabuf = nrdma_dmabuf_export(buf);
	if (IS_ERR(dmabuf)) {
		nrdma_memlock_undo(buf->memlock, req->mmap_locked);
		nrdma_buf_destroy(buf);
		return ERR_PTR(nrdma_fail_set(fail, NRDMA_REASON_KERNEL, node));
	}
	if (nrdma_buf_publish(buf)) {
		dma_buf_put(dmabuf);
		return ERR_PTR(nrdma_fail_set(fail, NRDMA_REASON_KERNEL, node));
	}
	nrdma_event_buf(buf, NRDMA_BUF_EVENT_ALLOCATED);
	return dmabuf;
}

/**
 * nrdma_buf_create() - a new buffer for the current process
 * @dev: device
 * @req: what is asked for
 * @fail: filled in when there was a reason; else the request was malformed
 *
 * Context: may sleep; takes mmap_lock unless @req->mmap_locked.
 * Return: a dma-buf, or ERR_PTR(): -EINVAL, -E2BIG malformed, or the errno of
 * @fail->reason.
 */
struct dma_buf *nrdma_buf_create(struct nrdma_dev *dev, const struct nrdma_buf_request *req,
				 struct nrdma_fail *fail)
{
	struct dma_buf *dmabuf;

	if (!req->size || (req->min_chunk && (!is_power_of_2(req->min_chunk) ||
					      req->min_chunk < PAGE_SIZE ||
					      req->min_chunk > nrdma_chunk_max())))
		return ERR_PTR(-EINVAL);

	fail->wanted = req->size;
	dmabuf = nrdma_buf_try_create(dev, req, fail);
	if (IS_ERR(dmabuf) && fail->reason)
		nrdma_event_buf_failed(dev, fail);
	return dmabuf;
}

static const struct nrdma_buf *nrdma_buf_of(const struct dma_buf *dmabuf)
{
	return dmabuf->priv;
}

/**
 * nrdma_buf_is_ours() - is a dma-buf a buffer of this module?
 * @dmabuf: a dma-buf
 *
 * Return: true when the functions below may be used on it.
 */
bool nrdma_buf_is_ours(const struct dma_buf *dmabuf)
{
	return nrdma_dmabuf_is_ours(dmabuf);
}

/**
 * nrdma_buf_id() - the buffer's id, as in netlink
 * @dmabuf: one of ours
 *
 * Return: id.
 */
u32 nrdma_buf_id(const struct dma_buf *dmabuf)
{
	return nrdma_buf_of(dmabuf)->id;
}

/**
 * nrdma_buf_node() - the node that was wanted
 * @dmabuf: one of ours
 *
 * Return: node.
 */
int nrdma_buf_node(const struct dma_buf *dmabuf)
{
	return nrdma_buf_of(dmabuf)->node;
}

/**
 * nrdma_buf_warm_bytes() - what came from a pool
 * @dmabuf: one of ours
 *
 * Return: bytes.
 */
u64 nrdma_buf_warm_bytes(const struct dma_buf *dmabuf)
{
	return nrdma_buf_of(dmabuf)->warm_bytes;
}

/**
 * nrdma_buf_min_chunk() - the smallest chunk
 * @dmabuf: one of ours
 *
 * Return: bytes.
 */
u64 nrdma_buf_min_chunk(const struct dma_buf *dmabuf)
{
	return nrdma_buf_of(dmabuf)->min_chunk;
}

/**
 * nrdma_buf_runs() - where a buffer lies
 * @dmabuf: one of ours
 * @runs: filled in, or NULL only to count
 * @nr: room in @runs
 *
 * Return: number of runs.
 */
unsigned int nrdma_buf_runs(const struct dma_buf *dmabuf, struct nrdma_run *runs,
			    unsigned int nr)
{
	unsigned int at = 0;

	return nrdma_chunks_runs(&nrdma_buf_of(dmabuf)->chunks, &at, runs, nr);
}
