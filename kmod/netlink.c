// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: its commands, and what they share.
 *
 * Commands run in parallel and lock for themselves. Requests that name a
 * device have it resolved, and referenced, before they run.
 */
#include <linux/sizes.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "device.h"
#include "netlink.h"

/* Which attributes of a request name its device */
enum nrdma_nl_flags {
	NRDMA_NL_DEV	= BIT(0),	/* NRDMA_A_DEV_INDEX, _NAME */
	NRDMA_NL_IRQ	= BIT(1),	/* NRDMA_A_IRQ_DEV_INDEX, _DEV_NAME */
};

static struct nrdma_dev *nrdma_nl_find_dev(struct net *net, struct nlattr **attrs,
					   int index_attr, int name_attr,
					   struct netlink_ext_ack *extack)
{
	struct nlattr *index = attrs[index_attr], *name = attrs[name_attr];
	struct nrdma_dev *dev;

	if (index && name) {
		NL_SET_ERR_MSG_ATTR(extack, name, "give the device's index or its name, not both");
		return ERR_PTR(-EINVAL);
	}
	if (index)
		dev = nrdma_dev_get_by_index(net, nla_get_u32(index));
	else
		dev = nrdma_dev_get_by_name(net, nla_data(name));
	if (dev)
		return dev;
	NL_SET_ERR_MSG_ATTR(extack, index ?: name, "no such RDMA device");
	return ERR_PTR(-ENODEV);
}

static int nrdma_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			     struct genl_info *info)
{
	int index_attr, name_attr;
	struct nrdma_dev *dev;

	if (ops->internal_flags & NRDMA_NL_DEV) {
		index_attr = NRDMA_A_DEV_INDEX;
		name_attr = NRDMA_A_DEV_NAME;
	} else if (ops->internal_flags & NRDMA_NL_IRQ) {
		index_attr = NRDMA_A_IRQ_DEV_INDEX;
		name_attr = NRDMA_A_IRQ_DEV_NAME;
	} else {
		return 0;
	}

	if (!info->attrs[index_attr] && !info->attrs[name_attr]) {
		NL_SET_ERR_MSG(info->extack, "the request names no device");
		return -EINVAL;
	}
	dev = nrdma_nl_find_dev(genl_info_net(info), info->attrs, index_attr, name_attr,
				info->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	info->user_ptr[0] = dev;
	return 0;
}

static void nrdma_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			       struct genl_info *info)
{
	if (ops->internal_flags & (NRDMA_NL_DEV | NRDMA_NL_IRQ))
		nrdma_dev_put(nrdma_nl_dev(info));
}

/**
 * nrdma_nl_dev() - the device that a request names
 * @info: the request, of a command with NRDMA_NL_DEV or NRDMA_NL_IRQ
 *
 * Return: the device; the reference is the request's.
 */
struct nrdma_dev *nrdma_nl_dev(struct genl_info *info)
{
	return info->user_ptr[0];
}

/**
 * nrdma_nl_dump_dev() - the device that a dump is for
 * @cb: the dump
 * @index_attr: attribute that may hold its index
 * @name_attr: attribute that may hold its name
 *
 * Context: may sleep.
 * Return: the device, referenced; NULL when the dump is for all; or ERR_PTR().
 */
struct nrdma_dev *nrdma_nl_dump_dev(struct netlink_callback *cb, int index_attr,
				    int name_attr)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;

	if (!attrs[index_attr] && !attrs[name_attr])
		return NULL;
	return nrdma_nl_find_dev(sock_net(cb->skb->sk), attrs, index_attr, name_attr,
				 cb->extack);
}

/**
 * nrdma_nl_reply_new() - begin the reply to a request
 * @info: the request
 * @more: bytes that it may take beside NRDMA_NL_MSG_SIZE
 * @hdr: for genlmsg_end()
 *
 * What changes something begins with it, so that a change is not told of as failed
 * for want of a message.
 *
 * Context: may sleep.
 * Return: the message, NULL without memory.
 */
struct sk_buff *nrdma_nl_reply_new(struct genl_info *info, size_t more, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(NRDMA_NL_MSG_SIZE + more, GFP_KERNEL);

	if (msg)
		*hdr = genlmsg_put_reply(msg, info, &nrdma_nl_family, 0, info->genlhdr->cmd);
	return msg;
}

static int nrdma_nl_info_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;

	msg = nrdma_nl_reply_new(info, 0, &hdr);
	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, NRDMA_A_INFO_ABI_VERSION, NRDMA_ABI_VERSION) ||
	    nla_put_string(msg, NRDMA_A_INFO_VERSION, NRDMA_VERSION)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

/* Commands that do not change anything are open to all. */
static const struct genl_ops nrdma_nl_ops[] = {
	{
		.cmd		= NRDMA_CMD_INFO_GET,
		.doit		= nrdma_nl_info_get_doit,
	},
	{
		.cmd		= NRDMA_CMD_DEV_GET,
		.doit		= nrdma_nl_dev_get_doit,
		.dumpit		= nrdma_nl_dev_get_dumpit,
		.policy		= nrdma_nl_dev_get_policy,
		.maxattr	= NRDMA_A_DEV_NAME,
		.internal_flags	= NRDMA_NL_DEV,
	},
	{
		.cmd		= NRDMA_CMD_DEV_SET,
		.doit		= nrdma_nl_dev_set_doit,
		.policy		= nrdma_nl_dev_set_policy,
		.maxattr	= NRDMA_A_DEV_NODE_OVERRIDE,
		.internal_flags	= NRDMA_NL_DEV,
		.flags		= GENL_ADMIN_PERM,
	},
	{
		.cmd		= NRDMA_CMD_IRQ_GET,
		.dumpit		= nrdma_nl_irq_get_dumpit,
		.policy		= nrdma_nl_irq_get_policy,
		.maxattr	= NRDMA_A_IRQ_POLICY,
	},
	{
		.cmd		= NRDMA_CMD_IRQ_SET,
		.doit		= nrdma_nl_irq_set_doit,
		.policy		= nrdma_nl_irq_set_policy,
		.maxattr	= NRDMA_A_IRQ_POLICY,
		.internal_flags	= NRDMA_NL_IRQ,
		.flags		= GENL_ADMIN_PERM,
	},
	{
		.cmd		= NRDMA_CMD_IRQ_RESTORE,
		.doit		= nrdma_nl_irq_restore_doit,
		.policy		= nrdma_nl_irq_restore_policy,
		.maxattr	= NRDMA_A_IRQ_DEV_NAME,
		.internal_flags	= NRDMA_NL_IRQ,
		.flags		= GENL_ADMIN_PERM,
	},
	{
		.cmd		= NRDMA_CMD_BUF_GET,
		.dumpit		= nrdma_nl_buf_get_dumpit,
		.policy		= nrdma_nl_buf_get_policy,
		.maxattr	= NRDMA_A_BUF_DEV_NAME,
	},
	{
		.cmd		= NRDMA_CMD_POOL_GET,
		.dumpit		= nrdma_nl_pool_get_dumpit,
	},
	{
		.cmd		= NRDMA_CMD_POOL_SET,
		.doit		= nrdma_nl_pool_set_doit,
		.policy		= nrdma_nl_pool_set_policy,
		.maxattr	= NRDMA_A_POOL_NODE_CAP,
		.flags		= GENL_ADMIN_PERM,
	},
	{
		.cmd		= NRDMA_CMD_PROBE_RUN,
		.dumpit		= nrdma_nl_probe_run_dumpit,
		.done		= nrdma_nl_probe_run_done,
		.policy		= nrdma_nl_probe_run_policy,
		.maxattr	= NRDMA_A_PROBE_ISOLATED,
		.flags		= GENL_ADMIN_PERM,
	},
};

enum nrdma_nl_group {
	NRDMA_NL_GROUP_EVENTS,
};

static const struct genl_multicast_group nrdma_nl_groups[] = {
	[NRDMA_NL_GROUP_EVENTS] = { .name = NRDMA_MCGRP_EVENTS },
};

struct genl_family nrdma_nl_family __ro_after_init = {
	.name		= NRDMA_FAMILY_NAME,
	.version	= NRDMA_FAMILY_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.parallel_ops	= true,
	.ops		= nrdma_nl_ops,
	.n_ops		= ARRAY_SIZE(nrdma_nl_ops),
	NRDMA_GENL_RESV_START_OP(__NRDMA_CMD_MAX)
	.mcgrps		= nrdma_nl_groups,
	.n_mcgrps	= ARRAY_SIZE(nrdma_nl_groups),
	.pre_doit	= nrdma_nl_pre_doit,
	.post_doit	= nrdma_nl_post_doit,
};

/**
 * nrdma_nl_event_wanted() - does anybody listen?
 *
 * Return: false when building an event would be for nothing.
 */
bool nrdma_nl_event_wanted(void)
{
	return genl_has_listeners(&nrdma_nl_family, &init_net, NRDMA_NL_GROUP_EVENTS);
}

/**
 * nrdma_nl_event_new() - begin a notification
 * @cmd: NRDMA_CMD_*_NTF
 * @hdr: for nrdma_nl_event_send()
 *
 * Context: may sleep.
 * Return: the message, NULL without memory.
 */
struct sk_buff *nrdma_nl_event_new(u8 cmd, void **hdr)
{
	struct sk_buff *skb;

	skb = genlmsg_new(NRDMA_NL_MSG_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	*hdr = genlmsg_put(skb, 0, 0, &nrdma_nl_family, 0, cmd);
	return skb;
}

/**
 * nrdma_nl_event_send() - send a notification
 * @skb: from nrdma_nl_event_new(); consumed
 * @hdr: from nrdma_nl_event_new()
 *
 * To the initial network namespace only.
 *
 * Context: may sleep.
 */
void nrdma_nl_event_send(struct sk_buff *skb, void *hdr)
{
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&nrdma_nl_family, &init_net, skb, 0, NRDMA_NL_GROUP_EVENTS,
				GFP_KERNEL);
}

/**
 * nrdma_netlink_init() - register the family
 *
 * Return: 0 or a negative errno.
 */
int __init nrdma_netlink_init(void)
{
	nrdma_nl_buf_init();
	return genl_register_family(&nrdma_nl_family);
}

/**
 * nrdma_netlink_exit() - no request runs any more when it returns
 *
 * Dumps under way hold the module, so there are none.
 */
void nrdma_netlink_exit(void)
{
	genl_unregister_family(&nrdma_nl_family);
}
