// SPDX-License-Identifier: GPL-2.0
/*
 * A connection of two queue pairs with each other, over one port.
 */
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "probe.h"
#include "probe_link.h"

/* The longest that an operation may take; a queue pair gives up well before */
#define NRDMA_LINK_TIMEOUT_NS	(8ULL * NSEC_PER_SEC)
#define NRDMA_LINK_BATCH	16
#define NRDMA_LINK_PSN		0x1234

#ifdef NRDMA_TEST
/* A node that is made slow on purpose: the last step of each completion waits. */
static int probe_lag_node = NUMA_NO_NODE;
module_param(probe_lag_node, int, 0600);
MODULE_PARM_DESC(probe_lag_node, "test build: node whose memory is made slow");
static unsigned int probe_lag_ns;
module_param(probe_lag_ns, uint, 0600);
MODULE_PARM_DESC(probe_lag_ns, "test build: by how much");

static void nrdma_link_lag(const struct nrdma_link *link)
{
	u64 end = ktime_get_ns() + READ_ONCE(probe_lag_ns);

	if (link->slice->cell.mem_node == READ_ONCE(probe_lag_node))
		while (ktime_get_ns() < end)
			cpu_relax();
}
#else
static void nrdma_link_lag(const struct nrdma_link *link)
{
}
#endif

static void nrdma_link_check(struct nrdma_link *link, const struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS && link->failed == IB_WC_SUCCESS)
		link->failed = wc->status;
	nrdma_link_lag(link);
}

static void nrdma_link_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct nrdma_link *link = container_of(wc->wr_cqe, struct nrdma_link, sent);

	nrdma_link_check(link, wc);
	link->nr_sent++;
}

static void nrdma_link_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct nrdma_link *link = container_of(wc->wr_cqe, struct nrdma_link, received);

	nrdma_link_check(link, wc);
	link->nr_received++;
}

/**
 * nrdma_link_wait() - poll until so much is completed
 * @link: connection
 * @count: one of its counters, or NULL to look once
 * @least: what it has to come to
 *
 * Context: process; yields the CPU while there is nothing.
 * Return: 0; -ECANCELED the slice was stopped; -EIO an operation failed;
 * -ETIMEDOUT. The latter two with words in the slice.
 */
int nrdma_link_wait(struct nrdma_link *link, const u32 *count, u32 least)
{
	u64 end = 0;

	for (;;) {
		int n = ib_process_cq_direct(link->cq, NRDMA_LINK_BATCH);

		if (unlikely(link->failed != IB_WC_SUCCESS))
			return nrdma_slice_fail(link->slice, -EIO, ib_wc_status_msg(link->failed));
		if (!count || (s32)(*count - least) >= 0)
			return 0;
		if (n > 0)
			continue;
		if (nrdma_slice_stopped(link->slice))
			return -ECANCELED;
		if (!end)
			end = ktime_get_ns() + NRDMA_LINK_TIMEOUT_NS;
		else if (ktime_get_ns() > end)
			return nrdma_slice_fail(link->slice, -ETIMEDOUT,
						"an operation did not complete");
		cond_resched();
	}
}

/**
 * nrdma_link_qp_init() - what a queue pair of the connection is made with
 * @link: connection
 * @attr: out
 */
void nrdma_link_qp_init(const struct nrdma_link *link, struct ib_qp_init_attr *attr)
{
	*attr = (struct ib_qp_init_attr){
		.send_cq	= link->cq,
		.recv_cq	= link->cq,
		.cap		= {
			.max_send_wr	= link->depth + NRDMA_LINK_SPARE,
			.max_recv_wr	= link->depth + NRDMA_LINK_SPARE,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
		.sq_sig_type	= IB_SIGNAL_ALL_WR,
		.qp_type	= IB_QPT_RC,
		.port_num	= link->port,
	};
}

/*
 * A GID that packets to oneself can carry: RoCE v2 with an IPv4 address, or else
 * any of RoCE v2, or else any.
 */
static const struct ib_gid_attr *nrdma_link_gid(struct ib_device *ib, u32 port, int entries)
{
	const struct ib_gid_attr *attr, *best = NULL;
	int i, rank, best_rank = 0;

	for (i = 0; i < entries; i++) {
		attr = rdma_get_gid_attr(ib, port, i);
		if (IS_ERR(attr))
			continue;
		rank = 1;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
			rank = ipv6_addr_v4mapped((struct in6_addr *)attr->gid.raw) ? 3 : 2;
		if (rank <= best_rank) {
			rdma_put_gid_attr(attr);
			continue;
		}
		if (best)
			rdma_put_gid_attr(best);
		best = attr;
		best_rank = rank;
	}
	return best;
}

/*
 * The path to itself of a RoCE port. Nothing here takes rtnl, under which some
 * drivers have their device removed: the MTU is asked of the network device.
 */
static int nrdma_link_path_roce(struct nrdma_link *link, struct ib_qp_attr *attr)
{
	struct rdma_ah_attr *ah = &attr->ah_attr;
	const struct ib_gid_attr *gid;
	struct net_device *ndev;
	u8 mac[ETH_ALEN];
	int ret;

	gid = nrdma_link_gid(link->ib, link->port,
			     link->ib->port_data[link->port].immutable.gid_tbl_len);
	if (!gid)
		return nrdma_slice_fail(link->slice, -EADDRNOTAVAIL,
					"the port has no GID: give its network device an address");
	ret = rdma_read_gid_l2_fields(gid, NULL, mac);
	if (ret) {
		rdma_put_gid_attr(gid);
		return nrdma_slice_fail(link->slice, ret, "the port's MAC address is not known");
	}
	/* The core resolves it for queue pairs of user space only */
	ether_addr_copy(ah->roce.dmac, mac);
	rdma_ah_set_grh(ah, (union ib_gid *)&gid->gid, 0, gid->index, 64, 0);

	attr->path_mtu = IB_MTU_256;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (!IS_ERR(ndev))
		attr->path_mtu = iboe_get_mtu(ndev->mtu) ?: IB_MTU_256;
	rcu_read_unlock();
	rdma_put_gid_attr(gid);
	return 0;
}

static int nrdma_link_path_ib(struct nrdma_link *link, struct ib_qp_attr *attr)
{
	struct rdma_ah_attr *ah = &attr->ah_attr;
	const struct ib_gid_attr *gid;
	struct ib_port_attr port;
	int ret;

	ret = ib_query_port(link->ib, link->port, &port);
	if (ret)
		return nrdma_slice_fail(link->slice, ret, "the port cannot be queried");
	attr->path_mtu = port.active_mtu;
	rdma_ah_set_dlid(ah, port.lid);
	rdma_ah_set_sl(ah, 0);
	if (!rdma_is_grh_required(link->ib, link->port) && port.lid)
		return 0;
	gid = rdma_get_gid_attr(link->ib, link->port, 0);
	if (IS_ERR(gid))
		return nrdma_slice_fail(link->slice, PTR_ERR(gid), "the port has no GID");
	rdma_ah_set_grh(ah, (union ib_gid *)&gid->gid, 0, 0, 64, 0);
	rdma_put_gid_attr(gid);
	return 0;
}

static int nrdma_link_modify(struct nrdma_link *link, enum nrdma_side side,
			     const struct ib_qp_attr *path)
{
	u32 reads = min_t(u32, link->ib->attrs.max_qp_rd_atom, link->ib->attrs.max_qp_init_rd_atom);
	struct ib_qp *qp = link->qp[side];
	struct ib_qp_attr attr = {
		.qp_state		= IB_QPS_INIT,
		.port_num		= link->port,
		.qp_access_flags	= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					  IB_ACCESS_REMOTE_READ,
	};
	int ret;

	reads = clamp_t(u32, reads, 1, link->depth);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			   IB_QP_ACCESS_FLAGS);
	if (ret)
		return ret;

	attr = *path;
	attr.qp_state = IB_QPS_RTR;
	attr.dest_qp_num = link->qp[!side]->qp_num;
	attr.rq_psn = NRDMA_LINK_PSN;
	attr.max_dest_rd_atomic = reads;
	attr.min_rnr_timer = 12;
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			   IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;

	attr = (struct ib_qp_attr){
		.qp_state	= IB_QPS_RTS,
		.sq_psn		= NRDMA_LINK_PSN,
		.timeout	= 14,
		.retry_cnt	= 7,
		.rnr_retry	= 7,
		.max_rd_atomic	= reads,
	};
	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC);
}

/* InfiniBand and RoCE: the connection is made by saying so at both ends. */
static int nrdma_link_connect(struct nrdma_link *link)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr path = { };
	enum nrdma_side side;
	int ret;

	for (side = 0; side < NRDMA_SIDES; side++) {
		struct ib_qp *qp;

		nrdma_link_qp_init(link, &init);
		qp = ib_create_qp(link->pd, &init);
		if (IS_ERR(qp))
			return nrdma_slice_fail(link->slice, PTR_ERR(qp),
						"no queue pair can be made");
		link->qp[side] = qp;
	}

	path.ah_attr.type = rdma_ah_find_type(link->ib, link->port);
	rdma_ah_set_port_num(&path.ah_attr, link->port);
	if (rdma_protocol_roce(link->ib, link->port))
		ret = nrdma_link_path_roce(link, &path);
	else
		ret = nrdma_link_path_ib(link, &path);
	for (side = 0; !ret && side < NRDMA_SIDES; side++) {
		ret = nrdma_link_modify(link, side, &path);
		if (ret)
			nrdma_slice_fail(link->slice, ret, "the queue pairs cannot be connected");
	}
	return ret;
}

static int nrdma_link_find_port(struct nrdma_link *link)
{
	enum ib_port_state state;
	u32 port;

	rdma_for_each_port(link->ib, port) {
		if (link->slice->want->port && port != link->slice->want->port)
			continue;
		if (!ib_get_cached_port_state(link->ib, port, &state) &&
		    state == IB_PORT_ACTIVE) {
			link->port = port;
			return 0;
		}
	}
	return nrdma_slice_fail(link->slice, -ENETDOWN, "the port is not active");
}

/**
 * nrdma_link_open() - connect a port with itself
 * @link: out; for nrdma_link_disconnect() and nrdma_link_close()
 *	whatever is returned
 * @slice: what it is for
 * @depth: operations that shall be under way at most
 *
 * Context: may sleep.
 * Return: 0 or a negative errno, with words in the slice.
 */
int nrdma_link_open(struct nrdma_link *link, struct nrdma_slice *slice, unsigned int depth)
{
	struct ib_device *ib = slice->ib;
	int ret;

	*link = (struct nrdma_link){
		.slice		= slice,
		.ib		= ib,
		.depth		= depth,
		.sent.done	= nrdma_link_sent,
		.received.done	= nrdma_link_received,
		.failed		= IB_WC_SUCCESS,
	};
	ret = nrdma_link_find_port(link);
	if (ret)
		return ret;

	link->pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(link->pd)) {
		ret = PTR_ERR(link->pd);
		link->pd = NULL;
		return nrdma_slice_fail(slice, ret, "no protection domain can be made");
	}
	link->cq = ib_alloc_cq(ib, link, 2 * NRDMA_SIDES * (depth + NRDMA_LINK_SPARE), 0,
			       IB_POLL_DIRECT);
	if (IS_ERR(link->cq)) {
		ret = PTR_ERR(link->cq);
		link->cq = NULL;
		return nrdma_slice_fail(slice, ret, "no completion queue can be made");
	}
	if (rdma_protocol_roce(ib, link->port) || rdma_protocol_ib(ib, link->port))
		return nrdma_link_connect(link);
	ret = nrdma_link_cm_connect(link);
	if (ret == -EOPNOTSUPP)
		nrdma_slice_fail(slice, ret,
				 "this kernel has no connection manager (CONFIG_INFINIBAND_ADDR_TRANS)");
	return ret;
}

/**
 * nrdma_link_disconnect() - end all operations; the device uses no memory then
 * @link: connection
 */
void nrdma_link_disconnect(struct nrdma_link *link)
{
	enum nrdma_side side;

	if (link->cm) {
		nrdma_link_cm_disconnect(link);
		return;
	}
	for (side = 0; side < NRDMA_SIDES; side++)
		if (link->qp[side])
			ib_destroy_qp(link->qp[side]);
}

/**
 * nrdma_link_close() - undo nrdma_link_open()
 * @link: disconnected, and nothing is registered for it any more
 */
void nrdma_link_close(struct nrdma_link *link)
{
	if (link->cq)
		ib_free_cq(link->cq);
	if (link->pd)
		ib_dealloc_pd(link->pd);
}
