// SPDX-License-Identifier: GPL-2.0
/*
 * Shows a PCI function as a card of four lanes whose link came up with one, as no
 * emulated one can be: those have one lane. Once the port above is told to train the
 * link again, all four are there. pci_bus_set_ops() is the kernel's own, for injecting
 * errors.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>

#define LANES	4

static char *function;
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "address of the function, domain:bus:slot.function");

/* The function and the port above it; each on a bus of its own. */
static struct pci_dev *lanes_card, *lanes_port;
static struct pci_ops lanes_card_ops, lanes_port_ops;
static struct pci_ops *lanes_card_was, *lanes_port_was;
static bool lanes_trained;

/* PCI_EXP_LNKCAP_MLW and PCI_EXP_LNKSTA_NLW are the same bits */
static u32 lanes_set(u32 val)
{
	return (val & ~PCI_EXP_LNKSTA_NLW) | LANES << PCI_EXP_LNKSTA_NLW_SHIFT;
}

static int lanes_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	int ret = lanes_card_was->read(bus, devfn, where, size, val);

	if (ret || devfn != lanes_card->devfn)
		return ret;
	if (where == lanes_card->pcie_cap + PCI_EXP_LNKCAP && size == 4)
		*val = lanes_set(*val);
	if (where == lanes_card->pcie_cap + PCI_EXP_LNKSTA && size == 2 && READ_ONCE(lanes_trained))
		*val = lanes_set(*val);
	return 0;
}

static int lanes_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	if (devfn == lanes_port->devfn && where == lanes_port->pcie_cap + PCI_EXP_LNKCTL &&
	    val & PCI_EXP_LNKCTL_RL)
		WRITE_ONCE(lanes_trained, true);
	return lanes_port_was->write(bus, devfn, where, size, val);
}

static int __init lanes_init(void)
{
	unsigned int domain, bus, slot, func;

	if (!function || sscanf(function, "%x:%x:%x.%x", &domain, &bus, &slot, &func) != 4)
		return -EINVAL;
	lanes_card = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, func));
	if (!lanes_card)
		return -ENODEV;
	lanes_port = pci_dev_get(pci_upstream_bridge(lanes_card));
	if (!lanes_port || !lanes_card->pcie_cap || !lanes_port->pcie_cap) {
		pci_dev_put(lanes_port);
		pci_dev_put(lanes_card);
		return -ENODEV;
	}
	lanes_card_was = lanes_card->bus->ops;
	lanes_card_ops = *lanes_card_was;
	lanes_card_ops.read = lanes_read;
	lanes_port_was = lanes_port->bus->ops;
	lanes_port_ops = *lanes_port_was;
	lanes_port_ops.write = lanes_write;
	pci_bus_set_ops(lanes_card->bus, &lanes_card_ops);
	pci_bus_set_ops(lanes_port->bus, &lanes_port_ops);
	return 0;
}

static void __exit lanes_exit(void)
{
	pci_bus_set_ops(lanes_card->bus, lanes_card_was);
	pci_bus_set_ops(lanes_port->bus, lanes_port_was);
	/* Who reads or writes configuration space does not sleep there */
	synchronize_rcu();
	pci_dev_put(lanes_port);
	pci_dev_put(lanes_card);
}

module_init(lanes_init);
module_exit(lanes_exit);

MODULE_DESCRIPTION("A link that came up with one lane of four");
MODULE_LICENSE("GPL");
