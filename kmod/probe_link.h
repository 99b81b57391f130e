/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_PROBE_LINK_H
#define NRDMA_PROBE_LINK_H

#include <rdma/ib_verbs.h>

struct nrdma_link_cm;
struct nrdma_slice;

/* The two ends of a connection: one posts, the other is written to and read from */
enum nrdma_side {
	NRDMA_SIDE_A,
	NRDMA_SIDE_B,
	NRDMA_SIDES
};

/* Work requests beside the measured ones: registrations, one at a time */
#define NRDMA_LINK_SPARE	4

/**
 * struct nrdma_link - two reliable queue pairs of one port, connected
 *
 * Used by one thread, which also polls for completions; nothing else runs them. Only
 * the peer of a pingpong posts, too, to the queue pair of side B.
 *
 * @slice: what it is for
 * @ib: RDMA device
 * @port: port, from 1
 * @depth: operations that may be under way
 * @pd: protection domain
 * @cq: completions of both
 * @qp: by side
 * @cm: how they were connected where that took the connection manager
 * @sent: done() of what was posted to a send queue
 * @received: done() of what was posted to a receive queue
 * @nr_sent: completions of @sent
 * @nr_received: completions of @received
 * @failed: the first status that was not a success
 */
struct nrdma_link {
	struct nrdma_slice	*slice;
	struct ib_device	*ib;
	u32			port;
	unsigned int		depth;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp[NRDMA_SIDES];
	struct nrdma_link_cm	*cm;
	struct ib_cqe		sent;
	struct ib_cqe		received;
	u32			nr_sent;
	u32			nr_received;
	enum ib_wc_status	failed;
};

int nrdma_link_open(struct nrdma_link *link, struct nrdma_slice *slice, unsigned int depth);
void nrdma_link_disconnect(struct nrdma_link *link);
void nrdma_link_close(struct nrdma_link *link);
int nrdma_link_wait(struct nrdma_link *link, const u32 *count, u32 least);
void nrdma_link_qp_init(const struct nrdma_link *link, struct ib_qp_init_attr *attr);

/* probe_cm.c */
#if IS_ENABLED(CONFIG_INFINIBAND_ADDR_TRANS)
int nrdma_link_cm_connect(struct nrdma_link *link);
void nrdma_link_cm_disconnect(struct nrdma_link *link);
#else
static inline int nrdma_link_cm_connect(struct nrdma_link *link)
{
	return -EOPNOTSUPP;
}

static inline void nrdma_link_cm_disconnect(struct nrdma_link *link)
{
}
#endif

#endif /* NRDMA_PROBE_LINK_H */
