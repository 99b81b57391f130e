// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "mod_buf.h"
#include "say.h"

static const struct nla_policy mod_buf_policy[NRDMA_A_BUF_MAX + 1] = {
	[NRDMA_A_BUF_ID] = { .type = NLA_U32 },
	[NRDMA_A_BUF_DEV_INDEX] = { .type = NLA_U32 },
	[NRDMA_A_BUF_DEV_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_BUF_ORPHAN] = { .type = NLA_U8 },
	[NRDMA_A_BUF_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_BUF_NODE] = { .type = NLA_U32 },
	[NRDMA_A_BUF_NODE_BYTES] = { .type = NLA_NESTED },
	[NRDMA_A_BUF_RUN] = { .type = NLA_NESTED },
	[NRDMA_A_BUF_UID] = { .type = NLA_U32 },
	[NRDMA_A_BUF_PID] = { .type = NLA_U32 },
	[NRDMA_A_BUF_COMM] = { .type = NLA_NUL_STRING },
	[NRDMA_A_BUF_UNCHARGED_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_BUF_EVENT] = { .type = NLA_U32 },
	[NRDMA_A_BUF_REASON] = { .type = NLA_U32 },
	[NRDMA_A_BUF_AVAILABLE] = { .type = NLA_U64 },
	[NRDMA_A_BUF_WARM_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_BUF_LINGERING] = { .type = NLA_U8 },
};

const struct mod_attrs mod_buf_attrs = { NRDMA_A_BUF_MAX, mod_buf_policy };

static const struct nla_policy mod_run_policy[NRDMA_A_RUN_MAX + 1] = {
	[NRDMA_A_RUN_OFFSET] = { .type = NLA_U64 },
	[NRDMA_A_RUN_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_RUN_CHUNK_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_RUN_NODE] = { .type = NLA_U32 },
};

static int buf_add_run(struct buf *buf, struct nlattr **tb)
{
	struct buf_run *runs = reallocarray(buf->runs, buf->nr_runs + 1, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	buf->runs = runs;
	runs[buf->nr_runs++] = (struct buf_run){
		.offset = mod_u64(tb[NRDMA_A_RUN_OFFSET]),
		.bytes = mod_u64(tb[NRDMA_A_RUN_BYTES]),
		.chunk_bytes = mod_u64(tb[NRDMA_A_RUN_CHUNK_BYTES]),
		.node = mod_u32(tb[NRDMA_A_RUN_NODE]),
	};
	return 0;
}

static int buf_add_node_bytes(struct buf *buf, struct nlattr **tb)
{
	struct num node = mod_u32(tb[NRDMA_A_RUN_NODE]), bytes = mod_u64(tb[NRDMA_A_RUN_BYTES]);
	struct buf_node_bytes *nb;

	if (!node.known || !bytes.known)
		return 0;
	nb = reallocarray(buf->node_bytes, buf->nr_node_bytes + 1, sizeof(*nb));
	if (!nb)
		return -ENOMEM;
	buf->node_bytes = nb;
	nb[buf->nr_node_bytes++] = (struct buf_node_bytes){ node.v, bytes.v };
	return 0;
}

static void buf_parse(struct buf *buf, struct nlattr **tb)
{
	buf->id = mod_u32(tb[NRDMA_A_BUF_ID]);
	buf->dev_index = mod_u32(tb[NRDMA_A_BUF_DEV_INDEX]);
	buf->dev_name = mod_str(tb[NRDMA_A_BUF_DEV_NAME]);
	buf->orphan = mod_u8(tb[NRDMA_A_BUF_ORPHAN]);
	/* As every flag: absent is off */
	if (!buf->orphan.known)
		buf->orphan = num_of(0);
	buf->bytes = mod_u64(tb[NRDMA_A_BUF_BYTES]);
	buf->node = mod_u32(tb[NRDMA_A_BUF_NODE]);
	buf->uid = mod_u32(tb[NRDMA_A_BUF_UID]);
	buf->pid = mod_u32(tb[NRDMA_A_BUF_PID]);
	buf->comm = mod_str(tb[NRDMA_A_BUF_COMM]);
	if (!buf->pid.known)
		buf->pid.why = "gone or not yours";
	if (!buf->comm.known)
		buf->comm.why = "gone or not yours";
	buf->warm_bytes = mod_u64(tb[NRDMA_A_BUF_WARM_BYTES]);
	buf->lingering = mod_u8(tb[NRDMA_A_BUF_LINGERING]);
	if (!buf->lingering.known)
		buf->lingering = num_of(0);
	buf->uncharged_bytes = mod_u64(tb[NRDMA_A_BUF_UNCHARGED_BYTES]);
}

/**
 * bufs_add() - add what a message tells
 * @bufs: a message with the id of the last one goes on with it
 *
 * Return: 0 or a negative errno.
 */
int bufs_add(struct bufs *bufs, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_BUF_MAX + 1], *run[NRDMA_A_RUN_MAX + 1];
	struct nlattr *attr;
	struct buf *buf;
	bool goes_on;
	int rem, err = 0;

	if (!mod_attrs(msg, tb, &mod_buf_attrs) || !tb[NRDMA_A_BUF_ID])
		return 0;
	goes_on = bufs->nr && bufs->v[bufs->nr - 1].id.v == nla_get_u32(tb[NRDMA_A_BUF_ID]);
	if (!goes_on) {
		if (bufs->nr == bufs->room) {
			buf = reallocarray(bufs->v, 2 * bufs->room + 16, sizeof(*buf));
			if (!buf)
				return -ENOMEM;
			bufs->v = buf;
			bufs->room = 2 * bufs->room + 16;
		}
		memset(&bufs->v[bufs->nr], 0, sizeof(*bufs->v));
		buf_parse(&bufs->v[bufs->nr++], tb);
	}
	buf = &bufs->v[bufs->nr - 1];
	nlmsg_for_each_attr(attr, nlmsg_hdr(msg), GENL_HDRLEN, rem) {
		if (nla_type(attr) != NRDMA_A_BUF_RUN && nla_type(attr) != NRDMA_A_BUF_NODE_BYTES)
			continue;
		if (nla_parse_nested(run, NRDMA_A_RUN_MAX, attr, mod_run_policy))
			continue;
		if (nla_type(attr) == NRDMA_A_BUF_RUN)
			err = buf_add_run(buf, run);
		else if (!goes_on)
			err = buf_add_node_bytes(buf, run);
		if (err)
			return err;
	}
	return 0;
}

void bufs_free(struct bufs *bufs)
{
	unsigned int i;

	for (i = 0; i < bufs->nr; i++) {
		free(bufs->v[i].node_bytes);
		free(bufs->v[i].runs);
	}
	free(bufs->v);
	memset(bufs, 0, sizeof(*bufs));
}

/**
 * mod_buf_dump() - ask the module for buffers
 * @bufs: they are added here
 * @dev: whose; NULL for all, orphans too
 *
 * Return: EXIT_*, what went wrong was said.
 */
int mod_buf_dump(struct mod *mod, struct bufs *bufs, const struct dev *dev)
{
	struct nl_msg *msg = mod_request(mod, NRDMA_CMD_BUF_GET);
	struct mod_reply reply;
	unsigned int i;
	int status;

	if (msg && dev && nla_put_string(msg, NRDMA_A_BUF_DEV_NAME, dev->name)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	status = mod_dump(mod, msg, &reply) ? EXIT_FAILED : EXIT_DONE;
	if (reply.incomplete)
		status = EXIT_PARTIAL;
	for (i = 0; i < reply.nr; i++) {
		if (!bufs_add(bufs, reply.msg[i]))
			continue;
		say("out of memory: the answer is incomplete");
		status = EXIT_PARTIAL;
		break;
	}
	mod_reply_free(&reply);
	return status;
}
