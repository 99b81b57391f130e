// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: devices.
 */
#include <linux/sizes.h>
#include <net/genetlink.h>

#include "device.h"
#include "event.h"
#include "irq.h"
#include "netlink.h"

const struct nla_policy nrdma_nl_dev_get_policy[NRDMA_A_DEV_NAME + 1] = {
	[NRDMA_A_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
};

const struct nla_policy nrdma_nl_dev_set_policy[NRDMA_A_DEV_NODE_OVERRIDE + 1] = {
	[NRDMA_A_DEV_INDEX]		= { .type = NLA_U32 },
	[NRDMA_A_DEV_NAME]		= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
	[NRDMA_A_DEV_NODE_OVERRIDE]	= NLA_POLICY_MIN(NLA_S32, NUMA_NO_NODE),
};

static int nrdma_nl_put_node(struct sk_buff *skb, int attr, int node)
{
	return node == NUMA_NO_NODE ? 0 : nla_put_u32(skb, attr, node);
}

static int nrdma_nl_put_step(struct sk_buff *skb, const struct nrdma_step *step)
{
	struct nlattr *nest = nla_nest_start(skb, NRDMA_A_DEV_STEP);

	if (!nest || nla_put_string(skb, NRDMA_A_STEP_BUS, step->bus) ||
	    nla_put_string(skb, NRDMA_A_STEP_NAME, step->name) ||
	    nrdma_nl_put_node(skb, NRDMA_A_STEP_NODE, step->node))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int nrdma_nl_put_place(struct sk_buff *skb, const struct nrdma_place *place)
{
	unsigned int i;
	int node;

	if ((place->pdev && nla_put_string(skb, NRDMA_A_DEV_PCI, pci_name(place->pdev))) ||
	    (place->netdev[0] && nla_put_string(skb, NRDMA_A_DEV_NETDEV, place->netdev)) ||
	    nrdma_nl_put_node(skb, NRDMA_A_DEV_NODE, place->node) ||
	    nrdma_nl_put_node(skb, NRDMA_A_DEV_MEM_NODE, place->mem_node) ||
	    nla_put_u32(skb, NRDMA_A_DEV_NODE_SOURCE, place->source) ||
	    nla_put_u32(skb, NRDMA_A_DEV_NODE_UNKNOWN, place->unknown) ||
	    nla_put_u32(skb, NRDMA_A_DEV_TIER, place->tier))
		return -EMSGSIZE;
	if (place->override != NUMA_NO_NODE &&
	    nla_put_s32(skb, NRDMA_A_DEV_NODE_OVERRIDE, place->override))
		return -EMSGSIZE;
	for_each_node_mask(node, place->cpu_nodes)
		if (nla_put_u32(skb, NRDMA_A_DEV_CPU_NODE, node))
			return -EMSGSIZE;
	for (i = 0; i < place->nr_steps; i++)
		if (nrdma_nl_put_step(skb, &place->steps[i]))
			return -EMSGSIZE;
	return 0;
}

/* What is known of a device as long as the structure lives */
static int nrdma_nl_put_dev(struct sk_buff *skb, struct nrdma_dev *dev)
{
	int ret = -EMSGSIZE;

	mutex_lock(&dev->lock);
	nrdma_place_refresh(&dev->place);
	if (nla_put_u32(skb, NRDMA_A_DEV_INDEX, dev->index) ||
	    nla_put_string(skb, NRDMA_A_DEV_NAME, dev->name) ||
	    nrdma_nl_put_place(skb, &dev->place))
		goto unlock;
	if (dev->chardev) {
		char path[sizeof(NRDMA_DEV_DIR) + NRDMA_NAME_MAX + 16];

		snprintf(path, sizeof(path), "%s/%s", NRDMA_DEV_DIR, dev_name(dev->chardev));
		if (nla_put_string(skb, NRDMA_A_DEV_CHARDEV, path))
			goto unlock;
	}
	if (dev->error && nla_put_s32(skb, NRDMA_A_DEV_ERROR, dev->error))
		goto unlock;
	ret = 0;
unlock:
	mutex_unlock(&dev->lock);
	if (ret)
		return ret;

	if (nla_put_u32(skb, NRDMA_A_DEV_BUF_COUNT, atomic_read(&dev->nr_bufs)) ||
	    nla_put_u64_64bit(skb, NRDMA_A_DEV_BUF_BYTES, atomic64_read(&dev->buf_bytes),
			      NRDMA_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, NRDMA_A_DEV_BUF_REMOTE_BYTES,
			      atomic64_read(&dev->buf_remote_bytes), NRDMA_A_DEV_PAD))
		return -EMSGSIZE;
	return 0;
}

/* A device of more ports is a switch, and does not fit. */
#define NRDMA_NL_LINKS	16

static int nrdma_nl_put_mtu(struct sk_buff *skb, int attr, enum ib_mtu mtu)
{
	int bytes = ib_mtu_enum_to_int(mtu);

	return bytes > 0 ? nla_put_u32(skb, attr, bytes) : 0;
}

static int nrdma_nl_put_link(struct sk_buff *skb, u32 port, const struct ib_port_attr *attr)
{
	struct nlattr *nest = nla_nest_start(skb, NRDMA_A_DEV_LINK);

	if (!nest || nla_put_u32(skb, NRDMA_A_LINK_PORT, port) ||
	    nrdma_nl_put_mtu(skb, NRDMA_A_LINK_ACTIVE_MTU, attr->active_mtu) ||
	    nrdma_nl_put_mtu(skb, NRDMA_A_LINK_MAX_MTU, attr->max_mtu) ||
	    nla_put_u32(skb, NRDMA_A_LINK_SPEED, attr->active_speed) ||
	    nla_put_u32(skb, NRDMA_A_LINK_WIDTH, attr->active_width))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * What the driver tells, which may ask its hardware or take rtnl. No lock of ours is
 * held; for a single device, and the first of a dump, generic netlink's own one is,
 * which only families that come or go wait for.
 */
static int nrdma_nl_put_links(struct sk_buff *skb, struct nrdma_dev *dev, struct net *net)
{
	struct ib_device *ib = nrdma_dev_get_ib(dev, net);
	unsigned int port, nr = 0;
	struct ib_port_attr attr;
	int ret = 0;

	if (!ib)
		return 0;
	rdma_for_each_port(ib, port) {
		if (ret || nr++ == NRDMA_NL_LINKS)
			break;
		if (!ib_query_port(ib, port, &attr))
			ret = nrdma_nl_put_link(skb, port, &attr);
	}
	ib_device_put(ib);
	return ret;
}

/* nrdma_irq_begin() said true */
static int nrdma_nl_fill_dev(struct sk_buff *skb, struct nrdma_dev *dev)
{
	return nrdma_nl_put_dev(skb, dev) ?:
	       nrdma_irq_put_policy(skb, NRDMA_A_DEV_POLICY, dev);
}

/* @msg is from nrdma_nl_reply_new(), and consumed. */
static int nrdma_nl_reply_dev(struct nrdma_dev *dev, struct genl_info *info,
			      struct sk_buff *msg, void *hdr)
{
	struct pci_dev *still;
	int ret;

	ret = nrdma_nl_put_links(msg, dev, genl_info_net(info));
	if (ret)
		goto free_msg;
	if (!nrdma_irq_begin(dev, genl_info_net(info), &still)) {
		NL_SET_ERR_MSG(info->extack, "the RDMA device was just removed");
		ret = -ENODEV;
		goto free_msg;
	}
	ret = nrdma_nl_fill_dev(msg, dev);
	nrdma_irq_end(dev, still);
	if (ret)
		goto free_msg;
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);

free_msg:
	nlmsg_free(msg);
	return ret;
}

/**
 * nrdma_nl_dev_get_doit() - NRDMA_CMD_DEV_GET for one device
 * @skb: request
 * @info: request
 *
 * Return: 0 or a negative errno.
 */
int nrdma_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;

	msg = nrdma_nl_reply_new(info, 0, &hdr);
	return msg ? nrdma_nl_reply_dev(nrdma_nl_dev(info), info, msg, hdr) : -ENOMEM;
}

/* 0: next device; -EMSGSIZE: this one again, in another message */
static int nrdma_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
			     struct nrdma_dev *dev)
{
	struct net *net = sock_net(skb->sk);
	struct pci_dev *still;
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &nrdma_nl_family, NLM_F_MULTI, NRDMA_CMD_DEV_GET);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = nrdma_nl_put_links(skb, dev, net);
	if (ret || !nrdma_irq_begin(dev, net, &still)) {
		genlmsg_cancel(skb, hdr);
		return ret;
	}
	ret = nrdma_nl_fill_dev(skb, dev);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	nrdma_irq_end(dev, still);
	return ret;
}

/**
 * nrdma_nl_dev_get_dumpit() - NRDMA_CMD_DEV_GET for all devices
 * @skb: to fill
 * @cb: the dump; args[0] is the id to go on with
 *
 * Return: length of what was filled in, or a negative errno.
 */
int nrdma_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long id = cb->args[0];
	struct nrdma_dev *dev;
	int ret = 0;

	cb->seq = nrdma_dev_generation();
	while (!ret && (dev = nrdma_dev_get_next(&id))) {
		ret = nrdma_nl_dump_one(skb, cb, dev);
		nrdma_dev_put(dev);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	return skb->len ?: ret;
}

/**
 * nrdma_nl_dev_set_doit() - NRDMA_CMD_DEV_SET
 * @skb: request
 * @info: request
 *
 * Return: 0 or a negative errno.
 */
int nrdma_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[NRDMA_A_DEV_NODE_OVERRIDE];
	struct nrdma_dev *dev = nrdma_nl_dev(info);
	struct pci_dev *still;
	struct sk_buff *msg;
	int node, ret;
	void *hdr;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "nothing to set: node-override is missing");
		return -EINVAL;
	}
	node = nla_get_s32(attr);
	if (node != NUMA_NO_NODE && (node >= MAX_NUMNODES || !node_online(node))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "no such node is online");
		return -EINVAL;
	}
	msg = nrdma_nl_reply_new(info, 0, &hdr);
	if (!msg)
		return -ENOMEM;
	still = nrdma_irq_still(dev);
	ret = nrdma_dev_set_override(dev, node);
	nrdma_irq_let_go(still);
	if (ret) {
		if (ret == -ENODEV)
			NL_SET_ERR_MSG(info->extack, "the RDMA device was just removed");
		nlmsg_free(msg);
		return ret;
	}
	return nrdma_nl_reply_dev(dev, info, msg, hdr);
}

static struct sk_buff *nrdma_event_dev_new(struct nrdma_dev *dev,
					   enum nrdma_dev_event event, void **hdr)
{
	struct sk_buff *skb;

	if (!nrdma_nl_event_wanted())
		return NULL;
	skb = nrdma_nl_event_new(NRDMA_CMD_DEV_NTF, hdr);
	if (!skb)
		return NULL;
	if (nla_put_u32(skb, NRDMA_A_DEV_EVENT, event) || nrdma_nl_put_dev(skb, dev)) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/**
 * nrdma_event_dev() - tell of a device
 * @dev: device
 * @event: what happened
 *
 * Context: may sleep; takes dev->lock.
 */
void nrdma_event_dev(struct nrdma_dev *dev, enum nrdma_dev_event event)
{
	struct sk_buff *skb;
	void *hdr;

	skb = nrdma_event_dev_new(dev, event, &hdr);
	if (skb)
		nrdma_nl_event_send(skb, hdr);
}

/**
 * nrdma_event_dev_renamed() - tell of a rename
 * @dev: device, with its new name
 * @old: the old one
 *
 * Context: may sleep; takes dev->lock.
 */
void nrdma_event_dev_renamed(struct nrdma_dev *dev, const char *old)
{
	struct sk_buff *skb;
	void *hdr;

	skb = nrdma_event_dev_new(dev, NRDMA_DEV_EVENT_RENAMED, &hdr);
	if (!skb)
		return;
	if (nla_put_string(skb, NRDMA_A_DEV_OLD_NAME, old))
		nlmsg_free(skb);
	else
		nrdma_nl_event_send(skb, hdr);
}

/**
 * nrdma_event_dev_port() - tell of a port
 * @dev: device
 * @port: from 1
 * @state: its state
 *
 * Context: may sleep; takes dev->lock.
 */
void nrdma_event_dev_port(struct nrdma_dev *dev, u32 port, enum ib_port_state state)
{
	struct sk_buff *skb;
	void *hdr;

	skb = nrdma_event_dev_new(dev, NRDMA_DEV_EVENT_PORT, &hdr);
	if (!skb)
		return;
	if (nla_put_u32(skb, NRDMA_A_DEV_PORT, port) ||
	    nla_put_u32(skb, NRDMA_A_DEV_PORT_STATE, state))
		nlmsg_free(skb);
	else
		nrdma_nl_event_send(skb, hdr);
}
