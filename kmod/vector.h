/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_VECTOR_H
#define NRDMA_VECTOR_H

#include <linux/cpumask.h>
#include <linux/xarray.h>
#include <uapi/linux/nrdma.h>

struct nrdma_plan;

#define NRDMA_ACTION_MAX	64

/**
 * struct nrdma_live - what the kernel says of an interrupt now
 * @virq: its number
 * @desc: its descriptor, to be compared and no more: it is another one once the
 *	driver has given the vector back and got it again
 * @count: how often it came
 * @managed: the kernel places it for good
 * @movable: it can be given an affinity
 * @balanced: user space may move it (no IRQ_NO_BALANCING)
 * @pending: @mask takes effect at the next interrupt
 * @started: a driver has it in use
 * @hinted: @mask is what the driver itself asks for
 * @mask: CPUs that it may go to, as /proc shows it
 * @effective: CPUs that it does go to
 * @action: name that the driver gave it, or ""
 */
struct nrdma_live {
	unsigned int	virq;
	const void	*desc;
	unsigned long	count;
	bool		managed;
	bool		movable;
	bool		balanced;
	bool		pending;
	bool		started;
	bool		hinted;
	cpumask_var_t	mask;
	cpumask_var_t	effective;
	char		action[NRDMA_ACTION_MAX];
};

int nrdma_live_init(struct nrdma_live *live);
void nrdma_live_destroy(struct nrdma_live *live);
bool nrdma_live_read(struct nrdma_live *live, unsigned int virq);

#define NRDMA_CPU_NONE		UINT_MAX

/**
 * struct nrdma_vector - an MSI vector that nrdma looks after
 *
 * Exists while its function is or was steered; one that the driver gave back
 * and got again is a new one. The function's lock protects it. CPU hotplug has
 * only the lock of the xarray that the vector is in: under that @original, @hint,
 * @leaving, @displaced and @gave are written, and, under both locks, @cpu and @moved.
 *
 * @index: MSI index within the function
 * @virq: interrupt number
 * @desc: see struct nrdma_live
 * @count: interrupts when last looked at; there may be more since, never fewer
 * @pass: the last walk over the function's vectors that met it
 * @target: CPU that the plan had for it
 * @cpu: CPU that it was given, NRDMA_CPU_NONE when not moved
 * @was: CPU that it was given before that; a move may yet fail and leave it there
 * @leaving: CPU that goes offline and is the last that it has, or NRDMA_CPU_NONE
 * @error: why not, a negative errno
 * @locked: IRQ_NO_BALANCING is ours to clear
 * @moved: @original is to be put back
 * @drifted: found moved away by somebody else
 * @started: a driver had it in use when last looked at
 * @displaced: the last CPU that it had went offline since, and the kernel moved it
 * @gave: where to
 * @original: CPUs that it would go to without us
 * @hint: CPUs that its driver asked for when last looked at, empty for none
 * @undo: what to go back to when steering fails half-way
 */
struct nrdma_vector {
	unsigned int	index;
	unsigned int	virq;
	const void	*desc;
	unsigned long	count;
	unsigned int	pass;
	unsigned int	target;
	unsigned int	cpu;
	unsigned int	was;
	unsigned int	leaving;
	int		error;
	bool		locked;
	bool		moved;
	bool		drifted;
	bool		started;
	bool		displaced;
	cpumask_var_t	original;
	cpumask_var_t	hint;
	cpumask_var_t	gave;
	struct {
		bool		wanted;
		bool		locked;
		bool		moved;
		bool		drifted;
		bool		displaced;
		unsigned int	target;
		unsigned int	cpu;
		int		error;
		cpumask_var_t	mask;
	} undo;
};

struct nrdma_vector *nrdma_vector_new(unsigned int index, const struct nrdma_live *live);
void nrdma_vector_free(struct nrdma_vector *v);

bool nrdma_vector_is(const struct nrdma_vector *v, const struct nrdma_live *live);
enum nrdma_irq_state nrdma_vector_state(const struct nrdma_vector *v,
					const struct nrdma_live *live);
bool nrdma_vector_changer(const struct nrdma_vector *v, const struct nrdma_live *live,
			  enum nrdma_irq_changer *changer);

/**
 * struct nrdma_vector_move - what to do with a vector
 * @plan: CPUs to choose from
 * @lock: keep user space from moving it
 * @asked: an administrator asked: also where it is as it should be
 */
struct nrdma_vector_move {
	const struct nrdma_plan	*plan;
	bool			lock;
	bool			asked;
};

int nrdma_vector_steer(struct nrdma_vector *v, struct nrdma_live *live,
		       const struct nrdma_vector_move *move, struct xarray *in);
void nrdma_vector_undo(struct nrdma_vector *v, struct xarray *in);
void nrdma_vector_unlock(struct nrdma_vector *v);
enum nrdma_irq_state nrdma_vector_restore(struct nrdma_vector *v, struct nrdma_live *live,
					  struct xarray *in);
void nrdma_vector_cpu_going(struct nrdma_vector *v, unsigned int cpu);
void nrdma_vector_cpu_dead(struct nrdma_vector *v, unsigned int cpu);

#endif /* NRDMA_VECTOR_H */
