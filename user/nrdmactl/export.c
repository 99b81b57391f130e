// SPDX-License-Identifier: GPL-2.0
/* The report as Prometheus' text exposition, for node_exporter's textfile collector. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "commands.h"
#include "counter.h"
#include "file.h"
#include "mod_pool.h"
#include "say.h"
#include "survey.h"
#include "sys.h"
#include "words.h"

#define METRIC_MAX	160
#define LABELS_MAX	1024

/* A report under way */
struct export {
	FILE *f;
	const struct survey *survey;
	struct pool *pools;
	unsigned int nr_pools;
	const char *name, *help, *type;	/* the metric that comes next */
	bool begun;			/* it has a sample */
};

/* A text file has one block per metric, which begins with what that is. */
static void export_metric(struct export *e, const char *name, const char *help)
{
	e->name = name;
	e->help = help;
	e->type = strlen(name) > 6 && !strcmp(name + strlen(name) - 6, "_total") ? "counter" :
		  "gauge";
	e->begun = false;
}

/* What labels may not hold as it is. Names of the kernel are ASCII; others lose. */
static void export_escape(char *to, size_t len, const char *from)
{
	size_t n = 0;

	for (; *from && n + 3 < len; from++) {
		if (*from == '\\' || *from == '"')
			to[n++] = '\\';
		to[n++] = *from >= ' ' && *from < 0x7f ? *from : '?';
	}
	to[n] = '\0';
}

/*
 * A sample, none where the value is not known. Labels are pairs of a name and a
 * value, ended by NULL.
 */
static void export_put(struct export *e, double value, bool known, va_list labels)
{
	char text[LABELS_MAX];
	const char *label;
	bool first = true;

	if (!known)
		return;
	if (!e->begun)
		fprintf(e->f, "# HELP %s %s\n# TYPE %s %s\n", e->name, e->help, e->name, e->type);
	e->begun = true;
	fputs(e->name, e->f);
	while ((label = va_arg(labels, const char *))) {
		export_escape(text, sizeof(text), va_arg(labels, const char *));
		fprintf(e->f, "%s%s=\"%s\"", first ? "{" : ",", label, text);
		first = false;
	}
	fprintf(e->f, "%s %.15g\n", first ? "" : "}", value);
}

__attribute__((sentinel))
static void export_num(struct export *e, struct num num, ...)
{
	va_list labels;

	va_start(labels, num);
	export_put(e, num.v, num.known, labels);
	va_end(labels);
}

/* Prometheus has bytes where the kernel has bits */
__attribute__((sentinel))
static void export_bps(struct export *e, struct num num, ...)
{
	va_list labels;

	va_start(labels, num);
	export_put(e, num.v / 8.0, num.known, labels);
	va_end(labels);
}

static const char *export_str(const struct str *str)
{
	return str->known ? str->s : "";
}

static const char *export_word(char *buf, size_t len, struct num num)
{
	snprintf(buf, len, "%lld", num.v);
	return buf;
}

#define FOR_EACH_DEV(dev, e) \
	for (struct dev **_match = (e)->survey->picked.match; (dev = *_match); _match++)

static void export_host(struct export *e)
{
	const struct survey *survey = e->survey;

	export_metric(e, "nrdma_module_loaded", "Whether the kernel module nrdma answers.");
	export_num(e, num_of(!survey->mod_error), NULL);
	export_metric(e, "nrdma_module_info", "The kernel module nrdma, always 1.");
	if (!survey->mod_error)
		export_num(e, num_of(1), "version", export_str(&survey->mod_version), NULL);
	export_metric(e, "nrdma_report_complete", "Whether all of this report could be read.");
	export_num(e, num_of(survey->status == EXIT_DONE), NULL);
}

static void export_devs(struct export *e)
{
	const struct dev *dev;
	struct str source;

	export_metric(e, "nrdma_device_info", "An RDMA device, always 1.");
	FOR_EACH_DEV(dev, e) {
		source = words_of(words_node_source, dev->place.source);
		export_num(e, num_of(1), "device", dev->name, "driver", export_str(&dev->driver),
			   "firmware", export_str(&dev->firmware), "pci",
			   export_str(&dev->place.pci), "node_source", export_str(&source), NULL);
	}
	export_metric(e, "nrdma_device_node", "NUMA node of the device.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->place.node, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_memory_node", "NUMA node that the device's buffers go to.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->place.mem_node, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_pcie_bytes_per_second",
		      "What the device's PCIe link carries as it runs.");
	FOR_EACH_DEV(dev, e)
		export_bps(e, dev->pci.now.bps, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_pcie_max_bytes_per_second",
		      "What the device's PCIe function could carry.");
	FOR_EACH_DEV(dev, e)
		export_bps(e, dev->pci.max.bps, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_pcie_upstream_max_bytes_per_second",
		      "What the PCIe port above the device could carry.");
	FOR_EACH_DEV(dev, e)
		export_bps(e, dev->pci.upstream_max.bps, "device", dev->name, NULL);
}

static void export_vectors(struct export *e)
{
	const struct dev *dev;

	export_metric(e, "nrdma_device_vectors",
		      "Interrupt vectors by where they go: near the device, elsewhere, as the kernel manages.");
	FOR_EACH_DEV(dev, e) {
		struct vec_count count = vecs_count(&e->survey->vecs, dev);

		export_num(e, count.local, "device", dev->name, "placement", "local", NULL);
		export_num(e, count.remote, "device", dev->name, "placement", "remote", NULL);
		export_num(e, count.managed, "device", dev->name, "placement", "managed", NULL);
	}
	export_metric(e, "nrdma_device_steering_info",
		      "How the device's interrupts are steered, always 1.");
	FOR_EACH_DEV(dev, e) {
		struct str mode = words_of(words_policy, dev->policy.mode);

		if (dev->policy.known)
			export_num(e, num_of(1), "device", dev->name, "policy", export_str(&mode),
				   "locked", dev->policy.lock.v ? "true" : "false", NULL);
	}
	export_metric(e, "nrdma_device_steered_vectors",
		      "Interrupt vectors by what came of steering them.");
	FOR_EACH_DEV(dev, e) {
		const struct dev_policy *p = &dev->policy;

		export_num(e, p->placed, "device", dev->name, "state", "placed", NULL);
		export_num(e, p->pending, "device", dev->name, "state", "pending", NULL);
		export_num(e, p->drifted, "device", dev->name, "state", "drifted", NULL);
		export_num(e, p->failed, "device", dev->name, "state", "failed", NULL);
	}
	export_metric(e, "nrdma_device_steers_total",
		      "How often the device's interrupts were steered.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->policy.steers, "device", dev->name, NULL);
}

/* Each buffer is on few nodes; the same node of the same device comes once. */
static void export_buffer_nodes(struct export *e, const struct dev *dev)
{
	const struct bufs *bufs = &e->survey->bufs;
	long long bytes[CPUS_MAX] = { 0 };
	unsigned int i, n;
	char node[16];

	for (i = 0; i < bufs->nr; i++)
		for (n = 0; n < bufs->v[i].nr_node_bytes; n++)
			if (!bufs->v[i].orphan.v && !strcmp(bufs->v[i].dev_name.s, dev->name) &&
			    bufs->v[i].node_bytes[n].node < CPUS_MAX)
				bytes[bufs->v[i].node_bytes[n].node] +=
					bufs->v[i].node_bytes[n].bytes;
	for (n = 0; n < CPUS_MAX; n++)
		if (bytes[n])
			export_num(e, num_of(bytes[n]), "device", dev->name, "node",
				   export_word(node, sizeof(node), num_of(n)), NULL);
}

static void export_buffers(struct export *e)
{
	const struct dev *dev;

	export_metric(e, "nrdma_device_buffers", "Buffers of the device.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->buf_count, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_buffers_bytes", "Size of the device's buffers.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->buf_bytes, "device", dev->name, NULL);
	export_metric(e, "nrdma_device_buffers_node_bytes",
		      "Size of the device's buffers by the NUMA node that they lie on.");
	FOR_EACH_DEV(dev, e)
		export_buffer_nodes(e, dev);
	export_metric(e, "nrdma_device_buffers_remote_bytes",
		      "What of the device's buffers is not on the node that was wanted.");
	FOR_EACH_DEV(dev, e)
		export_num(e, dev->buf_remote_bytes, "device", dev->name, NULL);
}

static void export_pools(struct export *e)
{
	static const struct {
		const char *name, *help;
		size_t at;
	} metrics[] = {
		{ "nrdma_pool_size_bytes", "Size wanted of the node's pool.",
		  offsetof(struct pool, bytes) },
		{ "nrdma_pool_ready_bytes", "Zeroed and free in the node's pool.",
		  offsetof(struct pool, ready_bytes) },
		{ "nrdma_pool_dirty_bytes", "Still to be zeroed in the node's pool.",
		  offsetof(struct pool, dirty_bytes) },
		{ "nrdma_pool_used_bytes", "In buffers out of the node's pool.",
		  offsetof(struct pool, used_bytes) },
		{ "nrdma_node_buffers_bytes", "In buffers on the node, pool or not.",
		  offsetof(struct pool, buf_bytes) },
		{ "nrdma_node_buffers_cap_bytes", "The most that may be in buffers on the node.",
		  offsetof(struct pool, node_cap) },
	};
	unsigned int m, i;
	struct num num;
	char node[16];

	for (m = 0; m < sizeof(metrics) / sizeof(*metrics); m++) {
		export_metric(e, metrics[m].name, metrics[m].help);
		for (i = 0; i < e->nr_pools; i++) {
			memcpy(&num, (char *)&e->pools[i] + metrics[m].at, sizeof(num));
			export_num(e, num, "node",
				   export_word(node, sizeof(node), e->pools[i].node), NULL);
		}
	}
}

static struct num export_port_active(const struct dev_port *port)
{
	return port->state.known ? num_of(!strcmp(port->state.s, "active")) :
				   num_none(port->state.why);
}

static void export_ports(struct export *e)
{
	static const char *const names[][2] = {
		{ "nrdma_port_info", "A port of an RDMA device, always 1." },
		{ "nrdma_port_active", "Whether the port is active." },
		{ "nrdma_port_rate_bytes_per_second", "What the port's link carries as it runs." },
		{ "nrdma_port_active_mtu_bytes", "The port's active MTU." },
		{ "nrdma_port_max_mtu_bytes", "The largest MTU that the port can." },
		{ "nrdma_port_netdev_mtu_bytes", "MTU of the port's network device." },
	};
	const struct dev *dev;
	char nr[16];
	size_t i, p;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		export_metric(e, names[i][0], names[i][1]);
		FOR_EACH_DEV(dev, e) {
			for (p = 0; p < dev->nr_ports; p++) {
				const struct dev_port *port = &dev->ports[p];
				const struct num nums[] = {
					num_of(1), export_port_active(port), port->rate.bps,
					port->active_mtu, port->max_mtu, port->netdev_mtu,
				};

				export_word(nr, sizeof(nr), num_of(port->port));
				if (!i)
					export_num(e, nums[i], "device", dev->name, "port", nr,
						   "link_layer", port->link_layer, "netdev",
						   export_str(&port->netdev), NULL);
				else if (i == 2)
					export_bps(e, nums[i], "device", dev->name, "port", nr,
						   NULL);
				else
					export_num(e, nums[i], "device", dev->name, "port", nr,
						   NULL);
			}
		}
	}
}

/* A counter with all that its sample says */
struct export_counter {
	char metric[METRIC_MAX];
	unsigned int dev;		/* position among the devices */
	struct counter counter;
};

static int export_counter_order(const void *a, const void *b)
{
	const struct export_counter *x = a, *y = b;
	int order = strcmp(x->metric, y->metric);

	if (!order)
		order = (x->dev > y->dev) - (x->dev < y->dev);
	if (!order)
		order = (x->counter.port.v > y->counter.port.v) -
			(x->counter.port.v < y->counter.port.v);
	return order;
}

static int export_counters(struct export *e)
{
	struct dev **match = e->survey->picked.match;
	struct export_counter *all = NULL, *more;
	struct counters counters = { 0 };
	unsigned int d, i, nr = 0;
	char port[16], help[128];
	int err = 0;

	for (d = 0; !err && match[d]; d++) {
		counters.nr = 0;
		err = counters_read(&counters, match[d], 0);
		more = reallocarray(all, nr + counters.nr + 1, sizeof(*all));
		if (!more)
			err = -ENOMEM;
		else
			all = more;
		for (i = 0; !err && i < counters.nr; i++, nr++) {
			all[nr].dev = d;
			all[nr].counter = counters.v[i];
			counter_metric(&counters.v[i], all[nr].metric, sizeof(all[nr].metric));
		}
	}
	counters_free(&counters);
	if (nr)
		qsort(all, nr, sizeof(*all), export_counter_order);
	for (i = 0; !err && i < nr; i++) {
		const struct export_counter *c = &all[i];

		if (!i || strcmp(c->metric, all[i - 1].metric)) {
			snprintf(help, sizeof(help), "%s/%s, as its driver counts it.",
				 c->counter.group, c->counter.name);
			export_metric(e, c->metric, help);
		} else if (!export_counter_order(c, &all[i - 1])) {
			/* Two names that only differ in what a metric's may not have */
			continue;
		}
		export_word(port, sizeof(port), c->counter.port);
		if (c->counter.port.known)
			export_num(e, c->counter.value, "device", match[c->dev]->name, "port",
				   port, NULL);
		else
			export_num(e, c->counter.value, "device", match[c->dev]->name, NULL);
	}
	free(all);
	return err;
}

/* All of it, in memory: a file is written at once or not at all */
static int export_text(struct export *e, char **text, size_t *len)
{
	int err;

	e->f = open_memstream(text, len);
	if (!e->f)
		return -ENOMEM;
	export_host(e);
	export_devs(e);
	export_ports(e);
	export_vectors(e);
	export_buffers(e);
	export_pools(e);
	err = export_counters(e);
	if (fclose(e->f))
		err = -ENOMEM;
	return err;
}

static int export_run(const struct args *args)
{
	const struct args everything = { .cmd = args->cmd };
	struct survey survey;
	struct export e = { .survey = &survey };
	char *text = NULL;
	struct mod mod;
	size_t len = 0;
	int status, err;

	if (opts.json) {
		say("-j: this is Prometheus' own format; the other commands print JSON");
		return EXIT_USAGE;
	}
	if (survey_read(&survey, &everything)) {
		survey_free(&survey);
		return EXIT_FAILED;
	}
	if (mod_open_quietly(&mod) && mod_pool_dump(&mod, &e.pools, &e.nr_pools) != EXIT_DONE)
		survey.status = EXIT_PARTIAL;
	mod_close(&mod);
	status = survey.status;
	err = export_text(&e, &text, &len);
	if (!err && args->pos)
		err = file_replace(args->pos, text, len);
	else if (!err)
		fwrite(text, 1, len, stdout);
	if (err == -EEXIST)
		say("is no regular file");
	else if (err)
		say("%s", strerror(-err));
	free(text);
	free(e.pools);
	survey_free(&survey);
	return err ? EXIT_FAILED : status;
}

const struct cmd cmd_export = {
	.object = "export",
	.name = "prometheus",
	.pos = "[FILE]",
	.help = "all of it for Prometheus; into a file, which is replaced at once, for node_exporter",
	.run = export_run,
};
