/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CGROUP_H
#define NRDMACTL_CGROUP_H

#include "cpus.h"
#include "sys.h"

/**
 * struct cgroup_cpuset - what a cpuset lets a process use
 * @cpus: CPUs
 * @dir: of the cgroup that says so, itself or above the process' own
 * @unit: systemd's unit of that cgroup, "" for none
 */
struct cgroup_cpuset {
	struct cpus cpus;
	char dir[SYS_PATH_MAX];
	char unit[128];
};

bool cgroup_cpuset_read(struct cgroup_cpuset *set, unsigned int pid);
void cgroup_cpuset_fix(const struct cgroup_cpuset *set, bool memory, const char *list, char *buf,
		       size_t len);

#endif /* NRDMACTL_CGROUP_H */
