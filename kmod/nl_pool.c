// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: pools and caps, by node.
 */
#include <linux/log2.h>
#include <linux/mmzone.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>

#include "account.h"
#include "buffer.h"
#include "netlink.h"
#include "node.h"
#include "pool.h"

const struct nla_policy nrdma_nl_pool_set_policy[NRDMA_A_POOL_NODE_CAP + 1] = {
	[NRDMA_A_POOL_NODE]		= { .type = NLA_U32 },
	[NRDMA_A_POOL_BYTES]		= { .type = NLA_U64 },
	[NRDMA_A_POOL_CHUNK_BYTES]	= { .type = NLA_U64 },
	[NRDMA_A_POOL_GID]		= { .type = NLA_U32 },
	[NRDMA_A_POOL_SHRINK]		= NLA_POLICY_MAX(NLA_U8, 1),
	[NRDMA_A_POOL_UID_CAP]		= { .type = NLA_U64 },
	[NRDMA_A_POOL_NODE_CAP]		= { .type = NLA_U64 },
};

/* One change at a time: what is absent stays as it was. Nothing is below it. */
static DEFINE_MUTEX(nrdma_nl_pool_mutex);

static int nrdma_nl_put_bytes(struct sk_buff *skb, int attr, u64 bytes)
{
	return nla_put_u64_64bit(skb, attr, bytes, NRDMA_A_POOL_PAD);
}

static int nrdma_nl_put_pool(struct sk_buff *skb, int node)
{
	struct nrdma_pool_state s;
	struct nrdma_caps caps;
	u64 chunk;

	nrdma_pool_get(node, &s);
	nrdma_caps_get(node, &caps);
	chunk = (u64)PAGE_SIZE << s.order;
	if (nla_put_u32(skb, NRDMA_A_POOL_NODE, node) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_BYTES, s.chunks * chunk) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_CHUNK_BYTES, chunk) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_READY_BYTES, s.ready * chunk) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_DIRTY_BYTES, s.dirty * chunk) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_USED_BYTES, s.used * chunk) ||
	    (s.error && nla_put_s32(skb, NRDMA_A_POOL_ERROR, s.error)) ||
	    (gid_valid(s.gid) &&
	     nla_put_u32(skb, NRDMA_A_POOL_GID, from_kgid(&init_user_ns, s.gid))) ||
	    nla_put_u8(skb, NRDMA_A_POOL_SHRINK, s.shrink) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_UID_CAP, (u64)caps.uid << PAGE_SHIFT) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_NODE_CAP, (u64)caps.node << PAGE_SHIFT) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_BUF_BYTES, (u64)caps.used << PAGE_SHIFT) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_FREE_BYTES,
			       (u64)nrdma_node_free(node) << PAGE_SHIFT) ||
	    nrdma_nl_put_bytes(skb, NRDMA_A_POOL_TOTAL_BYTES,
			       (u64)node_present_pages(node) << PAGE_SHIFT))
		return -EMSGSIZE;
	return 0;
}

/**
 * nrdma_nl_pool_get_dumpit() - NRDMA_CMD_POOL_GET
 * @skb: to fill
 * @cb: the dump; args[0] is the node to go on with
 *
 * Return: length of what was filled in, or a negative errno.
 */
int nrdma_nl_pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	int node, ret = 0;
	void *hdr;

	for_each_online_node(node) {
		if (node < cb->args[0] || !nrdma_node_has_memory(node))
			continue;
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				  &nrdma_nl_family, NLM_F_MULTI, NRDMA_CMD_POOL_GET);
		if (!hdr) {
			ret = -EMSGSIZE;
			break;
		}
		ret = nrdma_nl_put_pool(skb, node);
		if (ret) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
		cb->args[0] = node + 1;
	}
	return skb->len ?: ret;
}

static int nrdma_nl_pool_chunk(struct nlattr *attr, unsigned int *order,
			       struct netlink_ext_ack *extack)
{
	u64 bytes = nla_get_u64(attr);

	if (!is_power_of_2(bytes) || bytes < PAGE_SIZE || bytes > nrdma_chunk_max()) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a chunk is a power of two, a page to a PMD (x86: 4k to 2M)");
		return -EINVAL;
	}
	*order = ilog2(bytes) - PAGE_SHIFT;
	return 0;
}

static int nrdma_nl_pool_bytes(struct nlattr *attr, int node, struct nrdma_pool_state *s,
			       struct netlink_ext_ack *extack)
{
	u64 bytes = nla_get_u64(attr);

	if (bytes > (u64)node_present_pages(node) << PAGE_SHIFT) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the node has not that much memory (pool show has how much)");
		return -ENOSPC;
	}
	s->chunks = DIV_ROUND_UP_ULL(bytes, (u64)PAGE_SIZE << s->order);
	return 0;
}

/* Less than a page is a page: 0 stands for the default */
static unsigned long nrdma_nl_pool_pages(struct nlattr *attr)
{
	u64 bytes = nla_get_u64(attr);

	return (bytes >> PAGE_SHIFT) + !!(bytes & ~PAGE_MASK);
}

static int nrdma_nl_pool_parse(struct genl_info *info, int node, struct nrdma_pool_state *s,
			       struct nrdma_caps *caps)
{
	struct nlattr **a = info->attrs;
	u64 bytes;
	int ret;

	bytes = s->chunks * ((u64)PAGE_SIZE << s->order);
	if (a[NRDMA_A_POOL_CHUNK_BYTES]) {
		ret = nrdma_nl_pool_chunk(a[NRDMA_A_POOL_CHUNK_BYTES], &s->order, info->extack);
		if (ret)
			return ret;
		s->chunks = DIV_ROUND_UP_ULL(bytes, (u64)PAGE_SIZE << s->order);
	}
	if (a[NRDMA_A_POOL_BYTES]) {
		ret = nrdma_nl_pool_bytes(a[NRDMA_A_POOL_BYTES], node, s, info->extack);
		if (ret)
			return ret;
	}
	if (a[NRDMA_A_POOL_GID])
		s->gid = make_kgid(&init_user_ns, nla_get_u32(a[NRDMA_A_POOL_GID]));
	if (a[NRDMA_A_POOL_SHRINK])
		s->shrink = nla_get_u8(a[NRDMA_A_POOL_SHRINK]);
	if (a[NRDMA_A_POOL_UID_CAP])
		caps->uid = nrdma_nl_pool_pages(a[NRDMA_A_POOL_UID_CAP]);
	if (a[NRDMA_A_POOL_NODE_CAP])
		caps->node = nrdma_nl_pool_pages(a[NRDMA_A_POOL_NODE_CAP]);
	return 0;
}

/**
 * nrdma_nl_pool_set_doit() - NRDMA_CMD_POOL_SET
 * @skb: request
 * @info: request
 *
 * Nothing has changed when it is refused.
 *
 * Return: 0 or a negative errno.
 */
int nrdma_nl_pool_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[NRDMA_A_POOL_NODE];
	struct nrdma_pool_state state;
	struct nrdma_caps caps = { };
	struct sk_buff *msg;
	void *hdr;
	u32 node;
	int ret;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "the request names no node");
		return -EINVAL;
	}
	node = nla_get_u32(attr);
	if (!nrdma_node_has_memory(node)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no such node has memory (pool show has those that do)");
		return -EINVAL;
	}

	msg = nrdma_nl_reply_new(info, 0, &hdr);
	if (!msg)
		return -ENOMEM;

	mutex_lock(&nrdma_nl_pool_mutex);
	nrdma_pool_get(node, &state);
	ret = nrdma_nl_pool_parse(info, node, &state, &caps) ?: nrdma_pool_set(node, &state);
	if (!ret)
		nrdma_caps_set(node, info->attrs[NRDMA_A_POOL_UID_CAP] ? &caps.uid : NULL,
			       info->attrs[NRDMA_A_POOL_NODE_CAP] ? &caps.node : NULL);
	mutex_unlock(&nrdma_nl_pool_mutex);

	if (ret == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[NRDMA_A_POOL_CHUNK_BYTES],
				    "the pool has memory: set its size to 0 first");
	if (!ret)
		ret = nrdma_nl_put_pool(msg, node);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}
