/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_CHUNK_H
#define NRDMA_CHUNK_H

#include <linux/huge_mm.h>
#include <linux/mm.h>
#include <uapi/linux/nrdma.h>

struct nrdma_payers;

/*
 * The largest chunk: what one PMD maps, where the page allocator can give it. A
 * larger one, of 1 GiB from a contiguous allocator, which kernels export from 7.2
 * on, would be mapped page by page on all of them: the core maps a PMD only where
 * the compound page is of just that order. What adjoins is one to importers anyway.
 */
#define NRDMA_CHUNK_MAX_ORDER	min_t(unsigned int, PMD_SHIFT - PAGE_SHIFT, MAX_PAGE_ORDER)

/**
 * struct nrdma_chunk - a physically contiguous piece of a buffer
 * @page: a compound page, or a single one
 * @pgoff: where in the buffer it starts, pages
 * @pooled: it came from the node's pool
 */
struct nrdma_chunk {
	struct page	*page;
	unsigned long	pgoff;
	bool		pooled;
};

static inline unsigned long nrdma_chunk_pages(const struct nrdma_chunk *chunk)
{
	return 1UL << compound_order(chunk->page);
}

/**
 * struct nrdma_fail - why an allocation failed
 * @reason: why
 * @node: the node that it was about, or NUMA_NO_NODE
 * @wanted: bytes that were asked for
 * @available: bytes that @node had free, its pool for NRDMA_REASON_POOL
 */
struct nrdma_fail {
	enum nrdma_reason	reason;
	int			node;
	u64			wanted;
	u64			available;
};

/**
 * struct nrdma_chunks - the memory of a buffer
 * @payers: who is charged for it, referenced
 * @count: entries in @chunk
 * @chunk: by @pgoff, without gaps until some were released
 */
struct nrdma_chunks {
	struct nrdma_payers	*payers;
	unsigned int		count;
	struct nrdma_chunk	*chunk;
};

gfp_t nrdma_chunk_gfp(bool hard);
void nrdma_chunk_free(struct nrdma_payers *payers, struct nrdma_chunk *chunk);

bool nrdma_chunks_held(const struct nrdma_chunks *chunks);
unsigned int nrdma_chunks_release(struct nrdma_chunks *chunks);
void nrdma_chunks_drop(struct nrdma_chunks *chunks);
struct nrdma_chunk *nrdma_chunks_find(const struct nrdma_chunks *chunks,
				      unsigned long pgoff);
unsigned int nrdma_chunks_runs(const struct nrdma_chunks *chunks, unsigned int *at,
			       struct nrdma_run *runs, unsigned int nr);
u64 nrdma_chunks_bytes_on(const struct nrdma_chunks *chunks, int node);

void nrdma_fail_clear(struct nrdma_fail *fail);
int nrdma_fail_set(struct nrdma_fail *fail, enum nrdma_reason reason, int node);
unsigned long nrdma_node_free(int node);
bool nrdma_node_can_give(int node, unsigned long pages);

#endif /* NRDMA_CHUNK_H */
