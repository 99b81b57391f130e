// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "mod_dev.h"
#include "out.h"
#include "say.h"
#include "set.h"
#include "size.h"
#include "words.h"

static const struct cmd_key dev_set_keys[] = {
	{ "node", "N|auto", NULL },
	{ NULL }
};

static const struct out_field dev_set_fields[] = {
	{ "name", "" },
	{ "node", NULL, ": node " },
	{ "node_source", NULL, ", from ", OUT_QUIET },
	{ "mem_node", NULL, ", memory node " },
};

/* What was set is read back */
static int dev_set_print(struct mod *mod, struct picked *picked, const struct dev *dev)
{
	int status = mod_dev_dump(mod, &picked->devs);
	struct out o;

	out_open(&o, OUT_LINE, OUT_FIELDS(dev_set_fields));
	out_record(&o);
	out_text(&o, "name", dev->name);
	out_num(&o, "node", dev->place.node);
	out_str(&o, "node_source", words_of(words_node_source, dev->place.source));
	out_num(&o, "mem_node", dev->place.mem_node);
	out_record_end(&o);
	return out_close(&o) ? EXIT_FAILED : status;
}

/**
 * dev_set_node() - what "dev set" asks for
 * @args: of cmd_dev_set
 * @node: out, the node, or -1 for what is found without being told
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int dev_set_node(const struct args *args, struct num *node)
{
	const char *text = args_get(args, "node");
	uint32_t n;

	*node = num_of(-1);
	if (!text) {
		say("nothing to set: node N or node auto");
		return -EINVAL;
	}
	if (!strcmp(text, "auto"))
		return 0;
	if (size_parse_u32(&n, text) || n > INT32_MAX) {
		say("node \"%s\": must be a node's number, or auto", text);
		return -EINVAL;
	}
	*node = num_of(n);
	return 0;
}

static int dev_set_run(const struct args *args)
{
	struct picked picked;
	struct num node;
	struct dev *dev;
	struct mod mod;
	int status = EXIT_FAILED;

	if (dev_set_node(args, &node))
		return EXIT_USAGE;
	dev = pick_one(&picked, args, false);
	if (dev && mod_must_open(&mod)) {
		if (!mod_dev_set_override(&mod, dev, node.v))
			status = dev_set_print(&mod, &picked, dev);
		mod_close(&mod);
	}
	pick_free(&picked);
	return status;
}

const struct cmd cmd_dev_set = {
	.object = "dev",
	.name = "set",
	.pos = "DEV",
	.keys = dev_set_keys,
	.help = "say which node a device is on, where firmware does not or is wrong",
	.run = dev_set_run,
};
