// SPDX-License-Identifier: GPL-2.0
/*
 * Which PCI functions are steered, and when they are looked at again: by event
 * where there is one. Some drivers add vectors or place them anew without any,
 * so while steering is on one deferrable check looks as well.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "device.h"
#include "func.h"
#include "irq.h"

/* At most six times a minute; deferrable: it never wakes an idle CPU. */
#define NRDMA_IRQ_CHECK_PERIOD	(10 * HZ)

/*
 * By PCI address. Only ever added to, until the module goes, so whoever found
 * one may keep it.
 */
static DEFINE_XARRAY(nrdma_funcs);

static enum cpuhp_state nrdma_irq_cpuhp_online;
static enum cpuhp_state nrdma_irq_cpuhp_dead;

/* Why a function is looked at again; the first one set is the one named. */
enum nrdma_irq_why {
	NRDMA_IRQ_WHY_CPU_OFFLINE,
	NRDMA_IRQ_WHY_CPU_ONLINE,
	NRDMA_IRQ_WHY_BOUND,
	NRDMA_IRQ_WHY_BACK,
	NRDMA_IRQ_WHY_LEFT,
	NRDMA_IRQ_WHY_PORT,
	NRDMA_IRQ_WHY_NETDEV,
	NRDMA_IRQ_WHY_MAX,
};

static const char * const nrdma_irq_whys[NRDMA_IRQ_WHY_MAX] = {
	[NRDMA_IRQ_WHY_CPU_OFFLINE]	= "a CPU went offline",
	[NRDMA_IRQ_WHY_CPU_ONLINE]	= "a CPU came online",
	[NRDMA_IRQ_WHY_BOUND]		= "its driver was bound",
	[NRDMA_IRQ_WHY_BACK]		= "its RDMA device came back",
	[NRDMA_IRQ_WHY_LEFT]		= "its last RDMA device is gone",
	[NRDMA_IRQ_WHY_PORT]		= "a port changed",
	[NRDMA_IRQ_WHY_NETDEV]		= "its network device changed",
};

static unsigned long nrdma_func_key(struct pci_dev *pdev)
{
	return ((unsigned long)pci_domain_nr(pdev->bus) << 16) | pci_dev_id(pdev);
}

static struct nrdma_func *nrdma_func_find(struct pci_dev *pdev)
{
	return xa_load(&nrdma_funcs, nrdma_func_key(pdev));
}

/* ---- keeping vectors from changing underneath ---- */

/*
 * Where the MSI descriptors have no lock of their own, a driver can give vectors
 * back and take others while one walks over them. It does so when it is bound or
 * unbound, under the PCI device's lock, and when channels change, under rtnl; and
 * in the midst of its own add and remove of an RDMA device it does not. Hence:
 * requests take both locks, before any lock of ours; so does the work, in which
 * all is done that has no request and is not in a driver's add or remove; and
 * nothing is looked at just because something happened elsewhere.
 *
 * With a lock over the descriptors none of this is needed, and none is done.
 */
static void nrdma_pdev_hold(struct pci_dev *pdev)
{
	device_lock(&pdev->dev);
	rtnl_lock();
}

/**
 * nrdma_irq_let_go() - undo nrdma_irq_still()
 * @still: what it returned
 */
void nrdma_irq_let_go(struct pci_dev *still)
{
	if (!still)
		return;
	rtnl_unlock();
	device_unlock(&still->dev);
	pci_dev_put(still);
}

/**
 * nrdma_irq_still() - keep a device's vectors from changing underneath
 * @dev: device
 *
 * Context: may sleep, with no lock held.
 * Return: for nrdma_irq_let_go(); NULL where there is nothing to hold.
 */
struct pci_dev *nrdma_irq_still(struct nrdma_dev *dev)
{
	struct pci_dev *pdev;

	if (NRDMA_HAS_MSI_LOCK)
		return NULL;
	mutex_lock(&dev->lock);
	pdev = pci_dev_get(dev->place.pdev);
	mutex_unlock(&dev->lock);
	if (pdev)
		nrdma_pdev_hold(pdev);
	return pdev;
}

/**
 * nrdma_irq_begin() - as nrdma_dev_begin(), to look at vectors as well
 * @dev: device
 * @net: the reader's network namespace
 * @still: out, for nrdma_irq_end()
 *
 * Context: may sleep, with no lock held.
 * Return: false, and nothing is held, when the RDMA device is gone or is not
 * visible from @net.
 */
bool nrdma_irq_begin(struct nrdma_dev *dev, struct net *net, struct pci_dev **still)
{
	*still = nrdma_irq_still(dev);
	if (nrdma_dev_begin(dev, net))
		return true;
	nrdma_irq_let_go(*still);
	return false;
}

/**
 * nrdma_irq_end() - undo nrdma_irq_begin()
 * @dev: device
 * @still: what it said
 */
void nrdma_irq_end(struct nrdma_dev *dev, struct pci_dev *still)
{
	nrdma_dev_end(dev);
	nrdma_irq_let_go(still);
}

/* As nrdma_irq_still(), for the work */
static struct pci_dev *nrdma_func_still(struct nrdma_func *func)
{
	struct pci_dev *pdev;

	if (NRDMA_HAS_MSI_LOCK)
		return NULL;
	mutex_lock(&func->lock);
	pdev = pci_dev_get(func->pdev);
	mutex_unlock(&func->lock);
	if (pdev)
		nrdma_pdev_hold(pdev);
	return pdev;
}

/* ---- looking again ---- */

/* What happened elsewhere is no reason where vectors have no lock. */
static void nrdma_irq_wake(struct nrdma_func *func, enum nrdma_irq_why why)
{
	if (!NRDMA_HAS_MSI_LOCK && why != NRDMA_IRQ_WHY_BOUND && why != NRDMA_IRQ_WHY_BACK &&
	    why != NRDMA_IRQ_WHY_LEFT)
		return;
	set_bit(why, &func->why);
	queue_work(system_dfl_wq, &func->work);
}

static void nrdma_irq_check(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(nrdma_irq_check_work, nrdma_irq_check);

/**
 * nrdma_irq_check_start() - some function is steered: look after it
 *
 * Context: any.
 */
void nrdma_irq_check_start(void)
{
	if (!NRDMA_HAS_MSI_LOCK)
		return;
	/* Where the timer expires, that CPU is awake */
	queue_delayed_work(system_percpu_wq, &nrdma_irq_check_work, NRDMA_IRQ_CHECK_PERIOD);
}

static bool nrdma_irq_any_on(void)
{
	struct nrdma_func *func;
	unsigned long key;

	xa_for_each(&nrdma_funcs, key, func)
		if (READ_ONCE(func->on))
			return true;
	return false;
}

/**
 * nrdma_irq_check_stop() - some function is no longer steered
 *
 * With the last one goes the timer.
 *
 * Context: any. @on of the function is false already.
 */
void nrdma_irq_check_stop(void)
{
	cancel_delayed_work(&nrdma_irq_check_work);
	/* Afterwards, for one may have been switched on meanwhile */
	if (nrdma_irq_any_on())
		nrdma_irq_check_start();
}

static void nrdma_irq_check(struct work_struct *work)
{
	struct nrdma_func *func;
	unsigned long key;
	bool any = false;

	xa_for_each(&nrdma_funcs, key, func) {
		mutex_lock(&func->lock);
		nrdma_func_recheck(func, "found when checking");
		any |= func->on && func->pdev;
		mutex_unlock(&func->lock);
	}
	if (any)
		nrdma_irq_check_start();
	/* Whoever switched off the last one just now had nothing to cancel */
	if (!nrdma_irq_any_on())
		cancel_delayed_work(&nrdma_irq_check_work);
}

/* The pci_dev that a device on @func has, when @func does without. Referenced. */
static struct pci_dev *nrdma_func_missing(struct nrdma_func *func)
{
	struct pci_dev *pdev = NULL;
	struct nrdma_dev *dev;
	unsigned long id;

	mutex_lock(&func->lock);
	xa_for_each(&func->devs, id, dev) {
		if (func->pdev)
			break;
		pdev = pci_dev_get(dev->place.pdev);
		break;
	}
	mutex_unlock(&func->lock);
	return pdev;
}

/*
 * A device on top of others (rxe on a bond) may stay while the driver below
 * comes and goes. The lock of the PCI device tells whether one is bound.
 */
static void nrdma_func_acquire(struct nrdma_func *func)
{
	struct pci_dev *pdev = nrdma_func_missing(func);

	if (!pdev)
		return;
	device_lock(&pdev->dev);
	mutex_lock(&func->lock);
	if (!func->pdev && !xa_empty(&func->devs) && pdev->dev.driver)
		func->pdev = pci_dev_get(pdev);
	mutex_unlock(&func->lock);
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
}

static void nrdma_irq_work(struct work_struct *work)
{
	struct nrdma_func *func = container_of(work, struct nrdma_func, work);
	unsigned long why = xchg(&func->why, 0);
	struct pci_dev *still;

	if (!why)
		return;
	if (test_bit(NRDMA_IRQ_WHY_BOUND, &why))
		nrdma_func_acquire(func);
	/* When a CPU comes or goes, drivers place vectors anew: let them come first. */
	cpus_read_lock();
	cpus_read_unlock();

	still = nrdma_func_still(func);
	mutex_lock(&func->lock);
	/* One that came since has its own reason to look */
	if (NRDMA_HAS_MSI_LOCK || (still && still == func->pdev)) {
		if (xa_empty(&func->devs))
			nrdma_func_release(func, nrdma_irq_whys[NRDMA_IRQ_WHY_LEFT]);
		nrdma_func_recheck(func, nrdma_irq_whys[__ffs(why)]);
	}
	if (func->on && func->pdev)
		nrdma_irq_check_start();
	mutex_unlock(&func->lock);
	nrdma_irq_let_go(still);
}

/* ---- events ---- */

static int nrdma_irq_cpu_online(unsigned int cpu)
{
	struct nrdma_func *func;
	unsigned long key;

	xa_for_each(&nrdma_funcs, key, func)
		if (READ_ONCE(func->on))
			nrdma_irq_wake(func, NRDMA_IRQ_WHY_CPU_ONLINE);
	return 0;
}

/* Before those of drivers that were there first, which take their hints back. */
static int nrdma_irq_cpu_going(unsigned int cpu)
{
	struct nrdma_func *func;
	unsigned long key;

	xa_for_each(&nrdma_funcs, key, func)
		nrdma_func_cpu_going(func, cpu);
	return 0;
}

static int nrdma_irq_cpu_dead(unsigned int cpu)
{
	struct nrdma_func *func;
	unsigned long key;

	xa_for_each(&nrdma_funcs, key, func) {
		nrdma_func_cpu_dead(func, cpu);
		if (READ_ONCE(func->on))
			nrdma_irq_wake(func, NRDMA_IRQ_WHY_CPU_OFFLINE);
	}
	return 0;
}

static int nrdma_irq_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(ptr);
	struct nrdma_func *func;
	struct device *dev;

	if (event != NETDEV_UP && event != NETDEV_CHANGE)
		return NOTIFY_DONE;
	for (dev = netdev->dev.parent; dev; dev = dev->parent) {
		if (!dev_is_pci(dev))
			continue;
		func = nrdma_func_find(to_pci_dev(dev));
		if (func && READ_ONCE(func->on))
			nrdma_irq_wake(func, NRDMA_IRQ_WHY_NETDEV);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block nrdma_irq_netdev_notifier = {
	.notifier_call = nrdma_irq_netdev_event,
};

/*
 * Drivers of RDMA devices take these away before they give back vectors. Below
 * a bond they need not, so this is where vectors are let go of in time.
 */
static int nrdma_irq_pci_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);
	struct nrdma_func *func = nrdma_func_find(pdev);

	if (!func)
		return NOTIFY_DONE;
	switch (event) {
	case BUS_NOTIFY_UNBIND_DRIVER:
		/* The device's lock is held */
		if (!NRDMA_HAS_MSI_LOCK)
			rtnl_lock();
		mutex_lock(&func->lock);
		if (func->pdev == pdev)
			nrdma_func_release(func, "its driver is going");
		mutex_unlock(&func->lock);
		if (!NRDMA_HAS_MSI_LOCK)
			rtnl_unlock();
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		/* It may be another device at the address of the one before it */
		mutex_lock(&func->lock);
		if (!func->pdev && !xa_empty(&func->devs))
			func->pdev = pci_dev_get(pdev);
		mutex_unlock(&func->lock);
		nrdma_irq_wake(func, NRDMA_IRQ_WHY_BOUND);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block nrdma_irq_pci_notifier = {
	.notifier_call = nrdma_irq_pci_event,
};

/**
 * nrdma_irq_kick() - something happened to a device: are its vectors still right?
 * @dev: device between add() and remove()
 *
 * Context: any.
 */
void nrdma_irq_kick(struct nrdma_dev *dev)
{
	if (dev->func && READ_ONCE(dev->func->on))
		nrdma_irq_wake(dev->func, NRDMA_IRQ_WHY_PORT);
}

/* ---- devices ---- */

static struct nrdma_func *nrdma_func_get(struct pci_dev *pdev)
{
	struct nrdma_func *func = nrdma_func_find(pdev);
	int ret;

	if (func)
		return func;
	func = nrdma_func_new(pdev);
	if (!func)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&func->work, nrdma_irq_work);
	ret = xa_insert(&nrdma_funcs, nrdma_func_key(pdev), func, GFP_KERNEL);
	if (!ret)
		return func;
	nrdma_func_free(func);
	return ret == -EBUSY ? nrdma_func_find(pdev) : ERR_PTR(ret);
}

/*
 * A driver adds and removes its own RDMA device while it is bound. Below rxe or
 * siw one need not be.
 */
static void nrdma_func_adopt(struct nrdma_func *func, struct nrdma_dev *dev)
{
	struct pci_dev *pdev = dev->place.pdev;

	if (func->pdev)
		return;
	if (dev->of_driver) {
		func->pdev = pci_dev_get(pdev);
		return;
	}
	/* Somebody who waits for us may hold it: never wait. */
	if (!device_trylock(&pdev->dev)) {
		nrdma_irq_wake(func, NRDMA_IRQ_WHY_BOUND);
		return;
	}
	if (pdev->dev.driver)
		func->pdev = pci_dev_get(pdev);
	device_unlock(&pdev->dev);
}

/* rxe and siw come and go by themselves, though once they had a parent as well */
static bool nrdma_dev_is_of_driver(const struct nrdma_dev *dev)
{
	return dev->ib->dev.parent && dev->ib->ops.driver_id != RDMA_DRIVER_RXE &&
	       dev->ib->ops.driver_id != RDMA_DRIVER_SIW;
}

/*
 * In its add() or remove(): may its vectors be touched? At shutdown bnxt gives them
 * back while its RDMA device is still to be removed.
 */
static bool nrdma_dev_vectors_stay(const struct nrdma_dev *dev)
{
	return NRDMA_HAS_MSI_LOCK || (dev->of_driver && system_state <= SYSTEM_RUNNING);
}

/**
 * nrdma_irq_attach() - an RDMA device appeared
 * @dev: device with dev->place resolved; dev->func is set unless it has no
 *	PCI function
 *
 * When its PCI address is one that is steered, it is steered at once.
 *
 * Context: may sleep; in the client's add().
 * Return: 0 or -ENOMEM.
 */
int nrdma_irq_attach(struct nrdma_dev *dev)
{
	struct nrdma_func *func;
	int ret;

	if (!dev->place.pdev)
		return 0;
	func = nrdma_func_get(dev->place.pdev);
	if (IS_ERR(func))
		return PTR_ERR(func);

	dev->of_driver = nrdma_dev_is_of_driver(dev);
	mutex_lock(&func->lock);
	ret = xa_err(xa_store(&func->devs, dev->id, dev, GFP_KERNEL));
	if (ret)
		goto unlock;
	dev->func = func;
	if (func->node == NUMA_NO_NODE || !func->pdev)
		func->node = dev->place.node;
	nrdma_func_adopt(func, dev);
	if (nrdma_dev_vectors_stay(dev))
		nrdma_func_recheck(func, nrdma_irq_whys[NRDMA_IRQ_WHY_BACK]);
	else if (func->on)
		nrdma_irq_wake(func, NRDMA_IRQ_WHY_BACK);
	if (func->on && func->pdev)
		nrdma_irq_check_start();
unlock:
	mutex_unlock(&func->lock);
	return ret;
}

/*
 * Who waits for our remove() may hold what keeps vectors from changing, so it is
 * not waited for here: the work does, and the module stays until it has.
 */
static void nrdma_func_left(struct nrdma_func *func)
{
	struct pci_dev *pdev;

	mutex_lock(&func->lock);
	pdev = pci_dev_get(func->pdev);
	mutex_unlock(&func->lock);
	if (!pdev)
		return;
	if (!device_trylock(&pdev->dev))
		goto later;
	if (!rtnl_trylock()) {
		device_unlock(&pdev->dev);
		goto later;
	}
	mutex_lock(&func->lock);
	if (func->pdev == pdev && xa_empty(&func->devs))
		nrdma_func_release(func, nrdma_irq_whys[NRDMA_IRQ_WHY_LEFT]);
	mutex_unlock(&func->lock);
	nrdma_irq_let_go(pdev);
	return;

later:
	pci_dev_put(pdev);
	nrdma_irq_wake(func, NRDMA_IRQ_WHY_LEFT);
}

/**
 * nrdma_irq_detach() - an RDMA device goes away
 * @dev: device
 *
 * With the last one of a PCI function its vectors go back where they were.
 *
 * Context: may sleep; in the client's remove(). Waits for no device.
 */
void nrdma_irq_detach(struct nrdma_dev *dev)
{
	struct nrdma_func *func = dev->func;
	struct nrdma_dev *other;
	bool last = true;
	unsigned long id;

	if (!func)
		return;
	mutex_lock(&func->lock);
	xa_for_each(&func->devs, id, other)
		if (other != dev)
			last = false;
	if (last && nrdma_dev_vectors_stay(dev))
		nrdma_func_release(func, "its last RDMA device is going");
	xa_erase(&func->devs, dev->id);
	mutex_unlock(&func->lock);
	if (last && !nrdma_dev_vectors_stay(dev))
		nrdma_func_left(func);
}

/**
 * nrdma_irq_node_changed() - an administrator said where a device is
 * @dev: device between nrdma_dev_begin() and nrdma_dev_end(), and that, or one of
 *	the same PCI function, held by nrdma_irq_still()
 *
 * Context: may sleep.
 */
void nrdma_irq_node_changed(struct nrdma_dev *dev)
{
	struct nrdma_func *func = dev->func;

	if (!func)
		return;
	mutex_lock(&func->lock);
	mutex_lock(&dev->lock);
	func->node = dev->place.node;
	mutex_unlock(&dev->lock);
	nrdma_func_recheck(func, "its node changed");
	mutex_unlock(&func->lock);
}

/* ---- lifetime ---- */

/**
 * nrdma_irq_init() - listen for what may move vectors
 *
 * Return: 0 or a negative errno.
 */
int __init nrdma_irq_init(void)
{
	int ret;

	/* When a CPU is dead, what the kernel did to masks is done. */
	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "rdma/nrdma:dead", NULL,
					nrdma_irq_cpu_dead);
	if (ret < 0)
		return ret;
	nrdma_irq_cpuhp_dead = ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "rdma/nrdma:online",
					nrdma_irq_cpu_online, nrdma_irq_cpu_going);
	if (ret < 0)
		goto remove_dead;
	nrdma_irq_cpuhp_online = ret;
	ret = bus_register_notifier(&pci_bus_type, &nrdma_irq_pci_notifier);
	if (ret)
		goto remove_online;
	ret = register_netdevice_notifier(&nrdma_irq_netdev_notifier);
	if (ret)
		goto unregister_pci;
	return 0;

unregister_pci:
	bus_unregister_notifier(&pci_bus_type, &nrdma_irq_pci_notifier);
remove_online:
	cpuhp_remove_state_nocalls(nrdma_irq_cpuhp_online);
remove_dead:
	cpuhp_remove_state_nocalls(nrdma_irq_cpuhp_dead);
	return ret;
}

/**
 * nrdma_irq_exit() - undo nrdma_irq_init(); no RDMA device is left
 */
void nrdma_irq_exit(void)
{
	struct nrdma_func *func;
	unsigned long key;

	unregister_netdevice_notifier(&nrdma_irq_netdev_notifier);
	bus_unregister_notifier(&pci_bus_type, &nrdma_irq_pci_notifier);
	cpuhp_remove_state_nocalls(nrdma_irq_cpuhp_online);
	cpuhp_remove_state_nocalls(nrdma_irq_cpuhp_dead);

	/* What is queued may have vectors to put back */
	xa_for_each(&nrdma_funcs, key, func)
		flush_work(&func->work);
	/* After the works, which start it */
	cancel_delayed_work_sync(&nrdma_irq_check_work);

	xa_for_each(&nrdma_funcs, key, func) {
		xa_erase(&nrdma_funcs, key);
		nrdma_func_free(func);
	}
	xa_destroy(&nrdma_funcs);
}
