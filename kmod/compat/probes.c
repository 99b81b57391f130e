// SPDX-License-Identifier: GPL-2.0
/*
 * What a kernel offers. One section per probe, never compiled into the module:
 * for each "ifdef PROBE_X" probe.sh compiles this file with PROBE_X=1, which is
 * the newest kernel's form, then with PROBE_X=0, the form that compat.h stands
 * in for. The first one that compiles decides whether config.h defines HAVE_X;
 * when neither does, the build stops with the compiler's words. Where there was
 * nothing before, the old form proves that the name is free.
 */

#ifdef PROBE_CLASS_CREATE_NAME
#include <linux/device.h>

struct class *nrdma_probe(void)
{
#if PROBE_CLASS_CREATE_NAME
	return class_create("probe");
#else
	return class_create(THIS_MODULE, "probe");
#endif
}
#endif

#ifdef PROBE_CLASS_DEVNODE_CONST
#include <linux/device.h>

#if PROBE_CLASS_DEVNODE_CONST
char *nrdma_probe_devnode(const struct device *dev, umode_t *mode);
#else
char *nrdma_probe_devnode(struct device *dev, umode_t *mode);
#endif

struct class nrdma_probe = { .devnode = nrdma_probe_devnode };
#endif

#ifdef PROBE_IMPORT_NS_STRING
#include <linux/module.h>

#if PROBE_IMPORT_NS_STRING
/* As a token, "x" would become "\"x\"": of another size. */
#undef MODULE_INFO
#define MODULE_INFO(tag, info) static_assert(sizeof(info) == sizeof("x"), #tag)
MODULE_IMPORT_NS("x");
#else
MODULE_IMPORT_NS(x);
#endif
#endif

#ifdef PROBE_VM_FLAGS_SET
#include <linux/mm.h>

#if PROBE_VM_FLAGS_SET
void nrdma_probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTEXPAND);
	vm_flags_clear(vma, VM_MAYWRITE);
}
#else
void vm_flags_set(void);

void nrdma_probe(struct vm_area_struct *vma)
{
	vma->vm_flags |= VM_DONTEXPAND;
}
#endif
#endif

#ifdef PROBE_MM_GET_UNMAPPED_AREA
#include <linux/sched/mm.h>

#if PROBE_MM_GET_UNMAPPED_AREA
void *nrdma_probe = mm_get_unmapped_area;
#else
void mm_get_unmapped_area(void);
#endif
#endif

#ifdef PROBE_MM_GET_UNMAPPED_AREA_FILE
#include <linux/sched/mm.h>

#if PROBE_MM_GET_UNMAPPED_AREA_FILE
unsigned long nrdma_probe(struct file *file)
{
	return mm_get_unmapped_area(file, 0, PAGE_SIZE, 0, 0);
}
#else
/* Declared again the same way, or not there at all. */
unsigned long mm_get_unmapped_area(struct mm_struct *mm, struct file *file,
				   unsigned long addr, unsigned long len,
				   unsigned long pgoff, unsigned long flags);
#endif
#endif

#ifdef PROBE_WQ_PERCPU
#include <linux/workqueue.h>

#if PROBE_WQ_PERCPU
int nrdma_probe = WQ_PERCPU;
#else
enum { WQ_PERCPU };
#endif
#endif

#ifdef PROBE_SYSTEM_PERCPU_WQ
#include <linux/workqueue.h>

#if PROBE_SYSTEM_PERCPU_WQ
struct workqueue_struct **nrdma_probe[] = { &system_percpu_wq, &system_dfl_wq };
#else
void system_percpu_wq(void);
struct workqueue_struct **nrdma_probe[] = { &system_wq, &system_unbound_wq };
#endif
#endif

#ifdef PROBE_HK_TYPE
#include <linux/sched/isolation.h>

#if PROBE_HK_TYPE
enum hk_type nrdma_probe[] = { HK_TYPE_DOMAIN, HK_TYPE_MANAGED_IRQ };
#else
enum hk_flags nrdma_probe[] = { HK_FLAG_DOMAIN, HK_FLAG_MANAGED_IRQ };
#endif
#endif

#ifdef PROBE_IRQ_GET_EFFECTIVE_AFFINITY_MASK
#include <linux/irq.h>

#if PROBE_IRQ_GET_EFFECTIVE_AFFINITY_MASK
const struct cpumask *nrdma_probe(unsigned int irq)
{
	return irq_get_effective_affinity_mask(irq);
}
#else
void irq_get_effective_affinity_mask(void);

const struct cpumask *nrdma_probe(unsigned int irq)
{
	return irq_data_get_effective_affinity_mask(irq_get_irq_data(irq));
}
#endif
#endif

#ifdef PROBE_MSI_FOR_EACH_DESC
#include <linux/device.h>
#include <linux/msi.h>
#include <linux/pci.h>

#if PROBE_MSI_FOR_EACH_DESC
void nrdma_probe(struct device *dev)
{
	struct msi_desc *desc;

	msi_for_each_desc(desc, dev, MSI_DESC_ASSOCIATED)
		;
}
#else
void nrdma_probe(struct device *dev)
{
	struct msi_desc *desc;

	for_each_pci_msi_entry(desc, to_pci_dev(dev))
		;
}
#endif
#endif

#ifdef PROBE_MSI_LOCK_GUARD
#include <linux/device.h>
#include <linux/msi.h>

#if PROBE_MSI_LOCK_GUARD
void nrdma_probe(struct device *dev)
{
	guard(msi_descs_lock)(dev);
}
#else
/* Declared again the same way, or not there at all. */
void msi_lock_descs(struct device *dev);
#endif
#endif

#ifdef PROBE_IB_DEVICE_GET_NETDEV
#include <rdma/ib_verbs.h>

#if PROBE_IB_DEVICE_GET_NETDEV
struct net_device *nrdma_probe(struct ib_device *ib)
{
	return ib_device_get_netdev(ib, 1);
}
#else
void ib_device_get_netdev(void);

struct net_device *nrdma_probe(struct ib_device *ib)
{
	return rcu_access_pointer(ib->port_data[1].netdev);
}
#endif
#endif

#ifdef PROBE_GENL_SPLIT_PRE_DOIT
#include <net/genetlink.h>

#if PROBE_GENL_SPLIT_PRE_DOIT
int nrdma_probe_pre(const struct genl_split_ops *ops, struct sk_buff *skb,
		    struct genl_info *info);
#else
int nrdma_probe_pre(const struct genl_ops *ops, struct sk_buff *skb,
		    struct genl_info *info);
#endif

struct genl_family nrdma_probe = { .pre_doit = nrdma_probe_pre };
#endif

#ifdef PROBE_GENL_RESV_START_OP
#include <net/genetlink.h>

#if PROBE_GENL_RESV_START_OP
struct genl_family nrdma_probe = { .resv_start_op = 1 };
#else
/* The same place for a name that is not there. */
struct genl_family nrdma_probe = { .n_ops = 1 };
#endif
#endif

#ifdef PROBE_GENL_INFO_DUMP
#include <net/genetlink.h>

#if PROBE_GENL_INFO_DUMP
struct nlattr **nrdma_probe(struct netlink_callback *cb)
{
	return genl_info_dump(cb)->attrs;
}
#else
void genl_info_dump(void);

struct nlattr **nrdma_probe(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->attrs;
}
#endif
#endif

#ifdef PROBE_NLA_STRSCPY
#include <net/netlink.h>

#if PROBE_NLA_STRSCPY
ssize_t nrdma_probe(char *dst, const struct nlattr *nla, size_t size)
{
	return nla_strscpy(dst, nla, size);
}
#else
void nla_strscpy(void);

size_t nrdma_probe(char *dst, const struct nlattr *nla, size_t size)
{
	return nla_strlcpy(dst, nla, size);
}
#endif
#endif

#ifdef PROBE_KMEMCG_WITHOUT_TYPE
#include <linux/mm.h>

#if PROBE_KMEMCG_WITHOUT_TYPE
void PageKmemcg(void);
#else
int nrdma_probe(struct page *page)
{
	return PageKmemcg(page);
}
#endif
#endif

#ifdef PROBE_SHRINKER_ALLOC
#include <linux/mm.h>
#include <linux/shrinker.h>

#if PROBE_SHRINKER_ALLOC
struct shrinker *nrdma_probe(void)
{
	return shrinker_alloc(SHRINKER_NUMA_AWARE, "probe");
}
#else
void shrinker_alloc(void);
#endif
#endif

#ifdef PROBE_REGISTER_SHRINKER_BARE
#include <linux/mm.h>
#include <linux/shrinker.h>

#if PROBE_REGISTER_SHRINKER_BARE
int nrdma_probe(struct shrinker *shrinker)
{
	return register_shrinker(shrinker);
}
#else
/* Later ones take a name, or are gone */
bool nrdma_probe(struct shrinker *shrinker)
{
	return shrinker->count_objects;
}
#endif
#endif

#ifdef PROBE_RDMA_RESTRICT_NODE_TYPE
#include <rdma/rdma_cm.h>

#if PROBE_RDMA_RESTRICT_NODE_TYPE
int nrdma_probe(struct rdma_cm_id *id)
{
	return rdma_restrict_node_type(id, RDMA_NODE_RNIC);
}
#else
void rdma_restrict_node_type(void);
#endif
#endif

#ifdef PROBE_KTHREAD_AFFINE_PREFERRED
#include <linux/kthread.h>

#if PROBE_KTHREAD_AFFINE_PREFERRED
int nrdma_probe(struct task_struct *task, const struct cpumask *cpus)
{
	return kthread_affine_preferred(task, cpus);
}
#else
void kthread_affine_preferred(void);
#endif
#endif
