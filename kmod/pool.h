/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_POOL_H
#define NRDMA_POOL_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct page;

/**
 * struct nrdma_pool_state - what a pool is and has
 * @chunks: size wanted, chunks
 * @order: of a chunk, as an order of pages
 * @ready: zeroed and free
 * @dirty: free, to be zeroed or just being so
 * @used: in buffers
 * @error: negative errno that keeps it from filling
 * @gid: group that may use it, or INVALID_GID
 * @shrink: memory pressure may take its free memory
 */
struct nrdma_pool_state {
	unsigned long	chunks;
	unsigned int	order;
	unsigned long	ready;
	unsigned long	dirty;
	unsigned long	used;
	int		error;
	kgid_t		gid;
	bool		shrink;
};

int nrdma_pool_init(void);
void nrdma_pool_exit(void);

void nrdma_pool_get(int node, struct nrdma_pool_state *state);
int nrdma_pool_set(int node, const struct nrdma_pool_state *state);

unsigned long nrdma_pool_free(int node);
bool nrdma_pool_allowed(int node);
unsigned int nrdma_pool_order(int node);
struct page *nrdma_pool_take(int node, unsigned int order);
bool nrdma_pool_give(int node, struct page *page);
void nrdma_pool_lose(int node);

#endif /* NRDMA_POOL_H */
