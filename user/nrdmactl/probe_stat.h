/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_STAT_H
#define NRDMACTL_PROBE_STAT_H

#include <stdbool.h>
#include <stddef.h>

#include "dev.h"
#include "value.h"

/* What the module said of a cell in a round; times in ns */
struct probe_sample {
	unsigned int round;
	long long min, median, p99;
	struct num rate;		/* bits per second */
};

/**
 * struct probe_stat - several figures in one
 * @n: how many they were, 0 for none
 * @median: of them
 * @low: the true median is not below this,
 * @high: nor above this, 95 times in 100; the least and the greatest figure where
 *	there are too few to say so
 */
struct probe_stat {
	unsigned int n;
	long long median, low, high;
};

/**
 * struct probe_cell - memory on one node, the CPU on another
 * @cpu: who posts
 * @peer_cpu: who answers a pingpong; @cpu where the module does not say
 * @why: why there are no figures, "" where there are
 */
struct probe_cell {
	unsigned int mem_node, cpu_node, cpu, peer_cpu;
	unsigned int nr;
	struct probe_sample *sample;
	char why[128];
};

enum probe_word {
	PROBE_FEW,		/* too few rounds, or one node: nothing to compare */
	PROBE_SAME,		/* no node is faster */
	PROBE_AGREES,		/* the device's node is the fastest, or one of them */
	PROBE_CONTRADICTS,	/* another one is faster */
	PROBE_UNKNOWN,		/* one is faster, and nobody says where the device is */
};

extern const char *const probe_words[];
extern const char *const probe_ops[];

/**
 * struct probe_verdict - what a run says about the device's node
 * @word: in a word
 * @node: the device's memory node, as it was then
 * @best: the node whose memory is the fastest
 * @ratio: how much faster than @node's, or where that is unknown or the best, than
 *	the slowest
 * @text: in a sentence
 * @fix: command that would make use of it, "" for none
 */
struct probe_verdict {
	enum probe_word word;
	struct num node, best;
	double ratio;
	char text[512];
	char fix[128];
};

/**
 * struct probe - a run
 * @cells: by memory node, then CPU node
 * @rounds: that are complete
 */
struct probe {
	unsigned int op;
	long long size;
	bool software;
	unsigned int cells_per_round, rounds_wanted;
	unsigned int rounds;
	unsigned int nr_cells;
	struct probe_cell *cells;
};

struct probe_cell *probe_cell_of(struct probe *probe, unsigned int mem_node,
				 unsigned int cpu_node);
int probe_cell_add(struct probe_cell *cell, const struct probe_sample *sample);
void probe_settle(struct probe *probe);
void probe_free(struct probe *probe);

struct probe_stat probe_stat_of(const long long *v, unsigned int n);
struct probe_stat probe_cell_latency(const struct probe_cell *cell);
struct num probe_cell_rate(const struct probe_cell *cell);
long long probe_best(const struct probe *probe);
struct probe_stat probe_node_latency(const struct probe *probe, unsigned int mem_node);
void probe_judge(struct probe_verdict *verdict, const struct probe *probe,
		 const struct dev *dev);
bool probe_stronger(const struct probe_verdict *a, const struct probe_verdict *b);

const char *probe_time(long long ns, char *buf, size_t len);

#endif /* NRDMACTL_PROBE_STAT_H */
