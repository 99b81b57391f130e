// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "numa.h"
#include "out.h"
#include "proc.h"
#include "res.h"
#include "survey.h"

#define PS_TOLERANCE	10	/* per cent elsewhere that are still called near */

static const struct out_field ps_fields[] = {
	{ "pid", "PID", NULL, OUT_RIGHT },
	{ "comm", "COMMAND" },
	{ "dev_name", "DEVICE" },
	{ "node", "NODE" },
	{ "qp", "QP", NULL, OUT_RIGHT },
	{ "cq", "CQ", NULL, OUT_RIGHT },
	{ "mr", "MR", NULL, OUT_RIGHT },
	{ "mr_bytes", NULL, ": " },
	{ "cpus_allowed", "MAY USE CPUS" },
	{ "threads" },
	{ "threads.node", "RAN ON", "node" },
	{ "threads.count", NULL, ": " },
	{ "memory" },
	{ "memory.node", "MEMORY", "node" },
	{ "memory.bytes", NULL, " " },
	{ "buf_count" },
	{ "buf_node_bytes" },
	{ "buf_node_bytes.node", "BUFFERS", "node" },
	{ "buf_node_bytes.bytes", NULL, " " },
	{ "verdict", "VERDICT" },
};

/* Amounts by node */
struct ps_nodes {
	const char *why;	/* not NULL: not known */
	long long on[CPUS_MAX];
};

static void ps_threads(struct ps_nodes *threads, unsigned int pid)
{
	struct num cpu;
	char **names;
	int i, n, node;

	n = sys_list(&names, "/proc/%u/task", pid);
	if (n < 0)
		threads->why = sys_why(n);
	for (i = 0; i < n; i++) {
		cpu = proc_last_cpu(pid, strtoul(names[i], NULL, 10));
		node = cpu.known ? numa_of_cpu(cpu.v) : -1;
		if (node >= 0)
			threads->on[node]++;
	}
	sys_list_free(names, n);
}

/*
 * Memory of its own: what files back is shared, lies where its first reader ran,
 * and no device works on it.
 */
static void ps_memory(struct ps_nodes *memory, unsigned int pid)
{
	char *line = NULL, *p, *size;
	unsigned int node;
	long long pages, kib;
	size_t room = 0;
	FILE *f;

	f = sys_open("/proc/%u/numa_maps", pid);
	if (!f) {
		memory->why = "not readable";
		return;
	}
	while (getline(&line, &room, f) >= 0) {
		size = strstr(line, " kernelpagesize_kB=");
		if (!size || (strstr(line, " file=") && !strstr(line, " huge")))
			continue;
		kib = strtoll(size + 19, NULL, 10);
		for (p = line; (p = strstr(p, " N")); p++)
			if (sscanf(p, " N%u=%lld", &node, &pages) == 2 && node < CPUS_MAX)
				memory->on[node] += pages * kib * 1024;
	}
	if (ferror(f))
		memory->why = "not readable";
	free(line);
	fclose(f);
}

static void ps_buffers(struct ps_nodes *buffers, const struct res *res,
		       const struct survey *survey)
{
	unsigned int i, n;

	if (survey->mod_error)
		buffers->why = "no module";
	for (i = 0; i < survey->bufs.nr; i++) {
		const struct buf *buf = &survey->bufs.v[i];

		if (!buf->pid.known || buf->pid.v != res->pid || buf->orphan.v ||
		    strcmp(buf->dev_name.s, res->dev->name))
			continue;
		for (n = 0; n < buf->nr_node_bytes; n++)
			if (buf->node_bytes[n].node < CPUS_MAX)
				buffers->on[buf->node_bytes[n].node] += buf->node_bytes[n].bytes;
	}
}

enum ps_verdict { PS_NONE, PS_LOCAL, PS_REMOTE, PS_MIXED };

/* How much of something is near; PS_NONE where there is nothing, or nobody knows */
static enum ps_verdict ps_near(const struct ps_nodes *nodes, const struct cpus *near)
{
	long long all = 0, here = 0;
	unsigned int n;

	for (n = 0; n < CPUS_MAX; n++) {
		all += nodes->on[n];
		here += cpus_has(near, n) ? nodes->on[n] : 0;
	}
	if (nodes->why || !all)
		return PS_NONE;
	if ((all - here) * 100 <= all * PS_TOLERANCE)
		return PS_LOCAL;
	return here * 100 <= all * PS_TOLERANCE ? PS_REMOTE : PS_MIXED;
}

static void ps_put(struct out *o, const char *key, const char *amount, struct ps_nodes *nodes,
		   bool bytes)
{
	unsigned int n;

	if (nodes->why) {
		out_null(o, key, nodes->why);
		return;
	}
	out_array(o, key);
	for (n = 0; n < CPUS_MAX; n++) {
		if (!nodes->on[n])
			continue;
		out_elem(o);
		out_int(o, "node", n);
		if (bytes)
			out_bytes(o, amount, num_of(nodes->on[n]));
		else
			out_int(o, amount, nodes->on[n]);
		out_elem_end(o);
	}
	out_array_end(o);
}

static void ps_process(struct out *o, const struct res *res, const struct survey *survey)
{
	static const char *const words[] = {
		[PS_LOCAL] = "local", [PS_REMOTE] = "remote", [PS_MIXED] = "mixed",
	};
	struct ps_nodes threads = { 0 }, memory = { 0 }, buffers = { 0 };
	const struct place *place = &res->dev->place;
	struct cpus allowed, mem_nodes = { 0 };
	unsigned int seen = 0;
	char *list;

	ps_threads(&threads, res->pid);
	ps_memory(&memory, res->pid);
	ps_buffers(&buffers, res, survey);
	if (place->mem_node.known)
		cpus_add(&mem_nodes, place->mem_node.v);

	out_record(o);
	out_int(o, "pid", res->pid);
	out_str(o, "comm", proc_comm(res->pid));
	out_text(o, "dev_name", res->dev->name);
	out_num(o, "node", place->node);
	out_int(o, "qp", res->qps);
	out_int(o, "cq", res->cqs);
	out_int(o, "mr", res->mrs);
	out_bytes(o, "mr_bytes", num_of(res->mr_bytes));
	if (proc_list(res->pid, "Cpus_allowed_list", &allowed)) {
		list = cpus_list(&allowed);
		out_text(o, "cpus_allowed", list);
		free(list);
	} else {
		out_null(o, "cpus_allowed", "not readable");
	}
	ps_put(o, "threads", "count", &threads, false);
	ps_put(o, "memory", "bytes", &memory, true);
	if (survey->mod_error)
		out_null(o, "buf_count", "no module");
	else
		out_int(o, "buf_count", res->bufs);
	ps_put(o, "buf_node_bytes", "bytes", &buffers, true);

	seen |= 1U << ps_near(&threads, &place->cpu_nodes);
	seen |= 1U << ps_near(&memory, &mem_nodes);
	seen |= 1U << ps_near(&buffers, &mem_nodes);
	seen &= ~(1U << PS_NONE);
	if (!place->node.known || !seen)
		out_null(o, "verdict", place->node.known ? "gone" : "node unknown");
	else if (seen == 1U << PS_LOCAL || seen == 1U << PS_REMOTE)
		out_text(o, "verdict", words[seen == 1U << PS_LOCAL ? PS_LOCAL : PS_REMOTE]);
	else
		out_text(o, "verdict", words[PS_MIXED]);
	out_record_end(o);
}

/* Who has buffers but no verbs, and how many who has both */
static int ps_join(struct ress *ress, const struct survey *survey)
{
	struct dev **match;
	struct res *res;
	unsigned int i;

	for (i = 0; i < survey->bufs.nr; i++) {
		const struct buf *buf = &survey->bufs.v[i];

		for (match = survey->picked.match; *match; match++) {
			if (!buf->pid.known || buf->orphan.v ||
			    strcmp(buf->dev_name.s, (*match)->name))
				continue;
			res = ress_of(ress, buf->pid.v, *match);
			if (!res)
				return EXIT_FAILED;
			res->bufs++;
		}
	}
	return EXIT_DONE;
}

static int ps_order(const void *a, const void *b)
{
	const struct res *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strverscmp(x->dev->name, y->dev->name);
}

static int ps_run(const struct args *args)
{
	struct ress ress = { 0 };
	struct survey survey;
	struct out o;
	unsigned int i;
	int status;

	if (survey_read(&survey, args)) {
		survey_free(&survey);
		return EXIT_FAILED;
	}
	status = survey.status;
	if (ress_read(&ress, survey.picked.match))
		status = EXIT_PARTIAL;
	if (ps_join(&ress, &survey))
		status = EXIT_FAILED;
	if (ress.nr)
		qsort(ress.v, ress.nr, sizeof(*ress.v), ps_order);
	out_open(&o, OUT_TABLE, OUT_FIELDS(ps_fields));
	for (i = 0; i < ress.nr; i++)
		ps_process(&o, &ress.v[i], &survey);
	if (out_close(&o))
		status = EXIT_FAILED;
	ress_free(&ress);
	survey_free(&survey);
	return status;
}

const struct cmd cmd_ps = {
	.object = "ps",
	.pos = "[DEV]",
	.help = "processes that use devices: where their threads ran, where their memory lies",
	.run = ps_run,
};
