/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PCI_H
#define NRDMACTL_PCI_H

#include "value.h"

struct pci_addr {
	unsigned int domain;
	unsigned int bus, slot, function;
};

/* A link as it runs, or the most that one end of it can do */
struct pci_link {
	struct str speed;	/* of a lane: "16.0 GT/s" */
	struct num width;
	struct num bps;		/* after line coding */
};

struct pci_func {
	struct str upstream;	/* address of the port above */
	struct pci_link now, max;
	struct pci_link upstream_now, upstream_max;	/* of the port above */
};

bool pci_parse(struct pci_addr *addr, const char *text);
bool pci_equal(const struct pci_addr *a, const struct pci_addr *b);
struct num pci_bps(const char *speed, long long width);
void pci_read(struct pci_func *func, const char *dir);

#endif /* NRDMACTL_PCI_H */
