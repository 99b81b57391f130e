// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "commands.h"
#include "irq_put.h"
#include "mod_dev.h"
#include "mod_irq.h"
#include "say.h"
#include "set.h"
#include "size.h"
#include "words.h"

static const char *const irq_set_policies[] = {
	"local", "spread", "off", "node N", "cpus LIST", NULL
};

static const char *const irq_set_switch[] = { "on", "off", NULL };

static const struct cmd_key irq_set_keys[] = {
	{ "policy", "POLICY", irq_set_policies },
	{ "lock", "on|off", irq_set_switch },
	{ "exclude", "LIST|none", NULL },
	{ "isolated", "on|off", irq_set_switch },
	{ "dry-run", NULL, NULL },
	{ NULL }
};

/**
 * irq_set_policy() - what "irq set" asks for
 * @args: of cmd_irq_set; the policy points into it
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int irq_set_policy(const struct args *args, struct irq_policy *policy)
{
	const char *mode = args_get(args, "policy");
	const char *more = args_more(args, "policy");
	uint32_t node;
	int i;

	memset(policy, 0, sizeof(*policy));
	for (i = 0; mode && words_policy[i]; i++)
		if (!strcmp(mode, words_policy[i]))
			policy->mode = num_of(i);
	if (policy->mode.known && policy->mode.v == NRDMA_POLICY_NODE) {
		if (size_parse_u32(&node, more)) {
			say("policy node \"%s\": must be a node's number", more);
			return -EINVAL;
		}
		policy->node = num_of(node);
	}
	if (policy->mode.known && policy->mode.v == NRDMA_POLICY_CPUS) {
		if (args_cpus("policy cpus", more))
			return -EINVAL;
		policy->cpus = more;
	}
	policy->exclude = args_get(args, "exclude");
	if (policy->exclude && !strcmp(policy->exclude, "none"))
		policy->exclude = "";
	if (policy->exclude && args_cpus("exclude", policy->exclude))
		return -EINVAL;
	policy->lock = args_switch(args, "lock");
	policy->isolated = args_switch(args, "isolated");
	if (!mode && !policy->exclude && !policy->lock.known && !policy->isolated.known) {
		say("nothing to set: policy, lock, exclude or isolated");
		return -EINVAL;
	}
	return 0;
}

static int irq_set_plan(struct mod *mod, const struct dev *dev, const struct irq_policy *policy)
{
	struct vecs vecs = { 0 };
	unsigned int i;
	struct out o;
	int status;

	status = mod_irq_dump(mod, &vecs, dev, policy);
	irq_put_open_plan(&o);
	for (i = 0; i < vecs.nr; i++) {
		out_record(&o);
		irq_put(&o, &vecs.v[i], dev);
		out_record_end(&o);
	}
	if (out_close(&o))
		status = EXIT_FAILED;
	vecs_free(&vecs);
	return status;
}

static int irq_set_do(struct mod *mod, const struct dev *dev, const struct irq_policy *policy)
{
	struct dev_policy result;
	int status = EXIT_FAILED;

	if (!mod_irq_set(mod, dev, policy, &result))
		status = irq_put_result(dev, &result);
	dev_policy_free(&result);
	return status;
}

static int irq_set_run(const struct args *args)
{
	struct irq_policy policy;
	struct picked picked;
	struct dev *dev;
	struct mod mod;
	int status = EXIT_FAILED;

	if (irq_set_policy(args, &policy))
		return EXIT_USAGE;
	dev = pick_one(&picked, args, true);
	if (dev && mod_must_open(&mod)) {
		if (!args_get(args, "dry-run"))
			status = irq_set_do(&mod, dev, &policy);
		else if (mod_dev_dump(&mod, &picked.devs) != EXIT_FAILED)
			status = irq_set_plan(&mod, dev, &policy);
		mod_close(&mod);
	}
	pick_free(&picked);
	return status;
}

const struct cmd cmd_irq_set = {
	.object = "irq",
	.name = "set",
	.pos = "DEV",
	.keys = irq_set_keys,
	.help = "steer a device's vectors, and keep them there; dry-run only tells the plan",
	.run = irq_set_run,
};
