// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: probes. A run is a dump, so the core ends it with its socket, keeps the
 * module meanwhile, and asks for the next message only when there is room for it.
 *
 * The first call of a dump is made while the request is taken in, under a lock
 * that families share: it measures nothing and says what will be measured.
 */
#include <linux/math64.h>
#include <net/genetlink.h>

#include "device.h"
#include "irq_plan.h"
#include "netlink.h"
#include "probe.h"

static struct netlink_range_validation nrdma_nl_probe_size = {
	.min = NRDMA_PROBE_SIZE_MIN,
	.max = NRDMA_PROBE_SIZE_MAX,
};

static struct netlink_range_validation nrdma_nl_probe_times = {
	.min = 1,
	.max = NRDMA_PROBE_ITERATIONS_MAX,
};

const struct nla_policy nrdma_nl_probe_run_policy[NRDMA_A_PROBE_ISOLATED + 1] = {
	[NRDMA_A_PROBE_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_PROBE_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
	[NRDMA_A_PROBE_OP]		= NLA_POLICY_MAX(NLA_U32, NRDMA_PROBE_OP_PINGPONG),
	[NRDMA_A_PROBE_SIZE]		= NLA_POLICY_FULL_RANGE(NLA_U32, &nrdma_nl_probe_size),
	[NRDMA_A_PROBE_ITERATIONS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &nrdma_nl_probe_times),
	[NRDMA_A_PROBE_ROUNDS]		= NLA_POLICY_RANGE(NLA_U32, 1, NRDMA_PROBE_ROUNDS_MAX),
	[NRDMA_A_PROBE_TIME]		= NLA_POLICY_RANGE(NLA_U32, 1, NRDMA_PROBE_SECONDS_MAX),
	[NRDMA_A_PROBE_MEM_NODE]	= NLA_POLICY_MAX(NLA_U32, MAX_NUMNODES - 1),
	[NRDMA_A_PROBE_CPU_NODE]	= NLA_POLICY_MAX(NLA_U32, MAX_NUMNODES - 1),
	[NRDMA_A_PROBE_PORT]		= NLA_POLICY_MIN(NLA_U32, 1),
	[NRDMA_A_PROBE_ISOLATED]	= NLA_POLICY_MAX(NLA_U8, 1),
};

static u32 nrdma_nl_u32(struct nlattr *attr, u32 otherwise)
{
	return attr ? nla_get_u32(attr) : otherwise;
}

static void nrdma_nl_probe_parse(struct nlattr **a, struct nrdma_probe_want *want)
{
	*want = (struct nrdma_probe_want){
		.op		= nrdma_nl_u32(a[NRDMA_A_PROBE_OP], NRDMA_PROBE_OP_WRITE),
		.size		= nrdma_nl_u32(a[NRDMA_A_PROBE_SIZE], 64),
		.iterations	= nrdma_nl_u32(a[NRDMA_A_PROBE_ITERATIONS], 1000),
		.rounds		= nrdma_nl_u32(a[NRDMA_A_PROBE_ROUNDS], 9),
		.seconds	= nrdma_nl_u32(a[NRDMA_A_PROBE_TIME], 10),
		.port		= nrdma_nl_u32(a[NRDMA_A_PROBE_PORT], 0),
		.mem_node	= nrdma_nl_u32(a[NRDMA_A_PROBE_MEM_NODE], NUMA_NO_NODE),
		.cpu_node	= nrdma_nl_u32(a[NRDMA_A_PROBE_CPU_NODE], NUMA_NO_NODE),
		.isolated	= a[NRDMA_A_PROBE_ISOLATED] &&
				  nla_get_u8(a[NRDMA_A_PROBE_ISOLATED]),
	};
}

/*
 * Not a start() of the dump, which up to 6.1 has no words for a refusal. Those of
 * a dump name the attribute from 6.10 on.
 */
static struct nrdma_probe *nrdma_nl_probe_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct nrdma_refusal refusal = { };
	struct nrdma_probe_want want;
	struct nrdma_probe *probe;
	struct nrdma_dev *dev;

	dev = nrdma_nl_dump_dev(cb, NRDMA_A_PROBE_DEV_INDEX, NRDMA_A_PROBE_DEV_NAME);
	if (IS_ERR(dev))
		return ERR_CAST(dev);
	if (!dev) {
		NL_SET_ERR_MSG(cb->extack, "the request names no device");
		return ERR_PTR(-EINVAL);
	}
	nrdma_nl_probe_parse(attrs, &want);
	probe = nrdma_probe_start(dev, sock_net(cb->skb->sk), &want, &refusal);
	nrdma_dev_put(dev);
	if (IS_ERR(probe) && refusal.msg) {
		cb->extack->_msg = refusal.msg;
		if (refusal.attr)
			NL_SET_BAD_ATTR(cb->extack, attrs[refusal.attr]);
	}
	return probe;
}

static int nrdma_nl_put_probe(struct sk_buff *skb, struct nrdma_probe *probe, struct net *net)
{
	const struct nrdma_probe_want *want = &probe->want;
	struct nrdma_dev *dev = probe->dev;
	char name[NRDMA_NAME_MAX];
	bool software = false;

	nrdma_dev_name(dev, name);
	if (nrdma_dev_begin(dev, net)) {
		software = ib_uses_virt_dma(dev->ib);
		nrdma_dev_end(dev);
	}
	if (nla_put_u32(skb, NRDMA_A_PROBE_DEV_INDEX, dev->index) ||
	    nla_put_string(skb, NRDMA_A_PROBE_DEV_NAME, name) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_OP, want->op) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_SIZE, want->size) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_ITERATIONS, want->iterations) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_ROUNDS, want->rounds) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_TIME, want->seconds) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_CELLS, probe->nr_cells) ||
	    nla_put_u8(skb, NRDMA_A_PROBE_SOFTWARE, software) ||
	    nla_put_u8(skb, NRDMA_A_PROBE_ISOLATED, want->isolated))
		return -EMSGSIZE;
	if (want->port && nla_put_u32(skb, NRDMA_A_PROBE_PORT, want->port))
		return -EMSGSIZE;
	return 0;
}

static int nrdma_nl_put_result(struct sk_buff *skb, const struct nrdma_probe_result *result)
{
	if (nla_put_u32(skb, NRDMA_A_PROBE_COUNT, result->count) ||
	    nla_put_u64_64bit(skb, NRDMA_A_PROBE_MIN, result->min_ns, NRDMA_A_PROBE_PAD) ||
	    nla_put_u64_64bit(skb, NRDMA_A_PROBE_MEDIAN, result->median_ns, NRDMA_A_PROBE_PAD) ||
	    nla_put_u64_64bit(skb, NRDMA_A_PROBE_P99, result->p99_ns, NRDMA_A_PROBE_PAD))
		return -EMSGSIZE;
	if (result->bytes_ns &&
	    nla_put_u64_64bit(skb, NRDMA_A_PROBE_RATE,
			      mul_u64_u64_div_u64(result->bytes * BITS_PER_BYTE, NSEC_PER_SEC,
						  result->bytes_ns), NRDMA_A_PROBE_PAD))
		return -EMSGSIZE;
	return 0;
}

static int nrdma_nl_put_slice(struct sk_buff *skb, const struct nrdma_slice *slice, u32 round)
{
	if (nla_put_u32(skb, NRDMA_A_PROBE_ROUND, round) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_MEM_NODE, slice->cell.mem_node) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_CPU_NODE, slice->cell.cpu_node) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_CPU, slice->cell.cpu) ||
	    nla_put_u32(skb, NRDMA_A_PROBE_PEER_CPU, slice->cell.peer_cpu))
		return -EMSGSIZE;
	if (!slice->error)
		return nrdma_nl_put_result(skb, &slice->result);
	if (nla_put_s32(skb, NRDMA_A_PROBE_ERROR, slice->error) ||
	    (slice->why && nla_put_string(skb, NRDMA_A_PROBE_WHY, slice->why)))
		return -EMSGSIZE;
	return 0;
}

/**
 * nrdma_nl_probe_run_dumpit() - NRDMA_CMD_PROBE_RUN begins and goes on
 * @skb: to fill with one message
 * @cb: the dump; args[0] is the run
 *
 * Return: length of what was filled in, 0 at the end, or a negative errno.
 */
int nrdma_nl_probe_run_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nrdma_probe *probe = (struct nrdma_probe *)cb->args[0];
	struct net *net = sock_net(cb->skb->sk);
	struct nrdma_slice slice;
	u32 round;
	void *hdr;
	int ret;

	if (!probe) {
		probe = nrdma_nl_probe_start(cb);
		if (IS_ERR(probe))
			return PTR_ERR(probe);
		cb->args[0] = (long)probe;
	}
	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &nrdma_nl_family, NLM_F_MULTI, NRDMA_CMD_PROBE_RUN);
	if (!hdr)
		return -EMSGSIZE;
	if (!probe->told) {
		probe->told = true;
		ret = nrdma_nl_put_probe(skb, probe, net);
	} else {
		round = probe->at / probe->nr_cells + 1;
		ret = nrdma_probe_next(probe, net, &slice);
		if (ret < 0 && slice.why)
			cb->extack->_msg = slice.why;
		if (ret <= 0) {
			genlmsg_cancel(skb, hdr);
			return ret;
		}
		ret = nrdma_nl_put_slice(skb, &slice, round);
	}
	if (ret)
		return ret;
	genlmsg_end(skb, hdr);
	return skb->len;
}

/**
 * nrdma_nl_probe_run_done() - NRDMA_CMD_PROBE_RUN is over, or its socket closed
 * @cb: the dump
 *
 * Return: 0.
 */
int nrdma_nl_probe_run_done(struct netlink_callback *cb)
{
	struct nrdma_probe *probe = (struct nrdma_probe *)cb->args[0];

	if (probe)
		nrdma_probe_end(probe);
	return 0;
}
