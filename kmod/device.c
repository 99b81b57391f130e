// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices: an in-kernel verbs client that tracks them all.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "chrdev.h"
#include "device.h"
#include "event.h"
#include "irq.h"
#include "probe.h"

/*
 * nrdma_devs_sem protects the table of devices, the names under which
 * character devices stand, and the overrides. It is taken for write by add,
 * remove and rename, which may run at the same time for different devices;
 * add and rename hold the RDMA core's devices_rwsem; and, under rtnl, when a
 * network device is renamed: nobody may take rtnl who holds it. Under it may be
 * taken: nrdma_dev.ib_sem, nrdma_func.lock with all that is taken under that,
 * nrdma_dev.lock, and the driver core's locks.
 *
 * A device in the table holds at least the reference of add().
 */
static struct ib_client nrdma_client;
static DECLARE_RWSEM(nrdma_devs_sem);
static DEFINE_XARRAY_ALLOC(nrdma_devs);
static atomic_t nrdma_devs_generation = ATOMIC_INIT(0);

/**
 * struct nrdma_override - an administrator's word on a node
 * @list: in nrdma_overrides
 * @node: the node
 * @key: PCI address, or network device, or name: the first that the RDMA
 *	device has. Kept until the module goes, so that a device that comes
 *	back finds it again.
 */
struct nrdma_override {
	struct list_head	list;
	int			node;
	char			key[NRDMA_NAME_MAX];
};

static LIST_HEAD(nrdma_overrides);

/* Room for "domain:bus:slot.function" with a domain of 32 bits */
static void nrdma_dev_key(const struct nrdma_dev *dev, char key[NRDMA_NAME_MAX])
{
	const char *from = dev->name;

	if (dev->place.pdev)
		from = pci_name(dev->place.pdev);
	else if (dev->place.netdev[0])
		from = dev->place.netdev;
	strscpy(key, from, NRDMA_NAME_MAX);
}

static struct nrdma_override *nrdma_override_find(const char *key)
{
	struct nrdma_override *o;

	list_for_each_entry(o, &nrdma_overrides, list)
		if (!strcmp(o->key, key))
			return o;
	return NULL;
}

static void nrdma_override_drop(const char *key)
{
	struct nrdma_override *override = nrdma_override_find(key);

	if (override) {
		list_del(&override->list);
		kfree(override);
	}
}

static void nrdma_dev_release(struct kref *ref)
{
	struct nrdma_dev *dev = container_of(ref, struct nrdma_dev, ref);

	mutex_destroy(&dev->probe_lock);
	mutex_destroy(&dev->lock);
	kfree(dev);
}

/**
 * nrdma_dev_put() - drop a reference
 * @dev: device
 *
 * Context: any that may free memory.
 */
void nrdma_dev_put(struct nrdma_dev *dev)
{
	kref_put(&dev->ref, nrdma_dev_release);
}

/**
 * nrdma_dev_begin() - use the RDMA device below
 * @dev: device
 * @net: the reader's network namespace, or NULL not to care
 *
 * Context: may sleep. Holds dev->ib_sem for read until nrdma_dev_end().
 * Return: false, and nothing is held, when the RDMA device is gone or is not
 * visible from @net.
 */
bool nrdma_dev_begin(struct nrdma_dev *dev, struct net *net)
{
	down_read(&dev->ib_sem);
	if (dev->ib && (!net || rdma_dev_access_netns(dev->ib, net)))
		return true;
	up_read(&dev->ib_sem);
	return false;
}

/**
 * nrdma_dev_end() - done with the RDMA device below
 * @dev: device for which nrdma_dev_begin() said true
 */
void nrdma_dev_end(struct nrdma_dev *dev)
{
	up_read(&dev->ib_sem);
}

/**
 * nrdma_dev_get_ib() - use the RDMA device below, and wait for it
 * @dev: device
 * @net: the reader's network namespace
 *
 * As the RDMA core's own netlink does it: our remove() does not wait for who holds it,
 * but the core does, once every client is gone and before the driver is.
 *
 * Context: may sleep.
 * Return: the RDMA device, for ib_device_put(), or NULL when it is gone or is not
 * visible from @net.
 */
struct ib_device *nrdma_dev_get_ib(struct nrdma_dev *dev, struct net *net)
{
	struct ib_device *ib = NULL;

	if (!nrdma_dev_begin(dev, net))
		return NULL;
	if (ib_device_try_get(dev->ib))
		ib = dev->ib;
	nrdma_dev_end(dev);
	return ib;
}

/**
 * nrdma_dev_mem_node() - where buffers of a device go now
 * @dev: device; it may be gone
 *
 * Context: may sleep.
 * Return: a node with memory, or NUMA_NO_NODE when the device's own is unknown.
 */
int nrdma_dev_mem_node(struct nrdma_dev *dev)
{
	int node;

	mutex_lock(&dev->lock);
	nrdma_place_refresh(&dev->place);
	node = dev->place.mem_node;
	mutex_unlock(&dev->lock);
	return node;
}

/**
 * nrdma_dev_gone() - was the RDMA device removed?
 * @dev: device
 *
 * Context: any. Once true it stays true.
 * Return: true when it was.
 */
bool nrdma_dev_gone(struct nrdma_dev *dev)
{
	return !READ_ONCE(dev->ib);
}

/**
 * nrdma_dev_name() - copy the device's name
 * @dev: device
 * @name: where to
 *
 * Context: may sleep; takes dev->lock.
 */
void nrdma_dev_name(struct nrdma_dev *dev, char name[NRDMA_NAME_MAX])
{
	mutex_lock(&dev->lock);
	strscpy(name, dev->name, NRDMA_NAME_MAX);
	mutex_unlock(&dev->lock);
}

/**
 * nrdma_dev_generation() - a number that changes with the table of devices
 *
 * Return: never 0, as genl_dump_check_consistent() wants it.
 */
unsigned int nrdma_dev_generation(void)
{
	return (unsigned int)atomic_read(&nrdma_devs_generation) | 1;
}

static void nrdma_devs_changed(void)
{
	atomic_add(2, &nrdma_devs_generation);
}

/**
 * nrdma_dev_get_next() - walk the table of devices
 * @id: in: the first id to look at; out: the id of the device returned
 *
 * Context: may sleep.
 * Return: a referenced device, NULL at the end.
 */
struct nrdma_dev *nrdma_dev_get_next(unsigned long *id)
{
	struct nrdma_dev *dev;

	down_read(&nrdma_devs_sem);
	dev = xa_find(&nrdma_devs, id, ULONG_MAX, XA_PRESENT);
	if (dev)
		kref_get(&dev->ref);
	up_read(&nrdma_devs_sem);
	return dev;
}

/**
 * nrdma_dev_get_by_id() - find a device by its minor number
 * @id: minor number
 *
 * Context: may sleep.
 * Return: a referenced device or NULL.
 */
struct nrdma_dev *nrdma_dev_get_by_id(u32 id)
{
	unsigned long at = id;
	struct nrdma_dev *dev;

	dev = nrdma_dev_get_next(&at);
	if (!dev || at == id)
		return dev;
	nrdma_dev_put(dev);
	return NULL;
}

static bool nrdma_dev_visible(struct nrdma_dev *dev, struct net *net)
{
	if (!nrdma_dev_begin(dev, net))
		return false;
	nrdma_dev_end(dev);
	return true;
}

static struct nrdma_dev *nrdma_dev_find(struct net *net, u32 index, const char *name)
{
	struct nrdma_dev *dev;
	unsigned long id;

	down_read(&nrdma_devs_sem);
	xa_for_each(&nrdma_devs, id, dev) {
		/* Names change under nrdma_devs_sem only */
		if (name ? strcmp(dev->name, name) : dev->index != index)
			continue;
		if (!nrdma_dev_visible(dev, net))
			continue;
		kref_get(&dev->ref);
		up_read(&nrdma_devs_sem);
		return dev;
	}
	up_read(&nrdma_devs_sem);
	return NULL;
}

/**
 * nrdma_dev_get_by_index() - find a device by the RDMA core's index
 * @net: the reader's network namespace
 * @index: index
 *
 * Context: may sleep.
 * Return: a referenced device or NULL.
 */
struct nrdma_dev *nrdma_dev_get_by_index(struct net *net, u32 index)
{
	return nrdma_dev_find(net, index, NULL);
}

/**
 * nrdma_dev_get_by_name() - find a device by its RDMA name
 * @net: the reader's network namespace; names are unique only in one
 * @name: name
 *
 * Context: may sleep.
 * Return: a referenced device or NULL.
 */
struct nrdma_dev *nrdma_dev_get_by_name(struct net *net, const char *name)
{
	return nrdma_dev_find(net, 0, name);
}

/* nrdma_devs_sem is held for write: no chardev comes or goes meanwhile. */
static bool nrdma_chardev_name_taken(const char *name)
{
	struct nrdma_dev *dev;
	unsigned long id;

	xa_for_each(&nrdma_devs, id, dev)
		if (dev->chardev && !strcmp(dev_name(dev->chardev), name))
			return true;
	return false;
}

/*
 * Stands for dev->name in /dev/nrdma. A name is unique only per network
 * namespace, the directory is one: a second one of that name gets "@index".
 */
static void nrdma_dev_add_chardev(struct nrdma_dev *dev)
{
	char name[NRDMA_NAME_MAX + 12];
	struct device *chardev;

	lockdep_assert_held_write(&nrdma_devs_sem);

	strscpy(name, dev->name, sizeof(name));
	if (nrdma_chardev_name_taken(name))
		snprintf(name, sizeof(name), "%s@%u", dev->name, dev->index);

	chardev = nrdma_chrdev_create(dev->ib->dev.parent, dev->id, name);
	mutex_lock(&dev->lock);
	dev->chardev = IS_ERR(chardev) ? NULL : chardev;
	dev->error = PTR_ERR_OR_ZERO(chardev);
	mutex_unlock(&dev->lock);
	if (IS_ERR(chardev))
		pr_warn("nrdma: %s: no character device: %pe\n", dev->name, chardev);
}

static void nrdma_dev_del_chardev(struct nrdma_dev *dev)
{
	struct device *chardev = dev->chardev;

	lockdep_assert_held_write(&nrdma_devs_sem);

	mutex_lock(&dev->lock);
	dev->chardev = NULL;
	mutex_unlock(&dev->lock);
	if (chardev)
		device_unregister(chardev);
}

static void nrdma_client_event(struct ib_event_handler *handler,
			       struct ib_event *event)
{
	struct nrdma_dev *dev = container_of(handler, struct nrdma_dev, event_handler);
	enum ib_port_state state = IB_PORT_NOP;
	u32 port;

	switch (event->event) {
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_GID_CHANGE:
		break;
	default:
		return;
	}

	port = event->element.port_num;
	/* From the core's cache: the port itself might be slow to answer */
	if (nrdma_dev_begin(dev, NULL)) {
		ib_get_cached_port_state(dev->ib, port, &state);
		nrdma_dev_end(dev);
	}
	nrdma_event_dev_port(dev, port, state);
	nrdma_irq_kick(dev);
}

/*
 * Runs with the RDMA core's devices_rwsem held. A failure would be swallowed
 * by the core and the device never be heard of again; what can go wrong past
 * the structure itself is said in the log or kept in dev->error.
 */
static int nrdma_client_add(struct ib_device *ib)
{
	struct nrdma_override *override;
	char key[NRDMA_NAME_MAX];
	struct nrdma_dev *dev;
	int ret;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	kref_init(&dev->ref);
	init_rwsem(&dev->ib_sem);
	mutex_init(&dev->lock);
	mutex_init(&dev->probe_lock);
	init_waitqueue_head(&dev->gone_wait);
	dev->ib = ib;
	dev->index = ib->index;
	strscpy(dev->name, dev_name(&ib->dev), sizeof(dev->name));

	ret = xa_alloc(&nrdma_devs, &dev->id, NULL, XA_LIMIT(0, NRDMA_CHRDEV_MINORS - 1),
		       GFP_KERNEL);
	if (ret) {
		pr_warn("nrdma: %s: too many devices: %d\n", dev->name, ret);
		nrdma_dev_put(dev);
		return ret;
	}

	ib_set_client_data(ib, &nrdma_client, dev);

	/* From before the network device's name is read: a new one is looked for in there */
	down_write(&nrdma_devs_sem);
	nrdma_place_resolve(&dev->place, ib);
	nrdma_dev_key(dev, key);
	override = nrdma_override_find(key);
	if (override)
		nrdma_place_override(&dev->place, override->node);
	ret = nrdma_irq_attach(dev);
	if (ret)
		pr_warn("nrdma: %s: no steering: %d\n", dev->name, ret);
	nrdma_dev_add_chardev(dev);
	/* Its slot is there, so this needs no memory */
	xa_store(&nrdma_devs, dev->id, dev, GFP_KERNEL);
	nrdma_devs_changed();
	up_write(&nrdma_devs_sem);

	INIT_IB_EVENT_HANDLER(&dev->event_handler, ib, nrdma_client_event);
	ib_register_event_handler(&dev->event_handler);

	nrdma_event_dev(dev, NRDMA_DEV_EVENT_ADDED);
	return 0;
}

/*
 * Never waits for user space: open files and buffers keep the structure, not
 * the RDMA device.
 */
static void nrdma_client_remove(struct ib_device *ib, void *client_data)
{
	struct nrdma_dev *dev = client_data;

	if (!dev)
		return;

	ib_unregister_event_handler(&dev->event_handler);

	down_write(&nrdma_devs_sem);
	nrdma_dev_del_chardev(dev);
	/* The id is nobody else's before its function has let go of it */
	xa_store(&nrdma_devs, dev->id, NULL, GFP_KERNEL);
	nrdma_devs_changed();
	up_write(&nrdma_devs_sem);

	down_write(&dev->ib_sem);
	WRITE_ONCE(dev->ib, NULL);
	up_write(&dev->ib_sem);
	wake_up_interruptible_poll(&dev->gone_wait, EPOLLHUP | EPOLLERR);
	nrdma_probe_dev_gone(dev);

	nrdma_irq_detach(dev);
	xa_erase(&nrdma_devs, dev->id);
	nrdma_event_dev(dev, NRDMA_DEV_EVENT_REMOVED);

	mutex_lock(&dev->lock);
	nrdma_place_release(&dev->place);
	mutex_unlock(&dev->lock);
	nrdma_dev_put(dev);
}

/*
 * device_rename() does not rename the node in /dev, so the class device is
 * deleted and added again. Its number stays, and so do open files.
 */
static void nrdma_client_rename(struct ib_device *ib, void *client_data)
{
	struct nrdma_dev *dev = client_data;
	char old[NRDMA_NAME_MAX];

	if (!dev)
		return;

	down_write(&nrdma_devs_sem);
	nrdma_dev_del_chardev(dev);
	mutex_lock(&dev->lock);
	strscpy(old, dev->name, sizeof(old));
	strscpy(dev->name, dev_name(&ib->dev), sizeof(dev->name));
	mutex_unlock(&dev->lock);
	nrdma_dev_add_chardev(dev);
	nrdma_devs_changed();
	up_write(&nrdma_devs_sem);

	nrdma_event_dev_renamed(dev, old);
}

static struct ib_client nrdma_client = {
	.name		= "nrdma",
	.add		= nrdma_client_add,
	.remove		= nrdma_client_remove,
	.rename		= nrdma_client_rename,
	/* Devices without kernel verbs have memory and interrupts as well */
	.no_kverbs_req	= 1,
};

/**
 * nrdma_dev_set_override() - say on which node a device is, or no more
 * @dev: device; every other one with the same key is set too
 * @node: an online node, or NUMA_NO_NODE for what firmware says
 *
 * Vectors that follow the device's node are steered again.
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV when it was just removed, or -ENOMEM; then nothing has
 * changed.
 */
int nrdma_dev_set_override(struct nrdma_dev *dev, int node)
{
	char key[NRDMA_NAME_MAX], other_key[NRDMA_NAME_MAX];
	struct nrdma_override *override, *fresh;
	struct nrdma_dev *other;
	unsigned long id;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return -ENOMEM;

	down_write(&nrdma_devs_sem);
	if (xa_load(&nrdma_devs, dev->id) != dev) {
		up_write(&nrdma_devs_sem);
		kfree(fresh);
		return -ENODEV;
	}
	nrdma_dev_key(dev, key);
	if (node == NUMA_NO_NODE) {
		nrdma_override_drop(key);
	} else {
		override = nrdma_override_find(key);
		if (!override) {
			override = fresh;
			fresh = NULL;
			strscpy(override->key, key, sizeof(override->key));
			list_add(&override->list, &nrdma_overrides);
		}
		override->node = node;
	}

	xa_for_each(&nrdma_devs, id, other) {
		nrdma_dev_key(other, other_key);
		if (strcmp(other_key, key))
			continue;
		mutex_lock(&other->lock);
		nrdma_place_override(&other->place, node);
		mutex_unlock(&other->lock);
		if (nrdma_dev_begin(other, NULL)) {
			nrdma_irq_node_changed(other);
			nrdma_dev_end(other);
		}
		nrdma_event_dev(other, NRDMA_DEV_EVENT_NODE);
	}
	nrdma_devs_changed();
	up_write(&nrdma_devs_sem);
	kfree(fresh);
	return 0;
}

static bool nrdma_dev_has_netdev(struct nrdma_dev *dev, const struct net_device *netdev)
{
	struct net_device *own;

	if (!nrdma_dev_begin(dev, NULL))
		return false;
	own = nrdma_place_first_netdev(dev->ib);
	dev_put(own);
	nrdma_dev_end(dev);
	return own == netdev;
}

/*
 * What is configured by the network device's name can be so from now on. The variable
 * tells this from other changes, those of "udevadm trigger" among them.
 */
static void nrdma_dev_tell_udev(struct nrdma_dev *dev, const char *netdev)
{
	char text[sizeof("NRDMA_NETDEV=") + NRDMA_NAME_MAX];

	lockdep_assert_held_write(&nrdma_devs_sem);

	if (!dev->chardev)
		return;
	snprintf(text, sizeof(text), "NRDMA_NETDEV=%s", netdev);
	kobject_uevent_env(&dev->chardev->kobj, KOBJ_CHANGE, (char *[]){ text, NULL });
}

/* udev renames network devices, often after their RDMA devices have appeared. */
static void nrdma_dev_netdev_renamed(struct nrdma_dev *dev, const char *name)
{
	char old[NRDMA_NAME_MAX], key[NRDMA_NAME_MAX];
	struct nrdma_override *override;

	nrdma_dev_key(dev, old);
	mutex_lock(&dev->lock);
	strscpy(dev->place.netdev, name, sizeof(dev->place.netdev));
	mutex_unlock(&dev->lock);
	nrdma_devs_changed();
	nrdma_dev_tell_udev(dev, name);

	nrdma_dev_key(dev, key);
	override = nrdma_override_find(old);
	if (!override || !strcmp(old, key))
		return;
	/* Of a device that had the name before, and is gone */
	nrdma_override_drop(key);
	strscpy(override->key, key, sizeof(override->key));
}

static int nrdma_dev_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(ptr);
	struct nrdma_dev *dev;
	unsigned long id;

	if (event != NETDEV_CHANGENAME)
		return NOTIFY_DONE;
	down_write(&nrdma_devs_sem);
	xa_for_each(&nrdma_devs, id, dev)
		if (nrdma_dev_has_netdev(dev, netdev))
			nrdma_dev_netdev_renamed(dev, netdev->name);
	up_write(&nrdma_devs_sem);
	return NOTIFY_DONE;
}

static struct notifier_block nrdma_dev_netdev_notifier = {
	.notifier_call = nrdma_dev_netdev_event,
};

/**
 * nrdma_device_init() - register the client; devices appear at once
 *
 * Return: 0 or a negative errno.
 */
int __init nrdma_device_init(void)
{
	int ret = register_netdevice_notifier(&nrdma_dev_netdev_notifier);

	if (ret)
		return ret;
	ret = ib_register_client(&nrdma_client);
	if (ret)
		unregister_netdevice_notifier(&nrdma_dev_netdev_notifier);
	return ret;
}

/**
 * nrdma_device_exit() - take every device away and forget the overrides
 */
void nrdma_device_exit(void)
{
	struct nrdma_override *override, *next;

	ib_unregister_client(&nrdma_client);
	unregister_netdevice_notifier(&nrdma_dev_netdev_notifier);
	list_for_each_entry_safe(override, next, &nrdma_overrides, list)
		kfree(override);
	xa_destroy(&nrdma_devs);
}
