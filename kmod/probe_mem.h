/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_PROBE_MEM_H
#define NRDMA_PROBE_MEM_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct nrdma_link;

/**
 * struct nrdma_mem - registered memory of one node
 * @link: connection that it is registered for
 * @mr: its registration
 * @bytes: size
 * @order: of each of its pages
 * @nr: how many there are
 * @mapped: entries of @sg that are left once the device sees them
 * @sg: the pages
 */
struct nrdma_mem {
	struct nrdma_link	*link;
	struct ib_mr		*mr;
	u32			bytes;
	unsigned int		order;
	unsigned int		nr;
	unsigned int		mapped;
	struct scatterlist	*sg;
};

int nrdma_mem_open(struct nrdma_mem *mem, struct nrdma_link *link, int node, u32 bytes);
void nrdma_mem_close(struct nrdma_mem *mem);

void nrdma_mem_fill(struct nrdma_mem *mem, u64 seed);
bool nrdma_mem_holds(struct nrdma_mem *mem, u64 seed);
u8 nrdma_mem_last(struct nrdma_mem *mem);
void nrdma_mem_set_last(struct nrdma_mem *mem, u8 value);

#endif /* NRDMA_PROBE_MEM_H */
