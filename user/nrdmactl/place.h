/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PLACE_H
#define NRDMACTL_PLACE_H

#include "cpus.h"
#include "sys.h"
#include "value.h"

#define PLACE_STEPS	16

struct place_step {
	struct str bus, name;
	struct num node;
};

/**
 * struct place - where a device is, by sysfs or by the module
 * @pci: address of its PCI function
 * @pci_dir: that function's directory, "" when not known
 * @node: its node; why not: virtual, firmware...
 * @mem_node: where buffers go
 * @cpu_nodes: where interrupts go, empty when not known
 * @source: how @node is known (enum nrdma_node_source)
 * @override: an administrator's word
 * @tier: how near @cpu_nodes are (enum nrdma_tier)
 * @nr_steps: entries in @steps
 * @steps: how it was found
 */
struct place {
	struct str pci;
	char pci_dir[SYS_PATH_MAX];
	struct num node;
	struct num mem_node;
	struct cpus cpu_nodes;
	struct num source;
	struct num override;
	struct num tier;
	unsigned int nr_steps;
	struct place_step steps[PLACE_STEPS];
};

void place_resolve(struct place *place, const char *device_dir, const char *netdev);
bool place_cpus(const struct place *place, struct cpus *cpus);

#endif /* NRDMACTL_PLACE_H */
