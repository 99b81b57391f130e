// SPDX-License-Identifier: GPL-2.0
/* The running policy as nrdma.conf would have it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/nrdma.h>

#include "conf.h"
#include "out.h"
#include "say.h"
#include "size.h"
#include "sys.h"
#include "words.h"

#define CONF_LINE_MAX	72

static const struct out_field conf_fields[] = {
	{ "section", "" },
	{ "setting", NULL },
	{ "setting.key", NULL },
	{ "setting.value", NULL },
};

/* Text is a file, so no table; JSON says the same. */
struct conf_out {
	struct out o;
	bool open;
};

static void conf_begin(struct conf_out *c, const char *section)
{
	c->open = true;
	if (!c->o.json) {
		printf("[%s]\n", section);
		return;
	}
	out_record(&c->o);
	out_text(&c->o, "section", section);
	out_array(&c->o, "setting");
}

static void conf_end(struct conf_out *c)
{
	if (!c->open)
		return;
	c->open = false;
	if (!c->o.json) {
		putchar('\n');
		return;
	}
	out_array_end(&c->o);
	out_record_end(&c->o);
}

/* A list of CPUs goes on in the next line where it would be too long. */
static void conf_put_text(const char *key, const char *value)
{
	int column = printf("%s = ", key);
	const char *next;
	size_t n;

	for (next = value; *next; next += n) {
		n = strcspn(next, ",");
		if (next > value && column + n > CONF_LINE_MAX)
			column = printf("\n\t") + 6;
		else if (next > value)
			column += printf(",");
		column += printf("%.*s", (int)n, next);
		n += next[n] == ',';
	}
	putchar('\n');
}

static void conf_put(struct conf_out *c, const char *key, const char *value)
{
	if (!c->o.json) {
		conf_put_text(key, value);
		return;
	}
	out_elem(&c->o);
	out_text(&c->o, "key", key);
	out_text(&c->o, "value", value);
	out_elem_end(&c->o);
}

static void conf_put_num(struct conf_out *c, const char *key, struct num num)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", num.v);
	conf_put(c, key, text);
}

static void conf_put_size(struct conf_out *c, const char *key, struct num num)
{
	char text[32];

	size_format_exactly(num.v, text, sizeof(text));
	conf_put(c, key, text);
}

/* ---- nodes ---- */

/* A cap that is the module's default is no policy. */
static bool conf_cap_set(const struct pool *pool, struct num cap, const char *parameter)
{
	struct num percent = sys_num("/sys/module/nrdma/parameters/%s", parameter);
	long long page = sysconf(_SC_PAGESIZE), pages = pool->total_bytes.v / page;

	if (percent.known && percent.v > 100)
		percent.v = 100;
	return cap.known && !(percent.known && pool->total_bytes.known &&
			      cap.v / page == pages * percent.v / 100);
}

static void conf_node(struct conf_out *c, const struct pool *pool)
{
	bool size = pool->bytes.known && pool->bytes.v;
	bool shrink = pool->shrink.known && pool->shrink.v;
	bool cap = conf_cap_set(pool, pool->uid_cap, "uid_cap");
	bool node_cap = conf_cap_set(pool, pool->node_cap, "node_cap");
	char section[32];

	if (!size && !pool->gid.known && !shrink && !cap && !node_cap)
		return;
	snprintf(section, sizeof(section), "node %lld", pool->node.v);
	conf_begin(c, section);
	if (size) {
		conf_put_size(c, "size", pool->bytes);
		conf_put_size(c, "chunk", pool->chunk_bytes);
	}
	if (pool->gid.known)
		conf_put_num(c, "group", pool->gid);
	if (shrink)
		conf_put(c, "shrink", "on");
	if (cap)
		conf_put_size(c, "cap", pool->uid_cap);
	if (node_cap)
		conf_put_size(c, "node-cap", pool->node_cap);
	conf_end(c);
}

/* ---- devices ---- */

/**
 * conf_dev_key() - what a device's policy is kept by
 *
 * Return: its PCI address, or its network device, or its name.
 */
const char *conf_dev_key(const struct dev *dev)
{
	if (dev->place.pci.known)
		return dev->place.pci.s;
	return dev_netdev(dev) ? dev_netdev(dev) : dev->name;
}

static void conf_put_policy(struct conf_out *c, const struct dev_policy *policy)
{
	struct str mode = words_of(words_policy, policy->mode);
	char *text = NULL;
	int n;

	if (policy->mode.v == NRDMA_POLICY_NODE)
		n = asprintf(&text, "node %lld", policy->node.v);
	else if (policy->mode.v == NRDMA_POLICY_CPUS)
		n = asprintf(&text, "cpus %s", policy->cpus ? policy->cpus : "");
	else
		n = asprintf(&text, "%s", mode.s);
	if (n < 0) {
		say("out of memory");
		exit(EXIT_FAILED);
	}
	conf_put(c, "policy", text);
	free(text);
	conf_put(c, "lock", policy->lock.v ? "on" : "off");
	if (policy->exclude && *policy->exclude)
		conf_put(c, "exclude", policy->exclude);
	if (policy->isolated.v)
		conf_put(c, "isolated", "on");
}

static void conf_dev(struct conf_out *c, const struct dev *dev)
{
	const struct dev_policy *policy = &dev->policy;
	bool steered = policy->known && (policy->mode.v != NRDMA_POLICY_OFF || !policy->lock.v ||
					 (policy->exclude && *policy->exclude) ||
					 policy->isolated.v);

	if (!steered && !dev->place.override.known)
		return;
	conf_begin(c, conf_dev_key(dev));
	if (dev->place.override.known)
		conf_put_num(c, "node", dev->place.override);
	if (steered)
		conf_put_policy(c, policy);
	conf_end(c);
}

/**
 * conf_print() - print the running policy as a configuration file
 * @pools: of the nodes, none where only devices were asked for
 * @match: the devices, as the module knows them; NULL-terminated
 *
 * What is as it is without any configuration is left out.
 *
 * Return: 0, or -1 when it could not be printed.
 */
int conf_print(const struct pool *pools, unsigned int nr_pools, struct dev **match)
{
	struct conf_out c = { 0 };
	unsigned int i, j;

	out_open(&c.o, OUT_LINE, OUT_FIELDS(conf_fields));
	for (i = 0; i < nr_pools; i++)
		conf_node(&c, &pools[i]);
	for (i = 0; match[i]; i++) {
		for (j = 0; strcmp(conf_dev_key(match[j]), conf_dev_key(match[i])); j++)
			;
		if (i == j)
			conf_dev(&c, match[i]);
	}
	return out_close(&c.o);
}
