// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA against the kernel's TCP, on this host itself: a ping-pong of each, of the
 * same size, in turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "out.h"
#include "probe_clock.h"
#include "probe_compare.h"
#include "probe_progress.h"
#include "probe_tcp.h"
#include "say.h"

#define COMPARE_ROUNDS		9
#define COMPARE_ITERATIONS	1000
#define COMPARE_ROUND_TIME	10	/* s, to begin it in */

static const struct out_field compare_fields[] = {
	{ "dev_name" },
	{ "size", "SIZE", NULL, OUT_RIGHT },
	{ "rdma" },
	{ "rdma.median", "RDMA", NULL, OUT_RIGHT },
	{ "rdma.median_low", NULL, " (", OUT_DETAIL },
	{ "rdma.median_high", NULL, " to ", OUT_DETAIL },
	{ "tcp" },
	{ "tcp.median", "TCP", NULL, OUT_RIGHT },
	{ "tcp.median_low", NULL, " (", OUT_DETAIL },
	{ "tcp.median_high", NULL, " to ", OUT_DETAIL },
	{ "ratio", "TCP/RDMA", NULL, OUT_RIGHT },
	{ "rounds", "ROUNDS", NULL, OUT_RIGHT },
	{ "software" },
};

/* Of a size: what each round of either took, there and back */
struct compare {
	long long rdma[COMPARE_ROUNDS], tcp[COMPARE_ROUNDS];
	unsigned int rounds;
	bool software;
};

static void compare_put_stat(struct out *o, const char *key, const struct probe_stat *stat)
{
	char text[32];

	out_object(o, key);
	out_shown(o, "median", num_of(stat->median),
		  probe_time(stat->median, text, sizeof(text)));
	out_shown(o, "median_low", num_of(stat->low), probe_time(stat->low, text, sizeof(text)));
	out_shown(o, "median_high", num_of(stat->high),
		  (probe_time(stat->high, text, sizeof(text) - 1), strcat(text, ")")));
	out_object_end(o);
}

static void compare_put(struct out *o, const struct dev *dev, long long size,
			const struct compare *c)
{
	struct probe_stat rdma = probe_stat_of(c->rdma, c->rounds);
	struct probe_stat tcp = probe_stat_of(c->tcp, c->rounds);
	double ratio = rdma.median ? (double)tcp.median / rdma.median : 0;
	char text[32];

	snprintf(text, sizeof(text), "%.2fx", ratio);
	out_record(o);
	out_text(o, "dev_name", dev->name);
	out_bytes(o, "size", num_of(size));
	compare_put_stat(o, "rdma", &rdma);
	compare_put_stat(o, "tcp", &tcp);
	out_real(o, "ratio", ratio, text);
	out_int(o, "rounds", c->rounds);
	out_bool(o, "software", num_of(c->software));
	out_record_end(o);
}

/* One round of either; where the module's two sides are, TCP's are as well. */
static int compare_round(struct mod *mod, const struct dev *dev, const struct probe_want *want,
			 struct probe_tcp **tcp, struct compare *c)
{
	struct probe probe;
	long long ns;
	int err;

	err = mod_probe_run(mod, dev, want, &probe, NULL);
	if (!err && (probe.nr_cells != 1 || !probe.cells[0].nr)) {
		say("nothing was measured: %s", probe.nr_cells && *probe.cells[0].why ?
		    probe.cells[0].why : "no time");
		err = -EIO;
	}
	if (!err && !*tcp) {
		*tcp = probe_tcp_open(dev_netdev(dev), probe.cells[0].cpu,
				      probe.cells[0].peer_cpu, probe.size);
		err = *tcp ? 0 : -EIO;
	}
	if (!err) {
		ns = probe_tcp_round(*tcp, COMPARE_ITERATIONS);
		c->rdma[c->rounds] = probe.cells[0].sample[0].median;
		c->tcp[c->rounds++] = ns;
		c->software = probe.software;
		err = ns < 0 ? ns : 0;
	}
	probe_free(&probe);
	return err;
}

/* Until @end; not once when that is over */
static int compare_size(struct mod *mod, const struct dev *dev, const struct probe_want *want,
			long long end, struct compare *c)
{
	struct probe_tcp *tcp = NULL;
	int err = 0;

	memset(c, 0, sizeof(*c));
	while (!err && c->rounds < COMPARE_ROUNDS && probe_clock_left(end)) {
		probe_progress(want->size.v, c->rounds, COMPARE_ROUNDS);
		err = compare_round(mod, dev, want, &tcp, c);
	}
	if (!err)
		probe_progress_end();
	if (tcp)
		probe_tcp_close(tcp);
	return err;
}

static int compare_place(const struct dev *dev, struct probe_want *want)
{
	int node = cpus_next(&dev->place.cpu_nodes, -1);

	if (!dev_netdev(dev)) {
		say("%s has no network device that TCP could run over", dev->name);
		return -ENODEV;
	}
	if (!want->mem_node.known)
		want->mem_node = dev->place.mem_node;
	if (!want->cpu_node.known && node >= 0)
		want->cpu_node = num_of(node);
	if (want->mem_node.known && want->cpu_node.known)
		return 0;
	say("its node is not known: say mem-node N and cpu-node N");
	return -ENXIO;
}

/**
 * probe_compare_tcp() - hold RDMA against TCP, and print it
 * @want: what was asked for; memory and CPU are the device's node's otherwise
 * @sizes: of messages
 *
 * Return: EXIT_*, what went wrong was said.
 */
int probe_compare_tcp(struct mod *mod, const struct dev *dev, struct probe_want *want,
		      const long long *sizes, unsigned int nr_sizes)
{
	long long end = probe_clock_now() + want->time.v * CLOCK_SECOND, left;
	struct compare c = { 0 };
	bool software = false;
	unsigned int i;
	struct out o;
	int err;

	if (compare_place(dev, want))
		return EXIT_FAILED;
	want->op = num_of(NRDMA_PROBE_OP_PINGPONG);
	want->iterations = num_of(COMPARE_ITERATIONS);
	want->rounds = num_of(1);
	/* A round is one measurement, which is not cut short once it has begun */
	want->time = num_of(COMPARE_ROUND_TIME);
	out_open(&o, OUT_TABLE, OUT_FIELDS(compare_fields));
	for (i = 0, err = 0; i < nr_sizes && !err; i++) {
		left = probe_clock_left(end);
		if (!left)
			break;
		want->size = num_of(sizes[i]);
		err = compare_size(mod, dev, want, end - left + left / (nr_sizes - i), &c);
		if (!err)
			compare_put(&o, dev, sizes[i], &c);
		software |= c.software;
	}
	if (!opts.json && !err)
		printf("%s: there and back, memory on node %lld, CPUs of node %lld; TCP over %s's address, which the kernel takes round by its loop-back device\n",
		       dev->name, want->mem_node.v, want->cpu_node.v, dev_netdev(dev));
	if (out_close(&o) || err)
		return EXIT_FAILED;
	if (!opts.json && software)
		printf("%s is a software device: the CPU moves the data, so this says nothing about a NIC\n",
		       dev->name);
	if (i < nr_sizes) {
		say("the time is over: %u of %u sizes were measured", i, nr_sizes);
		return EXIT_PARTIAL;
	}
	return EXIT_DONE;
}
