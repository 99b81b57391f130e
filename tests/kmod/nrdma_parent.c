// SPDX-License-Identifier: GPL-2.0
/*
 * A network device that hangs where a test says: on a PCI function, on an auxiliary
 * device of one, as a sub-function does, or on a platform device. It sends nothing.
 * An RDMA device over it is what no NIC of the VM gives.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

static char *kind = "pci";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "pci, auxiliary or platform");

static char *pci;
module_param(pci, charp, 0444);
MODULE_PARM_DESC(pci, "address of the PCI function");

static int node = NUMA_NO_NODE;
module_param(node, int, 0444);
MODULE_PARM_DESC(node, "of the platform device");

static struct pci_dev *parent_pdev;
static struct platform_device *parent_platform;
static struct net_device *parent_netdev;

static netdev_tx_t parent_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops parent_netdev_ops = {
	.ndo_start_xmit		= parent_xmit,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

/* 5.10 has none */
#if IS_ENABLED(CONFIG_AUXILIARY_BUS)
#include <linux/auxiliary_bus.h>

static struct auxiliary_device *parent_aux;

static void parent_aux_release(struct device *dev)
{
	kfree(container_of(dev, struct auxiliary_device, dev));
}

static struct device *parent_aux_add(void)
{
	int ret;

	parent_aux = kzalloc(sizeof(*parent_aux), GFP_KERNEL);
	if (!parent_aux)
		return ERR_PTR(-ENOMEM);
	parent_aux->name = "sf";
	parent_aux->dev.parent = &parent_pdev->dev;
	parent_aux->dev.release = parent_aux_release;
	ret = auxiliary_device_init(parent_aux);
	if (ret) {
		kfree(parent_aux);
		return ERR_PTR(ret);
	}
	ret = auxiliary_device_add(parent_aux);
	if (ret) {
		auxiliary_device_uninit(parent_aux);
		return ERR_PTR(ret);
	}
	return &parent_aux->dev;
}

static void parent_aux_del(void)
{
	auxiliary_device_delete(parent_aux);
	auxiliary_device_uninit(parent_aux);
}
#else
static struct device *parent_aux_add(void)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void parent_aux_del(void)
{
}
#endif

static struct device *parent_platform_add(void)
{
	int ret;

	parent_platform = platform_device_alloc("nrdma_parent", PLATFORM_DEVID_NONE);
	if (!parent_platform)
		return ERR_PTR(-ENOMEM);
	set_dev_node(&parent_platform->dev, node);
	ret = platform_device_add(parent_platform);
	if (ret) {
		platform_device_put(parent_platform);
		return ERR_PTR(ret);
	}
	return &parent_platform->dev;
}

static int parent_find_pdev(void)
{
	unsigned int domain, bus, slot, fn;

	if (!pci || sscanf(pci, "%x:%x:%x.%x", &domain, &bus, &slot, &fn) != 4)
		return -EINVAL;
	parent_pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, fn));
	return parent_pdev ? 0 : -ENODEV;
}

static struct device *parent_add(void)
{
	int ret;

	if (!strcmp(kind, "platform"))
		return parent_platform_add();
	ret = parent_find_pdev();
	if (ret)
		return ERR_PTR(ret);
	if (!strcmp(kind, "pci"))
		return &parent_pdev->dev;
	return strcmp(kind, "auxiliary") ? ERR_PTR(-EINVAL) : parent_aux_add();
}

static void parent_del(void)
{
	if (!strcmp(kind, "platform"))
		platform_device_unregister(parent_platform);
	else if (!strcmp(kind, "auxiliary"))
		parent_aux_del();
}

static int __init parent_init(void)
{
	struct device *parent = parent_add();
	int ret = -ENOMEM;

	if (IS_ERR(parent)) {
		ret = PTR_ERR(parent);
		goto put_pdev;
	}
	parent_netdev = alloc_netdev(0, "par%d", NET_NAME_ENUM, ether_setup);
	if (!parent_netdev)
		goto del_parent;
	parent_netdev->netdev_ops = &parent_netdev_ops;
	eth_hw_addr_random(parent_netdev);
	SET_NETDEV_DEV(parent_netdev, parent);
	ret = register_netdev(parent_netdev);
	if (ret)
		goto free_netdev;
	return 0;

free_netdev:
	free_netdev(parent_netdev);
del_parent:
	parent_del();
put_pdev:
	pci_dev_put(parent_pdev);
	return ret;
}

static void __exit parent_exit(void)
{
	unregister_netdev(parent_netdev);
	free_netdev(parent_netdev);
	parent_del();
	pci_dev_put(parent_pdev);
}

module_init(parent_init);
module_exit(parent_exit);

MODULE_DESCRIPTION("A network device on a parent of choice");
MODULE_LICENSE("GPL");
