// SPDX-License-Identifier: GPL-2.0
/* Checks of a device: its node, PCIe link and character device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/nrdma.h>

#include "checker.h"
#include "mod.h"
#include "size.h"
#include "sys.h"

/* devtmpfs makes it, or who made /dev of a container */
static void check_chardev_absent(struct checker *c, const char *path)
{
	struct str nr = sys_str("/sys/class/nrdma/%s/dev", sys_base(path));
	unsigned int major, minor;
	char fix[256];

	if (nr.known && sscanf(nr.s, "%u:%u", &major, &minor) == 2)
		snprintf(fix, sizeof(fix), "mkdir -p /dev/nrdma && mknod -m 666 %s c %u %u", path,
			 major, minor);
	else
		nr.known = false;
	checker_say(c, VERDICT_FAIL, nr.known ? fix : NULL,
		    "%s does not exist; a container is given it with --device %s", path, path);
}

static void check_chardev_dev(struct checker *c, const struct dev *dev)
{
	const char *path = dev->chardev.s;
	char fix[160];

	if (!dev->by_module) {
		checker_say(c, VERDICT_NA, NULL, "%s", dev->chardev.why);
		return;
	}
	if (dev->error.known && dev->error.v) {
		checker_say(c, VERDICT_FAIL, MOD_RELOAD, "the module could not make it: %s",
			    strerror(-dev->error.v));
		return;
	}
	if (!dev->chardev.known) {
		checker_say(c, VERDICT_FAIL, MOD_RELOAD, "the module made none");
		return;
	}
	snprintf(fix, sizeof(fix), "chmod 666 %s", path);
	if (!access(path, R_OK | W_OK))
		checker_say(c, VERDICT_OK, NULL, "%s can be opened", path);
	else if (errno == ENOENT)
		check_chardev_absent(c, path);
	else if (errno == EPERM)
		checker_say(c, VERDICT_FAIL, NULL,
			    "%s is denied by the cgroup's devices; a container is given it with --device %s, a unit with DeviceAllow=",
			    path, path);
	else
		checker_say(c, VERDICT_FAIL, fix, "%s: %s", path, strerror(errno));
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

/* What both ends of a link can: the lesser speed on the lesser width */
static long long check_pcie_able(const struct pci_func *pci)
{
	const struct pci_link *up = &pci->upstream_max, *card = &pci->max;
	const char *speed = card->speed.s;

	if (!up->bps.known)
		return card->bps.v;
	if (strtod(up->speed.s, NULL) < strtod(speed, NULL))
		speed = up->speed.s;
	return pci_bps(speed, up->width.v < card->width.v ? up->width.v : card->width.v).v;
}

static void check_pcie_dev(struct checker *c, const struct dev *dev)
{
	const struct pci_func *pci = &dev->pci;
	long long able, ports = 0;
	unsigned int i;
	char now[32], most[32], fix[96];

	if (!pci->now.bps.known || !pci->max.bps.known) {
		checker_say(c, VERDICT_NA, NULL, "link: %s",
			    pci->now.bps.known ? pci->max.bps.why : pci->now.bps.why);
		return;
	}
	size_format_bps(pci->now.bps.v, now, sizeof(now));
	able = check_pcie_able(pci);
	size_format_bps(able, most, sizeof(most));
	if (pci->now.bps.v < able) {
		/* The port above has its link trained anew by a bit of its own */
		snprintf(fix, sizeof(fix), "setpci -s %.32s CAP_EXP+10.w=20:20", pci->upstream.s);
		checker_say(c, VERDICT_FAIL, pci->upstream.known ? fix : NULL,
			    "%s x%lld, %s; card and slot could do %s: train it again; if that is not it, seat the card again, look at the slot's lanes in the firmware's setup",
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
	for (i = 0; i < dev->nr_ports && !dev_is_software(dev); i++)
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
