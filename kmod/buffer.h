/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_BUFFER_H
#define NRDMA_BUFFER_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "chunk.h"

struct dma_buf;
struct nrdma_dev;
struct nrdma_memlock;

/**
 * struct nrdma_buf - a buffer
 *
 * The private data of a dma-buf, which owns it: made by nrdma_buf_create(),
 * freed when the last descriptor, mapping and attachment are gone. The dma-buf
 * holds the module. Only @attachments changes in between.
 *
 * Chunks that a memory registration still pins are kept, and charged to those
 * who pay, until it lets go: the buffer is then lingering, holds the module no
 * more, and belongs to the table of buffers.
 *
 * @id: key in the table of buffers
 * @dev: the device that it was made through, referenced; it may be gone
 * @size: bytes; of a lingering one, those that are left
 * @node: node that was wanted
 * @remote_bytes: bytes that lie elsewhere
 * @warm_bytes: bytes that came from a pool
 * @uncharged_bytes: bytes that are charged to no memory cgroup
 * @min_chunk: smallest chunk, bytes
 * @lingering: freed, but pinned; protected by nrdma_bufs_lock()
 * @linger: in the list of lingering buffers, likewise
 * @chunks: the memory
 * @memlock: charge to the maker's locked_vm
 * @pid: the maker, referenced
 * @comm: the maker's command
 * @label: what the dma-buf's fdinfo shows
 * @lock: protects @attachments; taken under importers' locks, and under it the
 *	DMA API only
 * @attachments: importers
 */
struct nrdma_buf {
	u32			id;
	struct nrdma_dev	*dev;
	u64			size;
	int			node;
	u64			remote_bytes;
	u64			warm_bytes;
	u64			uncharged_bytes;
	u64			min_chunk;
	bool			lingering;
	struct list_head	linger;
	struct nrdma_chunks	chunks;
	struct nrdma_memlock	*memlock;
	struct pid		*pid;
	char			comm[TASK_COMM_LEN];
	char			label[NRDMA_NAME_MAX + 24];
	struct mutex		lock;	/* of attachments */
	struct list_head	attachments;
};

/**
 * struct nrdma_buf_request - what is asked for
 * @size: bytes
 * @min_chunk: smallest chunk, bytes, or 0
 * @flags: NRDMA_ALLOC_*
 * @node: a node, or NRDMA_NODE_DEVICE
 * @mmap_locked: the caller holds its mmap_lock for write
 */
struct nrdma_buf_request {
	u64	size;
	u64	min_chunk;
	u32	flags;
	int	node;
	bool	mmap_locked;
};

u64 nrdma_chunk_max(void);
void nrdma_buffer_exit(void);

struct dma_buf *nrdma_buf_create(struct nrdma_dev *dev, const struct nrdma_buf_request *req,
				 struct nrdma_fail *fail);
void nrdma_buf_free(struct nrdma_buf *buf);

bool nrdma_buf_is_ours(const struct dma_buf *dmabuf);
u32 nrdma_buf_id(const struct dma_buf *dmabuf);
int nrdma_buf_node(const struct dma_buf *dmabuf);
u64 nrdma_buf_warm_bytes(const struct dma_buf *dmabuf);
u64 nrdma_buf_min_chunk(const struct dma_buf *dmabuf);
unsigned int nrdma_buf_runs(const struct dma_buf *dmabuf, struct nrdma_run *runs,
			    unsigned int nr);

void nrdma_bufs_lock(void);
void nrdma_bufs_unlock(void);
unsigned int nrdma_bufs_generation(void);
struct nrdma_buf *nrdma_bufs_next(unsigned long *id);

#endif /* NRDMA_BUFFER_H */
