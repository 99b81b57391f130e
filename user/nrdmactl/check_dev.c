// SPDX-License-Identifier: GPL-2.0
/* Checks of a device: its node, ports, PCIe link and character device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/nrdma.h>

#include "checker.h"
#include "size.h"
#include "sys.h"

#define ROCE_NETDEV_MTU	4200	/* room for 4096 and every header of RoCE */

static void check_chardev_dev(struct checker *c, const struct dev *dev)
{
	char fix[128];

	if (!dev->by_module) {
		checker_say(c, VERDICT_NA, NULL, "no module");
		return;
	}
	if (dev->error.known && dev->error.v) {
		checker_say(c, VERDICT_FAIL, "modprobe -r nrdma; modprobe nrdma",
			    "the module could not make it: %s", strerror(-dev->error.v));
		return;
	}
	if (!dev->chardev.known) {
		checker_say(c, VERDICT_FAIL, "modprobe -r nrdma; modprobe nrdma",
			    "the module made none");
		return;
	}
	snprintf(fix, sizeof(fix), "chmod 666 %.100s", dev->chardev.s);
	if (!access(dev->chardev.s, R_OK | W_OK))
		checker_say(c, VERDICT_OK, NULL, "%s can be opened", dev->chardev.s);
	else if (errno == ENOENT)
		checker_say(c, VERDICT_FAIL, "udevadm trigger --subsystem-match=nrdma",
			    "%s does not exist", dev->chardev.s);
	else
		checker_say(c, VERDICT_FAIL, fix, "%s: %s", dev->chardev.s, strerror(errno));
}

const struct check check_chardev = {
	.id = "chardev",
	.expected = "this user may open it for reading and writing",
	.why = "buffers are made through it",
	.dev = check_chardev_dev,
};

static void check_node_dev(struct checker *c, const struct dev *dev)
{
	const struct place *place = &dev->place;
	char fix[128];

	snprintf(fix, sizeof(fix), "nrdmactl dev set %s node N", dev->name);
	if (!place->node.known)
		checker_say(c, VERDICT_FAIL, fix, "not known: %s", place->node.why);
	else if (place->override.known)
		checker_say(c, VERDICT_INFO, NULL, "node %lld, by an administrator's word",
			    place->node.v);
	else if (place->mem_node.known && place->mem_node.v != place->node.v)
		checker_say(c, VERDICT_WARN, NULL, "node %lld has no memory, buffers go to node %lld",
			    place->node.v, place->mem_node.v);
	else if (place->tier.known && place->tier.v != NRDMA_TIER_NODE)
		checker_say(c, VERDICT_WARN, NULL, "node %lld has no CPUs, interrupts go elsewhere",
			    place->node.v);
	else
		checker_say(c, VERDICT_OK, NULL, "node %lld", place->node.v);
}

const struct check check_node = {
	.id = "node",
	.expected = "known, with memory and CPUs",
	.why = "what is near cannot be told without it",
	.dev = check_node_dev,
};

/* Where to look next, from what is seen of a port that is not active */
static void check_port_one(struct checker *c, const struct dev *dev, const struct dev_port *port)
{
	struct num flags, carrier;
	char fix[192];

	if (!port->state.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: %s", port->port,
			    port->state.why ? port->state.why : "state not known");
		return;
	}
	if (!strcmp(port->state.s, "active")) {
		checker_say(c, VERDICT_OK, NULL, "port %u is active", port->port);
		return;
	}
	if (port->netdev.known) {
		flags = sys_num("/sys/class/net/%s/flags", port->netdev.s);
		carrier = sys_num("/sys/class/net/%s/carrier", port->netdev.s);
		if (flags.known && !(flags.v & 1)) {
			snprintf(fix, sizeof(fix), "ip link set %s up", port->netdev.s);
			checker_say(c, VERDICT_FAIL, fix, "port %u is %s: %s is switched off",
				    port->port, port->state.s, port->netdev.s);
		} else if (carrier.known && !carrier.v) {
			snprintf(fix, sizeof(fix), "ethtool %s", port->netdev.s);
			checker_say(c, VERDICT_FAIL, fix,
				    "port %u is %s: %s has no carrier; look at cable, module and switch port",
				    port->port, port->state.s, port->netdev.s);
		} else {
			snprintf(fix, sizeof(fix), "rdma link show %s/%u", dev->name, port->port);
			checker_say(c, VERDICT_FAIL, fix,
				    "port %u is %s although %s has a carrier; look at its address and at the switch",
				    port->port, port->state.s, port->netdev.s);
		}
		return;
	}
	if (!strcmp(port->state.s, "init") || !strcmp(port->state.s, "armed"))
		checker_say(c, VERDICT_FAIL, "systemctl start opensm",
			    "port %u is %s: the link is there, no subnet manager is", port->port,
			    port->state.s);
	else
		checker_say(c, VERDICT_FAIL, NULL,
			    "port %u is %s, physically %s; look at cable, module and switch port",
			    port->port, port->state.s, port->physical_state.s);
}

static void check_port_dev(struct checker *c, const struct dev *dev)
{
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++)
		if (!c->survey.picked.port || dev->ports[i].port == c->survey.picked.port)
			check_port_one(c, dev, &dev->ports[i]);
	if (!dev->nr_ports)
		checker_say(c, VERDICT_NA, NULL, "it shows no port");
}

const struct check check_port = {
	.id = "port",
	.expected = "every port is active",
	.why = "nothing goes over a port that is not",
	.dev = check_port_dev,
};

static bool check_software(const struct dev *dev)
{
	return dev->driver.known && (!strcmp(dev->driver.s, "rdma_rxe") ||
				     !strcmp(dev->driver.s, "siw"));
}

static void check_pcie_dev(struct checker *c, const struct dev *dev)
{
	const struct pci_func *pci = &dev->pci;
	long long able, ports = 0;
	unsigned int i;
	char now[32], most[32];

	if (!pci->now.bps.known || !pci->max.bps.known) {
		checker_say(c, VERDICT_NA, NULL, "link: %s",
			    pci->now.bps.known ? pci->max.bps.why : pci->now.bps.why);
		return;
	}
	size_format_bps(pci->now.bps.v, now, sizeof(now));
	able = pci->max.bps.v;
	if (pci->upstream_max.bps.known && pci->upstream_max.bps.v < able)
		able = pci->upstream_max.bps.v;
	size_format_bps(able, most, sizeof(most));
	if (pci->now.bps.v < able) {
		checker_say(c, VERDICT_FAIL, NULL,
			    "%s x%lld, %s; card and slot could do %s: seat the card again, look at the slot's lanes in the firmware's setup",
			    pci->now.speed.s, pci->now.width.v, now, most);
		return;
	}
	if (able < pci->max.bps.v) {
		size_format_bps(pci->max.bps.v, most, sizeof(most));
		checker_say(c, VERDICT_WARN, NULL,
			    "%s, all that this slot does; the card could do %s in another", now,
			    most);
		return;
	}
	/* A software device's rate is made up */
	for (i = 0; i < dev->nr_ports && !check_software(dev); i++)
		if (dev->ports[i].rate.bps.known)
			ports += dev->ports[i].rate.bps.v;
	size_format_bps(ports, most, sizeof(most));
	if (pci->now.bps.v < ports)
		checker_say(c, VERDICT_WARN, NULL, "%s for ports of %s", now, most);
	else
		checker_say(c, VERDICT_OK, NULL, "%s x%lld, %s", pci->now.speed.s,
			    pci->now.width.v, now);
}

const struct check check_pcie = {
	.id = "pcie",
	.expected = "the link runs as fast as card and slot can, and as the ports need",
	.why = "a link that trained down halves the bandwidth, and nothing else tells",
	.dev = check_pcie_dev,
};

static void check_mtu_dev(struct checker *c, const struct dev *dev)
{
	const struct dev_port *port;
	char fix[192];
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++) {
		port = &dev->ports[i];
		if (c->survey.picked.port && port->port != c->survey.picked.port)
			continue;
		/* Nobody sets a path MTU for InfiniBand here, and iWARP has TCP's */
		if (strcmp(port->link_layer, "RoCE")) {
			checker_say(c, VERDICT_NA, NULL, "port %u is %s", port->port,
				    port->link_layer);
			continue;
		}
		if (!port->active_mtu.known || !port->max_mtu.known) {
			checker_say(c, VERDICT_NA, NULL, "port %u: %s", port->port,
				    port->active_mtu.why ? port->active_mtu.why : "not known");
			continue;
		}
		if (port->active_mtu.v >= port->max_mtu.v) {
			checker_say(c, VERDICT_OK, NULL, "port %u: %lld", port->port,
				    port->active_mtu.v);
			continue;
		}
		if (port->netdev.known)
			snprintf(fix, sizeof(fix), "ip link set %s mtu %d", port->netdev.s,
				 ROCE_NETDEV_MTU);
		checker_say(c, VERDICT_FAIL, port->netdev.known ? fix : NULL,
			    "port %u: %lld of %lld, for %s has %lld", port->port,
			    port->active_mtu.v, port->max_mtu.v,
			    port->netdev.known ? port->netdev.s : "its network device",
			    port->netdev_mtu.v);
	}
}

const struct check check_mtu = {
	.id = "mtu",
	.expected = "RoCE: the most that the port can",
	.why = "small packets cost rate; switches and the other end must take large ones too",
	.dev = check_mtu_dev,
};
