/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_VEC_H
#define NRDMACTL_VEC_H

#include "dev.h"
#include "value.h"

/**
 * struct vec - an interrupt vector of a PCI function
 * @action: what the driver called it; not known while it is free
 * @cpus: cpulist that it may go to, NULL when not known
 * @effective: cpulist that it goes to, likewise
 * @wanted: cpulist that nrdma gave or would give it, likewise
 * @original: cpulist that restore would give it, likewise
 * @node: node of the CPUs that it goes to
 * @state: enum nrdma_irq_state
 * @changer: who decided last where it goes (enum nrdma_irq_changer)
 */
struct vec {
	struct str pci;
	struct num vector, irq;
	struct str action;
	char *cpus, *effective, *wanted, *original;
	struct num node, state, locked, error, changer;
};

/**
 * struct vecs - vectors, those of a PCI function once
 *
 * Every device on the function has them; see vecs_next().
 */
struct vecs {
	unsigned int nr, room;
	struct vec *v;
};

/* Vectors of a device by where they go */
struct vec_count {
	struct num all, local, remote, managed;
};

struct vec *vecs_new(struct vecs *vecs);
void vecs_free(struct vecs *vecs);
int vecs_read(struct vecs *vecs, const struct dev *dev);
const struct vec *vecs_next(const struct vecs *vecs, const struct str *pci, const struct vec *vec);
void vec_settle(struct vec *vec);
struct str vec_serves(const struct vec *vec);
struct num vec_local(const struct vec *vec, const struct dev *dev);
struct vec_count vecs_count(const struct vecs *vecs, const struct dev *dev);

/* Interrupts taken since boot, by IRQ number */
struct vec_counts {
	const char *why;	/* not NULL: not known */
	unsigned int nr;
	long long *v;	/* -1: no such line */
	struct str *action;
};

void vec_counts_read(struct vec_counts *counts);
void vec_counts_free(struct vec_counts *counts);
struct num vec_counts_of(const struct vec_counts *counts, struct num irq);

#endif /* NRDMACTL_VEC_H */
