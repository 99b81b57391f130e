/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one place that knows how kernels differ. Force-included into every file
 * of the module, which is written to the newest kernel's interfaces; here older
 * kernels get what they lack. HAVE_X comes from config.h, made by the probes in
 * compat/probes.c. Macros of the kernel's headers are asked for directly.
 */
#ifndef NRDMA_COMPAT_H
#define NRDMA_COMPAT_H

#include <linux/kconfig.h>

#if !IS_ENABLED(CONFIG_INFINIBAND)
#error "nrdma needs a kernel with CONFIG_INFINIBAND"
#endif
#if !IS_ENABLED(CONFIG_DMA_SHARED_BUFFER)
#error "nrdma needs a kernel with CONFIG_DMA_SHARED_BUFFER"
#endif

#include <linux/device.h>
#include <linux/irq.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/msi.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/sched/isolation.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <rdma/ib_verbs.h>

/* ---- driver core and modules ---- */

#ifndef HAVE_CLASS_CREATE_NAME
static inline struct class *nrdma_compat_class_create(const char *name)
{
	return class_create(THIS_MODULE, name);
}

#undef class_create
#define class_create(name) nrdma_compat_class_create(name)
#endif

/* Of the device that a class's devnode() gets */
#ifdef HAVE_CLASS_DEVNODE_CONST
#define NRDMA_DEVNODE_CONST const
#else
#define NRDMA_DEVNODE_CONST
#endif

#ifndef HAVE_IMPORT_NS_STRING
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)
#endif

/* ---- memory ---- */

#ifndef HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#ifndef HAVE_MM_GET_UNMAPPED_AREA
static inline unsigned long
nrdma_compat_get_unmapped_area(struct file *file, unsigned long addr, unsigned long len,
			       unsigned long pgoff, unsigned long flags)
{
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
}

#define mm_get_unmapped_area nrdma_compat_get_unmapped_area
#elif !defined(HAVE_MM_GET_UNMAPPED_AREA_FILE)
#define mm_get_unmapped_area(...) mm_get_unmapped_area(current->mm, __VA_ARGS__)
#endif

/* Largest order of the buddy allocator; MAX_ORDER is one past it, or the same. */
#ifndef MAX_PAGE_ORDER
#define MAX_PAGE_ORDER (MAX_ORDER - 1)
#endif

/* Of a file's page; the core maps a large one at once only where this agrees. */
static inline void nrdma_page_set_index(struct page *page, pgoff_t index)
{
#ifdef page_folio
	page_folio(page)->index = index;
#else
	page->index = index;
#endif
}

/*
 * Before 5.11 a page charged to a memory cgroup carries a page type where a
 * mapped page has its map count, so buffers cannot be charged there.
 */
#ifdef HAVE_KMEMCG_WITHOUT_TYPE
#define NRDMA_GFP_ACCOUNT __GFP_ACCOUNT
#else
#define NRDMA_GFP_ACCOUNT ((gfp_t)0)
#define PageMemcgKmem(page) ((void)(page), false)

/* Nothing is charged, and what this would set is not exported */
static inline struct mem_cgroup *nrdma_compat_set_active_memcg(struct mem_cgroup *memcg)
{
	return NULL;
}

#define set_active_memcg(memcg) nrdma_compat_set_active_memcg(memcg)
#endif

/*
 * A shrinker that could not be registered shrinks nothing, which is no reason to
 * fail; unregister_shrinker() knows it.
 */
#ifndef HAVE_SHRINKER_ALLOC
#include <linux/shrinker.h>
#include <linux/slab.h>

static inline struct shrinker *nrdma_compat_shrinker_alloc(unsigned int flags)
{
	struct shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);

	if (shrinker) {
		shrinker->flags = flags;
		shrinker->seeks = DEFAULT_SEEKS;
	}
	return shrinker;
}

static inline void shrinker_register(struct shrinker *shrinker)
{
#ifdef HAVE_REGISTER_SHRINKER_BARE
	int ret = register_shrinker(shrinker);
#else
	int ret = register_shrinker(shrinker, KBUILD_MODNAME);
#endif
	if (ret)
		pr_warn("nrdma: no shrinker: %d\n", ret);
}

static inline void shrinker_free(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(shrinker);
}

#define shrinker_alloc(flags, ...) nrdma_compat_shrinker_alloc(flags)
#endif

/* ---- work queues ---- */

#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#ifndef HAVE_KTHREAD_AFFINE_PREFERRED
/* Of a thread that has not run yet. Before, its CPUs were its creator's business alone. */
static inline int kthread_affine_preferred(struct task_struct *task, const struct cpumask *cpus)
{
	return set_cpus_allowed_ptr(task, cpus);
}
#endif

#ifndef HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq system_wq
#define system_dfl_wq system_unbound_wq
#endif

/* ---- interrupts ---- */

#ifndef HAVE_HK_TYPE
#define hk_type hk_flags
#define HK_TYPE_DOMAIN HK_FLAG_DOMAIN
#define HK_TYPE_MANAGED_IRQ HK_FLAG_MANAGED_IRQ
#define HK_TYPE_TICK HK_FLAG_TICK
#endif

#ifndef HAVE_IRQ_GET_EFFECTIVE_AFFINITY_MASK
static inline const struct cpumask *irq_get_effective_affinity_mask(unsigned int irq)
{
	struct irq_data *d = irq_get_irq_data(irq);

	return d ? irq_data_get_effective_affinity_mask(d) : NULL;
}
#endif

/*
 * A PCI function's vectors: between nrdma_msi_lock(), which says whether there
 * may be any, and nrdma_msi_unlock() none of them goes away. Before there was a
 * lock the caller sees to that, see nrdma_irq_still().
 */
#ifndef HAVE_MSI_FOR_EACH_DESC
#define NRDMA_HAS_MSI_LOCK false

static inline bool nrdma_msi_lock(struct device *dev)
{
	return pci_dev_msi_enabled(to_pci_dev(dev));
}

static inline void nrdma_msi_unlock(struct device *dev)
{
}

#define nrdma_msi_for_each(desc, dev) for_each_msi_entry(desc, dev)
#define nrdma_msi_index(desc) ((desc)->msi_attrib.entry_nr)
#else
#define NRDMA_HAS_MSI_LOCK true

static inline bool nrdma_msi_lock(struct device *dev)
{
	if (!dev->msi.data)
		return false;
#ifdef HAVE_MSI_LOCK_GUARD
	__msi_lock_descs(dev);
#else
	msi_lock_descs(dev);
#endif
	return true;
}

static inline void nrdma_msi_unlock(struct device *dev)
{
#ifdef HAVE_MSI_LOCK_GUARD
	__msi_unlock_descs(dev);
#else
	msi_unlock_descs(dev);
#endif
}

#define nrdma_msi_for_each(desc, dev) msi_for_each_desc(desc, dev, MSI_DESC_ASSOCIATED)
#define nrdma_msi_index(desc) ((desc)->msi_index)
#endif

/* ---- RDMA ---- */

/*
 * Not exported once, and nothing else leads from a port to its network device:
 * this is ib_core's own function. The caller holds the device and puts the
 * answer with dev_put().
 */
#ifndef HAVE_IB_DEVICE_GET_NETDEV
static inline struct net_device *ib_device_get_netdev(struct ib_device *ib, u32 port)
{
	struct net_device *ndev = NULL;

	if (!rdma_is_port_valid(ib, port))
		return NULL;

	/* One on its way out counts as none, or its unregistration would wait for us. */
	if (ib->ops.get_netdev) {
		ndev = ib->ops.get_netdev(ib, port);
		if (ndev && ndev->reg_state != NETREG_REGISTERED) {
			dev_put(ndev);
			ndev = NULL;
		}
	} else if (ib->port_data) {
		struct ib_port_data *data = &ib->port_data[port];

		spin_lock(&data->netdev_lock);
		ndev = rcu_dereference_protected(data->netdev,
						 lockdep_is_held(&data->netdev_lock));
		if (ndev && ndev->reg_state == NETREG_REGISTERED)
			dev_hold(ndev);
		else
			ndev = NULL;
		spin_unlock(&data->netdev_lock);
	}
	return ndev;
}
#endif

/* Without it the connection manager takes any device that has the address. */
#ifndef HAVE_RDMA_RESTRICT_NODE_TYPE
struct rdma_cm_id;

static inline int rdma_restrict_node_type(struct rdma_cm_id *id, u8 node_type)
{
	return 0;
}
#endif

/* ---- netlink ---- */

#ifndef HAVE_GENL_SPLIT_PRE_DOIT
#define genl_split_ops genl_ops
#endif

/* In a family's initializer */
#ifdef HAVE_GENL_RESV_START_OP
#define NRDMA_GENL_RESV_START_OP(op) .resv_start_op = (op),
#else
#define NRDMA_GENL_RESV_START_OP(...)
#endif

/* Good for its attrs only */
#ifndef HAVE_GENL_INFO_DUMP
#define genl_info_dump(cb) genl_dumpit_info(cb)
#endif

#ifndef HAVE_NLA_STRSCPY
static inline ssize_t nla_strscpy(char *dst, const struct nlattr *nla, size_t size)
{
	return nla_strlcpy(dst, nla, size) < size ? strlen(dst) : -E2BIG;
}
#endif

#ifndef GENL_REQ_ATTR_CHECK
#define GENL_REQ_ATTR_CHECK(info, attr) ({					\
	struct genl_info *__info = (info);					\
	bool __missing = !__info->attrs[attr];					\
										\
	if (__missing)								\
		NL_SET_ERR_MSG(__info->extack, "a required attribute is missing"); \
	__missing;								\
})
#endif

#endif /* NRDMA_COMPAT_H */
