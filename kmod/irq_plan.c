// SPDX-License-Identifier: GPL-2.0
/*
 * Steering policies, and which CPUs they come to. Moves nothing.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/topology.h>

#include "irq_plan.h"
#include "node.h"

/**
 * nrdma_irq_policy_init() - the policy of a function that was never steered
 * @policy: off; once on, local and locked
 *
 * Return: 0 or -ENOMEM.
 */
int nrdma_irq_policy_init(struct nrdma_irq_policy *policy)
{
	policy->mode = NRDMA_POLICY_OFF;
	policy->node = NUMA_NO_NODE;
	policy->isolated = false;
	policy->lock = true;
	if (!zalloc_cpumask_var(&policy->cpus, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&policy->exclude, GFP_KERNEL)) {
		free_cpumask_var(policy->cpus);
		return -ENOMEM;
	}
	return 0;
}

/**
 * nrdma_irq_policy_destroy() - undo nrdma_irq_policy_init()
 * @policy: initialized
 */
void nrdma_irq_policy_destroy(struct nrdma_irq_policy *policy)
{
	free_cpumask_var(policy->exclude);
	free_cpumask_var(policy->cpus);
}

/**
 * nrdma_irq_policy_copy() - make one policy like another
 * @to: initialized
 * @from: initialized
 */
void nrdma_irq_policy_copy(struct nrdma_irq_policy *to, const struct nrdma_irq_policy *from)
{
	to->mode = from->mode;
	to->node = from->node;
	to->isolated = from->isolated;
	to->lock = from->lock;
	cpumask_copy(to->cpus, from->cpus);
	cpumask_copy(to->exclude, from->exclude);
}

static int nrdma_plan_refuse(struct nrdma_refusal *refusal, int err, int attr, const char *msg)
{
	refusal->attr = attr;
	refusal->msg = msg;
	return err;
}

/*
 * CPUs that the policy names, online. Those of the device's node give way to
 * other nodes' only where the node has none; not where its own are isolated
 * or excluded, that was somebody's wish.
 */
static int nrdma_plan_wanted(const struct nrdma_irq_policy *policy, int node,
			     enum nrdma_tier *tier, struct cpumask *cpus,
			     struct nrdma_refusal *refusal)
{
	nodemask_t nodes;
	int n;

	*tier = NRDMA_TIER_NONE;
	switch (policy->mode) {
	case NRDMA_POLICY_LOCAL:
	case NRDMA_POLICY_SPREAD:
		if (node == NUMA_NO_NODE)
			return nrdma_plan_refuse(refusal, -ENXIO, NRDMA_A_POLICY_MODE,
						 "the device's node is unknown: say where it is ('dev set DEV node N'), or use policy node or cpus");
		*tier = nrdma_node_cpus(node, &nodes);
		if (policy->mode == NRDMA_POLICY_SPREAD) {
			cpumask_copy(cpus, cpu_online_mask);
			return 0;
		}
		cpumask_clear(cpus);
		for_each_node_mask(n, nodes)
			cpumask_or(cpus, cpus, cpumask_of_node(n));
		cpumask_and(cpus, cpus, cpu_online_mask);
		return 0;
	case NRDMA_POLICY_NODE:
		if (policy->node == NUMA_NO_NODE)
			return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_MODE,
						 "policy node needs a node");
		if (!node_online(policy->node))
			return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_NODE,
						 "no such node online");
		if (!nrdma_node_has_cpus(policy->node))
			return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_NODE,
						 "the node has no online CPU");
		cpumask_and(cpus, cpumask_of_node(policy->node), cpu_online_mask);
		return 0;
	case NRDMA_POLICY_CPUS:
		if (cpumask_empty(policy->cpus))
			return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_CPUS,
						 "policy cpus needs a list of CPUs");
		if (!cpumask_and(cpus, policy->cpus, cpu_online_mask))
			return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_CPUS,
						 "no CPU of the list is online");
		return 0;
	default:
		return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_MODE,
					 "policy off uses no CPU");
	}
}

/*
 * Those of @cpus that interrupts should stay off: isolated from them, from the
 * scheduler, or from the tick.
 */
static bool nrdma_plan_housekeeping(struct cpumask *cpus)
{
	rcu_read_lock();
	cpumask_and(cpus, cpus, housekeeping_cpumask(HK_TYPE_MANAGED_IRQ));
	cpumask_and(cpus, cpus, housekeeping_cpumask(HK_TYPE_DOMAIN));
	cpumask_and(cpus, cpus, housekeeping_cpumask(HK_TYPE_TICK));
	rcu_read_unlock();
	return !cpumask_empty(cpus);
}

static int nrdma_plan_allowed(const struct nrdma_irq_policy *policy, int node,
			      enum nrdma_tier *tier, struct cpumask *cpus,
			      struct nrdma_refusal *refusal)
{
	int ret;

	ret = nrdma_plan_wanted(policy, node, tier, cpus, refusal);
	if (ret)
		return ret;
	if (!cpumask_andnot(cpus, cpus, policy->exclude))
		return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_EXCLUDE,
					 "every CPU that the policy names is excluded");
	if (!policy->isolated && !nrdma_plan_housekeeping(cpus))
		return nrdma_plan_refuse(refusal, -EINVAL, NRDMA_A_POLICY_ISOLATED,
					 "every CPU that the policy names is isolated: 'isolated on' uses them all the same");
	return 0;
}

/* Whole cores first, near before far, low numbers first */
static int nrdma_plan_compare(const void *a, const void *b)
{
	const struct nrdma_plan_cpu *l = a, *r = b;

	if (l->rank != r->rank)
		return l->rank < r->rank ? -1 : 1;
	if (l->distance != r->distance)
		return l->distance < r->distance ? -1 : 1;
	return l->cpu < r->cpu ? -1 : 1;
}

static unsigned int nrdma_plan_rank(unsigned int cpu, const struct cpumask *cpus)
{
	unsigned int sibling, rank = 0;

	for_each_cpu_and(sibling, topology_sibling_cpumask(cpu), cpus)
		if (sibling < cpu)
			rank++;
	return rank;
}

/**
 * nrdma_plan_make() - which CPUs a policy comes to now
 * @policy: not NRDMA_POLICY_OFF
 * @node: the device's node, or NUMA_NO_NODE
 * @refusal: filled in where the policy cannot be followed
 *
 * Only online CPUs, and only housekeeping ones unless the policy says otherwise.
 *
 * Context: may sleep. CPUs may go offline at once.
 * Return: a plan for nrdma_plan_free(), or an ERR_PTR: -ENOMEM, then with no
 * message in @refusal; -ENXIO the device's node is unknown; -EINVAL no CPU left.
 */
struct nrdma_plan *nrdma_plan_make(const struct nrdma_irq_policy *policy, int node,
				   struct nrdma_refusal *refusal)
{
	struct nrdma_plan *plan;
	enum nrdma_tier tier;
	unsigned int cpu, i = 0;
	cpumask_var_t cpus;
	int ret;

	refusal->attr = 0;
	refusal->msg = NULL;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return ERR_PTR(-ENOMEM);

	ret = nrdma_plan_allowed(policy, node, &tier, cpus, refusal);
	if (ret)
		goto free_cpus;

	ret = -ENOMEM;
	plan = kvmalloc(struct_size(plan, cpus, cpumask_weight(cpus)), GFP_KERNEL);
	if (!plan)
		goto free_cpus;

	for_each_cpu(cpu, cpus) {
		struct nrdma_plan_cpu *entry = &plan->cpus[i++];

		entry->cpu = cpu;
		entry->rank = nrdma_plan_rank(cpu, cpus);
		entry->distance = 0;
		if (policy->mode == NRDMA_POLICY_SPREAD && cpu_to_node(cpu) != NUMA_NO_NODE)
			entry->distance = node_distance(node, cpu_to_node(cpu));
	}
	plan->nr = i;
	plan->tier = tier;
	sort(plan->cpus, plan->nr, sizeof(plan->cpus[0]), nrdma_plan_compare, NULL);
	free_cpumask_var(cpus);
	return plan;

free_cpus:
	free_cpumask_var(cpus);
	return ERR_PTR(ret);
}

/**
 * nrdma_plan_free() - undo nrdma_plan_make()
 * @plan: a plan or NULL
 */
void nrdma_plan_free(struct nrdma_plan *plan)
{
	kvfree(plan);
}

/**
 * nrdma_plan_place() - which entry of a plan is for a vector
 * @plan: plan
 * @index: the vector's MSI index. Not its rank: one that comes or goes then
 *	moves no other.
 *
 * Each round over the CPUs begins one further than the one before: drivers like
 * to give a queue two vectors, and all the first ones would meet on one CPU.
 *
 * Return: index into plan->cpus.
 */
unsigned int nrdma_plan_place(const struct nrdma_plan *plan, unsigned int index)
{
	return (index + index / plan->nr) % plan->nr;
}

/**
 * nrdma_plan_cpu() - the CPU for a vector
 * @plan: plan
 * @index: the vector's MSI index
 *
 * Return: a CPU.
 */
unsigned int nrdma_plan_cpu(const struct nrdma_plan *plan, unsigned int index)
{
	return plan->cpus[nrdma_plan_place(plan, index)].cpu;
}
