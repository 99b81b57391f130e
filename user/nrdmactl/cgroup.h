/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CGROUP_H
#define NRDMACTL_CGROUP_H

#include "cpus.h"
#include "sys.h"

/**
 * struct cgroup_cpuset - what a cpuset lets a process use
 * @cpus: CPUs
 * @v1: of version 1
 * @dir: of the cgroup that says so, itself or above the process' own
 */
struct cgroup_cpuset {
	struct cpus cpus;
	bool v1;
	char dir[SYS_PATH_MAX];
};

bool cgroup_cpuset_read(struct cgroup_cpuset *set, unsigned int pid);
char *cgroup_cpuset_fix(const struct cgroup_cpuset *set, bool memory, const struct cpus *have,
			const struct cpus *want);

#endif /* NRDMACTL_CGROUP_H */
