/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_IRQ_PLAN_H
#define NRDMA_IRQ_PLAN_H

#include <linux/cpumask.h>
#include <uapi/linux/nrdma.h>

/**
 * struct nrdma_irq_policy - where the vectors of a PCI function shall go
 * @mode: off, or which CPUs
 * @node: with NRDMA_POLICY_NODE; NUMA_NO_NODE while none was ever named
 * @isolated: isolated CPUs may be used
 * @lock: user space may not move the vectors
 * @cpus: with NRDMA_POLICY_CPUS
 * @exclude: CPUs never to be used
 */
struct nrdma_irq_policy {
	enum nrdma_policy	mode;
	int			node;
	bool			isolated;
	bool			lock;
	cpumask_var_t		cpus;
	cpumask_var_t		exclude;
};

int nrdma_irq_policy_init(struct nrdma_irq_policy *policy);
void nrdma_irq_policy_destroy(struct nrdma_irq_policy *policy);
void nrdma_irq_policy_copy(struct nrdma_irq_policy *to, const struct nrdma_irq_policy *from);

/**
 * struct nrdma_refusal - why a policy cannot be followed
 * @attr: the attribute at fault, enum nrdma_a_policy, or 0
 * @msg: in words
 */
struct nrdma_refusal {
	int		attr;
	const char	*msg;
};

/**
 * struct nrdma_plan_cpu - a CPU that may take vectors
 * @cpu: it
 * @rank: how many of its SMT siblings come before it
 * @distance: from the device's node, where that counts
 */
struct nrdma_plan_cpu {
	unsigned int	cpu;
	unsigned int	rank;
	int		distance;
};

/**
 * struct nrdma_plan - the CPUs that a policy comes to now, best first
 * @tier: how near they are, with NRDMA_POLICY_LOCAL
 * @nr: entries in @cpus, at least one
 * @cpus: taken in turn
 */
struct nrdma_plan {
	enum nrdma_tier		tier;
	unsigned int		nr;
	struct nrdma_plan_cpu	cpus[];
};

struct nrdma_plan *nrdma_plan_make(const struct nrdma_irq_policy *policy, int node,
				   struct nrdma_refusal *refusal);
void nrdma_plan_free(struct nrdma_plan *plan);

unsigned int nrdma_plan_place(const struct nrdma_plan *plan, unsigned int index);
unsigned int nrdma_plan_cpu(const struct nrdma_plan *plan, unsigned int index);

#endif /* NRDMA_IRQ_PLAN_H */
