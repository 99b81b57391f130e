/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_NUMA_H
#define NRDMACTL_NUMA_H

#include "cpus.h"

int numa_online(struct cpus *nodes);
int numa_cpus(unsigned int node, struct cpus *cpus);
int numa_with_memory(struct cpus *nodes);
int numa_with_cpus(struct cpus *nodes);
int numa_of_cpu(int cpu);
int numa_of_cpus(const struct cpus *cpus);
void numa_nearest(unsigned int node, const struct cpus *among, struct cpus *nearest);

#endif /* NRDMACTL_NUMA_H */
