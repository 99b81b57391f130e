// SPDX-License-Identifier: GPL-2.0
/*
 * nrdma.conf, done: what can be known to be wrong is found before anything is done.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "commands.h"
#include "conf.h"
#include "dev_put.h"
#include "irq_put.h"
#include "mod_dev.h"
#include "numa.h"
#include "out.h"
#include "say.h"
#include "sys.h"

static const struct cmd_key apply_keys[] = {
	{ "dry-run", NULL, NULL },
	{ "dev", "DEV", NULL },
	{ NULL }
};

static const struct out_field apply_fields[] = {
	{ "section", "" },
	{ "line", NULL, ", line ", OUT_DETAIL },
	{ "dev_name", NULL, ": ", OUT_QUIET },
	{ "result", NULL, ": " },
	{ "policy", NULL, NULL, OUT_QUIET },
	IRQ_FIELDS_POLICY(", policy "),
};

/**
 * struct apply_item - a section, and what it is for here
 * @section: of the file
 * @dev: the device; of several on one PCI function the first. NULL for a node, or
 *	a device that is not here.
 * @result: what came of it, in a word
 * @policy: what came of steering
 */
struct apply_item {
	const struct conf_section *section;
	struct dev *dev;
	const char *result;
	struct dev_policy policy;
};

/**
 * struct apply - a file being applied
 * @only: devices that it is applied to, and not to nodes; NULL for all
 * @told: the module told which devices it has
 */
struct apply {
	struct mod mod;
	struct conf conf;
	struct devs devs;
	struct pool *pools;
	unsigned int nr_pools;
	const char *only;
	bool told;
	unsigned int nr;
	struct apply_item *item;
};

/* As for a command; the line is that of the key at fault, as far as it is known */
static void apply_about(const struct apply *apply, const struct conf_section *section,
			unsigned int c, const char *key)
{
	int k = key ? cmd_key(section->args[c].cmd, key, true) : -1;
	unsigned int line = k >= 0 ? section->line_of[c][k] : 0;

	say_about("%s: line %u: [%s]", apply->conf.path, line ? line : section->line,
		  section->name);
}

/* ---- which section is for what ---- */

static bool apply_is_only(struct apply *apply, const struct dev *dev)
{
	struct dev *match = NULL;
	unsigned int port;

	if (!apply->only)
		return true;
	while ((match = devs_match(&apply->devs, apply->only, match, &port)))
		if (!strcmp(conf_dev_key(match), conf_dev_key(dev)))
			return true;
	return false;
}

/*
 * The device that a section is about, where it is one of those that are asked for.
 * One that the module has yet to see is not here: udev tells when it is.
 */
static struct dev *apply_find_dev(struct apply *apply, const struct conf_section *section)
{
	struct dev *dev = NULL;
	unsigned int port;

	while ((dev = devs_match(&apply->devs, section->name, dev, &port)))
		if (apply_is_only(apply, dev) && (dev->by_module || !apply->told))
			return dev;
	return NULL;
}

/* One device, two sections: neither is more right than the other. */
static int apply_check_twice(const struct apply *apply, const struct apply_item *item)
{
	const struct apply_item *other;

	if (!item->dev)
		return 0;
	for (other = apply->item; other < item; other++) {
		if (!other->dev || strcmp(conf_dev_key(other->dev), conf_dev_key(item->dev)))
			continue;
		apply_about(apply, item->section, 0, NULL);
		say("is about %s, and so is [%s] in line %u: write one section",
		    conf_dev_key(item->dev), other->section->name, other->section->line);
		return -EINVAL;
	}
	return 0;
}

static int apply_items(struct apply *apply)
{
	const struct conf_section *section;
	struct apply_item *item;
	unsigned int i;

	apply->nr = 0;
	apply->item = calloc(apply->conf.nr + 1, sizeof(*apply->item));
	if (!apply->item) {
		say("out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < apply->conf.nr; i++) {
		section = &apply->conf.section[i];
		item = &apply->item[apply->nr];
		item->section = section;
		item->dev = section->is_node ? NULL : apply_find_dev(apply, section);
		if (apply->only && !item->dev)
			continue;
		if (apply_check_twice(apply, item))
			return -EINVAL;
		apply->nr++;
	}
	return 0;
}

/* ---- what can be known beforehand ---- */

/* The module's bounds (kmod/chunk.h): a page to a PMD, which is a huge page's size. */
static int apply_check_chunk(const struct pool *want, const struct pool *pool)
{
	struct num most = sys_num("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	long page = sysconf(_SC_PAGESIZE);

	if (want->chunk_bytes.v < page || (want->chunk_bytes.v & (want->chunk_bytes.v - 1)) ||
	    (most.known && want->chunk_bytes.v > most.v)) {
		say("chunk: must be a power of two, a page (%ld bytes) to a huge page%s", page,
		    most.known ? "" : " (2M on x86)");
		return -EINVAL;
	}
	if (want->chunk_bytes.v != pool->chunk_bytes.v &&
	    pool->ready_bytes.v + pool->dirty_bytes.v + pool->used_bytes.v) {
		say("chunk: cannot change while the pool has memory: size = 0 first");
		return -EINVAL;
	}
	return 0;
}

static int apply_check_node(struct apply *apply, const struct conf_section *section)
{
	const struct pool *want = &section->pool;
	unsigned int i;

	if (!apply->mod.sk)
		return 0;
	for (i = 0; i < apply->nr_pools; i++)
		if (apply->pools[i].node.v == want->node.v)
			break;
	if (i == apply->nr_pools) {
		apply_about(apply, section, 0, NULL);
		say("no such node has memory (nrdmactl pool show)");
		return -EINVAL;
	}
	if (want->bytes.known && want->bytes.v > apply->pools[i].total_bytes.v) {
		apply_about(apply, section, 0, "size");
		say("size: the node has %lld bytes", apply->pools[i].total_bytes.v);
		return -EINVAL;
	}
	if (!want->chunk_bytes.known)
		return 0;
	apply_about(apply, section, 0, "chunk");
	return apply_check_chunk(want, &apply->pools[i]);
}

static int apply_check_override(struct apply *apply, const struct conf_section *section)
{
	struct cpus online;
	char *list;

	if (section->override.v < 0 || numa_online(&online) ||
	    (section->override.v < CPUS_MAX && cpus_has(&online, section->override.v)))
		return 0;
	apply_about(apply, section, 0, "node");
	list = cpus_list(&online);
	say("node %lld: is not online, %s is", section->override.v, list);
	free(list);
	return -EINVAL;
}

/*
 * The module knows whether a policy can be followed. Where the file also says
 * which node the device is on, it cannot know yet.
 */
static int apply_check_policy(struct apply *apply, const struct apply_item *item)
{
	const struct conf_section *section = item->section;
	struct vecs vecs = { 0 };
	int status;

	if (!item->dev || !apply->mod.sk || section->given[0])
		return 0;
	apply_about(apply, section, 1, NULL);
	status = mod_irq_dump(&apply->mod, &vecs, item->dev, &section->policy);
	vecs_free(&vecs);
	return status == EXIT_FAILED ? -EINVAL : 0;
}

static int apply_check(struct apply *apply)
{
	const struct conf_section *section;
	unsigned int i;
	int err = 0;

	for (i = 0; i < apply->nr && !err; i++) {
		section = apply->item[i].section;
		if (section->is_node)
			err = apply_check_node(apply, section);
		if (!section->is_node && section->given[0])
			err = apply_check_override(apply, section);
		if (!section->is_node && section->given[1] && !err)
			err = apply_check_policy(apply, &apply->item[i]);
		apply->item[i].result = section->is_node || apply->item[i].dev ?
			"could be applied" : "not here";
	}
	return err;
}

/* ---- doing it ---- */

static int apply_node(struct apply *apply, const struct apply_item *item)
{
	struct pool result;

	apply_about(apply, item->section, 0, NULL);
	return mod_pool_set(&apply->mod, &item->section->pool, &result);
}

static int apply_dev(struct apply *apply, struct apply_item *item)
{
	const struct conf_section *section = item->section;
	int err = 0;

	if (section->given[0]) {
		apply_about(apply, section, 0, "node");
		err = mod_dev_set_override(&apply->mod, item->dev, section->override.v);
	}
	if (err || !section->given[1])
		return err;
	apply_about(apply, section, 1, "policy");
	err = mod_irq_set(&apply->mod, item->dev, &section->policy, &item->policy);
	if (!err && (item->policy.failed.v || (item->policy.error.known && item->policy.error.v)))
		err = -EIO;
	return err;
}

/*
 * Memory first, while there is some in large pieces. What fails keeps nothing else
 * from being done.
 */
static int apply_do(struct apply *apply)
{
	struct apply_item *item;
	int nodes, err, status = EXIT_DONE;
	unsigned int i;

	for (nodes = 1; nodes >= 0; nodes--) {
		for (i = 0; i < apply->nr; i++) {
			item = &apply->item[i];
			if (item->section->is_node != nodes)
				continue;
			if (!nodes && !item->dev)
				continue;
			err = nodes ? apply_node(apply, item) : apply_dev(apply, item);
			item->result = err ? "failed" : "applied";
			/* It went, or got another name, in between: udev tells when it is here */
			if (err == -ENODEV)
				item->result = "not here";
			else if (err)
				status = EXIT_FAILED;
		}
	}
	return status;
}

static int apply_print(const struct apply *apply)
{
	const struct apply_item *item;
	struct out o;

	out_open(&o, OUT_LINE, OUT_FIELDS(apply_fields));
	for (item = apply->item; item < apply->item + apply->nr; item++) {
		out_record(&o);
		out_text(&o, "section", item->section->name);
		out_int(&o, "line", item->section->line);
		if (item->dev)
			out_text(&o, "dev_name", item->dev->name);
		else
			out_null(&o, "dev_name", NULL);
		out_text(&o, "result", item->result);
		dev_put_policy(&o, &item->policy);
		out_record_end(&o);
	}
	return out_close(&o);
}

/* What is there: devices by sysfs and module, pools by the module */
static int apply_survey(struct apply *apply)
{
	int status = EXIT_DONE;

	if (devs_read(&apply->devs)) {
		say("the RDMA devices cannot be read");
		return EXIT_FAILED;
	}
	if (!apply->mod.sk)
		return EXIT_PARTIAL;
	status = mod_dev_dump(&apply->mod, &apply->devs);
	apply->told = status == EXIT_DONE;
	if (!apply->only && mod_pool_dump(&apply->mod, &apply->pools, &apply->nr_pools))
		status = EXIT_FAILED;
	return status;
}

static int apply_file(struct apply *apply, bool dry)
{
	unsigned int port;
	int status;

	/* As the file is installed: nothing to do needs nobody */
	if (!apply->conf.nr)
		return apply_print(apply) ? EXIT_FAILED : EXIT_DONE;
	if (!(dry ? mod_open(&apply->mod) : mod_must_open(&apply->mod)) && !dry)
		return EXIT_FAILED;
	status = apply_survey(apply);
	if (status == EXIT_FAILED)
		return status;
	if (apply->only && !devs_match(&apply->devs, apply->only, NULL, &port)) {
		say("no RDMA device \"%s\"", apply->only);
		return EXIT_FAILED;
	}
	if (apply_items(apply) || apply_check(apply))
		return EXIT_FAILED;
	if (!dry && apply_do(apply))
		status = EXIT_FAILED;
	if (apply_print(apply))
		status = EXIT_FAILED;
	return status;
}

static int apply_run(const struct args *args)
{
	struct apply apply = { .only = args_get(args, "dev") };
	int status = EXIT_FAILED;
	unsigned int i;

	if (!conf_read(&apply.conf, args->pos ? args->pos : CONF_FILE)) {
		say_about("apply");
		status = apply_file(&apply, args_get(args, "dry-run"));
	}
	for (i = 0; i < apply.nr; i++)
		dev_policy_free(&apply.item[i].policy);
	free(apply.item);
	free(apply.pools);
	devs_free(&apply.devs);
	mod_close(&apply.mod);
	conf_free(&apply.conf);
	return status;
}

const struct cmd cmd_apply = {
	.object = "apply",
	.pos = "[FILE]",
	.keys = apply_keys,
	.help = "do what a file says (" CONF_FILE "); dry-run only checks it",
	.run = apply_run,
};
