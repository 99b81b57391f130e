/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_COMPARE_H
#define NRDMACTL_PROBE_COMPARE_H

#include "mod_probe.h"

int probe_compare_tcp(struct mod *mod, const struct dev *dev, struct probe_want *want,
		      const long long *sizes, unsigned int nr_sizes);

#endif /* NRDMACTL_PROBE_COMPARE_H */
