// SPDX-License-Identifier: GPL-2.0
/*
 * Where a device is, as sysfs tells it: what the module does in the kernel,
 * for hosts without the module.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/nrdma.h>

#include "numa.h"
#include "place.h"

#define PLACE_DEPTH	8	/* of network devices over network devices */

static void place_step(struct place *place, const char *bus, const char *name, struct num node)
{
	struct place_step *step;

	if (place->nr_steps == PLACE_STEPS)
		return;
	step = &place->steps[place->nr_steps++];
	step->bus = str_of(bus);
	step->name = str_of(name);
	step->node = node;
}

static struct num place_numa_node(const char *dir)
{
	struct num node = sys_num("%s/numa_node", dir);

	if (node.known && node.v < 0)
		node = num_none("not in firmware");
	return node;
}

/*
 * From a device up to the first PCI function. A device on no bus ("net" and
 * other classes, plain containers) names nothing that could have a node.
 */
static void place_walk(struct place *place, const char *device_dir)
{
	char dir[SYS_PATH_MAX], subsystem[SYS_PATH_MAX];
	struct num node;
	char *slash;

	snprintf(dir, sizeof(dir), "%s", device_dir);
	while (!strncmp(dir, "/sys/devices/", 13)) {
		if (!sys_real(subsystem, "%s/subsystem", dir)) {
			node = place_numa_node(dir);
			place_step(place, sys_base(subsystem), sys_base(dir), node);
			if (!strcmp(sys_base(subsystem), "pci")) {
				place->pci = str_of(sys_base(dir));
				memcpy(place->pci_dir, dir, sizeof(dir));
				place->node = node.known ? node :
					num_none("not in firmware");
				place->source = num_of(NRDMA_NODE_SOURCE_PCI);
				return;
			}
			if (node.known && !place->node.known) {
				place->node = node;
				place->source = num_of(NRDMA_NODE_SOURCE_PARENT);
			}
		}
		slash = strrchr(dir, '/');
		*slash = '\0';
	}
	if (!place->node.known)
		place->node = num_none("virtual");
}

static void place_netdev(struct place *place, const char *netdev, unsigned int depth)
{
	char dir[SYS_PATH_MAX];
	struct place lower;
	unsigned int s, found = 0;
	char **names;
	int i, n;

	place_step(place, "net", netdev, num_none("none"));
	if (!sys_real(dir, "/sys/class/net/%s/device", netdev)) {
		place_walk(place, dir);
		return;
	}
	place->node = num_none("virtual");
	n = sys_list(&names, "/sys/class/net/%s", netdev);
	for (i = 0; i < n; i++) {
		if (strncmp(names[i], "lower_", 6) || depth == PLACE_DEPTH)
			continue;
		memset(&lower, 0, sizeof(lower));
		place_netdev(&lower, names[i] + 6, depth + 1);
		for (s = 0; s < lower.nr_steps; s++)
			place_step(place, lower.steps[s].bus.s, lower.steps[s].name.s,
				   lower.steps[s].node);
		if (!found++) {
			place->node = lower.node;
			place->pci = lower.pci;
			memcpy(place->pci_dir, lower.pci_dir, sizeof(place->pci_dir));
			continue;
		}
		if (lower.node.known != place->node.known || lower.node.v != place->node.v)
			place->node = num_none("lower devices differ");
		if (strcmp(lower.pci_dir, place->pci_dir)) {
			place->pci = str_none("several lower devices");
			place->pci_dir[0] = '\0';
		}
	}
	sys_list_free(names, n);
}

static void place_nearest(struct place *place)
{
	struct cpus with, nearest;

	place->mem_node = num_none(place->node.why);
	place->tier = num_none(place->node.why);
	if (!place->node.known)
		return;
	if (!numa_with_memory(&with)) {
		numa_nearest(place->node.v, &with, &nearest);
		if (!cpus_empty(&nearest))
			place->mem_node = num_of(cpus_next(&nearest, -1));
	}
	if (!numa_with_cpus(&with)) {
		numa_nearest(place->node.v, &with, &place->cpu_nodes);
		/* A node without CPUs tells no socket, so that tier is the module's */
		if (cpus_has(&place->cpu_nodes, place->node.v))
			place->tier = num_of(NRDMA_TIER_NODE);
		else if (!cpus_empty(&place->cpu_nodes))
			place->tier = num_of(NRDMA_TIER_REST);
	}
}

/**
 * place_resolve() - find a device's PCI function and nodes
 * @place: out, all of it
 * @device_dir: directory of the RDMA device's parent, or NULL
 * @netdev: its network device, or NULL
 */
void place_resolve(struct place *place, const char *device_dir, const char *netdev)
{
	memset(place, 0, sizeof(*place));
	place->pci = str_none("virtual");
	if (device_dir)
		place_walk(place, device_dir);
	else if (netdev)
		place_netdev(place, netdev, 0);
	else
		place->node = num_none("no netdev");
	if (!place->node.known)
		place->source = num_none(place->node.why);
	else if (!device_dir)
		place->source = num_of(NRDMA_NODE_SOURCE_NETDEV);
	place->override = num_none("none");
	place_nearest(place);
}

/**
 * place_cpus() - the online CPUs of a device's CPU nodes
 * @cpus: out
 *
 * Return: whether there are any.
 */
bool place_cpus(const struct place *place, struct cpus *cpus)
{
	struct cpus one;
	int node;

	memset(cpus, 0, sizeof(*cpus));
	for (node = cpus_next(&place->cpu_nodes, -1); node >= 0;
	     node = cpus_next(&place->cpu_nodes, node))
		if (!numa_cpus(node, &one))
			cpus_or(cpus, &one);
	return !cpus_empty(cpus);
}
