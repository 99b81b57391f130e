/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_IRQ_PUT_H
#define NRDMACTL_IRQ_PUT_H

#include "dev.h"
#include "out.h"
#include "vec.h"

/* What came of steering, on a line of its own, for dev_put_policy(): after @before */
#define IRQ_FIELDS_POLICY(before)					\
	{ "policy.mode", NULL, before },				\
	{ "policy.node", NULL, " ", OUT_QUIET },			\
	{ "policy.cpus", NULL, " ", OUT_QUIET },			\
	{ "policy.exclude", NULL, ", without CPUs ", OUT_QUIET },	\
	{ "policy.isolated" },						\
	{ "policy.lock", NULL, ", lock ", OUT_QUIET },			\
	{ "policy.vectors", NULL, ", vectors " },			\
	{ "policy.placed", NULL, ", placed " },				\
	{ "policy.pending", NULL, ", pending " },			\
	{ "policy.managed", NULL, ", managed " },			\
	{ "policy.drifted" },						\
	{ "policy.failed", NULL, ", failed " },				\
	{ "policy.error", NULL, ": ", OUT_QUIET },			\
	{ "policy.steered_at" },					\
	{ "policy.steers" },						\
	{ "policy.kept" }

void irq_put_open(struct out *o, bool watch);
void irq_put_open_plan(struct out *o);
void irq_put(struct out *o, const struct vec *vec, const struct dev *dev);
int irq_put_result(const struct dev *dev, const struct dev_policy *policy);

#endif /* NRDMACTL_IRQ_PUT_H */
