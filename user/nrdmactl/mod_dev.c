// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "mod_dev.h"
#include "words.h"

static const struct nla_policy mod_dev_policy[NRDMA_A_DEV_MAX + 1] = {
	[NRDMA_A_DEV_INDEX] = { .type = NLA_U32 },
	[NRDMA_A_DEV_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_DEV_CHARDEV] = { .type = NLA_NUL_STRING },
	[NRDMA_A_DEV_PCI] = { .type = NLA_NUL_STRING },
	[NRDMA_A_DEV_NETDEV] = { .type = NLA_NUL_STRING },
	[NRDMA_A_DEV_NODE] = { .type = NLA_U32 },
	[NRDMA_A_DEV_MEM_NODE] = { .type = NLA_U32 },
	[NRDMA_A_DEV_CPU_NODE] = { .type = NLA_U32 },
	[NRDMA_A_DEV_NODE_SOURCE] = { .type = NLA_U32 },
	[NRDMA_A_DEV_NODE_UNKNOWN] = { .type = NLA_U32 },
	[NRDMA_A_DEV_NODE_OVERRIDE] = { .type = NLA_S32 },
	[NRDMA_A_DEV_TIER] = { .type = NLA_U32 },
	[NRDMA_A_DEV_STEP] = { .type = NLA_NESTED },
	[NRDMA_A_DEV_BUF_COUNT] = { .type = NLA_U32 },
	[NRDMA_A_DEV_BUF_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_DEV_BUF_REMOTE_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_DEV_POLICY] = { .type = NLA_NESTED },
	[NRDMA_A_DEV_EVENT] = { .type = NLA_U32 },
	[NRDMA_A_DEV_OLD_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_DEV_PORT] = { .type = NLA_U32 },
	[NRDMA_A_DEV_PORT_STATE] = { .type = NLA_U32 },
	[NRDMA_A_DEV_ERROR] = { .type = NLA_S32 },
	[NRDMA_A_DEV_LINK] = { .type = NLA_NESTED },
};

const struct mod_attrs mod_dev_attrs = { NRDMA_A_DEV_MAX, mod_dev_policy };

static const struct nla_policy mod_step_policy[NRDMA_A_STEP_MAX + 1] = {
	[NRDMA_A_STEP_BUS] = { .type = NLA_NUL_STRING },
	[NRDMA_A_STEP_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_STEP_NODE] = { .type = NLA_U32 },
};

static const struct nla_policy mod_link_policy[NRDMA_A_LINK_MAX + 1] = {
	[NRDMA_A_LINK_PORT] = { .type = NLA_U32 },
	[NRDMA_A_LINK_ACTIVE_MTU] = { .type = NLA_U32 },
	[NRDMA_A_LINK_MAX_MTU] = { .type = NLA_U32 },
	[NRDMA_A_LINK_SPEED] = { .type = NLA_U32 },
	[NRDMA_A_LINK_WIDTH] = { .type = NLA_U32 },
};

static const struct nla_policy mod_policy_policy[NRDMA_A_POLICY_MAX + 1] = {
	[NRDMA_A_POLICY_MODE] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_NODE] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_CPUS] = { .type = NLA_NUL_STRING },
	[NRDMA_A_POLICY_EXCLUDE] = { .type = NLA_NUL_STRING },
	[NRDMA_A_POLICY_ISOLATED] = { .type = NLA_U8 },
	[NRDMA_A_POLICY_LOCK] = { .type = NLA_U8 },
	[NRDMA_A_POLICY_VECTORS] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_PLACED] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_PENDING] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_MANAGED] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_DRIFTED] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_FAILED] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_ERROR] = { .type = NLA_S32 },
	[NRDMA_A_POLICY_STEERED_AT] = { .type = NLA_U64 },
	[NRDMA_A_POLICY_STEERS] = { .type = NLA_U32 },
	[NRDMA_A_POLICY_KEPT] = { .type = NLA_U8 },
};

/**
 * mod_policy_parse() - a policy's nest
 * @policy: out, for dev_policy_free()
 * @nest: NRDMA_A_*_POLICY, NULL for none
 */
void mod_policy_parse(struct dev_policy *policy, struct nlattr *nest)
{
	struct nlattr *tb[NRDMA_A_POLICY_MAX + 1];

	memset(policy, 0, sizeof(*policy));
	if (!nest || nla_parse_nested(tb, NRDMA_A_POLICY_MAX, nest, mod_policy_policy))
		return;
	policy->known = true;
	policy->mode = mod_u32(tb[NRDMA_A_POLICY_MODE]);
	policy->node = mod_u32(tb[NRDMA_A_POLICY_NODE]);
	policy->cpus = mod_strdup(tb[NRDMA_A_POLICY_CPUS]);
	policy->exclude = mod_strdup(tb[NRDMA_A_POLICY_EXCLUDE]);
	policy->isolated = mod_u8(tb[NRDMA_A_POLICY_ISOLATED]);
	policy->lock = mod_u8(tb[NRDMA_A_POLICY_LOCK]);
	policy->vectors = mod_u32(tb[NRDMA_A_POLICY_VECTORS]);
	policy->placed = mod_u32(tb[NRDMA_A_POLICY_PLACED]);
	policy->pending = mod_u32(tb[NRDMA_A_POLICY_PENDING]);
	policy->managed = mod_u32(tb[NRDMA_A_POLICY_MANAGED]);
	policy->drifted = mod_u32(tb[NRDMA_A_POLICY_DRIFTED]);
	policy->failed = mod_u32(tb[NRDMA_A_POLICY_FAILED]);
	policy->error = mod_s32(tb[NRDMA_A_POLICY_ERROR]);
	policy->steered_at = mod_u64(tb[NRDMA_A_POLICY_STEERED_AT]);
	policy->steers = mod_u32(tb[NRDMA_A_POLICY_STEERS]);
	policy->kept = mod_u8(tb[NRDMA_A_POLICY_KEPT]);
}

static void mod_dev_step(struct place *place, struct nlattr *nest)
{
	struct nlattr *tb[NRDMA_A_STEP_MAX + 1];
	struct place_step *step;

	if (place->nr_steps == PLACE_STEPS ||
	    nla_parse_nested(tb, NRDMA_A_STEP_MAX, nest, mod_step_policy))
		return;
	step = &place->steps[place->nr_steps++];
	step->bus = mod_str(tb[NRDMA_A_STEP_BUS]);
	step->name = mod_str(tb[NRDMA_A_STEP_NAME]);
	step->node = mod_u32(tb[NRDMA_A_STEP_NODE]);
	if (!step->node.known)
		step->node.why = "none";
}

static void mod_dev_link(struct dev *dev, struct nlattr *nest)
{
	struct nlattr *tb[NRDMA_A_LINK_MAX + 1];
	struct dev_link link;
	unsigned int i;

	if (nla_parse_nested(tb, NRDMA_A_LINK_MAX, nest, mod_link_policy) ||
	    !tb[NRDMA_A_LINK_PORT] || !tb[NRDMA_A_LINK_SPEED] || !tb[NRDMA_A_LINK_WIDTH])
		return;
	link = (struct dev_link){
		.active_mtu = mod_u32(tb[NRDMA_A_LINK_ACTIVE_MTU]),
		.max_mtu = mod_u32(tb[NRDMA_A_LINK_MAX_MTU]),
		.speed = nla_get_u32(tb[NRDMA_A_LINK_SPEED]),
		.width = nla_get_u32(tb[NRDMA_A_LINK_WIDTH]),
	};
	for (i = 0; i < dev->nr_ports; i++)
		if (dev->ports[i].port == nla_get_u32(tb[NRDMA_A_LINK_PORT]))
			dev_port_asked(&dev->ports[i], dev->name, &link);
}

/* What may come several times: CPU nodes, steps and ports */
static void mod_dev_lists(struct dev *dev, struct nl_msg *msg)
{
	struct place *place = &dev->place;
	struct nlattr *attr;
	int rem;

	memset(&place->cpu_nodes, 0, sizeof(place->cpu_nodes));
	place->nr_steps = 0;
	nlmsg_for_each_attr(attr, nlmsg_hdr(msg), GENL_HDRLEN, rem) {
		if (nla_type(attr) == NRDMA_A_DEV_CPU_NODE && nla_len(attr) >= 4)
			cpus_add(&place->cpu_nodes, nla_get_u32(attr));
		if (nla_type(attr) == NRDMA_A_DEV_STEP)
			mod_dev_step(place, attr);
		if (nla_type(attr) == NRDMA_A_DEV_LINK)
			mod_dev_link(dev, attr);
	}
}

/**
 * mod_dev_overlay() - what the module says of a device, over what sysfs said
 * @dev: the device, found by its name
 * @msg: DEV_GET's answer
 */
void mod_dev_overlay(struct dev *dev, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_DEV_MAX + 1];
	struct place *place = &dev->place;
	struct num unknown;

	if (!mod_attrs(msg, tb, &mod_dev_attrs))
		return;
	dev->by_module = true;
	dev->index = mod_u32(tb[NRDMA_A_DEV_INDEX]);
	dev->chardev = mod_str(tb[NRDMA_A_DEV_CHARDEV]);
	dev->error = mod_s32(tb[NRDMA_A_DEV_ERROR]);
	if (!dev->error.known)
		dev->error.why = "none";
	dev->buf_count = mod_u32(tb[NRDMA_A_DEV_BUF_COUNT]);
	dev->buf_bytes = mod_u64(tb[NRDMA_A_DEV_BUF_BYTES]);
	dev->buf_remote_bytes = mod_u64(tb[NRDMA_A_DEV_BUF_REMOTE_BYTES]);

	if (tb[NRDMA_A_DEV_PCI])
		place->pci = mod_str(tb[NRDMA_A_DEV_PCI]);
	if (dev->nr_ports && !dev->ports[0].netdev.known && tb[NRDMA_A_DEV_NETDEV] &&
	    dev_netdev_fits(dev->name, nla_get_string(tb[NRDMA_A_DEV_NETDEV]))) {
		dev->ports[0].netdev = mod_str(tb[NRDMA_A_DEV_NETDEV]);
		dev->ports[0].netdev_mtu = sys_num("/sys/class/net/%s/mtu",
						   dev->ports[0].netdev.s);
	}
	unknown = mod_u32(tb[NRDMA_A_DEV_NODE_UNKNOWN]);
	place->node = mod_u32(tb[NRDMA_A_DEV_NODE]);
	place->node.why = words_node_unknown(unknown.v);
	place->mem_node = mod_u32(tb[NRDMA_A_DEV_MEM_NODE]);
	place->mem_node.why = place->node.known ? "none has memory" : place->node.why;
	place->source = mod_u32(tb[NRDMA_A_DEV_NODE_SOURCE]);
	if (place->source.known && place->source.v == NRDMA_NODE_SOURCE_UNKNOWN)
		place->source = num_none(place->node.why);
	place->override = mod_s32(tb[NRDMA_A_DEV_NODE_OVERRIDE]);
	if (!place->override.known)
		place->override.why = "none";
	place->tier = mod_u32(tb[NRDMA_A_DEV_TIER]);
	if (!place->node.known)
		place->tier = num_none(place->node.why);
	mod_dev_lists(dev, msg);
	dev_policy_free(&dev->policy);
	mod_policy_parse(&dev->policy, tb[NRDMA_A_DEV_POLICY]);
}

/**
 * mod_dev_dump() - ask the module about all devices
 * @devs: from sysfs; one that the module does not tell of is hidden
 *
 * Return: EXIT_*, what went wrong was said.
 */
int mod_dev_dump(struct mod *mod, struct devs *devs)
{
	struct nlattr *tb[NRDMA_A_DEV_MAX + 1];
	struct mod_reply reply;
	unsigned int i, port;
	struct dev *dev;
	int status;

	status = mod_dump(mod, mod_request(mod, NRDMA_CMD_DEV_GET), &reply) ? EXIT_PARTIAL : EXIT_DONE;
	if (reply.incomplete)
		status = EXIT_PARTIAL;
	for (i = 0; i < reply.nr; i++) {
		if (!mod_attrs(reply.msg[i], tb, &mod_dev_attrs) || !tb[NRDMA_A_DEV_NAME])
			continue;
		dev = devs_match(devs, nla_get_string(tb[NRDMA_A_DEV_NAME]), NULL, &port);
		if (dev && !port)
			mod_dev_overlay(dev, reply.msg[i]);
	}
	mod_reply_free(&reply);
	for (dev = devs->v; status == EXIT_DONE && dev < devs->v + devs->nr; dev++) {
		dev->hidden = !dev->by_module;
		if (dev->hidden)
			dev_not_told(dev, "not in this network namespace");
	}
	return status;
}

/**
 * mod_dev_set_override() - an administrator's word on a device's node
 * @node: the node, or -1 for none
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_dev_set_override(struct mod *mod, const struct dev *dev, long long node)
{
	struct nl_msg *msg = mod_request(mod, NRDMA_CMD_DEV_SET);
	struct mod_reply reply;
	int err;

	if (msg && (nla_put_string(msg, NRDMA_A_DEV_NAME, dev->name) ||
		    nla_put_s32(msg, NRDMA_A_DEV_NODE_OVERRIDE, node))) {
		mod_request_drop(msg);
		return -ENOMEM;
	}
	err = mod_ask(mod, msg, &reply);
	mod_reply_free(&reply);
	return err;
}
