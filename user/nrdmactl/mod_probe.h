/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_PROBE_H
#define NRDMACTL_MOD_PROBE_H

#include "mod.h"
#include "probe_stat.h"

/* What to measure: what is not known, the module chooses. */
struct probe_want {
	struct num op, size, iterations, rounds, time, mem_node, cpu_node, port, isolated;
};

int mod_probe_run(struct mod *mod, const struct dev *dev, const struct probe_want *want,
		  struct probe *probe, void (*progress)(const struct probe *probe));

#endif /* NRDMACTL_MOD_PROBE_H */
