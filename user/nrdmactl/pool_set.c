// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "pool_put.h"
#include "say.h"
#include "set.h"

static const char *const pool_set_switch[] = { "on", "off", NULL };

static const struct cmd_key pool_set_keys[] = {
	{ "node", "N", NULL, true },
	{ "size", "SIZE", NULL },
	{ "chunk", "SIZE", NULL },
	{ "group", "GID|none", NULL },
	{ "shrink", "on|off", pool_set_switch },
	{ "cap", "SIZE", NULL },
	{ "node-cap", "SIZE", NULL },
	{ NULL }
};

/**
 * pool_set_want() - what "pool set" asks for
 * @args: of cmd_pool_set
 * @want: out
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int pool_set_want(const struct args *args, struct pool *want)
{
	const char *group = args_get(args, "group");

	memset(want, 0, sizeof(*want));
	if (args_u32(args, "node", &want->node) || args_size(args, "size", &want->bytes) ||
	    args_size(args, "chunk", &want->chunk_bytes) ||
	    args_size(args, "cap", &want->uid_cap) ||
	    args_size(args, "node-cap", &want->node_cap))
		return -EINVAL;
	if (group && !strcmp(group, "none"))
		want->gid = num_of(POOL_GID_NONE);
	else if (args_u32(args, "group", &want->gid))
		return -EINVAL;
	if (group && want->gid.v == POOL_GID_NONE && strcmp(group, "none")) {
		say("group %s: is nobody's number, none is \"none\"", group);
		return -EINVAL;
	}
	want->shrink = args_switch(args, "shrink");
	if (!want->bytes.known && !want->chunk_bytes.known && !want->gid.known &&
	    !want->shrink.known && !want->uid_cap.known && !want->node_cap.known) {
		say("nothing to set: size, chunk, group, shrink, cap or node-cap");
		return -EINVAL;
	}
	return 0;
}

static int pool_set_run(const struct args *args)
{
	struct pool want, result;
	struct mod mod;
	int status = EXIT_FAILED;

	if (pool_set_want(args, &want))
		return EXIT_USAGE;
	say_about("pool set node %lld", want.node.v);
	if (!mod_must_open(&mod))
		return EXIT_FAILED;
	if (!mod_pool_set(&mod, &want, &result))
		status = pool_print(&result, 1);
	mod_close(&mod);
	return status;
}

const struct cmd cmd_pool_set = {
	.object = "pool",
	.name = "set",
	.keys = pool_set_keys,
	.help = "set memory aside on a node, bound what users may take there",
	.run = pool_set_run,
};
