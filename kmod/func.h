/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_FUNC_H
#define NRDMA_FUNC_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/nrdma.h>

#include "irq_plan.h"
#include "vector.h"

struct pci_dev;

/* Zero found is never a success */
#define NRDMA_NO_VECTORS "the function has no MSI vectors: a legacy interrupt or none"

/**
 * struct nrdma_irq_count - the vectors of a function, counted
 * @vectors: all
 * @placed: read back where they were wanted, or put back where they were
 * @pending: will be at their next interrupt
 * @managed: placed by the kernel, left alone
 * @drifted: moved by somebody else, and left where they are
 * @failed: could not be moved
 * @error: why, of the last one
 */
struct nrdma_irq_count {
	u32	vectors;
	u32	placed;
	u32	pending;
	u32	managed;
	u32	drifted;
	u32	failed;
	int	error;
};

/**
 * struct nrdma_func - steering of a PCI function
 *
 * Made when the first RDMA device of a PCI address appears, and kept until the
 * module goes: one that comes back is steered as the one before it. What an
 * administrator wants belongs to the address; what was done to vectors belongs
 * to the pci_dev, and is undone when the last RDMA device on it leaves or when
 * its driver does, whichever is first.
 *
 * @lock: protects all of it, but for @why, @work, and what struct nrdma_vector
 *	says. Taken under the PCI device's lock, the RDMA core's locks, rtnl,
 *	nrdma_devs_sem and nrdma_dev.ib_sem, so nothing is waited for under it that
 *	takes one of these. Under it: the MSI descriptors' lock, nrdma_dev.lock.
 * @name: PCI address in words
 * @pdev: the function, referenced, while there is an RDMA device on it and a
 *	driver is bound to it; NULL otherwise. Its vectors are touched only then.
 * @devs: RDMA devices on it, by id
 * @node: their node; where overrides differ, the one set last
 * @policy: what is wanted
 * @on: vectors are to be kept where they are wanted; read without @lock where
 *	it only saves a useless run of @work
 * @tier: how near the CPUs of the last plan were
 * @vectors: by MSI index, what was steered and not restored
 * @live: room to look at one vector
 * @pass: counts walks over the vectors
 * @error: of the last steering, a negative errno
 * @steered_at: when, CLOCK_BOOTTIME
 * @steers: how often
 * @why: enum nrdma_irq_why, bits
 * @work: looks at it again, because of @why
 */
struct nrdma_func {
	struct mutex		lock; /* see above */
	char			name[32];
	struct pci_dev		*pdev;
	struct xarray		devs;
	int			node;
	struct nrdma_irq_policy	policy;
	bool			on;
	enum nrdma_tier		tier;
	struct xarray		vectors;
	struct nrdma_live	live;
	unsigned int		pass;
	int			error;
	u64			steered_at;
	u32			steers;
	unsigned long		why;
	struct work_struct	work;
};

struct nrdma_func *nrdma_func_new(struct pci_dev *pdev);
void nrdma_func_free(struct nrdma_func *func);

int nrdma_func_set(struct nrdma_func *func, const struct nrdma_irq_policy *policy,
		   struct nrdma_irq_count *count, struct nrdma_refusal *refusal);
void nrdma_func_restore(struct nrdma_func *func, struct nrdma_irq_count *count);
void nrdma_func_recheck(struct nrdma_func *func, const char *why);
void nrdma_func_release(struct nrdma_func *func, const char *why);
void nrdma_func_count(struct nrdma_func *func, struct nrdma_irq_count *count);
void nrdma_func_cpu_going(struct nrdma_func *func, unsigned int cpu);
void nrdma_func_cpu_dead(struct nrdma_func *func, unsigned int cpu);

/*
 * Called for each vector, with what it is now in func->live and, where it was
 * steered, @v. Anything but 0 ends the walk.
 */
typedef int (*nrdma_func_visit)(struct nrdma_func *func, unsigned int index,
				struct nrdma_vector *v, void *arg);
int nrdma_func_for_each(struct nrdma_func *func, unsigned int from, nrdma_func_visit visit,
			void *arg);

unsigned int nrdma_func_generation(void);

/* nl_irq.c */
void nrdma_event_irq(struct nrdma_func *func, enum nrdma_irq_event event,
		     const struct nrdma_irq_count *count, const char *why);

#endif /* NRDMA_FUNC_H */
