// SPDX-License-Identifier: GPL-2.0
/* Who holds queue pairs, completion queues and memory regions: RDMA netlink. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>

#include "res.h"
#include "say.h"
#include "sys.h"

/* The three kinds that are told */
static const struct res_kind {
	int cmd, table, entry;
} res_kinds[] = {
	{ RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY },
	{ RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY },
	{ RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY },
};

/* A dump under way */
struct res_dump {
	struct ress *ress;
	struct dev **match;
	const struct res_kind *kind;
	struct dev *dev;	/* whose resources these are */
	unsigned int *index;	/* by position in @match, out of the dump of devices */
	bool nomem;
};

static const struct nla_policy res_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_NAME] = { .type = NLA_NUL_STRING },
	[RDMA_NLDEV_ATTR_RES_PID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_MRLEN] = { .type = NLA_U64 },
};

/**
 * ress_of() - what a process holds of a device
 *
 * Return: it, made when it was not there, or NULL without memory. Valid until
 * the next call.
 */
struct res *ress_of(struct ress *ress, unsigned int pid, const struct dev *dev)
{
	struct res *v;
	unsigned int i;

	for (i = 0; i < ress->nr; i++)
		if (ress->v[i].pid == pid && ress->v[i].dev == dev)
			return &ress->v[i];
	if (ress->nr == ress->room) {
		v = reallocarray(ress->v, 2 * ress->room + 16, sizeof(*v));
		if (!v)
			return NULL;
		ress->v = v;
		ress->room = 2 * ress->room + 16;
	}
	v = &ress->v[ress->nr++];
	memset(v, 0, sizeof(*v));
	v->pid = pid;
	v->dev = dev;
	return v;
}

void ress_free(struct ress *ress)
{
	free(ress->v);
	memset(ress, 0, sizeof(*ress));
}

static int res_on_dev(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct res_dump *dump = arg;
	unsigned int i;

	if (nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, res_policy) ||
	    !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return NL_OK;
	for (i = 0; dump->match[i]; i++)
		if (!strcmp(dump->match[i]->name, nla_get_string(tb[RDMA_NLDEV_ATTR_DEV_NAME])))
			dump->index[i] = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	return NL_OK;
}

static void res_entry(struct res_dump *dump, struct nlattr *nest)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct res *res;

	/* Those of the kernel have a name instead of a process */
	if (nla_parse_nested(tb, RDMA_NLDEV_ATTR_MAX - 1, nest, res_policy) ||
	    !tb[RDMA_NLDEV_ATTR_RES_PID])
		return;
	res = ress_of(dump->ress, nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_PID]), dump->dev);
	if (!res) {
		dump->nomem = true;
		return;
	}
	switch (dump->kind->cmd) {
	case RDMA_NLDEV_CMD_RES_QP_GET:
		res->qps++;
		break;
	case RDMA_NLDEV_CMD_RES_CQ_GET:
		res->cqs++;
		break;
	default:
		res->mrs++;
		if (tb[RDMA_NLDEV_ATTR_RES_MRLEN])
			res->mr_bytes += nla_get_u64(tb[RDMA_NLDEV_ATTR_RES_MRLEN]);
	}
}

static int res_on_entries(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry;
	struct res_dump *dump = arg;
	int rem;

	if (nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) ||
	    !tb[dump->kind->table])
		return NL_OK;
	nla_for_each_nested(entry, tb[dump->kind->table], rem)
		if (nla_type(entry) == dump->kind->entry)
			res_entry(dump, entry);
	return NL_OK;
}

static int res_ask(struct nl_sock *sk, int cmd, int index, nl_recvmsg_msg_cb_t on_msg,
		   struct res_dump *dump)
{
	struct nl_msg *msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), NLM_F_DUMP);
	int err;

	if (!msg || (index >= 0 && nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index))) {
		nlmsg_free(msg);
		return -NLE_NOMEM;
	}
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, on_msg, dump);
	err = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	return err < 0 ? err : nl_recvmsgs_default(sk);
}

/**
 * ress_read() - who holds what
 * @ress: they are added here
 * @match: devices, NULL-terminated
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int ress_read(struct ress *ress, struct dev **match)
{
	struct res_dump dump = { .ress = ress, .match = match };
	struct nl_sock *sk;
	unsigned int i, k;
	int err;

	/* A host without RDMA has no such netlink; a fixture's processes are not the host's */
	if (!match[0] || *sys_root())
		return 0;
	for (i = 0; match[i]; i++)
		;
	dump.index = malloc((i + 1) * sizeof(*dump.index));
	sk = nl_socket_alloc();
	if (!sk || !dump.index) {
		nl_socket_free(sk);
		free(dump.index);
		return -ENOMEM;
	}
	memset(dump.index, 0xff, (i + 1) * sizeof(*dump.index));
	nl_socket_disable_auto_ack(sk);
	err = nl_connect(sk, NETLINK_RDMA);
	if (!err)
		err = res_ask(sk, RDMA_NLDEV_CMD_GET, -1, res_on_dev, &dump);
	for (i = 0; !err && match[i]; i++) {
		if (dump.index[i] == UINT32_MAX)
			continue;
		dump.dev = match[i];
		for (k = 0; !err && k < sizeof(res_kinds) / sizeof(*res_kinds); k++) {
			dump.kind = &res_kinds[k];
			err = res_ask(sk, dump.kind->cmd, dump.index[i], res_on_entries, &dump);
			/* A device that went away meanwhile holds nothing */
			if (err == -NLE_NODEV || err == -NLE_OBJ_NOTFOUND || err == -NLE_INVAL)
				err = 0;
		}
	}
	if (err)
		say("RDMA netlink does not tell who holds what: %s", nl_geterror(err));
	nl_socket_free(sk);
	free(dump.index);
	return err || dump.nomem ? -EIO : 0;
}
