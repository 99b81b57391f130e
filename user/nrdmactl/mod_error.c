// SPDX-License-Identifier: GPL-2.0
/* A refusal of the kernel, in words: what it says, about which attribute. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/netlink.h>
#include <linux/nrdma.h>
#include <netlink/genl/genl.h>

#include "mod_error.h"
#include "say.h"

/* Attributes that requests carry, named as in nrdma.yaml */
static const char *mod_error_name(int cmd, int nest, int type)
{
	switch (cmd) {
	case NRDMA_CMD_DEV_GET:
	case NRDMA_CMD_DEV_SET:
		switch (type) {
		case NRDMA_A_DEV_INDEX:
			return "index";
		case NRDMA_A_DEV_NAME:
			return "name";
		case NRDMA_A_DEV_NODE_OVERRIDE:
			return "node-override";
		}
		return NULL;
	case NRDMA_CMD_IRQ_GET:
	case NRDMA_CMD_IRQ_SET:
	case NRDMA_CMD_IRQ_RESTORE:
		break;
	case NRDMA_CMD_POOL_SET:
		switch (type) {
		case NRDMA_A_POOL_NODE:
			return "node";
		case NRDMA_A_POOL_BYTES:
			return "bytes";
		case NRDMA_A_POOL_CHUNK_BYTES:
			return "chunk-bytes";
		case NRDMA_A_POOL_GID:
			return "gid";
		case NRDMA_A_POOL_SHRINK:
			return "shrink";
		case NRDMA_A_POOL_UID_CAP:
			return "uid-cap";
		case NRDMA_A_POOL_NODE_CAP:
			return "node-cap";
		}
		return NULL;
	case NRDMA_CMD_PROBE_RUN:
		switch (type) {
		case NRDMA_A_PROBE_DEV_INDEX:
			return "dev-index";
		case NRDMA_A_PROBE_DEV_NAME:
			return "dev-name";
		case NRDMA_A_PROBE_OP:
			return "op";
		case NRDMA_A_PROBE_SIZE:
			return "size";
		case NRDMA_A_PROBE_ITERATIONS:
			return "iterations";
		case NRDMA_A_PROBE_ROUNDS:
			return "rounds";
		case NRDMA_A_PROBE_TIME:
			return "time";
		case NRDMA_A_PROBE_MEM_NODE:
			return "mem-node";
		case NRDMA_A_PROBE_CPU_NODE:
			return "cpu-node";
		case NRDMA_A_PROBE_PORT:
			return "port";
		case NRDMA_A_PROBE_ISOLATED:
			return "isolated";
		}
		return NULL;
	case NRDMA_CMD_BUF_GET:
		if (type == NRDMA_A_BUF_DEV_INDEX)
			return "dev-index";
		return type == NRDMA_A_BUF_DEV_NAME ? "dev-name" : NULL;
	default:
		return NULL;
	}
	if (nest != NRDMA_A_IRQ_POLICY) {
		switch (type) {
		case NRDMA_A_IRQ_DEV_INDEX:
			return "dev-index";
		case NRDMA_A_IRQ_DEV_NAME:
			return "dev-name";
		case NRDMA_A_IRQ_POLICY:
			return "policy";
		}
		return NULL;
	}
	switch (type) {
	case NRDMA_A_POLICY_MODE:
		return "policy.mode";
	case NRDMA_A_POLICY_NODE:
		return "policy.node";
	case NRDMA_A_POLICY_CPUS:
		return "policy.cpus";
	case NRDMA_A_POLICY_EXCLUDE:
		return "policy.exclude";
	case NRDMA_A_POLICY_ISOLATED:
		return "policy.isolated";
	case NRDMA_A_POLICY_LOCK:
		return "policy.lock";
	}
	return NULL;
}

static int mod_error_cmd(struct nl_msg *request)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(request));

	return hdr->cmd;
}

/* A type that has no name here still has a number */
static const char *mod_error_named(int cmd, int nest, int type, char *buf, size_t len)
{
	const char *name = mod_error_name(cmd, nest, type);

	if (name)
		snprintf(buf, len, "%s", name);
	else
		snprintf(buf, len, "%d", type);
	return buf;
}

/**
 * mod_error_attr() - the attribute that stands at an offset of a request
 * @offset: from the start of the message, as NLMSGERR_ATTR_OFFS
 * @buf: for the name
 *
 * Return: @buf, or NULL when no attribute stands there.
 */
const char *mod_error_attr(struct nl_msg *request, unsigned int offset, char *buf, size_t len)
{
	struct nlmsghdr *nlh = nlmsg_hdr(request);
	struct nlattr *attr, *inner;
	int cmd = mod_error_cmd(request);
	int rem, irem;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rem) {
		if ((char *)attr - (char *)nlh == (long)offset)
			return mod_error_named(cmd, 0, nla_type(attr), buf, len);
		if (!(cmd == NRDMA_CMD_IRQ_SET || cmd == NRDMA_CMD_IRQ_GET) ||
		    nla_type(attr) != NRDMA_A_IRQ_POLICY ||
		    offset < (unsigned int)((char *)attr - (char *)nlh) ||
		    offset >= (unsigned int)((char *)attr - (char *)nlh) + nla_len(attr) + NLA_HDRLEN)
			continue;
		nla_for_each_nested(inner, attr, irem)
			if ((char *)inner - (char *)nlh == (long)offset)
				return mod_error_named(cmd, nla_type(attr), nla_type(inner), buf,
						      len);
	}
	return NULL;
}

/* The range that the kernel tells of an attribute, where it does: ": 1 to 100" */
static void mod_error_range(struct nlattr *policy, char *buf, size_t len)
{
	struct nlattr *tb[NL_POLICY_TYPE_ATTR_MAX + 1];

	*buf = '\0';
	if (!policy || nla_parse_nested(tb, NL_POLICY_TYPE_ATTR_MAX, policy, NULL))
		return;
	if (tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U] && tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U])
		snprintf(buf, len, ": %" PRIu64 " to %" PRIu64,
			 nla_get_u64(tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]),
			 nla_get_u64(tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]));
	if (tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_S] && tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_S])
		snprintf(buf, len, ": %" PRId64 " to %" PRId64,
			 nla_get_s64(tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_S]),
			 nla_get_s64(tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_S]));
}

/**
 * mod_error_say() - say why a request was refused
 * @error: negative errno
 * @nlh: the message that says so
 * @skip: where its extended acknowledgment begins, bytes from @nlh
 * @request: what was asked
 */
void mod_error_say(int error, struct nlmsghdr *nlh, size_t skip, struct nl_msg *request)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = { NULL };
	const char *text = NULL, *attr = NULL;
	char buf[32], range[64] = "";

	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nlh->nlmsg_len > skip &&
	    !nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)nlh + skip),
		       nlh->nlmsg_len - skip, NULL)) {
		if (tb[NLMSGERR_ATTR_MSG])
			text = nla_get_string(tb[NLMSGERR_ATTR_MSG]);
		mod_error_range(tb[NLMSGERR_ATTR_POLICY], range, sizeof(range));
		if (tb[NLMSGERR_ATTR_OFFS] && nla_len(tb[NLMSGERR_ATTR_OFFS]) >= 4)
			attr = mod_error_attr(request, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]), buf,
					     sizeof(buf));
		else if (tb[NLMSGERR_ATTR_MISS_TYPE] && nla_len(tb[NLMSGERR_ATTR_MISS_TYPE]) >= 4)
			attr = mod_error_named(mod_error_cmd(request), 0,
					      nla_get_u32(tb[NLMSGERR_ATTR_MISS_TYPE]), buf,
					      sizeof(buf));
	}
	if (!text && error == -EPERM)
		text = "not permitted: needs CAP_NET_ADMIN (root) in the initial namespaces";
	if (!text && error == -EOPNOTSUPP)
		text = "the module does not know this request";
	if (!text)
		text = strerror(-error);
	if (attr)
		say("%s (attribute %s)%s", text, attr, range);
	else
		say("%s", text);
}
