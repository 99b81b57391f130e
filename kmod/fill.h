/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_FILL_H
#define NRDMA_FILL_H

#include "chunk.h"

/**
 * struct nrdma_fill_request - memory for a buffer
 * @pages: how many, above 0
 * @node: where; has memory
 * @min_order: smallest chunk, as an order of pages; divides @pages
 * @remote: other nodes may help out, nearest first
 * @pool_only: from the node's pool alone
 */
struct nrdma_fill_request {
	unsigned long	pages;
	int		node;
	unsigned int	min_order;
	bool		remote;
	bool		pool_only;
};

int nrdma_fill_init(void);
void nrdma_fill_exit(void);

int nrdma_chunks_fill(struct nrdma_chunks *chunks, const struct nrdma_fill_request *req,
		      struct nrdma_fail *fail);

#endif /* NRDMA_FILL_H */
