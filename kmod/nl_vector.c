// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: the dump of vectors, as they are or as a policy would have them.
 */
#include <linux/cpumask.h>
#include <linux/sizes.h>
#include <linux/topology.h>
#include <net/genetlink.h>

#include "device.h"
#include "func.h"
#include "netlink.h"
#include "nl_irq.h"

const struct nla_policy nrdma_nl_irq_get_policy[NRDMA_A_IRQ_POLICY + 1] = {
	[NRDMA_A_IRQ_DEV_INDEX]	= { .type = NLA_U32 },
	[NRDMA_A_IRQ_DEV_NAME]	= { .type = NLA_NUL_STRING, .len = NRDMA_NAME_MAX - 1 },
	[NRDMA_A_IRQ_POLICY]	= NLA_POLICY_NESTED(nrdma_nl_policy_policy),
};

/* Where a dump goes on */
struct nrdma_nl_irq_ctx {
	unsigned long	id;
	unsigned int	vector;
};

/* No MSI index is that high */
#define NRDMA_NL_IRQ_DONE	UINT_MAX

/**
 * struct nrdma_nl_irq_dump - the dump of one device's vectors into one message
 * @skb: the message
 * @cb: the dump
 * @dev: device
 * @plan: CPUs that the request's policy comes to, NULL when it has none
 * @planned: the request has a policy, which may be off
 */
struct nrdma_nl_irq_dump {
	struct sk_buff			*skb;
	struct netlink_callback		*cb;
	struct nrdma_dev		*dev;
	const struct nrdma_plan		*plan;
	bool				planned;
};

static int nrdma_nl_put_live(struct sk_buff *skb, const struct nrdma_live *live)
{
	unsigned int cpu = cpumask_first(live->effective);

	if (nla_put_u32(skb, NRDMA_A_IRQ_IRQ, live->virq) ||
	    (live->action[0] && nla_put_string(skb, NRDMA_A_IRQ_ACTION, live->action)) ||
	    nrdma_nl_put_cpulist(skb, NRDMA_A_IRQ_CPUS, live->mask) ||
	    nrdma_nl_put_cpulist(skb, NRDMA_A_IRQ_EFFECTIVE, live->effective) ||
	    nla_put_u8(skb, NRDMA_A_IRQ_LOCKED, live->managed || !live->balanced))
		return -EMSGSIZE;
	if (cpu < nr_cpu_ids && cpu_to_node(cpu) != NUMA_NO_NODE &&
	    nla_put_u32(skb, NRDMA_A_IRQ_NODE, cpu_to_node(cpu)))
		return -EMSGSIZE;
	return 0;
}

static int nrdma_nl_put_wanted(struct nrdma_nl_irq_dump *dump, const struct nrdma_func *func,
			       unsigned int index, const struct nrdma_vector *v)
{
	unsigned int cpu = NRDMA_CPU_NONE;

	if (dump->plan && func->live.movable && !func->live.managed)
		cpu = nrdma_plan_cpu(dump->plan, index);
	else if (!dump->planned && func->on && v)
		cpu = v->cpu;
	if (cpu == NRDMA_CPU_NONE)
		return 0;
	return nrdma_nl_put_cpulist(dump->skb, NRDMA_A_IRQ_WANTED, cpumask_of(cpu));
}

static int nrdma_nl_put_changer(struct sk_buff *skb, const struct nrdma_vector *v,
				const struct nrdma_live *live)
{
	enum nrdma_irq_changer changer;

	return nrdma_vector_changer(v, live, &changer) ?
	       nla_put_u32(skb, NRDMA_A_IRQ_CHANGER, changer) : 0;
}

static int nrdma_nl_put_vector(struct nrdma_nl_irq_dump *dump, struct nrdma_func *func,
			       unsigned int index, const struct nrdma_vector *v)
{
	struct sk_buff *skb = dump->skb;

	if (nrdma_nl_put_func(skb, dump->dev, func) ||
	    nla_put_u32(skb, NRDMA_A_IRQ_VECTOR, index) ||
	    nrdma_nl_put_live(skb, &func->live) ||
	    nrdma_nl_put_wanted(dump, func, index, v) ||
	    nrdma_nl_put_changer(skb, v, &func->live) ||
	    nla_put_u32(skb, NRDMA_A_IRQ_STATE,
			nrdma_vector_state(func->on ? v : NULL, &func->live)))
		return -EMSGSIZE;
	if (!v)
		return 0;
	if ((v->moved && nrdma_nl_put_cpulist(skb, NRDMA_A_IRQ_ORIGINAL, v->original)) ||
	    (func->on && v->error && nla_put_s32(skb, NRDMA_A_IRQ_ERROR, v->error)))
		return -EMSGSIZE;
	return 0;
}

static int nrdma_nl_dump_vector(struct nrdma_func *func, unsigned int index,
				struct nrdma_vector *v, void *arg)
{
	struct nrdma_nl_irq_dump *dump = arg;
	struct netlink_callback *cb = dump->cb;
	struct nrdma_nl_irq_ctx *ctx = (void *)cb->ctx;
	void *hdr;

	hdr = genlmsg_put(dump->skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &nrdma_nl_family, NLM_F_MULTI, NRDMA_CMD_IRQ_GET);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	if (nrdma_nl_put_vector(dump, func, index, v)) {
		genlmsg_cancel(dump->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(dump->skb, hdr);
	ctx->vector = index + 1;
	return 0;
}

/*
 * The plan for the policy in the request; NULL when there is none, or it is off, or
 * it cannot be followed and @named is false. A policy that is none is an error always.
 */
static struct nrdma_plan *nrdma_nl_irq_plan(struct netlink_callback *cb,
					    const struct nrdma_func *func, bool named)
{
	struct nlattr *nest = genl_info_dump(cb)->attrs[NRDMA_A_IRQ_POLICY];
	struct nlattr *tb[NRDMA_A_POLICY_LOCK + 1] = {};
	struct nrdma_refusal refusal = {};
	struct nrdma_irq_policy policy;
	struct nrdma_plan *plan = NULL;
	int ret;

	if (!nest)
		return NULL;
	ret = nrdma_irq_policy_init(&policy);
	if (ret)
		return ERR_PTR(ret);
	nrdma_irq_policy_copy(&policy, &func->policy);
	ret = nrdma_nl_parse_policy(nest, tb, &policy, cb->extack);
	if (ret)
		plan = ERR_PTR(ret);
	else if (policy.mode != NRDMA_POLICY_OFF)
		plan = nrdma_plan_make(&policy, func->node, &refusal);
	if (IS_ERR(plan) && !ret && !named)
		plan = NULL;
	if (IS_ERR(plan))
		nrdma_nl_refuse(cb->extack, nest, tb, &refusal);
	nrdma_irq_policy_destroy(&policy);
	return plan;
}

/*
 * With @named, what cannot be answered is refused; otherwise a device that is
 * gone or has no interrupts hides no other.
 */
static int nrdma_nl_dump_func(struct sk_buff *skb, struct netlink_callback *cb,
			      struct nrdma_dev *dev, bool named)
{
	bool planned = genl_info_dump(cb)->attrs[NRDMA_A_IRQ_POLICY];
	struct netlink_ext_ack *extack = named ? cb->extack : NULL;
	struct nrdma_nl_irq_dump dump = {
		.skb = skb, .cb = cb, .dev = dev, .planned = planned,
	};
	struct nrdma_nl_irq_ctx *ctx = (void *)cb->ctx;
	struct nrdma_func *func;
	struct nrdma_plan *plan;
	struct pci_dev *still;
	int ret;

	func = nrdma_nl_func_begin(dev, sock_net(cb->skb->sk), planned ? extack : NULL, &still);
	if (IS_ERR(func))
		return named && planned ? PTR_ERR(func) : 0;
	plan = nrdma_nl_irq_plan(cb, func, named);
	if (IS_ERR(plan)) {
		ret = PTR_ERR(plan);
		goto end;
	}
	dump.plan = plan;
	ret = nrdma_func_for_each(func, ctx->vector, nrdma_nl_dump_vector, &dump);
	nrdma_plan_free(plan);
	if (!ret && !ctx->vector && named && planned) {
		NL_SET_ERR_MSG(extack, NRDMA_NO_VECTORS);
		ret = -ENOENT;
	}
end:
	nrdma_nl_func_end(dev, func, still);
	return ret;
}

/**
 * nrdma_nl_irq_get_dumpit() - NRDMA_CMD_IRQ_GET
 * @skb: message to fill
 * @cb: the dump
 *
 * Return: length of the message, 0 at the end, or a negative errno.
 */
int nrdma_nl_irq_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nrdma_nl_irq_ctx *ctx = (void *)cb->ctx;
	unsigned long goes_on = ctx->id;
	struct nrdma_dev *dev;
	int ret = 0;

	BUILD_BUG_ON(sizeof(*ctx) > sizeof(cb->ctx));
	cb->seq = nrdma_dev_generation() + nrdma_func_generation();

	dev = nrdma_nl_dump_dev(cb, NRDMA_A_IRQ_DEV_INDEX, NRDMA_A_IRQ_DEV_NAME);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (dev) {
		if (ctx->vector != NRDMA_NL_IRQ_DONE)
			ret = nrdma_nl_dump_func(skb, cb, dev, true);
		if (!ret)
			ctx->vector = NRDMA_NL_IRQ_DONE;
		nrdma_dev_put(dev);
		return skb->len ?: ret;
	}

	while ((dev = nrdma_dev_get_next(&ctx->id))) {
		/* What the last message ended in may be gone */
		if (ctx->id != goes_on)
			ctx->vector = 0;
		ret = nrdma_nl_dump_func(skb, cb, dev, false);
		nrdma_dev_put(dev);
		if (ret)
			break;
		ctx->id++;
	}
	return skb->len ?: ret;
}
