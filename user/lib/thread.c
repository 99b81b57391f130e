// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Threads on a device's node.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "fail.h"
#include "sysfs.h"

#define NODE_DIR	"/sys/devices/system/node"
#define LIST_MAX	16384	/* a cpulist of all odd CPUs out of 4096 */
#define CPUS_MAX	65536

/**
 * struct nrdma_cpus - a set of CPUs of any size
 * @set: from CPU_ALLOC()
 * @size: its size, bytes
 */
struct nrdma_cpus {
	cpu_set_t	*set;
	size_t		size;
};

/* The caller's affinity; how large the kernel's masks are is found by trying. */
static int nrdma_cpus_allowed(struct nrdma_cpus *cpus)
{
	unsigned int nr;

	for (nr = 1024; nr <= CPUS_MAX; nr *= 2) {
		cpus->size = CPU_ALLOC_SIZE(nr);
		cpus->set = CPU_ALLOC(nr);
		if (!cpus->set)
			return -ENOMEM;
		CPU_ZERO_S(cpus->size, cpus->set);
		if (!sched_getaffinity(0, cpus->size, cpus->set))
			return 0;
		CPU_FREE(cpus->set);
		if (errno != EINVAL)
			return -errno;
	}
	return -EINVAL;
}

/* "0-3,8": those of a list that are in @from as well go to @to. How many, or -EINVAL. */
static int nrdma_cpus_pick(const char *list, const struct nrdma_cpus *from,
			   const struct nrdma_cpus *to)
{
	unsigned long first, last;
	int picked = 0;
	char *end;

	CPU_ZERO_S(to->size, to->set);
	while (*list) {
		first = last = strtoul(list, &end, 10);
		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list || last < first)
				return -EINVAL;
		}
		if (*end == ',')
			end++;
		else if (*end)
			return -EINVAL;
		list = end;
		for (; first <= last && first < to->size * 8; first++) {
			if (!CPU_ISSET_S(first, from->size, from->set))
				continue;
			CPU_SET_S(first, to->size, to->set);
			picked++;
		}
	}
	return picked;
}

static int nrdma_node_cpulist(int node, char list[LIST_MAX])
{
	ssize_t n = nrdma_sysfs_read(list, LIST_MAX, NODE_DIR "/node%d/cpulist", node);

	return n < 0 || n >= LIST_MAX - 1 ? -ENODATA : 0;
}

/*
 * The nearest node that has CPUs: @node itself, or the one of least distance.
 * The file "distance" has one number per online node, in order.
 */
static int nrdma_node_with_cpus(int node, char list[LIST_MAX])
{
	char online[4096], has_cpu[4096], distance[4096], *next = distance, *end;
	unsigned long best = ULONG_MAX, d;
	struct nrdma_cpus set[3] = { { 0 } };
	int nearest = -ENODATA, n, i;

	if (!nrdma_node_cpulist(node, list) && *list)
		return node;
	if (nrdma_sysfs_read(online, sizeof(online), NODE_DIR "/online") <= 0 ||
	    nrdma_sysfs_read(has_cpu, sizeof(has_cpu), NODE_DIR "/has_cpu") <= 0 ||
	    nrdma_sysfs_read(distance, sizeof(distance), NODE_DIR "/node%d/distance", node) <= 0)
		return -ENODATA;

	/* Lists of nodes are written as lists of CPUs are */
	for (i = 0; i < 3; i++) {
		set[i].size = CPU_ALLOC_SIZE(1024);
		set[i].set = CPU_ALLOC(1024);
		if (!set[i].set) {
			nearest = -ENOMEM;
			goto free_sets;
		}
	}
	memset(set[0].set, 0xff, set[0].size);
	if (nrdma_cpus_pick(online, &set[0], &set[1]) < 0 ||
	    nrdma_cpus_pick(has_cpu, &set[1], &set[2]) < 0)
		goto free_sets;
	for (n = 0; n < 1024; n++) {
		if (!CPU_ISSET_S(n, set[1].size, set[1].set))
			continue;
		d = strtoul(next, &end, 10);
		if (end == next)
			break;
		next = end;
		if (!CPU_ISSET_S(n, set[2].size, set[2].set) || d >= best)
			continue;
		best = d;
		nearest = n;
	}
	if (nearest >= 0 && (nrdma_node_cpulist(nearest, list) || !*list))
		nearest = -ENODATA;
free_sets:
	for (i = 0; i < 3; i++)
		if (set[i].set)
			CPU_FREE(set[i].set);
	return nearest;
}

static int nrdma_bind_to(int node, const char *list)
{
	struct nrdma_cpus allowed, picked;
	int n, ret;

	ret = nrdma_cpus_allowed(&allowed);
	if (ret)
		return nrdma_fail(ret, "cannot tell the thread's affinity: %s", strerror(-ret));
	picked.size = allowed.size;
	picked.set = CPU_ALLOC(allowed.size * 8);
	if (!picked.set) {
		CPU_FREE(allowed.set);
		return nrdma_fail(-ENOMEM, "no memory for a set of CPUs");
	}
	n = nrdma_cpus_pick(list, &allowed, &picked);
	if (n < 0)
		ret = nrdma_fail(-ENODATA, "node %d: \"%s\" is no list of CPUs", node, list);
	else if (!n)
		ret = nrdma_fail(-EPERM, "the thread may use none of CPUs %s of node %d: its "
				 "affinity or cpuset allows others only", list, node);
	else if (sched_setaffinity(0, picked.size, picked.set))
		ret = nrdma_fail(-errno, "node %d: sched_setaffinity: %m", node);
	CPU_FREE(picked.set);
	CPU_FREE(allowed.set);
	return ret;
}

int nrdma_bind_thread(const struct nrdma_dev *dev, int *node)
{
	struct nrdma_info info;
	char list[LIST_MAX];
	int before = errno;
	int at, ret;

	ret = nrdma_dev_info(dev, &info, sizeof(info));
	if (ret)
		return ret;
	if (info.node < 0)
		return nrdma_fail(-ENXIO, "the node of %s is not known; an administrator can set "
				  "it: nrdmactl dev set %s node N", info.name, info.name);
	at = nrdma_node_with_cpus(info.node, list);
	if (at < 0)
		return nrdma_fail(at, "no CPUs are to be found near node %d", info.node);
	ret = nrdma_bind_to(at, list);
	if (ret)
		return ret;
	if (node)
		*node = at;
	errno = before;
	return 0;
}
