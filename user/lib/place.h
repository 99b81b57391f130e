/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef NRDMA_PLACE_H
#define NRDMA_PLACE_H

#include <stdbool.h>

#include <linux/nrdma.h>

#define NRDMA_IB_DIR	"/sys/class/infiniband"

/**
 * struct nrdma_place - where an RDMA device is, as sysfs tells it
 * @node: or -1
 * @pci: its PCI function as sysfs names it, "" without one, or when there are
 *	several
 */
struct nrdma_place {
	int	node;
	char	pci[32];
};

void nrdma_place_resolve(struct nrdma_place *place, const char *ib);
int nrdma_place_find(const char *name, char ib[NRDMA_NAME_MAX]);

#endif /* NRDMA_PLACE_H */
