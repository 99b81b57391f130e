// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "commands.h"
#include "mod_dev.h"
#include "mod_probe.h"
#include "out.h"
#include "probe_clock.h"
#include "probe_compare.h"
#include "probe_last.h"
#include "probe_progress.h"
#include "probe_stat.h"
#include "probe_svg.h"
#include "say.h"
#include "size.h"
#include "words.h"

#define PROBE_TIME		10	/* s, where none is given */
#define PROBE_TIME_SIZES	60	/* and over several sizes */
#define PROBE_TIME_MAX		60	/* of a size, by the module */
#define PROBE_CPU_NODES_MAX	64	/* columns of the matrix; with -d there is no limit */

static const char *const probe_on_off[] = { "on", "off", NULL };
static const char *const probe_others[] = { "tcp", NULL };

/* For curves, where no size is given */
static const long long probe_sizes[] = {
	8, 64, 512, 4096, 32768, 262144, 1048576, 4194304
};

#define PROBE_SIZES	(sizeof(probe_sizes) / sizeof(*probe_sizes))

static const struct cmd_key probe_keys[] = {
	{ "op", "OP", probe_ops },
	{ "size", "BYTES", NULL },
	{ "iterations", "N", NULL },
	{ "rounds", "N", NULL },
	{ "time", "S", NULL },
	{ "mem-node", "N", NULL },
	{ "cpu-node", "N", NULL },
	{ "isolated", "on|off", probe_on_off },
	{ "compare", "tcp", probe_others },
	{ "svg", "FILE", NULL },
	{ NULL }
};

/* Then come the columns of the matrix, a CPU node each */
static const struct out_field probe_fields[] = {
	{ "dev_name" },
	{ "op" },
	{ "size" },
	{ "software" },
	{ "rounds" },
	{ "cells", NULL, NULL, OUT_ROWS },
	{ "cells.mem_node", "MEMORY", "node ", OUT_DETAIL },
	{ "cells.cpu_node", "CPU", "node ", OUT_DETAIL },
	{ "cells.cpu", NULL, " cpu ", OUT_DETAIL },
	{ "cells.min", "MIN", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "cells.median", "MEDIAN", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "cells.median_low", NULL, " (", OUT_DETAIL },
	{ "cells.median_high", NULL, " to ", OUT_DETAIL },
	{ "cells.end", NULL, ")", OUT_DETAIL | OUT_TEXT },
	{ "cells.p99", "P99", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "cells.ratio", "RATIO", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "cells.rate", "BANDWIDTH", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "cells.rounds", "ROUNDS", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "verdict" },
	{ "verdict.word" },
	{ "verdict.node" },
	{ "verdict.best_node" },
	{ "verdict.ratio" },
	{ "verdict.text" },
	{ "verdict.fix" },
	{ "matrix", NULL, NULL, OUT_ROWS | OUT_TEXT },
	{ "matrix.mem_node", "", "memory on node ", OUT_TEXT },
};

#define PROBE_FIELDS	(sizeof(probe_fields) / sizeof(*probe_fields))

/* What is printed: the fields above, and one for each CPU node */
struct probe_table {
	struct out_field fields[PROBE_FIELDS + PROBE_CPU_NODES_MAX];
	unsigned int nr;
	unsigned int cpu_nodes[PROBE_CPU_NODES_MAX];
	unsigned int nr_cpu_nodes;
	char path[PROBE_CPU_NODES_MAX][32];
	char head[PROBE_CPU_NODES_MAX][32];
};

static void probe_table_make(struct probe_table *table, const struct probe *probe)
{
	unsigned int i, n, *nodes = table->cpu_nodes;

	memset(table, 0, sizeof(*table));
	memcpy(table->fields, probe_fields, sizeof(probe_fields));
	table->nr = PROBE_FIELDS;
	for (i = 0; i < probe->nr_cells; i++) {
		for (n = 0; n < table->nr_cpu_nodes; n++)
			if (nodes[n] == probe->cells[i].cpu_node)
				break;
		if (n == table->nr_cpu_nodes && n < PROBE_CPU_NODES_MAX)
			nodes[table->nr_cpu_nodes++] = probe->cells[i].cpu_node;
	}
	for (n = 0; n < table->nr_cpu_nodes && !opts.details; n++) {
		snprintf(table->path[n], sizeof(*table->path), "matrix.cpu%u", nodes[n]);
		snprintf(table->head[n], sizeof(*table->head), "CPU ON NODE %u", nodes[n]);
		table->fields[table->nr++] = (struct out_field){
			table->path[n], table->head[n], NULL, OUT_RIGHT | OUT_TEXT
		};
	}
	/* With details there is a row for each cell instead */
	if (opts.details)
		table->fields[PROBE_FIELDS - 1].head = NULL;
}

static void probe_put_time(struct out *o, const char *key, const struct probe_stat *stat,
			   long long ns, const char *why)
{
	char text[32];

	if (stat->n)
		out_shown(o, key, num_of(ns), probe_time(ns, text, sizeof(text)));
	else
		out_null(o, key, why);
}

static void probe_put_ratio(struct out *o, const char *key, double ratio)
{
	char text[32];

	if (ratio > 0)
		out_real(o, key, ratio, (snprintf(text, sizeof(text), "%.2fx", ratio), text));
	else
		out_null(o, key, NULL);
}

static void probe_put_cell(struct out *o, const struct probe_cell *cell, long long best)
{
	struct probe_stat stat = probe_cell_latency(cell), p99;
	long long v[cell->nr + 1], min = 0;
	unsigned int i;

	for (i = 0; i < cell->nr; i++) {
		v[i] = cell->sample[i].p99;
		if (!min || cell->sample[i].min < min)
			min = cell->sample[i].min;
	}
	p99 = probe_stat_of(v, cell->nr);
	out_elem(o);
	out_int(o, "mem_node", cell->mem_node);
	out_int(o, "cpu_node", cell->cpu_node);
	out_int(o, "cpu", cell->cpu);
	probe_put_time(o, "min", &stat, min, cell->why);
	probe_put_time(o, "median", &stat, stat.median, cell->why);
	if (stat.n || o->json) {
		probe_put_time(o, "median_low", &stat, stat.low, NULL);
		probe_put_time(o, "median_high", &stat, stat.high, NULL);
	}
	if (stat.n)
		out_text(o, "end", "");
	probe_put_time(o, "p99", &p99, p99.median, cell->why);
	probe_put_ratio(o, "ratio", stat.n ? (double)stat.median / best : 0);
	out_bps(o, "rate", probe_cell_rate(cell));
	out_int(o, "rounds", cell->nr);
	out_elem_end(o);
}

/* In a cell of the matrix: what it takes, and how that is to the best */
static void probe_put_matrix_cell(struct out *o, const struct probe *probe,
				  unsigned int mem_node, unsigned int cpu_node, const char *path,
				  long long best)
{
	const struct probe_cell *cell = NULL;
	struct probe_stat stat = { 0 };
	char time[32], text[64];
	unsigned int i;

	for (i = 0; i < probe->nr_cells; i++)
		if (probe->cells[i].mem_node == mem_node && probe->cells[i].cpu_node == cpu_node)
			cell = &probe->cells[i];
	if (cell)
		stat = probe_cell_latency(cell);
	if (!stat.n) {
		out_null(o, path, cell && *cell->why ? cell->why : "not measured");
		return;
	}
	snprintf(text, sizeof(text), "%s %5.2fx", probe_time(stat.median, time, sizeof(time)),
		 (double)stat.median / best);
	out_text(o, path, text);
}

static void probe_put_matrix(struct out *o, const struct probe *probe,
			     const struct probe_table *table, long long best)
{
	unsigned int i, n;

	out_array(o, "matrix");
	for (i = 0; i < probe->nr_cells; i++) {
		if (i && probe->cells[i - 1].mem_node == probe->cells[i].mem_node)
			continue;
		out_elem(o);
		out_int(o, "mem_node", probe->cells[i].mem_node);
		for (n = 0; n < table->nr_cpu_nodes; n++)
			probe_put_matrix_cell(o, probe, probe->cells[i].mem_node,
					      table->cpu_nodes[n],
					      table->path[n] + strlen("matrix."), best);
		out_elem_end(o);
	}
	out_array_end(o);
}

static void probe_put_verdict(struct out *o, const struct probe_verdict *verdict)
{
	out_object(o, "verdict");
	out_text(o, "word", probe_words[verdict->word]);
	out_num(o, "node", verdict->node);
	out_num(o, "best_node", verdict->best);
	probe_put_ratio(o, "ratio", verdict->ratio);
	out_text(o, "text", verdict->text);
	if (*verdict->fix)
		out_text(o, "fix", verdict->fix);
	else
		out_null(o, "fix", NULL);
	out_object_end(o);
}

static void probe_say_heading(const struct probe *probe, const struct dev *dev)
{
	char size[32];

	size_format(probe->size, size, sizeof(size));
	printf("%s: %s of %s bytes, latency%s, %u round%s\n", dev->name,
	       words_of(probe_ops, num_of(probe->op)).s, size,
	       probe->op == NRDMA_PROBE_OP_PINGPONG ? " there and back" : "", probe->rounds,
	       probe->rounds == 1 ? "" : "s");
}

static void probe_say_verdict(const struct probe *probe, const struct probe_verdict *verdict,
			      const struct dev *dev)
{
	printf("%s\n", verdict->text);
	if (*verdict->fix)
		printf("  to use it: %s\n", verdict->fix);
	if (probe->software)
		printf("%s is a software device: the CPU moves the data, so this says nothing about a NIC\n",
		       dev->name);
}

/* @table: of the text, NULL for JSON */
static void probe_put(struct out *o, const struct probe *probe,
		      const struct probe_verdict *verdict, const struct dev *dev,
		      const struct probe_table *table)
{
	long long best = probe_best(probe);
	unsigned int i;

	out_record(o);
	out_text(o, "dev_name", dev->name);
	out_str(o, "op", words_of(probe_ops, num_of(probe->op)));
	out_bytes(o, "size", num_of(probe->size));
	out_bool(o, "software", num_of(probe->software));
	out_int(o, "rounds", probe->rounds);
	out_array(o, "cells");
	for (i = 0; i < probe->nr_cells; i++)
		probe_put_cell(o, &probe->cells[i], best);
	out_array_end(o);
	if (table && !o->details)
		probe_put_matrix(o, probe, table, best);
	probe_put_verdict(o, verdict);
	out_record_end(o);
}

/* Each size as it comes: text is a table each, with its heading and its verdict. */
static int probe_print(const struct probe *probe, const struct probe_verdict *verdict,
		       const struct dev *dev)
{
	struct probe_table table;
	struct out o;

	probe_table_make(&table, probe);
	probe_say_heading(probe, dev);
	out_open(&o, OUT_TABLE, table.fields, table.nr);
	probe_put(&o, probe, verdict, dev, &table);
	if (out_close(&o))
		return EXIT_FAILED;
	probe_say_verdict(probe, verdict, dev);
	return ferror(stdout) || fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static void probe_on_measured(const struct probe *probe)
{
	probe_progress(probe->size, probe->rounds, probe->rounds_wanted);
}

static int probe_parse(struct probe_want *want, const struct args *args)
{
	const char *op = args_get(args, "op");
	unsigned int i;

	memset(want, 0, sizeof(*want));
	if (args_size(args, "size", &want->size) ||
	    args_u32(args, "iterations", &want->iterations) ||
	    args_u32(args, "rounds", &want->rounds) || args_u32(args, "time", &want->time) ||
	    args_u32(args, "mem-node", &want->mem_node) ||
	    args_u32(args, "cpu-node", &want->cpu_node))
		return -EINVAL;
	want->isolated = args_switch(args, "isolated");
	if (want->size.known && want->size.v > UINT32_MAX) {
		say("size \"%s\": must be at most 4M", args_get(args, "size"));
		return -EINVAL;
	}
	for (i = 0; op && probe_ops[i]; i++)
		if (!strcmp(op, probe_ops[i]))
			want->op = num_of(i);
	return 0;
}

static int probe_one(struct mod *mod, const struct dev *dev, const struct probe_want *want,
		     struct probe *probe, struct probe_verdict *verdict, struct out *json)
{
	if (mod_probe_run(mod, dev, want, probe, probe_on_measured))
		return EXIT_FAILED;
	probe_progress_end();
	probe_judge(verdict, probe, dev);
	if (!json)
		return probe_print(probe, verdict, dev);
	probe_put(json, probe, verdict, dev, NULL);
	return EXIT_DONE;
}

static int probe_picture(const char *path, const struct dev *dev, const struct probe *probes,
			 unsigned int nr)
{
	char title[512], size[32];

	size_format(probes->size, size, sizeof(size));
	snprintf(title, sizeof(title), "%s: %s of %s bytes, latency, %u round%s%s", dev->name,
		 words_of(probe_ops, num_of(probes->op)).s, size, probes->rounds,
		 probes->rounds == 1 ? "" : "s",
		 probes->software ? "; a software device, which says nothing about a NIC" : "");
	return probe_svg(path, title, probes, nr) ? EXIT_FAILED : EXIT_DONE;
}

/* The sizes one after the other, of what time is left a share each. */
static int probe_all(struct mod *mod, const struct dev *dev, struct probe_want *want,
		     const long long *sizes, unsigned int nr, const char *svg)
{
	long long end = probe_clock_now() + want->time.v * CLOCK_SECOND;
	struct probe_verdict verdict, strongest = { .word = PROBE_FEW };
	struct probe probes[PROBE_SIZES] = { 0 };
	unsigned int i, done, seen_at = 0;
	int status = EXIT_DONE;
	struct out o;

	if (opts.json)
		out_open(&o, OUT_TABLE, OUT_FIELDS(probe_fields));
	for (done = 0; done < nr && status == EXIT_DONE; done++) {
		if (sizes)
			want->size = num_of(sizes[done]);
		if (nr > 1)
			want->time = num_of(probe_clock_share(probe_clock_left(end), nr - done));
		if (!want->time.v && nr > 1)
			break;
		status = probe_one(mod, dev, want, &probes[done], &verdict,
				   opts.json ? &o : NULL);
		if (status == EXIT_DONE && probe_stronger(&verdict, &strongest)) {
			strongest = verdict;
			seen_at = done;
		}
	}
	if (opts.json && out_close(&o))
		status = EXIT_FAILED;
	/* What decides nothing is no reason to forget what did */
	if (strongest.word != PROBE_FEW)
		probe_last_save(dev, &probes[seen_at], &strongest);
	if (svg && status == EXIT_DONE)
		status = probe_picture(svg, dev, probes, done);
	if (status == EXIT_DONE && done < nr) {
		say("the time is over: %u of %u sizes were measured", done, nr);
		status = EXIT_PARTIAL;
	}
	for (i = 0; i < nr; i++)
		probe_free(&probes[i]);
	return status;
}

/*
 * The module says what time a size may take. Of what is shared out it sees the shares
 * only; and a comparison sees to its time itself.
 */
static int probe_parse_time(struct probe_want *want, const struct args *args, unsigned int nr)
{
	const char *time = args_get(args, "time");

	if (!want->time.known)
		want->time = num_of(nr > 1 ? PROBE_TIME_SIZES : PROBE_TIME);
	if (nr == 1 && !args_get(args, "compare"))
		return 0;
	if (want->time.v >= 1 && want->time.v <= PROBE_TIME_MAX * nr)
		return 0;
	say("time \"%s\": must be 1 to %u", time, PROBE_TIME_MAX * nr);
	return -EINVAL;
}

static int probe_run(const struct args *args)
{
	const char *svg = args_get(args, "svg"), *compare = args_get(args, "compare");
	const long long *sizes = probe_sizes;
	unsigned int nr = PROBE_SIZES;
	struct probe_want want;
	struct picked picked;
	struct dev *dev;
	struct mod mod;
	int status = EXIT_FAILED;

	if (probe_parse(&want, args))
		return EXIT_USAGE;
	if (compare && (svg || want.op.known || want.rounds.known || want.iterations.known)) {
		say("compare tcp takes size, time, mem-node, cpu-node and isolated");
		return EXIT_USAGE;
	}
	if (want.size.known) {
		sizes = &want.size.v;
		nr = 1;
	} else if (!svg && !compare) {
		sizes = NULL;
		nr = 1;
	}
	if (probe_parse_time(&want, args, nr))
		return EXIT_USAGE;
	if (svg && probe_svg_check(svg))
		return EXIT_FAILED;
	dev = pick_one(&picked, args, false);
	if (dev && mod_must_open(&mod)) {
		if (picked.port)
			want.port = num_of(picked.port);
		mod_dev_dump(&mod, &picked.devs);
		if (compare)
			status = probe_compare_tcp(&mod, dev, &want, sizes, nr);
		else
			status = probe_all(&mod, dev, &want, sizes, nr, svg);
		mod_close(&mod);
	}
	pick_free(&picked);
	return status;
}

const struct cmd cmd_probe = {
	.object = "probe",
	.pos = "DEV",
	.keys = probe_keys,
	.help = "measure what memory and CPU of each node cost through a device, for 10 s, or all sizes for 60 s",
	.run = probe_run,
};
