// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "mod_pool.h"
#include "say.h"

static const struct nla_policy mod_pool_policy[NRDMA_A_POOL_MAX + 1] = {
	[NRDMA_A_POOL_NODE] = { .type = NLA_U32 },
	[NRDMA_A_POOL_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_CHUNK_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_READY_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_DIRTY_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_USED_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_ERROR] = { .type = NLA_S32 },
	[NRDMA_A_POOL_GID] = { .type = NLA_U32 },
	[NRDMA_A_POOL_SHRINK] = { .type = NLA_U8 },
	[NRDMA_A_POOL_UID_CAP] = { .type = NLA_U64 },
	[NRDMA_A_POOL_NODE_CAP] = { .type = NLA_U64 },
	[NRDMA_A_POOL_BUF_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_FREE_BYTES] = { .type = NLA_U64 },
	[NRDMA_A_POOL_TOTAL_BYTES] = { .type = NLA_U64 },
};

static const struct mod_attrs mod_pool_attrs = { NRDMA_A_POOL_MAX, mod_pool_policy };

static bool mod_pool_parse(struct pool *pool, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_POOL_MAX + 1];

	if (!mod_attrs(msg, tb, &mod_pool_attrs) || !tb[NRDMA_A_POOL_NODE])
		return false;
	pool->node = mod_u32(tb[NRDMA_A_POOL_NODE]);
	pool->bytes = mod_u64(tb[NRDMA_A_POOL_BYTES]);
	pool->chunk_bytes = mod_u64(tb[NRDMA_A_POOL_CHUNK_BYTES]);
	pool->ready_bytes = mod_u64(tb[NRDMA_A_POOL_READY_BYTES]);
	pool->dirty_bytes = mod_u64(tb[NRDMA_A_POOL_DIRTY_BYTES]);
	pool->used_bytes = mod_u64(tb[NRDMA_A_POOL_USED_BYTES]);
	pool->error = mod_s32(tb[NRDMA_A_POOL_ERROR]);
	pool->gid = mod_u32(tb[NRDMA_A_POOL_GID]);
	if (!pool->gid.known)
		pool->gid.why = "none";
	pool->shrink = mod_u8(tb[NRDMA_A_POOL_SHRINK]);
	pool->uid_cap = mod_u64(tb[NRDMA_A_POOL_UID_CAP]);
	pool->node_cap = mod_u64(tb[NRDMA_A_POOL_NODE_CAP]);
	pool->buf_bytes = mod_u64(tb[NRDMA_A_POOL_BUF_BYTES]);
	pool->free_bytes = mod_u64(tb[NRDMA_A_POOL_FREE_BYTES]);
	pool->total_bytes = mod_u64(tb[NRDMA_A_POOL_TOTAL_BYTES]);
	return true;
}

/**
 * mod_pool_dump() - ask the module for the pools and caps of all nodes
 * @pools: out, to be freed
 * @nr: out, how many
 *
 * Return: EXIT_*, what went wrong was said.
 */
int mod_pool_dump(struct mod *mod, struct pool **pools, unsigned int *nr)
{
	struct mod_reply reply;
	unsigned int i;
	int status;

	*nr = 0;
	status = mod_dump(mod, mod_request(mod, NRDMA_CMD_POOL_GET), &reply) ?
		EXIT_FAILED : EXIT_DONE;
	if (reply.incomplete)
		status = EXIT_PARTIAL;
	*pools = calloc(reply.nr + 1, sizeof(**pools));
	for (i = 0; *pools && i < reply.nr; i++)
		*nr += mod_pool_parse(&(*pools)[*nr], reply.msg[i]);
	mod_reply_free(&reply);
	if (*pools)
		return status;
	say("out of memory");
	return EXIT_FAILED;
}

static bool mod_pool_put_u64(struct nl_msg *msg, int type, struct num num)
{
	return !num.known || !nla_put_u64(msg, type, num.v);
}

/**
 * mod_pool_set() - change a node's pool or caps
 * @want: the node, and what is to change; what is not known stays as it is
 * @result: out, what came of it
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_pool_set(struct mod *mod, const struct pool *want, struct pool *result)
{
	struct nl_msg *msg = mod_request(mod, NRDMA_CMD_POOL_SET);
	struct mod_reply reply;
	int err;

	memset(result, 0, sizeof(*result));
	if (msg && (nla_put_u32(msg, NRDMA_A_POOL_NODE, want->node.v) ||
		    !mod_pool_put_u64(msg, NRDMA_A_POOL_BYTES, want->bytes) ||
		    !mod_pool_put_u64(msg, NRDMA_A_POOL_CHUNK_BYTES, want->chunk_bytes) ||
		    !mod_pool_put_u64(msg, NRDMA_A_POOL_UID_CAP, want->uid_cap) ||
		    !mod_pool_put_u64(msg, NRDMA_A_POOL_NODE_CAP, want->node_cap) ||
		    (want->gid.known && nla_put_u32(msg, NRDMA_A_POOL_GID, want->gid.v)) ||
		    (want->shrink.known && nla_put_u8(msg, NRDMA_A_POOL_SHRINK, want->shrink.v)))) {
		mod_request_drop(msg);
		return -ENOMEM;
	}
	err = mod_ask(mod, msg, &reply);
	if (!err && reply.nr)
		mod_pool_parse(result, reply.msg[0]);
	mod_reply_free(&reply);
	return err;
}
