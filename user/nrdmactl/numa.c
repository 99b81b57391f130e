// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "numa.h"
#include "sys.h"

#define NODE_DIR	"/sys/devices/system/node"

static int numa_list(struct cpus *set, const char *file)
{
	char text[CPUS_TEXT];
	ssize_t n = sys_read(text, sizeof(text), NODE_DIR "/%s", file);

	memset(set, 0, sizeof(*set));
	return n < 0 ? n : cpus_parse(set, text);
}

int numa_online(struct cpus *nodes)
{
	return numa_list(nodes, "online");
}

/* A list that is asked for by each device, read once */
struct numa_once {
	bool read;
	int err;
	struct cpus nodes;
};

static int numa_list_once(struct numa_once *once, struct cpus *nodes, const char *file)
{
	if (!once->read)
		once->err = numa_list(&once->nodes, file);
	once->read = true;
	*nodes = once->nodes;
	return once->err;
}

int numa_with_memory(struct cpus *nodes)
{
	static struct numa_once once;

	return numa_list_once(&once, nodes, "has_memory");
}

int numa_with_cpus(struct cpus *nodes)
{
	static struct numa_once once;

	return numa_list_once(&once, nodes, "has_cpu");
}

/**
 * numa_cpus() - the online CPUs of a node
 */
int numa_cpus(unsigned int node, struct cpus *cpus)
{
	char file[32];

	snprintf(file, sizeof(file), "node%u/cpulist", node);
	return numa_list(cpus, file);
}

/* The CPUs of every node, read once: irq show asks for each vector. */
static struct numa_map {
	bool read;
	short node[CPUS_MAX];
} numa_map;

static void numa_map_read(void)
{
	struct cpus nodes, cpus;
	int node, cpu;

	numa_map.read = true;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		numa_map.node[cpu] = -1;
	if (numa_online(&nodes))
		return;
	for (node = cpus_next(&nodes, -1); node >= 0; node = cpus_next(&nodes, node)) {
		if (numa_cpus(node, &cpus))
			continue;
		for (cpu = cpus_next(&cpus, -1); cpu >= 0; cpu = cpus_next(&cpus, cpu))
			numa_map.node[cpu] = node;
	}
}

/**
 * numa_of_cpu() - a CPU's node
 *
 * Return: the node, or -1 when the CPU is offline or sysfs does not tell.
 */
int numa_of_cpu(int cpu)
{
	if (!numa_map.read)
		numa_map_read();
	return cpu >= 0 && cpu < CPUS_MAX ? numa_map.node[cpu] : -1;
}

/**
 * numa_of_cpus() - the node that all of a set's CPUs are on
 *
 * Return: the node, or -1 when there is not just one.
 */
int numa_of_cpus(const struct cpus *cpus)
{
	int cpu = cpus_next(cpus, -1);
	int node = numa_of_cpu(cpu);

	while (node >= 0 && (cpu = cpus_next(cpus, cpu)) >= 0)
		if (numa_of_cpu(cpu) != node)
			return -1;
	return node;
}

/**
 * numa_nearest() - those of a set of nodes that are nearest to a node
 * @node: an online node
 * @among: candidates; @node itself wins when it is one
 * @nearest: out, all at the least distance; empty when @among is, or when the
 *	distances can not be read
 */
void numa_nearest(unsigned int node, const struct cpus *among, struct cpus *nearest)
{
	long least = LONG_MAX, distance;
	char text[4096], *p = text, *end;
	struct cpus online;
	int other;

	memset(nearest, 0, sizeof(*nearest));
	if (cpus_has(among, node)) {
		cpus_add(nearest, node);
		return;
	}
	if (numa_online(&online) ||
	    sys_read(text, sizeof(text), NODE_DIR "/node%u/distance", node) < 0)
		return;
	/* One number per online node, in their order */
	for (other = cpus_next(&online, -1); other >= 0; other = cpus_next(&online, other)) {
		distance = strtol(p, &end, 10);
		if (end == p)
			return;
		p = end;
		if (!cpus_has(among, other) || distance > least)
			continue;
		if (distance < least)
			memset(nearest, 0, sizeof(*nearest));
		least = distance;
		cpus_add(nearest, other);
	}
}
