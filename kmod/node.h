/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_NODE_H
#define NRDMA_NODE_H

#include <linux/if.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <uapi/linux/nrdma.h>

struct ib_device;

#define NRDMA_STEPS_MAX		12

/**
 * struct nrdma_step - a device on the way from an RDMA device to its node
 * @bus: bus or class ("pci", "virtio", "net")
 * @name: the device's name there
 * @node: the node that it names, or NUMA_NO_NODE
 */
struct nrdma_step {
	char	bus[16];
	char	name[NRDMA_NAME_MAX];
	int	node;
};

/**
 * struct nrdma_place - where a device is
 * @pdev: its PCI function, referenced, or NULL
 * @netdev: name of the network device of the first port that has one, or ""
 * @node: its node, or NUMA_NO_NODE
 * @found: what was found before any override, or NUMA_NO_NODE
 * @override: an administrator's word, or NUMA_NO_NODE
 * @mem_node: where buffers go: the nearest node with memory, or NUMA_NO_NODE
 * @cpu_nodes: where interrupts go: the nearest nodes with CPUs
 * @source: how @node is known
 * @found_source: how @found is known
 * @unknown: why @node is not
 * @found_unknown: why @found is not
 * @tier: how near @cpu_nodes are
 * @nr_steps: entries in @steps
 * @steps: how @found was found
 */
struct nrdma_place {
	struct pci_dev		*pdev;
	char			netdev[IFNAMSIZ];
	int			node;
	int			found;
	int			override;
	int			mem_node;
	nodemask_t		cpu_nodes;
	enum nrdma_node_source	source;
	enum nrdma_node_source	found_source;
	enum nrdma_node_unknown	unknown;
	enum nrdma_node_unknown	found_unknown;
	enum nrdma_tier		tier;
	unsigned int		nr_steps;
	struct nrdma_step	steps[NRDMA_STEPS_MAX];
};

void nrdma_place_resolve(struct nrdma_place *place, struct ib_device *ib);
void nrdma_place_override(struct nrdma_place *place, int node);
void nrdma_place_refresh(struct nrdma_place *place);
void nrdma_place_release(struct nrdma_place *place);
struct net_device *nrdma_place_first_netdev(struct ib_device *ib);

int nrdma_node_memory(int node);
bool nrdma_node_has_memory(int node);
enum nrdma_tier nrdma_node_cpus(int node, nodemask_t *nodes);
bool nrdma_node_has_cpus(int node);

#endif /* NRDMA_NODE_H */
