// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "mod_dev.h"
#include "mod_irq.h"

static const struct nla_policy mod_irq_policy[NRDMA_A_IRQ_MAX + 1] = {
	[NRDMA_A_IRQ_DEV_INDEX] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_DEV_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_PCI] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_VECTOR] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_IRQ] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_ACTION] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_CPUS] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_EFFECTIVE] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_NODE] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_WANTED] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_ORIGINAL] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_STATE] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_LOCKED] = { .type = NLA_U8 },
	[NRDMA_A_IRQ_ERROR] = { .type = NLA_S32 },
	[NRDMA_A_IRQ_POLICY] = { .type = NLA_NESTED },
	[NRDMA_A_IRQ_EVENT] = { .type = NLA_U32 },
	[NRDMA_A_IRQ_WHY] = { .type = NLA_NUL_STRING },
	[NRDMA_A_IRQ_CHANGER] = { .type = NLA_U32 },
};

const struct mod_attrs mod_irq_attrs = { NRDMA_A_IRQ_MAX, mod_irq_policy };

static int mod_irq_put_policy(struct nl_msg *msg, const struct irq_policy *policy)
{
	struct nlattr *nest = nla_nest_start(msg, NRDMA_A_IRQ_POLICY | NLA_F_NESTED);

	if (!nest ||
	    (policy->mode.known && nla_put_u32(msg, NRDMA_A_POLICY_MODE, policy->mode.v)) ||
	    (policy->node.known && nla_put_u32(msg, NRDMA_A_POLICY_NODE, policy->node.v)) ||
	    (policy->cpus && nla_put_string(msg, NRDMA_A_POLICY_CPUS, policy->cpus)) ||
	    (policy->exclude && nla_put_string(msg, NRDMA_A_POLICY_EXCLUDE, policy->exclude)) ||
	    (policy->isolated.known &&
	     nla_put_u8(msg, NRDMA_A_POLICY_ISOLATED, policy->isolated.v)) ||
	    (policy->lock.known && nla_put_u8(msg, NRDMA_A_POLICY_LOCK, policy->lock.v)))
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

static struct nl_msg *mod_irq_request(struct mod *mod, uint8_t cmd, const struct dev *dev,
				     const struct irq_policy *policy)
{
	struct nl_msg *msg = mod_request(mod, cmd);

	if (msg && ((dev && nla_put_string(msg, NRDMA_A_IRQ_DEV_NAME, dev->name)) ||
		    (policy && mod_irq_put_policy(msg, policy)))) {
		mod_request_drop(msg);
		return NULL;
	}
	return msg;
}

static void mod_irq_parse(struct vec *vec, struct nlattr **tb)
{
	vec->pci = mod_str(tb[NRDMA_A_IRQ_PCI]);
	vec->vector = mod_u32(tb[NRDMA_A_IRQ_VECTOR]);
	vec->irq = mod_u32(tb[NRDMA_A_IRQ_IRQ]);
	vec->action = mod_str(tb[NRDMA_A_IRQ_ACTION]);
	if (!vec->action.known)
		vec->action.why = "free";
	vec->cpus = mod_strdup(tb[NRDMA_A_IRQ_CPUS]);
	vec->effective = mod_strdup(tb[NRDMA_A_IRQ_EFFECTIVE]);
	vec->wanted = mod_strdup(tb[NRDMA_A_IRQ_WANTED]);
	vec->original = mod_strdup(tb[NRDMA_A_IRQ_ORIGINAL]);
	vec->state = mod_u32(tb[NRDMA_A_IRQ_STATE]);
	vec->locked = mod_u8(tb[NRDMA_A_IRQ_LOCKED]);
	vec->error = mod_s32(tb[NRDMA_A_IRQ_ERROR]);
	if (!vec->error.known)
		vec->error.why = "none";
	vec->changer = mod_u32(tb[NRDMA_A_IRQ_CHANGER]);
	if (!vec->changer.known)
		vec->changer.why = "not known";
	if (tb[NRDMA_A_IRQ_NODE])
		vec->node = mod_u32(tb[NRDMA_A_IRQ_NODE]);
	else
		vec_settle(vec);
}

/**
 * mod_irq_dump() - ask the module for vectors
 * @vecs: out, for vecs_free()
 * @dev: whose; NULL for all devices
 * @plan: a policy to try without doing it, or NULL
 *
 * Return: EXIT_*, what went wrong was said.
 */
int mod_irq_dump(struct mod *mod, struct vecs *vecs, const struct dev *dev,
		const struct irq_policy *plan)
{
	struct nlattr *tb[NRDMA_A_IRQ_MAX + 1];
	struct num of = num_none(NULL), before;
	struct mod_reply reply;
	bool again = false;
	struct str pci;
	struct vec *vec;
	unsigned int i;
	int status;

	status = mod_dump(mod, mod_irq_request(mod, NRDMA_CMD_IRQ_GET, dev, plan), &reply) ?
		EXIT_FAILED : EXIT_DONE;
	if (reply.incomplete)
		status = EXIT_PARTIAL;
	for (i = 0; i < reply.nr; i++) {
		if (!mod_attrs(reply.msg[i], tb, &mod_irq_attrs))
			continue;
		/* A device's come together, and are its function's */
		before = of;
		of = mod_u32(tb[NRDMA_A_IRQ_DEV_INDEX]);
		if (!before.known || of.v != before.v) {
			pci = mod_str(tb[NRDMA_A_IRQ_PCI]);
			again = vecs_next(vecs, &pci, NULL);
		}
		vec = again ? NULL : vecs_new(vecs);
		if (vec)
			mod_irq_parse(vec, tb);
	}
	mod_reply_free(&reply);
	return status;
}

static int mod_irq_ask(struct mod *mod, struct nl_msg *msg, struct dev_policy *result)
{
	struct nlattr *tb[NRDMA_A_IRQ_MAX + 1];
	struct mod_reply reply;
	int err;

	memset(result, 0, sizeof(*result));
	err = mod_ask(mod, msg, &reply);
	if (!err && reply.nr && mod_attrs(reply.msg[0], tb, &mod_irq_attrs))
		mod_policy_parse(result, tb[NRDMA_A_IRQ_POLICY]);
	mod_reply_free(&reply);
	return err;
}

/**
 * mod_irq_set() - set a device's steering policy, and steer
 * @result: out, the policy and what came of it, for dev_policy_free()
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_irq_set(struct mod *mod, const struct dev *dev, const struct irq_policy *policy,
	       struct dev_policy *result)
{
	return mod_irq_ask(mod, mod_irq_request(mod, NRDMA_CMD_IRQ_SET, dev, policy), result);
}

int mod_irq_restore(struct mod *mod, const struct dev *dev, struct dev_policy *result)
{
	return mod_irq_ask(mod, mod_irq_request(mod, NRDMA_CMD_IRQ_RESTORE, dev, NULL), result);
}
