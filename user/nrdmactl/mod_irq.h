/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_IRQ_H
#define NRDMACTL_MOD_IRQ_H

#include "mod.h"
#include "vec.h"

/* A policy as asked for: what is not known stays as it is. */
struct irq_policy {
	struct num mode, node, isolated, lock;
	const char *cpus, *exclude;
};

int mod_irq_dump(struct mod *mod, struct vecs *vecs, const struct dev *dev,
		const struct irq_policy *plan);
int mod_irq_set(struct mod *mod, const struct dev *dev, const struct irq_policy *policy,
	       struct dev_policy *result);
int mod_irq_restore(struct mod *mod, const struct dev *dev, struct dev_policy *result);

extern const struct mod_attrs mod_irq_attrs;

#endif /* NRDMACTL_MOD_IRQ_H */
