// SPDX-License-Identifier: GPL-2.0
/*
 * What the figures of a probe say. Medians and their intervals by rank, which
 * suppose nothing about how the noise is distributed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_stat.h"

#define PROBE_ROUNDS_LEAST	6	/* for an interval that is right 95 times in 100 */
#define PROBE_RATIO_LEAST	1.02	/* what is less makes no difference to anybody */

const char *const probe_words[] = {
	[PROBE_FEW] = "inconclusive",
	[PROBE_SAME] = "no_difference",
	[PROBE_AGREES] = "agrees",
	[PROBE_CONTRADICTS] = "contradicts",
	[PROBE_UNKNOWN] = "node_unknown",
	NULL
};

/* By enum nrdma_probe_op */
const char *const probe_ops[] = { "write", "read", "send", "pingpong", NULL };

static int probe_compare_cells(const void *a, const void *b)
{
	const struct probe_cell *l = a, *r = b;

	if (l->mem_node != r->mem_node)
		return l->mem_node < r->mem_node ? -1 : 1;
	return l->cpu_node < r->cpu_node ? -1 : l->cpu_node > r->cpu_node;
}

static int probe_compare(const void *a, const void *b)
{
	long long l = *(const long long *)a, r = *(const long long *)b;

	return l < r ? -1 : l > r;
}

/**
 * probe_cell_of() - the cell of two nodes, made where there is none
 *
 * Return: the cell until another one is made, or NULL without memory.
 */
struct probe_cell *probe_cell_of(struct probe *probe, unsigned int mem_node,
				 unsigned int cpu_node)
{
	struct probe_cell *cell;
	unsigned int i;

	for (i = 0; i < probe->nr_cells; i++)
		if (probe->cells[i].mem_node == mem_node && probe->cells[i].cpu_node == cpu_node)
			return &probe->cells[i];
	cell = reallocarray(probe->cells, probe->nr_cells + 1, sizeof(*cell));
	if (!cell)
		return NULL;
	probe->cells = cell;
	cell += probe->nr_cells++;
	memset(cell, 0, sizeof(*cell));
	cell->mem_node = mem_node;
	cell->cpu_node = cpu_node;
	return cell;
}

int probe_cell_add(struct probe_cell *cell, const struct probe_sample *sample)
{
	struct probe_sample *v = reallocarray(cell->sample, cell->nr + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	cell->sample = v;
	v[cell->nr++] = *sample;
	return 0;
}

/**
 * probe_settle() - a run has ended
 *
 * A last round that time cut short is left out: in it, the cells that came last
 * would have had no part in what disturbed the first ones.
 */
void probe_settle(struct probe *probe)
{
	unsigned int i, s, kept;

	for (i = 0; i < probe->nr_cells && probe->rounds; i++) {
		struct probe_cell *cell = &probe->cells[i];

		for (s = 0, kept = 0; s < cell->nr; s++)
			if (cell->sample[s].round <= probe->rounds)
				cell->sample[kept++] = cell->sample[s];
		cell->nr = kept;
	}
	if (probe->nr_cells)
		qsort(probe->cells, probe->nr_cells, sizeof(*probe->cells), probe_compare_cells);
}

void probe_free(struct probe *probe)
{
	unsigned int i;

	for (i = 0; i < probe->nr_cells; i++)
		free(probe->cells[i].sample);
	free(probe->cells);
	memset(probe, 0, sizeof(*probe));
}

/*
 * How many of the least, and of the greatest, of @n figures can be left out so
 * that what is left holds the true median 95 times in 100: each figure is on
 * either side of it like a coin.
 */
static unsigned int probe_rank(unsigned int n)
{
	double p = 1, below = 0;
	unsigned int k;

	/* More than that, and 2^-n is no number any more */
	if (n > 1000)
		n = 1000;
	for (k = 0; k < n; k++)
		p /= 2;
	for (k = 0; k < n / 2; k++) {
		below += p;
		if (2 * below > 0.05)
			break;
		p = p * (n - k) / (k + 1);
	}
	return k ? k - 1 : 0;
}

/**
 * probe_stat_of() - the median of figures, and how sure it is
 */
struct probe_stat probe_stat_of(const long long *v, unsigned int n)
{
	struct probe_stat stat = { .n = n };
	unsigned int rank = probe_rank(n);
	long long *sorted;

	sorted = n ? malloc(n * sizeof(*sorted)) : NULL;
	if (!sorted)
		return (struct probe_stat){ 0 };
	memcpy(sorted, v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), probe_compare);
	stat.median = n & 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	stat.low = sorted[rank];
	stat.high = sorted[n - 1 - rank];
	free(sorted);
	return stat;
}

/**
 * probe_cell_latency() - of the medians of each round
 */
struct probe_stat probe_cell_latency(const struct probe_cell *cell)
{
	long long v[cell->nr + 1];
	unsigned int i;

	for (i = 0; i < cell->nr; i++)
		v[i] = cell->sample[i].median;
	return probe_stat_of(v, cell->nr);
}

struct num probe_cell_rate(const struct probe_cell *cell)
{
	long long v[cell->nr + 1];
	unsigned int i, n = 0;

	for (i = 0; i < cell->nr; i++)
		if (cell->sample[i].rate.known)
			v[n++] = cell->sample[i].rate.v;
	return n ? num_of(probe_stat_of(v, n).median) : num_none("not measured");
}

/**
 * probe_best() - latency of the fastest cell, 0 without one
 */
long long probe_best(const struct probe *probe)
{
	long long best = 0;
	unsigned int i;

	for (i = 0; i < probe->nr_cells; i++) {
		struct probe_stat stat = probe_cell_latency(&probe->cells[i]);

		if (stat.n && (!best || stat.median < best))
			best = stat.median;
	}
	return best;
}

/* Of a round, over the CPU nodes; false where one of them is missing */
static bool probe_node_round(const struct probe *probe, unsigned int mem_node,
			     unsigned int round, long long *ns)
{
	unsigned int i, s, n = 0, cells = 0;
	long long sum = 0;

	for (i = 0; i < probe->nr_cells; i++) {
		const struct probe_cell *cell = &probe->cells[i];

		if (cell->mem_node != mem_node)
			continue;
		cells++;
		for (s = 0; s < cell->nr; s++)
			if (cell->sample[s].round == round) {
				sum += cell->sample[s].median;
				n++;
				break;
			}
	}
	*ns = n ? sum / n : 0;
	return n && n == cells;
}

/**
 * probe_node_latency() - of memory on a node, the mean over all CPU nodes
 */
struct probe_stat probe_node_latency(const struct probe *probe, unsigned int mem_node)
{
	long long v[probe->rounds + 1];
	unsigned int round, n = 0;

	for (round = 1; round <= probe->rounds; round++)
		if (probe_node_round(probe, mem_node, round, &v[n]))
			n++;
	return probe_stat_of(v, n);
}

/* Is @a's memory faster than @b's, beyond doubt and to an amount that matters? */
static bool probe_faster(const struct probe_stat *a, const struct probe_stat *b)
{
	return a->high < b->low && b->median >= PROBE_RATIO_LEAST * a->median;
}

/* Memory nodes with enough rounds: who is best, who is worst, where is the device's */
struct probe_nodes {
	unsigned int nr, best_node, worst_node;
	struct probe_stat best, worst, own;
	bool differ, contradict;
};

/* Of the memory node that begins at a cell; none where too few rounds can tell */
static struct probe_stat probe_nodes_at(const struct probe *probe, unsigned int i)
{
	struct probe_stat stat = { 0 };

	if (!i || probe->cells[i - 1].mem_node != probe->cells[i].mem_node)
		stat = probe_node_latency(probe, probe->cells[i].mem_node);
	return stat.n < PROBE_ROUNDS_LEAST ? (struct probe_stat){ 0 } : stat;
}

static void probe_nodes_medians(struct probe_nodes *nodes, const struct probe *probe,
				struct num own)
{
	struct probe_stat stat;
	unsigned int i;

	for (i = 0; i < probe->nr_cells; i++) {
		unsigned int node = probe->cells[i].mem_node;

		stat = probe_nodes_at(probe, i);
		if (!stat.n)
			continue;
		if (!nodes->nr || stat.median < nodes->best.median) {
			nodes->best = stat;
			nodes->best_node = node;
		}
		if (!nodes->nr || stat.median > nodes->worst.median) {
			nodes->worst = stat;
			nodes->worst_node = node;
		}
		if (own.known && own.v == node)
			nodes->own = stat;
		nodes->nr++;
	}
}

/*
 * Whoever is best or worst by its median may be so by noise alone, and then hide what
 * is beyond doubt about others: of these the best and the worst are taken instead.
 */
static void probe_nodes_of(struct probe_nodes *nodes, const struct probe *probe,
			   struct num own)
{
	struct probe_stat stat, best;
	unsigned int i;

	memset(nodes, 0, sizeof(*nodes));
	probe_nodes_medians(nodes, probe, own);
	best = nodes->best;
	for (i = 0; i < probe->nr_cells; i++) {
		unsigned int node = probe->cells[i].mem_node;

		stat = probe_nodes_at(probe, i);
		if (!stat.n)
			continue;
		if (nodes->own.n && probe_faster(&stat, &nodes->own) &&
		    (!nodes->contradict || stat.median < nodes->best.median)) {
			nodes->best = stat;
			nodes->best_node = node;
			nodes->contradict = true;
		}
		if (probe_faster(&best, &stat) &&
		    (!nodes->differ || stat.median > nodes->worst.median)) {
			nodes->worst = stat;
			nodes->worst_node = node;
			nodes->differ = true;
		}
	}
}

/* 1.03 is not "1.0x" */
static const char *probe_times(double ratio, char *buf, size_t len)
{
	snprintf(buf, len, "%.*fx", ratio < 1.1 ? 2 : 1, ratio);
	return buf;
}

/* Who says where the device is, and where; buffers go elsewhere if there is no memory. */
static const char *probe_says(const struct place *place, char *buf, size_t len)
{
	const char *who = place->override.known ? "an administrator says" : "firmware says";
	const struct num *node = place->node.known ? &place->node : &place->mem_node;
	int n = snprintf(buf, len, "%s node %lld", who, node->v);

	if (node->v != place->mem_node.v)
		snprintf(buf + n, len - n, ", whose nearest memory is on node %lld",
			 place->mem_node.v);
	return buf;
}

/**
 * probe_judge() - what a run says about a device's node
 * @verdict: out
 * @probe: settled
 * @dev: the device
 */
void probe_judge(struct probe_verdict *verdict, const struct probe *probe,
		 const struct dev *dev)
{
	struct num own = dev->place.mem_node;
	char says[96], times[32];
	struct probe_nodes nodes;

	memset(verdict, 0, sizeof(*verdict));
	verdict->node = own;
	probe_nodes_of(&nodes, probe, own);
	if (nodes.nr < 2) {
		verdict->word = PROBE_FEW;
		if (probe->rounds < PROBE_ROUNDS_LEAST)
			snprintf(verdict->text, sizeof(verdict->text),
				 "too few rounds to compare: %u are complete, %d are needed (rounds, time)",
				 probe->rounds, PROBE_ROUNDS_LEAST);
		else
			snprintf(verdict->text, sizeof(verdict->text),
				 "nothing to compare: memory of %s node was measured",
				 nodes.nr ? "one" : "no");
		return;
	}
	verdict->best = num_of(nodes.best_node);
	verdict->ratio = (double)(nodes.contradict ? nodes.own : nodes.worst).median /
			 nodes.best.median;
	probe_times(verdict->ratio, times, sizeof(times));
	if (nodes.contradict) {
		verdict->word = PROBE_CONTRADICTS;
		snprintf(verdict->text, sizeof(verdict->text),
			 "memory on node %u is %s faster although %s",
			 nodes.best_node, times, probe_says(&dev->place, says, sizeof(says)));
	} else if (!nodes.differ) {
		verdict->word = PROBE_SAME;
		snprintf(verdict->text, sizeof(verdict->text),
			 "no difference: memory of no node is faster than another's, as far as %u rounds tell",
			 nodes.best.n);
	} else if (!nodes.own.n) {
		verdict->word = PROBE_UNKNOWN;
		snprintf(verdict->text, sizeof(verdict->text),
			 "memory on node %u is %s faster than on node %u, and %s",
			 nodes.best_node, times, nodes.worst_node,
			 own.known ? "the device's own was not measured" :
			 "nobody says where the device is");
	} else {
		verdict->word = PROBE_AGREES;
		snprintf(verdict->text, sizeof(verdict->text),
			 "%s, and no memory is faster: that of node %u is %s slower",
			 probe_says(&dev->place, says, sizeof(says)), nodes.worst_node, times);
	}
	if (verdict->word == PROBE_CONTRADICTS ||
	    (verdict->word == PROBE_UNKNOWN && !own.known))
		snprintf(verdict->fix, sizeof(verdict->fix), "nrdmactl dev set %s node %u",
			 dev->name, nodes.best_node);
}

/**
 * probe_stronger() - does a verdict say more than another one?
 *
 * What was seen at one size is not gone because it was not seen at another: between
 * large messages the device's own rate hides where memory is.
 */
bool probe_stronger(const struct probe_verdict *a, const struct probe_verdict *b)
{
	static const unsigned int strength[] = {
		[PROBE_FEW] = 0,
		[PROBE_SAME] = 1,
		[PROBE_UNKNOWN] = 2,
		[PROBE_AGREES] = 3,
		[PROBE_CONTRADICTS] = 4,
	};

	if (strength[a->word] != strength[b->word])
		return strength[a->word] > strength[b->word];
	return a->word > PROBE_SAME && a->ratio > b->ratio;
}

/**
 * probe_time() - a time for people: "870 ns", "2.31 us", "18.4 ms"
 *
 * Return: @buf.
 */
const char *probe_time(long long ns, char *buf, size_t len)
{
	if (ns < 1000)
		snprintf(buf, len, "%lld ns", ns);
	else if (ns < 1000000)
		snprintf(buf, len, "%.2f us", ns / 1e3);
	else
		snprintf(buf, len, "%.2f ms", ns / 1e6);
	return buf;
}
