// SPDX-License-Identifier: GPL-2.0
/*
 * The vectors of a PCI function: found from its MSI descriptors, steered, kept,
 * put back. Names in /proc/interrupts play no part in it.
 */
#include <linux/msi.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "func.h"
#include "irq.h"

static atomic_t nrdma_funcs_generation = ATOMIC_INIT(0);

/**
 * nrdma_func_generation() - a number that changes with what is known of vectors
 *
 * Return: an even number, so that its sum with an odd one is never 0.
 */
unsigned int nrdma_func_generation(void)
{
	return atomic_read(&nrdma_funcs_generation);
}

static void nrdma_func_changed(void)
{
	atomic_add(2, &nrdma_funcs_generation);
}

/* ---- walking over vectors ---- */

/* The MSI descriptors' lock is held. A descriptor of plain MSI has several vectors. */
static int nrdma_func_walk(struct nrdma_func *func, unsigned int from,
			   nrdma_func_visit visit, void *arg)
{
	struct msi_desc *desc;
	unsigned int i, index;
	struct nrdma_vector *v;
	int ret;

	nrdma_msi_for_each(desc, &func->pdev->dev) {
		for (i = 0; i < desc->nvec_used; i++) {
			index = nrdma_msi_index(desc) + i;
			if (index < from || !nrdma_live_read(&func->live, desc->irq + i))
				continue;
			v = xa_load(&func->vectors, index);
			if (v && !nrdma_vector_is(v, &func->live))
				v = NULL;
			ret = visit(func, index, v, arg);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/**
 * nrdma_func_for_each() - look at each vector
 * @func: function
 * @from: first MSI index to look at
 * @visit: called in ascending order, with the MSI descriptors' lock held
 * @arg: for @visit
 *
 * Context: may sleep; func->lock is held.
 * Return: what ended the walk, or 0.
 */
int nrdma_func_for_each(struct nrdma_func *func, unsigned int from, nrdma_func_visit visit,
			void *arg)
{
	int ret;

	lockdep_assert_held(&func->lock);

	if (!func->pdev || !nrdma_msi_lock(&func->pdev->dev))
		return 0;
	ret = nrdma_func_walk(func, from, visit, arg);
	nrdma_msi_unlock(&func->pdev->dev);
	return ret;
}

static int nrdma_func_count_one(struct nrdma_func *func, unsigned int index,
				struct nrdma_vector *v, void *arg)
{
	struct nrdma_irq_count *count = arg;

	count->vectors++;
	switch (nrdma_vector_state(v, &func->live)) {
	case NRDMA_IRQ_STATE_PLACED:
		count->placed++;
		break;
	case NRDMA_IRQ_STATE_PENDING:
		count->pending++;
		break;
	case NRDMA_IRQ_STATE_MANAGED:
		count->managed++;
		break;
	case NRDMA_IRQ_STATE_DRIFTED:
		count->drifted++;
		break;
	case NRDMA_IRQ_STATE_FAILED:
		count->failed++;
		if (v)
			count->error = v->error;
		break;
	case NRDMA_IRQ_STATE_IDLE:
		break;
	}
	return 0;
}

static int nrdma_func_count_off(struct nrdma_func *func, unsigned int index,
				struct nrdma_vector *v, void *arg)
{
	return nrdma_func_count_one(func, index, NULL, arg);
}

/**
 * nrdma_func_count() - count vectors by how they stand now
 * @func: function
 * @count: filled in
 *
 * Context: may sleep; func->lock is held.
 */
void nrdma_func_count(struct nrdma_func *func, struct nrdma_irq_count *count)
{
	memset(count, 0, sizeof(*count));
	nrdma_func_for_each(func, 0, func->on ? nrdma_func_count_one : nrdma_func_count_off,
			    count);
}

static void nrdma_func_forget(struct nrdma_func *func, struct nrdma_vector *v)
{
	xa_erase(&func->vectors, v->index);
	nrdma_vector_free(v);
}

static void nrdma_func_forget_all(struct nrdma_func *func)
{
	struct nrdma_vector *v;
	unsigned long index;

	xa_for_each(&func->vectors, index, v)
		nrdma_func_forget(func, v);
}

/* Of a function that has not come to be steered */
static void nrdma_func_forget_unmoved(struct nrdma_func *func)
{
	struct nrdma_vector *v;
	unsigned long index;

	xa_for_each(&func->vectors, index, v)
		if (!v->moved)
			nrdma_func_forget(func, v);
}

/* ---- steering ---- */

/**
 * struct nrdma_func_steering - a walk that steers
 * @move: how
 * @moved: how many were
 * @drifted: how many were found moved away that had not been before
 */
struct nrdma_func_steering {
	struct nrdma_vector_move	move;
	unsigned int			moved;
	unsigned int			drifted;
};

/* All memory that steering takes is taken here, before anything moves. */
static int nrdma_func_meet_one(struct nrdma_func *func, unsigned int index,
			       struct nrdma_vector *v, void *arg)
{
	struct nrdma_vector *fresh, *old;

	if (!v) {
		fresh = nrdma_vector_new(index, &func->live);
		if (!fresh)
			return -ENOMEM;
		old = xa_store(&func->vectors, index, fresh, GFP_KERNEL);
		if (xa_is_err(old)) {
			nrdma_vector_free(fresh);
			return xa_err(old);
		}
		if (old)
			nrdma_vector_free(old);
		v = fresh;
	}
	v->count = func->live.count;
	v->started = func->live.started;
	v->undo.wanted = false;
	v->pass = func->pass;
	return 0;
}

static int nrdma_func_steer_one(struct nrdma_func *func, unsigned int index,
				struct nrdma_vector *v, void *arg)
{
	struct nrdma_func_steering *steering = arg;
	bool drifted;
	int ret;

	/* nrdma_func_meet_one() has just seen to it */
	if (WARN_ON_ONCE(!v))
		return 0;
	drifted = v->drifted;
	ret = nrdma_vector_steer(v, &func->live, &steering->move, &func->vectors);
	if (ret < 0)
		return ret;
	steering->moved += ret;
	steering->drifted += v->drifted && !drifted;
	return 0;
}

/*
 * All or nothing, but for what the kernel is known to refuse for single vectors:
 * that is counted. With nothing placed at all it is nothing.
 */
static int nrdma_func_steer(struct nrdma_func *func, struct nrdma_func_steering *steering,
			    struct nrdma_irq_count *count)
{
	struct device *dev = &func->pdev->dev;
	struct nrdma_vector *v;
	unsigned long index;
	int ret;

	memset(count, 0, sizeof(*count));
	if (!nrdma_msi_lock(dev))
		return steering->move.asked ? -ENOENT : 0;

	func->pass++;
	ret = nrdma_func_walk(func, 0, nrdma_func_meet_one, NULL);
	if (ret)
		goto unlock;
	xa_for_each(&func->vectors, index, v)
		if (v->pass != func->pass)
			nrdma_func_forget(func, v);

	ret = nrdma_func_walk(func, 0, nrdma_func_steer_one, steering);
	if (!ret) {
		nrdma_func_walk(func, 0, nrdma_func_count_one, count);
		if (steering->move.asked && !count->placed && !count->pending)
			ret = count->error ?: count->vectors ? -EOPNOTSUPP : -ENOENT;
	}
	if (ret)
		xa_for_each(&func->vectors, index, v)
			nrdma_vector_undo(v, &func->vectors);
unlock:
	nrdma_msi_unlock(dev);
	nrdma_func_changed();
	return ret;
}

static void nrdma_func_steered(struct nrdma_func *func, const struct nrdma_irq_count *count)
{
	func->error = count->error;
	func->steered_at = ktime_get_boottime_ns();
	func->steers++;
}

static int nrdma_func_unlock_one(struct nrdma_func *func, unsigned int index,
				 struct nrdma_vector *v, void *arg)
{
	if (v) {
		nrdma_vector_unlock(v);
		v->drifted = false;
	}
	return 0;
}

/* Vectors stay where they are, and are still put back by a restore. */
static void nrdma_func_set_off(struct nrdma_func *func, const struct nrdma_irq_policy *policy,
			       struct nrdma_irq_count *count)
{
	bool was_on = func->on;

	nrdma_func_for_each(func, 0, nrdma_func_unlock_one, NULL);
	nrdma_irq_policy_copy(&func->policy, policy);
	WRITE_ONCE(func->on, false);
	nrdma_irq_check_stop();
	func->error = 0;
	nrdma_func_changed();
	nrdma_func_count(func, count);
	if (was_on)
		nrdma_event_irq(func, NRDMA_IRQ_EVENT_STEERED, count, "switched off");
}

static const char *nrdma_func_steer_failed(int err)
{
	switch (err) {
	case -ENOENT:
		return NRDMA_NO_VECTORS;
	case -EOPNOTSUPP:
		return "the kernel manages all vectors of the function";
	case -ENOSPC:
		return "no CPU that the policy names has an interrupt left to give";
	default:
		return "the kernel refused to move a vector, all are back where they were";
	}
}

/**
 * nrdma_func_set() - follow a policy from now on
 * @func: function
 * @policy: what is wanted
 * @count: filled in: what came of it
 * @refusal: filled in on failure
 *
 * Context: may sleep; func->lock is held.
 * Return: 0, also where single vectors could not be moved, see @count; or a
 * negative errno, and policy and vectors are as they were.
 */
int nrdma_func_set(struct nrdma_func *func, const struct nrdma_irq_policy *policy,
		   struct nrdma_irq_count *count, struct nrdma_refusal *refusal)
{
	struct nrdma_func_steering steering = {
		.move.lock = policy->lock,
		.move.asked = true,
	};
	struct nrdma_plan *plan;
	int ret;

	lockdep_assert_held(&func->lock);

	if (policy->mode == NRDMA_POLICY_OFF) {
		nrdma_func_set_off(func, policy, count);
		return 0;
	}

	plan = nrdma_plan_make(policy, func->node, refusal);
	if (IS_ERR(plan))
		return PTR_ERR(plan);
	if (!func->pdev) {
		refusal->msg = "no driver is bound to the PCI function";
		ret = -ENODEV;
		goto free_plan;
	}

	steering.move.plan = plan;
	ret = nrdma_func_steer(func, &steering, count);
	if (ret) {
		refusal->msg = nrdma_func_steer_failed(ret);
		if (!func->on)
			nrdma_func_forget_unmoved(func);
		goto free_plan;
	}

	nrdma_irq_policy_copy(&func->policy, policy);
	WRITE_ONCE(func->on, true);
	func->tier = plan->tier;
	nrdma_func_steered(func, count);
	nrdma_event_irq(func, NRDMA_IRQ_EVENT_STEERED, count, "asked for");
	nrdma_irq_check_start();

free_plan:
	nrdma_plan_free(plan);
	return ret;
}

/* The policy can no longer be followed. Said once. */
static void nrdma_func_stuck(struct nrdma_func *func, int err, const char *msg)
{
	struct nrdma_irq_count count;

	if (func->error == err)
		return;
	func->error = err;
	pr_warn("nrdma: %s: vectors cannot be steered: %s\n", func->name,
		msg ?: nrdma_func_steer_failed(err));
	nrdma_func_count(func, &count);
	nrdma_event_irq(func, NRDMA_IRQ_EVENT_DRIFTED, &count,
			msg ?: nrdma_func_steer_failed(err));
}

/**
 * nrdma_func_recheck() - see to it that vectors are still where they are wanted
 * @func: function
 * @why: what makes us look, for the event
 *
 * New vectors are placed, lost ones forgotten, and what lost its place by the
 * kernel's or the driver's doing gets it back. What somebody else moved is told
 * and left alone.
 *
 * Context: may sleep; func->lock is held.
 */
void nrdma_func_recheck(struct nrdma_func *func, const char *why)
{
	struct nrdma_func_steering steering = { .move.lock = func->policy.lock };
	struct nrdma_refusal refusal;
	struct nrdma_irq_count count;
	struct nrdma_plan *plan;
	int ret;

	lockdep_assert_held(&func->lock);

	if (!func->on || !func->pdev)
		return;

	plan = nrdma_plan_make(&func->policy, func->node, &refusal);
	if (IS_ERR(plan)) {
		nrdma_func_stuck(func, PTR_ERR(plan), refusal.msg);
		return;
	}

	steering.move.plan = plan;
	ret = nrdma_func_steer(func, &steering, &count);
	if (ret) {
		nrdma_func_stuck(func, ret, NULL);
		goto free_plan;
	}

	if (plan->tier > func->tier && plan->tier != NRDMA_TIER_NONE)
		pr_warn("nrdma: %s: no CPU of its node is online, vectors go to the nearest that are\n",
			func->name);
	func->tier = plan->tier;
	if (steering.moved) {
		nrdma_func_steered(func, &count);
		nrdma_event_irq(func, NRDMA_IRQ_EVENT_RESTEERED, &count, why);
	}
	func->error = count.error;
	if (steering.drifted)
		nrdma_event_irq(func, NRDMA_IRQ_EVENT_DRIFTED, &count,
				"moved by somebody else; 'lock on' would keep them");
free_plan:
	nrdma_plan_free(plan);
}

/* ---- the way back ---- */

static int nrdma_func_restore_one(struct nrdma_func *func, unsigned int index,
				  struct nrdma_vector *v, void *arg)
{
	struct nrdma_irq_count *count = arg;

	count->vectors++;
	if (func->live.managed)
		count->managed++;
	if (!v)
		return 0;
	switch (nrdma_vector_restore(v, &func->live, &func->vectors)) {
	case NRDMA_IRQ_STATE_PLACED:
		count->placed++;
		break;
	case NRDMA_IRQ_STATE_PENDING:
		count->pending++;
		break;
	case NRDMA_IRQ_STATE_DRIFTED:
		count->drifted++;
		break;
	case NRDMA_IRQ_STATE_FAILED:
		count->failed++;
		count->error = v->error;
		break;
	default:
		break;
	}
	return 0;
}

static void nrdma_func_put_back(struct nrdma_func *func, struct nrdma_irq_count *count)
{
	memset(count, 0, sizeof(*count));
	nrdma_func_for_each(func, 0, nrdma_func_restore_one, count);
	nrdma_func_changed();
}

/**
 * nrdma_func_restore() - policy off, and vectors back where they were before us
 * @func: function
 * @count: filled in: what came of it
 *
 * What the kernel refuses to move back is kept for another try.
 *
 * Context: may sleep; func->lock is held.
 */
void nrdma_func_restore(struct nrdma_func *func, struct nrdma_irq_count *count)
{
	struct nrdma_vector *v;
	unsigned long index;

	lockdep_assert_held(&func->lock);

	nrdma_func_put_back(func, count);
	xa_for_each(&func->vectors, index, v)
		if (!v->error)
			nrdma_func_forget(func, v);
	func->policy.mode = NRDMA_POLICY_OFF;
	WRITE_ONCE(func->on, false);
	nrdma_irq_check_stop();
	func->error = count->error;
	nrdma_event_irq(func, NRDMA_IRQ_EVENT_RESTORED, count, "asked for");
}

/**
 * nrdma_func_release() - let go of the pci_dev, vectors back where they were
 * @func: function
 * @why: for the event
 *
 * The policy stays, for when it comes back.
 *
 * Context: may sleep; func->lock is held, and the driver is still bound.
 */
void nrdma_func_release(struct nrdma_func *func, const char *why)
{
	struct nrdma_irq_count count;

	lockdep_assert_held(&func->lock);

	if (!func->pdev)
		return;
	/* Vectors of a function that never was steered are nobody's business */
	memset(&count, 0, sizeof(count));
	if (!xa_empty(&func->vectors))
		nrdma_func_put_back(func, &count);
	if (count.drifted || count.failed)
		pr_info("nrdma: %s: %u vectors stay as somebody else has put them, %u could not be put back\n",
			func->name, count.drifted, count.failed);
	if (!xa_empty(&func->vectors))
		nrdma_event_irq(func, NRDMA_IRQ_EVENT_RESTORED, &count, why);
	nrdma_func_forget_all(func);
	func->error = 0;
	pci_dev_put(func->pdev);
	func->pdev = NULL;
}

/**
 * nrdma_func_cpu_going() - a CPU is about to go offline
 * @func: function
 * @cpu: the CPU
 *
 * Context: as nrdma_func_cpu_dead().
 */
void nrdma_func_cpu_going(struct nrdma_func *func, unsigned int cpu)
{
	struct nrdma_vector *v;
	unsigned long index;

	xa_lock(&func->vectors);
	xa_for_each(&func->vectors, index, v)
		nrdma_vector_cpu_going(v, cpu);
	xa_unlock(&func->vectors);
}

/**
 * nrdma_func_cpu_dead() - a CPU went offline
 * @func: function
 * @cpu: the CPU
 *
 * Context: CPU hotplug, which every lock that a driver holds may wait for: so
 * func->lock is not taken.
 */
void nrdma_func_cpu_dead(struct nrdma_func *func, unsigned int cpu)
{
	struct nrdma_vector *v;
	unsigned long index;

	xa_lock(&func->vectors);
	xa_for_each(&func->vectors, index, v)
		nrdma_vector_cpu_dead(v, cpu);
	xa_unlock(&func->vectors);
}

/* ---- lifetime ---- */

/**
 * nrdma_func_new() - begin to look after a PCI address
 * @pdev: what is there now; not kept
 *
 * Return: a function that is off and holds nothing, NULL without memory.
 */
struct nrdma_func *nrdma_func_new(struct pci_dev *pdev)
{
	struct nrdma_func *func;

	func = kzalloc(sizeof(*func), GFP_KERNEL);
	if (!func)
		return NULL;
	if (nrdma_irq_policy_init(&func->policy))
		goto free_func;
	if (nrdma_live_init(&func->live))
		goto destroy_policy;

	mutex_init(&func->lock);
	strscpy(func->name, pci_name(pdev), sizeof(func->name));
	xa_init(&func->devs);
	xa_init(&func->vectors);
	func->node = NUMA_NO_NODE;
	func->tier = NRDMA_TIER_NONE;
	return func;

destroy_policy:
	nrdma_irq_policy_destroy(&func->policy);
free_func:
	kfree(func);
	return NULL;
}

/**
 * nrdma_func_free() - undo nrdma_func_new()
 * @func: function, released, with no work queued
 */
void nrdma_func_free(struct nrdma_func *func)
{
	nrdma_live_destroy(&func->live);
	nrdma_irq_policy_destroy(&func->policy);
	xa_destroy(&func->vectors);
	xa_destroy(&func->devs);
	mutex_destroy(&func->lock);
	kfree(func);
}
