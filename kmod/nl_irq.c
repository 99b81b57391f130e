// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: vectors and steering.
 */
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/topology.h>
#include <net/genetlink.h>

#include "device.h"
#include "func.h"
#include "irq.h"
#include "netlink.h"
#include "nl_irq.h"

/* As long as an attribute can be, its terminator aside */
#define NRDMA_CPULIST_MAX	(S16_MAX - 1)

/* What of a policy can be asked for; the rest of it is told. */
const struct nla_policy nrdma_nl_policy_policy[NRDMA_A_POLICY_LOCK + 1] = {
	[NRDMA_A_POLICY_MODE]		= NLA_POLICY_MAX(NLA_U32, NRDMA_POLICY_CPUS),
	[NRDMA_A_POLICY_NODE]		= NLA_POLICY_MAX(NLA_U32, MAX_NUMNODES - 1),
	[NRDMA_A_POLICY_CPUS]		= { .type = NLA_NUL_STRING, .len = NRDMA_CPULIST_MAX },
	[NRDMA_A_POLICY_EXCLUDE]	= { .type = NLA_NUL_STRING, .len = NRDMA_CPULIST_MAX },
	[NRDMA_A_POLICY_ISOLATED]	= NLA_POLICY_MAX(NLA_U8, 1),
	[NRDMA_A_POLICY_LOCK]		= NLA_POLICY_MAX(NLA_U8, 1),
};

const struct nla_policy nrdma_nl_irq_set_policy[NRDMA_A_IRQ_POLICY + 1] = {
	[NRDMA_A_IRQ_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_IRQ_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
	[NRDMA_A_IRQ_POLICY]	= NLA_POLICY_NESTED(nrdma_nl_policy_policy),
};

const struct nla_policy nrdma_nl_irq_restore_policy[NRDMA_A_IRQ_DEV_NAME + 1] = {
	[NRDMA_A_IRQ_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_IRQ_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
};

/* ---- telling ---- */

/**
 * nrdma_nl_put_cpulist() - tell which CPUs
 * @skb: message
 * @attr: attribute
 * @mask: the CPUs; none is ""
 *
 * Return: 0 or -EMSGSIZE.
 */
int nrdma_nl_put_cpulist(struct sk_buff *skb, int attr, const struct cpumask *mask)
{
	int len = snprintf(NULL, 0, "%*pbl", cpumask_pr_args(mask));
	struct nlattr *nla = nla_reserve(skb, attr, len + 1);

	if (!nla)
		return -EMSGSIZE;
	snprintf(nla_data(nla), len + 1, "%*pbl", cpumask_pr_args(mask));
	return 0;
}

static int nrdma_nl_put_policy(struct sk_buff *skb, int attr, const struct nrdma_func *func,
			       const struct nrdma_irq_count *count)
{
	const struct nrdma_irq_policy *policy = &func->policy;
	struct nlattr *nest = nla_nest_start(skb, attr);
	int error = count->error ?: func->error;

	if (!nest || nla_put_u32(skb, NRDMA_A_POLICY_MODE, policy->mode) ||
	    nrdma_nl_put_cpulist(skb, NRDMA_A_POLICY_EXCLUDE, policy->exclude) ||
	    nla_put_u8(skb, NRDMA_A_POLICY_ISOLATED, policy->isolated) ||
	    nla_put_u8(skb, NRDMA_A_POLICY_LOCK, policy->lock) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_VECTORS, count->vectors) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_PLACED, count->placed) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_PENDING, count->pending) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_MANAGED, count->managed) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_DRIFTED, count->drifted) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_FAILED, count->failed) ||
	    nla_put_u32(skb, NRDMA_A_POLICY_STEERS, func->steers) ||
	    nla_put_u8(skb, NRDMA_A_POLICY_KEPT, NRDMA_HAS_MSI_LOCK))
		return -EMSGSIZE;
	if (policy->mode == NRDMA_POLICY_NODE &&
	    nla_put_u32(skb, NRDMA_A_POLICY_NODE, policy->node))
		return -EMSGSIZE;
	if (policy->mode == NRDMA_POLICY_CPUS &&
	    nrdma_nl_put_cpulist(skb, NRDMA_A_POLICY_CPUS, policy->cpus))
		return -EMSGSIZE;
	if (error && nla_put_s32(skb, NRDMA_A_POLICY_ERROR, error))
		return -EMSGSIZE;
	if (func->steers && nla_put_u64_64bit(skb, NRDMA_A_POLICY_STEERED_AT, func->steered_at,
					      NRDMA_A_POLICY_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * nrdma_irq_put_policy() - tell how a device's vectors are steered
 * @skb: message
 * @attrtype: attribute for the nest of NRDMA_A_POLICY_*
 * @dev: device between nrdma_dev_begin() and nrdma_dev_end()
 *
 * Context: may sleep.
 * Return: 0, also for a device without a PCI function, which gets no attribute;
 * -EMSGSIZE.
 */
int nrdma_irq_put_policy(struct sk_buff *skb, int attrtype, struct nrdma_dev *dev)
{
	struct nrdma_func *func = dev->func;
	struct nrdma_irq_count count;
	int ret;

	if (!func)
		return 0;
	mutex_lock(&func->lock);
	nrdma_func_count(func, &count);
	ret = nrdma_nl_put_policy(skb, attrtype, func, &count);
	mutex_unlock(&func->lock);
	return ret;
}

/**
 * nrdma_nl_put_func() - tell which device and which PCI function
 * @skb: message
 * @dev: device
 * @func: its function
 *
 * Context: may sleep; takes dev->lock.
 * Return: 0 or -EMSGSIZE.
 */
int nrdma_nl_put_func(struct sk_buff *skb, struct nrdma_dev *dev,
		      const struct nrdma_func *func)
{
	char name[NRDMA_NAME_MAX];

	nrdma_dev_name(dev, name);
	if (nla_put_u32(skb, NRDMA_A_IRQ_DEV_INDEX, dev->index) ||
	    nla_put_string(skb, NRDMA_A_IRQ_DEV_NAME, name) ||
	    nla_put_string(skb, NRDMA_A_IRQ_PCI, func->name))
		return -EMSGSIZE;
	return 0;
}

/**
 * nrdma_event_irq() - tell that something happened to a function's vectors
 * @func: function; func->lock is held
 * @event: what
 * @count: how its vectors stand
 * @why: in words
 *
 * Names the first of its RDMA devices. Is lost when it cannot be built.
 *
 * Context: may sleep.
 */
void nrdma_event_irq(struct nrdma_func *func, enum nrdma_irq_event event,
		     const struct nrdma_irq_count *count, const char *why)
{
	struct nrdma_dev *dev;
	unsigned long id = 0;
	struct sk_buff *skb;
	void *hdr;

	if (!nrdma_nl_event_wanted())
		return;
	skb = nrdma_nl_event_new(NRDMA_CMD_IRQ_NTF, &hdr);
	if (!skb)
		return;

	dev = xa_find(&func->devs, &id, ULONG_MAX, XA_PRESENT);
	if ((dev && nrdma_nl_put_func(skb, dev, func)) ||
	    (!dev && nla_put_string(skb, NRDMA_A_IRQ_PCI, func->name)) ||
	    nla_put_u32(skb, NRDMA_A_IRQ_EVENT, event) ||
	    nla_put_string(skb, NRDMA_A_IRQ_WHY, why) ||
	    nrdma_nl_put_policy(skb, NRDMA_A_IRQ_POLICY, func, count)) {
		nlmsg_free(skb);
		return;
	}
	nrdma_nl_event_send(skb, hdr);
}

/* ---- being asked ---- */

static int nrdma_nl_parse_cpulist(struct nlattr *attr, struct cpumask *mask,
				  struct netlink_ext_ack *extack)
{
	switch (cpulist_parse(nla_data(attr), mask)) {
	case 0:
		return 0;
	case -ERANGE:
	case -EOVERFLOW:
		NL_SET_ERR_MSG_ATTR(extack, attr, "a CPU of the list cannot be on this machine");
		return -EINVAL;
	default:
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a list of CPUs such as 0-3,8");
		return -EINVAL;
	}
}

/**
 * nrdma_nl_parse_policy() - read a policy out of a request
 * @nest: NRDMA_A_IRQ_POLICY
 * @tb: filled in: its attributes, NRDMA_A_POLICY_LOCK is the last
 * @policy: in: the policy so far; out: with what the request says
 * @extack: for refusals
 *
 * Return: 0 or -EINVAL.
 */
int nrdma_nl_parse_policy(struct nlattr *nest, struct nlattr **tb,
			  struct nrdma_irq_policy *policy, struct netlink_ext_ack *extack)
{
	int ret;

	ret = nla_parse_nested(tb, NRDMA_A_POLICY_LOCK, nest, nrdma_nl_policy_policy, extack);
	if (ret)
		return ret;

	if (tb[NRDMA_A_POLICY_MODE])
		policy->mode = nla_get_u32(tb[NRDMA_A_POLICY_MODE]);
	if (tb[NRDMA_A_POLICY_NODE]) {
		if (policy->mode != NRDMA_POLICY_NODE) {
			NL_SET_ERR_MSG_ATTR(extack, tb[NRDMA_A_POLICY_NODE],
					    "a node goes with policy node only");
			return -EINVAL;
		}
		policy->node = nla_get_u32(tb[NRDMA_A_POLICY_NODE]);
	}
	if (tb[NRDMA_A_POLICY_CPUS]) {
		if (policy->mode != NRDMA_POLICY_CPUS) {
			NL_SET_ERR_MSG_ATTR(extack, tb[NRDMA_A_POLICY_CPUS],
					    "a list of CPUs goes with policy cpus only");
			return -EINVAL;
		}
		ret = nrdma_nl_parse_cpulist(tb[NRDMA_A_POLICY_CPUS], policy->cpus, extack);
		if (ret)
			return ret;
	}
	if (tb[NRDMA_A_POLICY_EXCLUDE]) {
		ret = nrdma_nl_parse_cpulist(tb[NRDMA_A_POLICY_EXCLUDE], policy->exclude, extack);
		if (ret)
			return ret;
	}
	if (tb[NRDMA_A_POLICY_ISOLATED])
		policy->isolated = nla_get_u8(tb[NRDMA_A_POLICY_ISOLATED]);
	if (tb[NRDMA_A_POLICY_LOCK])
		policy->lock = nla_get_u8(tb[NRDMA_A_POLICY_LOCK]);
	return 0;
}

/**
 * nrdma_nl_refuse() - say why a policy cannot be followed
 * @extack: where, or NULL
 * @nest: NRDMA_A_IRQ_POLICY of the request
 * @tb: its attributes
 * @refusal: why
 */
void nrdma_nl_refuse(struct netlink_ext_ack *extack, struct nlattr *nest, struct nlattr **tb,
		     const struct nrdma_refusal *refusal)
{
	if (!extack || !refusal->msg)
		return;
	/* A constant, but not a literal that NL_SET_ERR_MSG() could take */
	extack->_msg = refusal->msg;
	NL_SET_BAD_ATTR(extack, tb[refusal->attr] ?: nest);
}

/**
 * nrdma_nl_func_begin() - work on the PCI function of a device
 * @dev: device
 * @net: the reader's network namespace
 * @extack: for refusals
 * @still: out, for nrdma_nl_func_end()
 *
 * Context: may sleep. Holds dev->ib_sem and func->lock until nrdma_nl_func_end().
 * Return: the function, or -ENODEV the device is gone, -EOPNOTSUPP it has none.
 */
struct nrdma_func *nrdma_nl_func_begin(struct nrdma_dev *dev, struct net *net,
				       struct netlink_ext_ack *extack, struct pci_dev **still)
{
	if (!nrdma_irq_begin(dev, net, still)) {
		NL_SET_ERR_MSG(extack, "the RDMA device was just removed");
		return ERR_PTR(-ENODEV);
	}
	if (!dev->func) {
		nrdma_irq_end(dev, *still);
		NL_SET_ERR_MSG(extack, "virtual device: no interrupts of its own");
		return ERR_PTR(-EOPNOTSUPP);
	}
	mutex_lock(&dev->func->lock);
	return dev->func;
}

/**
 * nrdma_nl_func_end() - done with it
 * @dev: device
 * @func: what nrdma_nl_func_begin() said
 * @still: likewise
 */
void nrdma_nl_func_end(struct nrdma_dev *dev, struct nrdma_func *func, struct pci_dev *still)
{
	mutex_unlock(&func->lock);
	nrdma_irq_end(dev, still);
}

/* Two lists of CPUs may be longer than all the rest. */
static struct sk_buff *nrdma_nl_irq_reply_new(struct genl_info *info, void **hdr)
{
	return nrdma_nl_reply_new(info, 2 * min_t(size_t, 6 * nr_cpu_ids, U16_MAX), hdr);
}

static int nrdma_nl_irq_reply_fill(struct sk_buff *msg, struct nrdma_dev *dev,
				   const struct nrdma_func *func,
				   const struct nrdma_irq_count *count)
{
	return nrdma_nl_put_func(msg, dev, func) ?:
	       nrdma_nl_put_policy(msg, NRDMA_A_IRQ_POLICY, func, count);
}

/**
 * nrdma_nl_irq_set_doit() - NRDMA_CMD_IRQ_SET
 * @skb: request
 * @info: request
 *
 * Return: 0 or a negative errno, with extack.
 */
int nrdma_nl_irq_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[NRDMA_A_POLICY_LOCK + 1] = {};
	struct nlattr *nest = info->attrs[NRDMA_A_IRQ_POLICY];
	struct nrdma_dev *dev = nrdma_nl_dev(info);
	struct nrdma_refusal refusal = {};
	struct nrdma_irq_policy policy;
	struct nrdma_irq_count count;
	struct nrdma_func *func;
	struct pci_dev *still;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	if (!nest) {
		NL_SET_ERR_MSG(info->extack, "the request holds no policy");
		return -EINVAL;
	}
	ret = nrdma_irq_policy_init(&policy);
	if (ret)
		return ret;
	msg = nrdma_nl_irq_reply_new(info, &hdr);
	if (!msg) {
		ret = -ENOMEM;
		goto destroy_policy;
	}

	func = nrdma_nl_func_begin(dev, genl_info_net(info), info->extack, &still);
	if (IS_ERR(func)) {
		ret = PTR_ERR(func);
		goto free_msg;
	}
	nrdma_irq_policy_copy(&policy, &func->policy);
	ret = nrdma_nl_parse_policy(nest, tb, &policy, info->extack);
	if (!ret) {
		ret = nrdma_func_set(func, &policy, &count, &refusal);
		if (ret)
			nrdma_nl_refuse(info->extack, nest, tb, &refusal);
	}
	if (!ret)
		ret = nrdma_nl_irq_reply_fill(msg, dev, func, &count);
	nrdma_nl_func_end(dev, func, still);
	if (ret)
		goto free_msg;

	nrdma_irq_policy_destroy(&policy);
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);

free_msg:
	nlmsg_free(msg);
destroy_policy:
	nrdma_irq_policy_destroy(&policy);
	return ret;
}

/**
 * nrdma_nl_irq_restore_doit() - NRDMA_CMD_IRQ_RESTORE
 * @skb: request
 * @info: request
 *
 * Return: 0 or a negative errno, with extack.
 */
int nrdma_nl_irq_restore_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nrdma_dev *dev = nrdma_nl_dev(info);
	struct nrdma_irq_count count;
	struct nrdma_func *func;
	struct pci_dev *still;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	msg = nrdma_nl_irq_reply_new(info, &hdr);
	if (!msg)
		return -ENOMEM;
	func = nrdma_nl_func_begin(dev, genl_info_net(info), info->extack, &still);
	if (IS_ERR(func)) {
		ret = PTR_ERR(func);
		goto free_msg;
	}
	nrdma_func_restore(func, &count);
	ret = nrdma_nl_irq_reply_fill(msg, dev, func, &count);
	nrdma_nl_func_end(dev, func, still);
	if (ret)
		goto free_msg;
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);

free_msg:
	nlmsg_free(msg);
	return ret;
}
