/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_DEV_H
#define NRDMACTL_DEV_H

#include "pci.h"
#include "place.h"
#include "rate.h"
#include "value.h"

struct dev_port {
	unsigned int port;		/* from 1 */
	const char *link_layer;		/* InfiniBand, RoCE, iWARP, unknown */
	struct str state;		/* "active" */
	struct str physical_state;	/* "link_up" */
	struct rate rate;
	struct num max_rate;		/* the most that the port can */
	struct num active_mtu, max_mtu;
	struct str netdev;
	struct num netdev_mtu;
	bool asked;			/* see dev_port_asked() */
};

/* What a port's driver tells when it is asked, by the module or by verbs */
struct dev_link {
	struct num active_mtu, max_mtu;
	unsigned int speed, width;	/* enum ib_port_speed, enum ib_port_width */
};

/* Steering policy of the PCI function, and what came of it */
struct dev_policy {
	bool known;
	struct num mode, node, isolated, lock;
	char *cpus, *exclude;		/* NULL when not known */
	struct num vectors, placed, pending, managed, drifted, failed;
	struct num error, steered_at, steers, kept;
};

/**
 * struct dev - an RDMA device
 *
 * Filled from sysfs; what the module says stands over it (mod_dev.h).
 *
 * @by_module: the module tells of it
 * @hidden: the module is there and does not: it belongs to another network namespace,
 *	whose sysfs this process has (nsenter --net leaves it mounted)
 */
struct dev {
	char name[64];
	struct str driver, firmware;
	struct place place;
	struct pci_func pci;
	unsigned int nr_ports;
	struct dev_port *ports;

	bool by_module, hidden;
	struct num index;
	struct str chardev;
	struct num error;
	struct num buf_count, buf_bytes, buf_remote_bytes;
	struct dev_policy policy;
};

struct devs {
	unsigned int nr;
	struct dev *v;
};

int devs_read(struct devs *devs);
void devs_free(struct devs *devs);
void dev_not_told(struct dev *dev, const char *why);
bool dev_is_software(const struct dev *dev);
bool dev_is_here(const struct dev *dev);
void dev_port_asked(struct dev_port *port, const char *name, const struct dev_link *link);
bool dev_netdev_fits(const char *name, const char *netdev);
const char *dev_netdev(const struct dev *dev);
void dev_policy_free(struct dev_policy *policy);

struct dev *devs_match(struct devs *devs, const char *word, struct dev *from, unsigned int *port);

#endif /* NRDMACTL_DEV_H */
