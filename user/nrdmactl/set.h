/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_SET_H
#define NRDMACTL_SET_H

#include "mod_irq.h"
#include "mod_pool.h"

struct args;

/* What the commands that set ask for; nrdma.conf holds the same keys. */
int irq_set_policy(const struct args *args, struct irq_policy *policy);
int dev_set_node(const struct args *args, struct num *node);
int pool_set_want(const struct args *args, struct pool *want);

#endif /* NRDMACTL_SET_H */
