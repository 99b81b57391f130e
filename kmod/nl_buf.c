// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: buffers.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ratelimit.h>
#include <linux/sizes.h>
#include <net/genetlink.h>

#include "account.h"
#include "buffer.h"
#include "device.h"
#include "event.h"
#include "netlink.h"

const struct nla_policy nrdma_nl_buf_get_policy[NRDMA_A_BUF_DEV_NAME + 1] = {
	[NRDMA_A_BUF_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_BUF_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
};

/* Where a dump goes on: struct netlink_callback has 6 longs for it */
struct nrdma_nl_buf_ctx {
	unsigned long	id;
	unsigned int	chunk;
};

static int nrdma_nl_put_node_bytes(struct sk_buff *skb, int node, u64 bytes)
{
	struct nlattr *nest = nla_nest_start(skb, NRDMA_A_BUF_NODE_BYTES);

	if (!nest || nla_put_u32(skb, NRDMA_A_RUN_NODE, node) ||
	    nla_put_u64_64bit(skb, NRDMA_A_RUN_BYTES, bytes, NRDMA_A_RUN_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int nrdma_nl_put_nodes(struct sk_buff *skb, const struct nrdma_buf *buf)
{
	u64 left = buf->remote_bytes;
	int node;

	if (buf->size > left && nrdma_nl_put_node_bytes(skb, buf->node, buf->size - left))
		return -EMSGSIZE;
	for_each_online_node(node) {
		u64 bytes;

		if (!left)
			break;
		if (node == buf->node)
			continue;
		bytes = nrdma_chunks_bytes_on(&buf->chunks, node);
		if (!bytes)
			continue;
		left -= bytes;
		if (nrdma_nl_put_node_bytes(skb, node, bytes))
			return -EMSGSIZE;
	}
	return 0;
}

/*
 * As many runs as fit. Returns true when these were all; @chunk is then the
 * number of chunks, otherwise the first that is still to be told.
 */
static bool nrdma_nl_put_runs(struct sk_buff *skb, const struct nrdma_buf *buf,
			      unsigned int *chunk)
{
	struct nrdma_run run;

	while (*chunk < buf->chunks.count) {
		unsigned int next = *chunk;
		struct nlattr *nest;

		nrdma_chunks_runs(&buf->chunks, &next, &run, 1);
		nest = nla_nest_start(skb, NRDMA_A_BUF_RUN);
		if (!nest)
			return false;
		if (nla_put_u64_64bit(skb, NRDMA_A_RUN_OFFSET, run.offset, NRDMA_A_RUN_PAD) ||
		    nla_put_u64_64bit(skb, NRDMA_A_RUN_BYTES, run.bytes, NRDMA_A_RUN_PAD) ||
		    nla_put_u64_64bit(skb, NRDMA_A_RUN_CHUNK_BYTES, run.chunk_bytes,
				      NRDMA_A_RUN_PAD) ||
		    nla_put_u32(skb, NRDMA_A_RUN_NODE, run.node)) {
			nla_nest_cancel(skb, nest);
			return false;
		}
		nla_nest_end(skb, nest);
		*chunk = next;
	}
	return true;
}

static int nrdma_nl_put_device(struct sk_buff *skb, struct nrdma_dev *dev)
{
	char name[NRDMA_NAME_MAX];

	nrdma_dev_name(dev, name);
	if (nla_put_u32(skb, NRDMA_A_BUF_DEV_INDEX, dev->index) ||
	    nla_put_string(skb, NRDMA_A_BUF_DEV_NAME, name) ||
	    nla_put_u8(skb, NRDMA_A_BUF_ORPHAN, nrdma_dev_gone(dev)))
		return -EMSGSIZE;
	return 0;
}

static int nrdma_nl_put_buf(struct sk_buff *skb, const struct nrdma_buf *buf)
{
	if (nla_put_u32(skb, NRDMA_A_BUF_ID, buf->id) ||
	    nrdma_nl_put_device(skb, buf->dev) ||
	    nla_put_u64_64bit(skb, NRDMA_A_BUF_BYTES, buf->size, NRDMA_A_BUF_PAD) ||
	    nla_put_u32(skb, NRDMA_A_BUF_NODE, buf->node) ||
	    nla_put_u64_64bit(skb, NRDMA_A_BUF_UNCHARGED_BYTES, buf->uncharged_bytes,
			      NRDMA_A_BUF_PAD) ||
	    nla_put_u64_64bit(skb, NRDMA_A_BUF_WARM_BYTES, buf->warm_bytes, NRDMA_A_BUF_PAD) ||
	    nla_put_u8(skb, NRDMA_A_BUF_LINGERING, buf->lingering))
		return -EMSGSIZE;
	return 0;
}

/* 0 when the maker is gone: its number may be somebody else's by now */
static pid_t nrdma_buf_pid_nr(const struct nrdma_buf *buf)
{
	pid_t nr = 0;

	rcu_read_lock();
	if (pid_task(buf->pid, PIDTYPE_TGID))
		nr = pid_vnr(buf->pid);
	rcu_read_unlock();
	return nr;
}

static bool nrdma_nl_may_know_owner(struct netlink_callback *cb, const struct nrdma_buf *buf)
{
	return uid_eq(NETLINK_CREDS(cb->skb)->uid, nrdma_payers_uid(buf->chunks.payers)) ||
	       netlink_capable(cb->skb, CAP_NET_ADMIN);
}

static int nrdma_nl_put_owner(struct sk_buff *skb, struct netlink_callback *cb,
			      const struct nrdma_buf *buf)
{
	pid_t pid;

	if (nla_put_u32(skb, NRDMA_A_BUF_UID,
			from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk),
					 nrdma_payers_uid(buf->chunks.payers))))
		return -EMSGSIZE;
	if (!nrdma_nl_may_know_owner(cb, buf))
		return 0;
	pid = nrdma_buf_pid_nr(buf);
	if ((pid && nla_put_u32(skb, NRDMA_A_BUF_PID, pid)) ||
	    nla_put_string(skb, NRDMA_A_BUF_COMM, buf->comm))
		return -EMSGSIZE;
	return 0;
}

/* An orphan's device passes no namespace check; the initial one sees them all */
static bool nrdma_nl_buf_visible(struct nrdma_buf *buf, struct net *net)
{
	if (nrdma_dev_begin(buf->dev, net)) {
		nrdma_dev_end(buf->dev);
		return true;
	}
	return nrdma_dev_gone(buf->dev) && net_eq(net, &init_net);
}

static int nrdma_nl_dump_buf(struct sk_buff *skb, struct netlink_callback *cb,
			     const struct nrdma_buf *buf, unsigned int *chunk)
{
	unsigned int first = *chunk;
	bool all;
	void *hdr;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &nrdma_nl_family, NLM_F_MULTI, NRDMA_CMD_BUF_GET);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	if (nrdma_nl_put_buf(skb, buf) || nrdma_nl_put_owner(skb, cb, buf) ||
	    (!first && nrdma_nl_put_nodes(skb, buf))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	all = nrdma_nl_put_runs(skb, buf, chunk);
	if (!all && *chunk == first) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return all ? 0 : -EMSGSIZE;
}

/**
 * nrdma_nl_buf_get_dumpit() - NRDMA_CMD_BUF_GET
 * @skb: to fill
 * @cb: the dump; its context says where to go on
 *
 * Return: length of what was filled in, or a negative errno.
 */
int nrdma_nl_buf_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nrdma_nl_buf_ctx *ctx = (void *)cb->ctx;
	struct net *net = sock_net(skb->sk);
	unsigned long goes_on = ctx->id;
	struct nrdma_buf *buf;
	struct nrdma_dev *only;
	int ret = 0;

	BUILD_BUG_ON(sizeof(*ctx) > sizeof(cb->ctx));

	only = nrdma_nl_dump_dev(cb, NRDMA_A_BUF_DEV_INDEX, NRDMA_A_BUF_DEV_NAME);
	if (IS_ERR(only))
		return PTR_ERR(only);

	nrdma_bufs_lock();
	cb->seq = nrdma_bufs_generation();
	while ((buf = nrdma_bufs_next(&ctx->id))) {
		/* What the last message ended in may be gone */
		if (ctx->id != goes_on)
			ctx->chunk = 0;
		if ((!only || buf->dev == only) && nrdma_nl_buf_visible(buf, net)) {
			ret = nrdma_nl_dump_buf(skb, cb, buf, &ctx->chunk);
			if (ret)
				break;
		}
		ctx->id++;
	}
	nrdma_bufs_unlock();
	if (only)
		nrdma_dev_put(only);
	return skb->len ?: ret;
}

/*
 * Users cause these events, so each has a limit: 10 in 5 s, shared with those
 * whose uid hashes alike. Nothing is logged for what is dropped.
 */
#define NRDMA_EVENT_LIMIT_BITS	6

static struct ratelimit_state nrdma_event_limits[1 << NRDMA_EVENT_LIMIT_BITS];

/**
 * nrdma_nl_buf_init() - set the limits up
 */
void __init nrdma_nl_buf_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nrdma_event_limits); i++) {
		ratelimit_state_init(&nrdma_event_limits[i], DEFAULT_RATELIMIT_INTERVAL,
				     DEFAULT_RATELIMIT_BURST);
		ratelimit_set_flags(&nrdma_event_limits[i], RATELIMIT_MSG_ON_RELEASE);
	}
}

static bool nrdma_event_allowed(kuid_t uid)
{
	u32 at = hash_32(__kuid_val(uid), NRDMA_EVENT_LIMIT_BITS);

	return nrdma_nl_event_wanted() && __ratelimit(&nrdma_event_limits[at]);
}

/* Of many readers in many user namespaces: as the initial one has it */
static int nrdma_nl_put_event_uid(struct sk_buff *skb, kuid_t uid)
{
	return nla_put_u32(skb, NRDMA_A_BUF_UID, from_kuid_munged(&init_user_ns, uid));
}

/**
 * nrdma_event_buf() - tell of a buffer
 * @buf: buffer
 * @event: what happened
 *
 * Context: may sleep.
 */
void nrdma_event_buf(struct nrdma_buf *buf, enum nrdma_buf_event event)
{
	struct sk_buff *skb;
	void *hdr;

	if (!nrdma_event_allowed(nrdma_payers_uid(buf->chunks.payers)))
		return;
	skb = nrdma_nl_event_new(NRDMA_CMD_BUF_NTF, &hdr);
	if (!skb)
		return;
	if (nla_put_u32(skb, NRDMA_A_BUF_EVENT, event) || nrdma_nl_put_buf(skb, buf) ||
	    nrdma_nl_put_event_uid(skb, nrdma_payers_uid(buf->chunks.payers)) ||
	    nrdma_nl_put_nodes(skb, buf))
		nlmsg_free(skb);
	else
		nrdma_nl_event_send(skb, hdr);
}

/**
 * nrdma_event_buf_failed() - tell that a buffer could not be made
 * @dev: device
 * @fail: why
 *
 * Context: may sleep.
 */
void nrdma_event_buf_failed(struct nrdma_dev *dev, const struct nrdma_fail *fail)
{
	struct sk_buff *skb;
	void *hdr;

	if (!nrdma_event_allowed(current_uid()))
		return;
	skb = nrdma_nl_event_new(NRDMA_CMD_BUF_NTF, &hdr);
	if (!skb)
		return;
	if (nla_put_u32(skb, NRDMA_A_BUF_EVENT, NRDMA_BUF_EVENT_FAILED) ||
	    nrdma_nl_put_device(skb, dev) ||
	    nrdma_nl_put_event_uid(skb, current_uid()) ||
	    nla_put_u32(skb, NRDMA_A_BUF_REASON, fail->reason) ||
	    (fail->node != NUMA_NO_NODE && nla_put_u32(skb, NRDMA_A_BUF_NODE, fail->node)) ||
	    nla_put_u64_64bit(skb, NRDMA_A_BUF_BYTES, fail->wanted, NRDMA_A_BUF_PAD) ||
	    nla_put_u64_64bit(skb, NRDMA_A_BUF_AVAILABLE, fail->available, NRDMA_A_BUF_PAD))
		nlmsg_free(skb);
	else
		nrdma_nl_event_send(skb, hdr);
}
