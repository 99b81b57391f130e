// SPDX-License-Identifier: GPL-2.0
/*
 * One interrupt: what the kernel says of it, moving it, and putting it back.
 *
 * Nothing but irq_set_affinity() and IRQ_NO_BALANCING is used. The hint and the
 * notifier of an interrupt have one slot each, and that is the driver's.
 *
 * Functions here run with the MSI descriptors' lock held, so that the driver cannot
 * give the interrupt back meanwhile; but for those of CPU hotplug, which say why not.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "irq_plan.h"
#include "vector.h"

/**
 * nrdma_live_init() - make room for the masks
 * @live: to be filled by nrdma_live_read()
 *
 * Return: 0 or -ENOMEM.
 */
int nrdma_live_init(struct nrdma_live *live)
{
	if (!zalloc_cpumask_var(&live->mask, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&live->effective, GFP_KERNEL)) {
		free_cpumask_var(live->mask);
		return -ENOMEM;
	}
	return 0;
}

/**
 * nrdma_live_destroy() - undo nrdma_live_init()
 * @live: initialized
 */
void nrdma_live_destroy(struct nrdma_live *live)
{
	free_cpumask_var(live->effective);
	free_cpumask_var(live->mask);
}

/* As /proc shows it. The descriptor's lock is held. */
static const struct cpumask *nrdma_desc_mask(struct irq_desc *desc)
{
#ifdef CONFIG_GENERIC_PENDING_IRQ
	if (irqd_is_setaffinity_pending(&desc->irq_data))
		return desc->pending_mask;
#endif
	return irq_data_get_affinity_mask(&desc->irq_data);
}

/* What the driver itself asks for, or NULL. The descriptor's lock is held. */
static const struct cpumask *nrdma_desc_hint(const struct irq_desc *desc)
{
#ifdef CONFIG_SMP
	return desc->affinity_hint;
#else
	return NULL;
#endif
}

/**
 * nrdma_live_read() - ask the kernel about an interrupt
 * @live: filled in
 * @virq: interrupt number
 *
 * A move without interrupt remapping waits for the next interrupt. What was
 * asked for counts as the mask then, as it does in /proc.
 *
 * Context: process; the MSI descriptors' lock is held.
 * Return: false when there is no such interrupt.
 */
bool nrdma_live_read(struct nrdma_live *live, unsigned int virq)
{
	struct irq_data *data = irq_get_irq_data(virq);
	const struct cpumask *hint;
	struct irq_chip *chip;
	struct irq_desc *desc;
	unsigned long flags;

	if (!data)
		return false;
	desc = irq_data_to_desc(data);

	raw_spin_lock_irqsave(&desc->lock, flags);
	chip = irq_data_get_irq_chip(data);
	live->virq = virq;
	live->desc = desc;
	live->count = desc->tot_count;
	live->managed = irqd_affinity_is_managed(data);
	live->movable = chip && chip->irq_set_affinity && !irqd_is_per_cpu(data);
	live->balanced = irqd_can_balance(data);
	live->pending = irqd_is_setaffinity_pending(data);
	live->started = irqd_is_started(data);
	cpumask_copy(live->mask, nrdma_desc_mask(desc));
	hint = nrdma_desc_hint(desc);
	live->hinted = hint && cpumask_equal(live->mask, hint);
	cpumask_copy(live->effective, irq_data_get_effective_affinity_mask(data));
	live->action[0] = '\0';
	if (desc->action && desc->action->name)
		strscpy(live->action, desc->action->name, sizeof(live->action));
	raw_spin_unlock_irqrestore(&desc->lock, flags);
	return true;
}

/**
 * nrdma_vector_new() - start looking after a vector
 * @index: MSI index
 * @live: what it is now
 *
 * Return: a vector that was not moved yet, NULL without memory.
 */
struct nrdma_vector *nrdma_vector_new(unsigned int index, const struct nrdma_live *live)
{
	struct nrdma_vector *v;

	v = kzalloc(sizeof(*v), GFP_KERNEL);
	if (!v)
		return NULL;
	if (!zalloc_cpumask_var(&v->original, GFP_KERNEL))
		goto free_vector;
	if (!zalloc_cpumask_var(&v->hint, GFP_KERNEL))
		goto free_original;
	if (!zalloc_cpumask_var(&v->gave, GFP_KERNEL))
		goto free_hint;
	if (!zalloc_cpumask_var(&v->undo.mask, GFP_KERNEL))
		goto free_gave;

	v->index = index;
	v->virq = live->virq;
	v->desc = live->desc;
	v->count = live->count;
	v->started = live->started;
	v->cpu = NRDMA_CPU_NONE;
	v->was = NRDMA_CPU_NONE;
	v->leaving = NRDMA_CPU_NONE;
	v->target = NRDMA_CPU_NONE;
	return v;

free_gave:
	free_cpumask_var(v->gave);
free_hint:
	free_cpumask_var(v->hint);
free_original:
	free_cpumask_var(v->original);
free_vector:
	kfree(v);
	return NULL;
}

/**
 * nrdma_vector_free() - forget a vector, and touch nothing
 * @v: a vector
 */
void nrdma_vector_free(struct nrdma_vector *v)
{
	free_cpumask_var(v->undo.mask);
	free_cpumask_var(v->gave);
	free_cpumask_var(v->hint);
	free_cpumask_var(v->original);
	kfree(v);
}

static bool nrdma_mask_is(const struct cpumask *mask, unsigned int cpu)
{
	return cpu != NRDMA_CPU_NONE && cpumask_equal(mask, cpumask_of(cpu));
}

/* No CPU of it will be online once @cpu is not. */
static bool nrdma_mask_loses_all(const struct cpumask *mask, unsigned int cpu)
{
	unsigned int other;

	for_each_cpu_and(other, mask, cpu_online_mask)
		if (other != cpu)
			return false;
	return true;
}

/* Is it where we put it, or on its way there? */
static bool nrdma_vector_ours(const struct nrdma_vector *v, const struct nrdma_live *live)
{
	return nrdma_mask_is(live->mask, v->cpu);
}

/* Is it where the kernel put it because its CPU went offline, or on its way there? */
static bool nrdma_vector_displaced(const struct nrdma_vector *v, const struct cpumask *mask)
{
	/* Pairs with nrdma_vector_cpu_dead() */
	unsigned int leaving = smp_load_acquire(&v->leaving);

	if (leaving != NRDMA_CPU_NONE && !cpu_online(leaving))
		return true;
	return v->displaced && cpumask_equal(mask, v->gave);
}

/**
 * nrdma_vector_is() - is this still the interrupt that we knew?
 * @v: a vector
 * @live: the interrupt that has its MSI index now
 *
 * A driver's reset likes to get the same numbers again, with everything else
 * fresh. The count goes back then; it may also wrap.
 *
 * Return: true when it is.
 */
bool nrdma_vector_is(const struct nrdma_vector *v, const struct nrdma_live *live)
{
	if (v->virq != live->virq || v->desc != live->desc)
		return false;
	return nrdma_vector_ours(v, live) || (s32)((u32)live->count - (u32)v->count) >= 0;
}

/**
 * nrdma_vector_state() - how a vector stands to what was wanted
 * @v: a vector, NULL when it was never looked after
 * @live: what it is now
 *
 * Return: the state.
 */
enum nrdma_irq_state nrdma_vector_state(const struct nrdma_vector *v,
					const struct nrdma_live *live)
{
	if (live->managed)
		return NRDMA_IRQ_STATE_MANAGED;
	if (!v)
		return NRDMA_IRQ_STATE_IDLE;
	if (v->error)
		return NRDMA_IRQ_STATE_FAILED;
	if (v->cpu == NRDMA_CPU_NONE)
		return NRDMA_IRQ_STATE_IDLE;
	if (!nrdma_vector_ours(v, live))
		return NRDMA_IRQ_STATE_DRIFTED;
	if (live->pending || !cpumask_subset(live->effective, live->mask))
		return NRDMA_IRQ_STATE_PENDING;
	return NRDMA_IRQ_STATE_PLACED;
}

/**
 * nrdma_vector_changer() - who decided last where a vector goes
 * @v: a vector, NULL when it was never looked after
 * @live: what it is now
 * @changer: out
 *
 * Return: false when nothing tells.
 */
bool nrdma_vector_changer(const struct nrdma_vector *v, const struct nrdma_live *live,
			  enum nrdma_irq_changer *changer)
{
	if (live->managed)
		*changer = NRDMA_IRQ_CHANGER_KERNEL;
	else if (v && nrdma_vector_ours(v, live))
		*changer = NRDMA_IRQ_CHANGER_NRDMA;
	else if (live->hinted)
		*changer = NRDMA_IRQ_CHANGER_DRIVER;
	else if (v && v->cpu != NRDMA_CPU_NONE)
		*changer = v->displaced ? NRDMA_IRQ_CHANGER_KERNEL : NRDMA_IRQ_CHANGER_OTHER;
	else
		return false;
	return true;
}

static void nrdma_vector_lock(struct nrdma_vector *v)
{
	irq_modify_status(v->virq, 0, IRQ_NO_BALANCING);
	v->locked = true;
}

/**
 * nrdma_vector_unlock() - let user space move it, if it was us who did not
 * @v: a vector
 */
void nrdma_vector_unlock(struct nrdma_vector *v)
{
	if (!v->locked)
		return;
	irq_modify_status(v->virq, IRQ_NO_BALANCING, 0);
	v->locked = false;
}

/* The CPU has no interrupt left to give, or is busy moving one, or went away. */
static bool nrdma_vector_other_cpu(int err, unsigned int cpu)
{
	return err == -ENOSPC || err == -EBUSY || (err == -EINVAL && !cpu_online(cpu));
}

/* The interrupt cannot be moved, ever. */
static bool nrdma_vector_fixed(int err)
{
	return err == -EIO || err == -EPERM || err == -EOPNOTSUPP;
}

/*
 * To the CPU that the plan has for it or, when that is full, to the next one of
 * the same node.
 */
static int nrdma_vector_move_to(struct nrdma_vector *v, const struct nrdma_plan *plan,
				unsigned int *cpu)
{
	unsigned int first = nrdma_plan_place(plan, v->index);
	int node = cpu_to_node(plan->cpus[first].cpu);
	unsigned int i, next;
	int ret = 0;

	*cpu = plan->cpus[first].cpu;
	for (i = 0; i < plan->nr; i++) {
		next = plan->cpus[(first + i) % plan->nr].cpu;
		if (cpu_to_node(next) != node)
			continue;
		*cpu = next;
		ret = irq_set_affinity(v->virq, cpumask_of(next));
		if (!nrdma_vector_other_cpu(ret, next))
			break;
	}
	return ret;
}

/*
 * Did its driver place it anew since we last looked? Its hint says so. The driver may
 * have chosen the very CPU that we had; then it is a new hint, or the vector is back
 * on a CPU that was offline meanwhile. What is locked only the kernel can reach.
 */
static bool nrdma_vector_placed_anew(const struct nrdma_vector *v, const struct cpumask *mask,
				     const struct cpumask *hint)
{
	bool hinted = hint && cpumask_equal(mask, hint);

	if (nrdma_mask_is(mask, v->cpu))
		return hinted && (v->displaced || !cpumask_equal(hint, v->hint));
	return hinted || (v->locked && !nrdma_mask_is(mask, v->was) &&
			  !nrdma_vector_displaced(v, mask));
}

/*
 * For a look at an interrupt without the MSI descriptors' lock: its descriptor is
 * freed by RCU. NULL when the vector has become another one.
 */
static struct irq_desc *nrdma_vector_desc(const struct nrdma_vector *v)
{
	struct irq_data *data = irq_get_irq_data(v->virq);
	struct irq_desc *desc = data ? irq_data_to_desc(data) : NULL;

	return desc == v->desc ? desc : NULL;
}

/*
 * Keeps in mind where a vector would be without us. Drivers place vectors anew when
 * CPUs or channels come and go, and take their hint back while a CPU goes offline.
 * What user space did is not followed: that is what a restore is there to undo.
 *
 * @going: a CPU that is about to go offline, or NRDMA_CPU_NONE. The lock of the
 * xarray that @v is in is held; a hint is valid under the descriptor's lock.
 */
static void nrdma_vector_follow(struct nrdma_vector *v, unsigned int going)
{
	const struct cpumask *mask, *hint;
	struct irq_desc *desc;
	unsigned long flags;
	bool stays;

	rcu_read_lock();
	desc = nrdma_vector_desc(v);
	if (!desc)
		goto unlock;

	raw_spin_lock_irqsave(&desc->lock, flags);
	mask = nrdma_desc_mask(desc);
	hint = nrdma_desc_hint(desc);
	if (v->moved && nrdma_vector_placed_anew(v, mask, hint))
		cpumask_copy(v->original, mask);
	if (hint)
		cpumask_copy(v->hint, hint);
	else
		cpumask_clear(v->hint);

	if (going != NRDMA_CPU_NONE) {
		stays = !v->moved || !nrdma_mask_loses_all(mask, going) ||
			!(nrdma_mask_is(mask, v->cpu) || nrdma_vector_displaced(v, mask));
		v->leaving = stays ? NRDMA_CPU_NONE : going;
	}
	raw_spin_unlock_irqrestore(&desc->lock, flags);
unlock:
	rcu_read_unlock();
}

/*
 * That a CPU goes offline is told once it is no longer active: to those that have it by
 * then. The lock of the xarray is held, as it is by who tells.
 */
static void nrdma_vector_has_cpu(struct nrdma_vector *v, unsigned int cpu)
{
	v->cpu = cpu;
	v->leaving = cpu == NRDMA_CPU_NONE || cpu_active(cpu) ? NRDMA_CPU_NONE : cpu;
}

/* Before anything of it changes in this walk */
static void nrdma_vector_remember(struct nrdma_vector *v, const struct nrdma_live *live,
				  struct xarray *in)
{
	v->undo.wanted = true;
	v->undo.locked = v->locked;
	v->undo.moved = v->moved;
	v->undo.drifted = v->drifted;
	v->undo.displaced = v->displaced;
	v->undo.target = v->target;
	v->undo.cpu = v->cpu;
	v->undo.error = v->error;
	cpumask_copy(v->undo.mask, live->mask);

	if (v->moved)
		return;
	xa_lock(in);
	cpumask_copy(v->original, live->mask);
	xa_unlock(in);
}

/* Is there anything to do that nobody asked for? */
static bool nrdma_vector_needs(struct nrdma_vector *v, const struct nrdma_live *live,
			       const struct nrdma_vector_move *move)
{
	unsigned int target = nrdma_plan_cpu(move->plan, v->index);

	if (v->cpu == NRDMA_CPU_NONE)
		return !nrdma_vector_fixed(v->error) || v->target != target;

	if (nrdma_vector_ours(v, live)) {
		v->drifted = false;
		return v->target != target || (v->error && !nrdma_vector_fixed(v->error));
	}

	if (!move->lock) {
		/* Somebody else's wish, unless the CPU went offline. Never a fight. */
		v->drifted = !nrdma_vector_displaced(v, live->mask);
		return !v->drifted;
	}

	return true;
}

/**
 * nrdma_vector_steer() - move a vector to where the plan has it
 * @v: a vector for which nrdma_vector_is() is true
 * @live: what it is now; what it is afterwards
 * @move: how
 * @in: the xarray that @v is in
 *
 * What cannot be moved has the reason in @v->error and fails nothing else.
 *
 * Context: process; the function's and the MSI descriptors' locks are held.
 * Return: 1 it was moved, 0 it was not, or a negative errno that nobody
 * expects: give up and undo.
 */
int nrdma_vector_steer(struct nrdma_vector *v, struct nrdma_live *live,
		       const struct nrdma_vector_move *move, struct xarray *in)
{
	unsigned int target = nrdma_plan_cpu(move->plan, v->index);
	unsigned int cpu;
	int ret;

	if (live->managed)
		return 0;
	if (!live->movable) {
		v->error = -EIO;
		return 0;
	}

	xa_lock(in);
	nrdma_vector_follow(v, NRDMA_CPU_NONE);
	xa_unlock(in);

	if (move->asked) {
		if (!nrdma_vector_ours(v, live) || v->cpu != target)
			goto move;
		v->target = target;
		v->drifted = false;
		v->error = 0;
	} else if (nrdma_vector_needs(v, live, move)) {
		goto move;
	}

	/* Where it should be, or nothing of ours: only the lock may be wanting. */
	if (v->drifted || v->cpu == NRDMA_CPU_NONE)
		return 0;
	if (move->lock == v->locked || (move->lock && !live->balanced))
		return 0;
	nrdma_vector_remember(v, live, in);
	if (move->lock)
		nrdma_vector_lock(v);
	else
		nrdma_vector_unlock(v);
	live->balanced = !move->lock;
	return 0;

move:
	nrdma_vector_remember(v, live, in);
	/* Locked first: nobody moves it between the move and the look at it */
	if (move->lock && live->balanced)
		nrdma_vector_lock(v);
	ret = nrdma_vector_move_to(v, move->plan, &cpu);
	if (!move->lock || (ret && !v->undo.locked))
		nrdma_vector_unlock(v);

	v->target = target;
	v->error = ret;
	if (ret)
		return nrdma_vector_fixed(ret) || nrdma_vector_other_cpu(ret, cpu) ? 0 : ret;

	xa_lock(in);
	if (v->cpu != cpu)
		v->was = v->cpu;
	nrdma_vector_has_cpu(v, cpu);
	v->moved = true;
	v->displaced = false;
	xa_unlock(in);
	v->drifted = false;
	nrdma_live_read(live, v->virq);
	return 1;
}

/**
 * nrdma_vector_undo() - take back what the last walk did to a vector
 * @v: a vector
 * @in: the xarray that @v is in
 *
 * Context: process; the function's and the MSI descriptors' locks are held.
 */
void nrdma_vector_undo(struct nrdma_vector *v, struct xarray *in)
{
	int ret;

	if (!v->undo.wanted)
		return;
	v->undo.wanted = false;

	ret = irq_set_affinity(v->virq, v->undo.mask);
	if (ret)
		pr_warn_ratelimited("nrdma: irq %u could not be put back: %d\n", v->virq, ret);
	if (v->undo.locked && !v->locked)
		nrdma_vector_lock(v);
	else if (!v->undo.locked)
		nrdma_vector_unlock(v);
	xa_lock(in);
	v->moved = v->undo.moved;
	nrdma_vector_has_cpu(v, v->undo.cpu);
	v->displaced = v->undo.displaced;
	xa_unlock(in);
	v->drifted = v->undo.drifted;
	v->target = v->undo.target;
	v->error = v->undo.error;
}

/**
 * nrdma_vector_restore() - put a vector back where it was before us
 * @v: a vector for which nrdma_vector_is() is true
 * @live: what it is now; what it is afterwards
 * @in: the xarray that @v is in
 *
 * Only what is still ours is touched.
 *
 * Context: process; the function's and the MSI descriptors' locks are held.
 * Return: NRDMA_IRQ_STATE_PLACED it is back; _PENDING it will be; _DRIFTED
 * somebody else moved it since, and it stays there; _FAILED the kernel refused
 * (v->error); _IDLE it never was moved.
 */
enum nrdma_irq_state nrdma_vector_restore(struct nrdma_vector *v, struct nrdma_live *live,
					  struct xarray *in)
{
	bool moved = v->moved;
	bool ours = nrdma_vector_ours(v, live) ||
		    (moved && nrdma_vector_displaced(v, live->mask) && !live->hinted);

	xa_lock(in);
	nrdma_vector_follow(v, NRDMA_CPU_NONE);
	cpumask_copy(v->undo.mask, v->original);
	xa_unlock(in);
	nrdma_vector_unlock(v);
	v->error = 0;
	if (moved && ours) {
		v->error = irq_set_affinity(v->virq, v->undo.mask);
		/* Its CPUs went offline while no driver had it in use */
		if (v->error == -EINVAL && !cpumask_intersects(v->undo.mask, cpu_online_mask))
			v->error = irq_set_affinity(v->virq, cpu_online_mask);
		if (v->error)
			return NRDMA_IRQ_STATE_FAILED;
		nrdma_live_read(live, v->virq);
	}

	xa_lock(in);
	v->cpu = NRDMA_CPU_NONE;
	v->moved = false;
	v->displaced = false;
	xa_unlock(in);
	v->target = NRDMA_CPU_NONE;
	v->drifted = false;

	if (!moved)
		return NRDMA_IRQ_STATE_IDLE;
	if (!ours)
		return NRDMA_IRQ_STATE_DRIFTED;
	return live->pending ? NRDMA_IRQ_STATE_PENDING : NRDMA_IRQ_STATE_PLACED;
}

/**
 * nrdma_vector_cpu_going() - a CPU is about to go offline
 * @v: a vector
 * @cpu: the CPU
 *
 * The last moment at which drivers' hints tell where vectors would be.
 *
 * Context: the lock of the xarray that @v is in is held, and nothing else need be.
 */
void nrdma_vector_cpu_going(struct nrdma_vector *v, unsigned int cpu)
{
	nrdma_vector_follow(v, cpu);
}

/**
 * nrdma_vector_cpu_dead() - a CPU went offline
 * @v: a vector
 * @cpu: the CPU
 *
 * The kernel moves what has no CPU left to all that are online, and loses the
 * mask. So it would have done with the mask that we keep.
 *
 * Context: as nrdma_vector_cpu_going().
 */
void nrdma_vector_cpu_dead(struct nrdma_vector *v, unsigned int cpu)
{
	struct irq_desc *desc;
	unsigned long flags;

	if (v->moved && v->started && !cpumask_intersects(v->original, cpu_online_mask))
		cpumask_copy(v->original, cpu_online_mask);
	if (v->leaving != cpu)
		return;

	rcu_read_lock();
	desc = nrdma_vector_desc(v);
	if (desc) {
		raw_spin_lock_irqsave(&desc->lock, flags);
		cpumask_copy(v->gave, nrdma_desc_mask(desc));
		raw_spin_unlock_irqrestore(&desc->lock, flags);
		v->displaced = true;
	}
	rcu_read_unlock();
	/* Those without the lock look at @gave only when they see this */
	smp_store_release(&v->leaving, NRDMA_CPU_NONE);
}
