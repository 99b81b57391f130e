// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/nrdma.h>

#include "mod_probe.h"

static const struct nla_policy mod_probe_policy[NRDMA_A_PROBE_MAX + 1] = {
	[NRDMA_A_PROBE_DEV_INDEX] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_DEV_NAME] = { .type = NLA_NUL_STRING },
	[NRDMA_A_PROBE_OP] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_SIZE] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_ITERATIONS] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_ROUNDS] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_TIME] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_MEM_NODE] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_CPU_NODE] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_PORT] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_ISOLATED] = { .type = NLA_U8 },
	[NRDMA_A_PROBE_CELLS] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_SOFTWARE] = { .type = NLA_U8 },
	[NRDMA_A_PROBE_CPU] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_ROUND] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_COUNT] = { .type = NLA_U32 },
	[NRDMA_A_PROBE_MIN] = { .type = NLA_U64 },
	[NRDMA_A_PROBE_MEDIAN] = { .type = NLA_U64 },
	[NRDMA_A_PROBE_P99] = { .type = NLA_U64 },
	[NRDMA_A_PROBE_RATE] = { .type = NLA_U64 },
	[NRDMA_A_PROBE_ERROR] = { .type = NLA_S32 },
	[NRDMA_A_PROBE_WHY] = { .type = NLA_NUL_STRING },
	[NRDMA_A_PROBE_PEER_CPU] = { .type = NLA_U32 },
};

static const struct mod_attrs mod_probe_attrs = { NRDMA_A_PROBE_MAX, mod_probe_policy };

struct mod_probe_run {
	struct probe *probe;
	void (*progress)(const struct probe *probe);
	unsigned int seen;	/* measurements */
};

static int mod_probe_put(struct nl_msg *msg, const struct dev *dev,
			 const struct probe_want *want)
{
	const struct { int attr; const struct num *num; } u32s[] = {
		{ NRDMA_A_PROBE_OP, &want->op },
		{ NRDMA_A_PROBE_SIZE, &want->size },
		{ NRDMA_A_PROBE_ITERATIONS, &want->iterations },
		{ NRDMA_A_PROBE_ROUNDS, &want->rounds },
		{ NRDMA_A_PROBE_TIME, &want->time },
		{ NRDMA_A_PROBE_MEM_NODE, &want->mem_node },
		{ NRDMA_A_PROBE_CPU_NODE, &want->cpu_node },
		{ NRDMA_A_PROBE_PORT, &want->port },
	};
	unsigned int i;

	if (nla_put_string(msg, NRDMA_A_PROBE_DEV_NAME, dev->name))
		return -ENOMEM;
	for (i = 0; i < sizeof(u32s) / sizeof(*u32s); i++)
		if (u32s[i].num->known && nla_put_u32(msg, u32s[i].attr, u32s[i].num->v))
			return -ENOMEM;
	if (want->isolated.known && nla_put_u8(msg, NRDMA_A_PROBE_ISOLATED, want->isolated.v))
		return -ENOMEM;
	return 0;
}

static void mod_probe_begin(struct probe *probe, struct nlattr **tb)
{
	probe->op = mod_u32(tb[NRDMA_A_PROBE_OP]).v;
	probe->size = mod_u32(tb[NRDMA_A_PROBE_SIZE]).v;
	probe->rounds_wanted = mod_u32(tb[NRDMA_A_PROBE_ROUNDS]).v;
	probe->software = mod_u8(tb[NRDMA_A_PROBE_SOFTWARE]).v;
	probe->cells_per_round = mod_u32(tb[NRDMA_A_PROBE_CELLS]).v;
}

static int mod_probe_measured(struct probe *probe, struct nlattr **tb)
{
	struct probe_sample sample = {
		.round = mod_u32(tb[NRDMA_A_PROBE_ROUND]).v,
		.min = mod_u64(tb[NRDMA_A_PROBE_MIN]).v,
		.median = mod_u64(tb[NRDMA_A_PROBE_MEDIAN]).v,
		.p99 = mod_u64(tb[NRDMA_A_PROBE_P99]).v,
		.rate = mod_u64(tb[NRDMA_A_PROBE_RATE]),
	};
	struct num error = mod_s32(tb[NRDMA_A_PROBE_ERROR]);
	struct num peer = mod_u32(tb[NRDMA_A_PROBE_PEER_CPU]);
	struct probe_cell *cell;

	cell = probe_cell_of(probe, mod_u32(tb[NRDMA_A_PROBE_MEM_NODE]).v,
			     mod_u32(tb[NRDMA_A_PROBE_CPU_NODE]).v);
	if (!cell)
		return -ENOMEM;
	cell->cpu = mod_u32(tb[NRDMA_A_PROBE_CPU]).v;
	cell->peer_cpu = peer.known ? peer.v : cell->cpu;
	if (!error.known)
		return probe_cell_add(cell, &sample);
	snprintf(cell->why, sizeof(cell->why), "%s", tb[NRDMA_A_PROBE_WHY] ?
		 nla_get_string(tb[NRDMA_A_PROBE_WHY]) : strerror(-error.v));
	return 0;
}

static int mod_probe_on_msg(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[NRDMA_A_PROBE_MAX + 1];
	struct mod_probe_run *run = arg;
	int err;

	if (!mod_attrs(msg, tb, &mod_probe_attrs))
		return 0;
	if (tb[NRDMA_A_PROBE_CELLS]) {
		mod_probe_begin(run->probe, tb);
		return 0;
	}
	if (!tb[NRDMA_A_PROBE_ROUND])
		return 0;
	err = mod_probe_measured(run->probe, tb);
	if (err)
		return err;
	run->seen++;
	if (run->probe->cells_per_round)
		run->probe->rounds = run->seen / run->probe->cells_per_round;
	if (run->progress)
		run->progress(run->probe);
	return 0;
}

/**
 * mod_probe_run() - measure a device, as long as that takes
 * @probe: out, for probe_free() whatever is returned
 * @progress: called after each measurement, or NULL
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_probe_run(struct mod *mod, const struct dev *dev, const struct probe_want *want,
		  struct probe *probe, void (*progress)(const struct probe *probe))
{
	struct mod_probe_run run = { .probe = probe, .progress = progress };
	struct nl_msg *msg = mod_request(mod, NRDMA_CMD_PROBE_RUN);
	int err;

	memset(probe, 0, sizeof(*probe));
	if (msg && mod_probe_put(msg, dev, want)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	err = mod_stream(mod, msg, mod_probe_on_msg, &run);
	probe_settle(probe);
	return err;
}
