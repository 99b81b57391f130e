/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_IRQ_PUT_H
#define NRDMACTL_IRQ_PUT_H

#include "dev.h"
#include "out.h"
#include "vec.h"

void irq_put_open(struct out *o, bool watch);
void irq_put_open_plan(struct out *o);
void irq_put(struct out *o, const struct vec *vec, const struct dev *dev);
int irq_put_result(const struct dev *dev, const struct dev_policy *policy);

#endif /* NRDMACTL_IRQ_PUT_H */
