// SPDX-License-Identifier: GPL-2.0
/*
 * Where an RDMA device is: its PCI function, its node, and the nodes that its
 * memory and its interrupts go to.
 *
 * The node is never computed, it is what firmware says of the device or of one
 * above it. NUMA_NO_NODE stays NUMA_NO_NODE.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/limits.h>
#include <linux/mmzone.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/topology.h>
#include <rdma/ib_verbs.h>

#include "node.h"

/* ---- nodes near a node ---- */

/**
 * nrdma_node_has_cpus() - may interrupts go there?
 * @node: a node, online or not
 *
 * Return: true when one of its CPUs is online.
 */
bool nrdma_node_has_cpus(int node)
{
	return node_online(node) && cpumask_intersects(cpumask_of_node(node), cpu_online_mask);
}

/**
 * nrdma_node_has_memory() - may buffers lie there?
 * @node: any number
 *
 * Movable memory, all that a node may have, cannot be pinned for long.
 *
 * Return: true when it has memory of another kind.
 */
bool nrdma_node_has_memory(int node)
{
	int i;

	if (node < 0 || node >= nr_node_ids || !node_state(node, N_MEMORY))
		return false;
	for (i = 0; i <= ZONE_NORMAL; i++)
		if (populated_zone(&NODE_DATA(node)->node_zones[i]))
			return true;
	return false;
}

/*
 * The physical package that @node lies in, -1 when none of its CPUs tells.
 * Offline ones do, when no other is left.
 */
static int nrdma_node_package(int node)
{
	int package = -1;
	unsigned int cpu;

	for_each_present_cpu(cpu) {
		if (cpu_to_node(cpu) != node)
			continue;
		package = topology_physical_package_id(cpu);
		if (cpu_online(cpu))
			break;
	}
	return package;
}

/* Those of @from that are nearest to @node; several where equally near */
static void nrdma_node_nearest(int node, const nodemask_t *from, nodemask_t *nearest)
{
	int best = INT_MAX;
	int n;

	nodes_clear(*nearest);
	for_each_node_mask(n, *from) {
		int distance = node_distance(node, n);

		if (distance > best)
			continue;
		if (distance < best)
			nodes_clear(*nearest);
		best = distance;
		node_set(n, *nearest);
	}
}

static bool nrdma_node_one_package(const nodemask_t *nodes)
{
	int first = nrdma_node_package(first_node(*nodes));
	int n;

	if (first < 0)
		return false;
	for_each_node_mask(n, *nodes)
		if (nrdma_node_package(n) != first)
			return false;
	return true;
}

/**
 * nrdma_node_cpus() - the nodes whose CPUs are nearest to a node
 * @node: a node, not NUMA_NO_NODE
 * @nodes: out: those that have CPUs online now; several where equally near
 *
 * The node itself, else what is nearest in its own socket, else what is nearest.
 * A node that never had a CPU is taken to be in the socket of its nearest nodes,
 * where these are all in one.
 *
 * Context: any; what it says may be out of date at once.
 * Return: how near they are; NRDMA_TIER_NONE leaves @nodes empty.
 */
enum nrdma_tier nrdma_node_cpus(int node, nodemask_t *nodes)
{
	nodemask_t from = NODE_MASK_NONE;
	int package, n;

	nodes_clear(*nodes);
	if (nrdma_node_has_cpus(node)) {
		node_set(node, *nodes);
		return NRDMA_TIER_NODE;
	}

	package = nrdma_node_package(node);
	for_each_online_node(n)
		if (package >= 0 && nrdma_node_has_cpus(n) && nrdma_node_package(n) == package)
			node_set(n, from);
	if (!nodes_empty(from)) {
		nrdma_node_nearest(node, &from, nodes);
		return NRDMA_TIER_SOCKET;
	}

	for_each_online_node(n)
		if (nrdma_node_has_cpus(n))
			node_set(n, from);
	if (nodes_empty(from))
		return NRDMA_TIER_NONE;
	nrdma_node_nearest(node, &from, nodes);
	if (package < 0 && nrdma_node_one_package(nodes))
		return NRDMA_TIER_SOCKET;
	return NRDMA_TIER_REST;
}

/**
 * nrdma_node_memory() - the nearest node with memory
 * @node: a node, not NUMA_NO_NODE
 *
 * Return: @node itself where it has memory; NUMA_NO_NODE when there is none.
 */
int nrdma_node_memory(int node)
{
	nodemask_t from = NODE_MASK_NONE, nearest;
	int n;

	if (nrdma_node_has_memory(node))
		return node;
	for_each_online_node(n)
		if (nrdma_node_has_memory(n))
			node_set(n, from);
	nrdma_node_nearest(node, &from, &nearest);
	return nodes_empty(nearest) ? NUMA_NO_NODE : first_node(nearest);
}

/* ---- from the RDMA device to its node ---- */

static bool nrdma_place_was_at(const struct nrdma_place *place, const char *bus,
			       const char *name)
{
	unsigned int i;

	for (i = 0; i < place->nr_steps; i++)
		if (!strcmp(place->steps[i].bus, bus) && !strcmp(place->steps[i].name, name))
			return true;
	return false;
}

/*
 * What is on no bus only holds others together. The kernel's walk over lower
 * devices comes by a layer again on its way back.
 */
static void nrdma_place_step(struct nrdma_place *place, struct device *dev, const char *name)
{
	struct nrdma_step *step;

	if (place->nr_steps == NRDMA_STEPS_MAX || !*dev_bus_name(dev) ||
	    nrdma_place_was_at(place, dev_bus_name(dev), name))
		return;
	step = &place->steps[place->nr_steps++];
	strscpy(step->bus, dev_bus_name(dev), sizeof(step->bus));
	strscpy(step->name, name, sizeof(step->name));
	step->node = dev_to_node(dev);
}

/**
 * struct nrdma_chain - what a device and those above it say
 * @node: the first node named, NUMA_NO_NODE when none is
 * @pdev: the first PCI function, NULL without one
 * @source: who named @node
 */
struct nrdma_chain {
	int			node;
	struct pci_dev		*pdev;
	enum nrdma_node_source	source;
};

/*
 * From @dev upwards until both are known: a virtio or auxiliary device may have
 * a node of its own and its PCI function is one level up.
 */
static void nrdma_place_climb(struct nrdma_place *place, struct device *dev,
			      struct nrdma_chain *chain)
{
	bool by_pci = false;

	chain->node = NUMA_NO_NODE;
	chain->pdev = NULL;

	for (; dev; dev = dev->parent) {
		int node = dev_to_node(dev);

		nrdma_place_step(place, dev, dev_name(dev));
		if (!chain->pdev && dev_is_pci(dev))
			chain->pdev = to_pci_dev(dev);
		if (chain->node == NUMA_NO_NODE && node != NUMA_NO_NODE && node_online(node)) {
			chain->node = node;
			by_pci = !chain->pdev || dev_is_pci(dev);
		}
		if (chain->node != NUMA_NO_NODE && chain->pdev)
			break;
	}

	if (chain->node == NUMA_NO_NODE)
		chain->source = NRDMA_NODE_SOURCE_UNKNOWN;
	else if (chain->pdev && by_pci)
		chain->source = NRDMA_NODE_SOURCE_PCI;
	else
		chain->source = NRDMA_NODE_SOURCE_PARENT;
}

/**
 * struct nrdma_lowers - what the hardware below a network device says
 * @place: takes the steps
 * @node: the node of all of it, NUMA_NO_NODE when unknown or they differ
 * @pdev: the PCI function of all of it, NULL when they differ
 * @nr: how many there are
 * @hardware: there is some
 * @differ: they lie on different nodes
 */
struct nrdma_lowers {
	struct nrdma_place	*place;
	int			node;
	struct pci_dev		*pdev;
	unsigned int		nr;
	bool			hardware;
	bool			differ;
};

/*
 * The bottom, or a layer on the way (bond, team, VLAN, macvlan). Without rtnl a rename
 * frees the device's own name under who reads it; the network device's is an array.
 */
static void nrdma_place_netdev(struct nrdma_lowers *lowers, struct net_device *netdev)
{
	struct nrdma_chain chain;

	nrdma_place_step(lowers->place, &netdev->dev, netdev->name);
	if (!netdev->dev.parent && !list_empty(&netdev->adj_list.lower))
		return;

	nrdma_place_climb(lowers->place, netdev->dev.parent, &chain);
	if (netdev->dev.parent)
		lowers->hardware = true;
	if (!lowers->nr++) {
		lowers->node = chain.node;
		lowers->pdev = chain.pdev;
		return;
	}
	if (lowers->node != chain.node)
		lowers->differ = true;
	if (lowers->pdev != chain.pdev)
		lowers->pdev = NULL;
}

static int nrdma_place_lower(struct net_device *lower, struct netdev_nested_priv *priv)
{
	nrdma_place_netdev(priv->data, lower);
	return 0;
}

/**
 * nrdma_place_first_netdev() - the network device of a device
 * @ib: registered RDMA device
 *
 * Context: may sleep; takes neither rtnl nor a lock that is held under it.
 * Return: that of the first port that has one, for dev_put(), or NULL.
 */
struct net_device *nrdma_place_first_netdev(struct ib_device *ib)
{
	struct net_device *netdev;
	u32 port;

	rdma_for_each_port(ib, port) {
		netdev = ib_device_get_netdev(ib, port);
		if (netdev)
			return netdev;
	}
	return NULL;
}

/*
 * By way of the network device, for rxe and siw. Under RCU: add() runs with
 * devices_rwsem held, under which rtnl must not be taken.
 */
static void nrdma_place_by_netdev(struct nrdma_place *place, struct net_device *netdev)
{
	struct nrdma_lowers lowers = { .place = place, .node = NUMA_NO_NODE };
	struct netdev_nested_priv priv = { .data = &lowers };

	rcu_read_lock();
	nrdma_place_netdev(&lowers, netdev);
	if (!netdev->dev.parent)
		netdev_walk_all_lower_dev_rcu(netdev, nrdma_place_lower, &priv);
	place->pdev = pci_dev_get(lowers.pdev);
	rcu_read_unlock();

	if (lowers.differ) {
		place->found_unknown = NRDMA_NODE_UNKNOWN_DISAGREE;
	} else if (lowers.node != NUMA_NO_NODE) {
		place->found = lowers.node;
		place->found_source = NRDMA_NODE_SOURCE_NETDEV;
	} else if (lowers.hardware) {
		place->found_unknown = NRDMA_NODE_UNKNOWN_FIRMWARE;
	} else {
		place->found_unknown = NRDMA_NODE_UNKNOWN_VIRTUAL;
	}
}

/**
 * nrdma_place_resolve() - find out where an RDMA device is
 * @place: filled in; without any override
 * @ib: registered RDMA device
 *
 * What cannot be found is said to be unknown, with the reason.
 *
 * Context: may sleep; takes no lock that the RDMA core holds around add().
 * nrdma_place_release() lets go of what @place refers to.
 */
void nrdma_place_resolve(struct nrdma_place *place, struct ib_device *ib)
{
	struct net_device *netdev = nrdma_place_first_netdev(ib);
	struct nrdma_chain chain;

	memset(place, 0, sizeof(*place));
	place->found = NUMA_NO_NODE;
	if (netdev)
		strscpy(place->netdev, netdev->name, sizeof(place->netdev));

	if (ib->dev.parent) {
		nrdma_place_climb(place, ib->dev.parent, &chain);
		place->pdev = pci_dev_get(chain.pdev);
		place->found = chain.node;
		place->found_source = chain.source;
		if (chain.node == NUMA_NO_NODE)
			place->found_unknown = NRDMA_NODE_UNKNOWN_FIRMWARE;
	} else if (netdev) {
		nrdma_place_by_netdev(place, netdev);
	} else {
		place->found_unknown = NRDMA_NODE_UNKNOWN_NETDEV;
	}
	dev_put(netdev);

	nrdma_place_override(place, NUMA_NO_NODE);
}

/**
 * nrdma_place_refresh() - look up again where memory and interrupts go
 * @place: resolved
 *
 * CPUs and memory come and go; the node itself does not change by that.
 *
 * Context: any; the caller keeps others off @place.
 */
void nrdma_place_refresh(struct nrdma_place *place)
{
	if (place->node == NUMA_NO_NODE) {
		place->mem_node = NUMA_NO_NODE;
		nodes_clear(place->cpu_nodes);
		place->tier = NRDMA_TIER_NONE;
	} else {
		place->mem_node = nrdma_node_memory(place->node);
		place->tier = nrdma_node_cpus(place->node, &place->cpu_nodes);
	}
}

/**
 * nrdma_place_override() - let an administrator say where a device is
 * @place: resolved
 * @node: an online node, or NUMA_NO_NODE for what was found
 *
 * Context: any; the caller keeps others off @place.
 */
void nrdma_place_override(struct nrdma_place *place, int node)
{
	place->override = node;
	if (node == NUMA_NO_NODE) {
		place->node = place->found;
		place->source = place->found_source;
		place->unknown = place->found_unknown;
	} else {
		place->node = node;
		place->source = NRDMA_NODE_SOURCE_OVERRIDE;
		place->unknown = NRDMA_NODE_UNKNOWN_NONE;
	}

	nrdma_place_refresh(place);
}

/**
 * nrdma_place_release() - let go of the PCI function
 * @place: resolved
 */
void nrdma_place_release(struct nrdma_place *place)
{
	pci_dev_put(place->pdev);
	place->pdev = NULL;
}
