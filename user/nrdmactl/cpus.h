/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CPUS_H
#define NRDMACTL_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#define CPUS_MAX	8192	/* the largest NR_CPUS of a kernel */
#define CPUS_LONG	(8 * sizeof(unsigned long))
#define CPUS_TEXT	(CPUS_MAX * 5)	/* room for any list */

/* A set of CPUs, or of nodes: both come as "0-3,8". */
struct cpus {
	unsigned long bits[CPUS_MAX / CPUS_LONG];
};

int cpus_parse(struct cpus *set, const char *list);
size_t cpus_format(const struct cpus *set, char *buf, size_t len);
char *cpus_list(const struct cpus *set);
int cpus_allowed(struct cpus *set);
int cpus_bind(const struct cpus *set);
void cpus_add(struct cpus *set, unsigned int cpu);
bool cpus_has(const struct cpus *set, unsigned int cpu);
int cpus_next(const struct cpus *set, int cpu);
bool cpus_empty(const struct cpus *set);
bool cpus_within(const struct cpus *set, const struct cpus *in);
void cpus_or(struct cpus *set, const struct cpus *with);
void cpus_and(struct cpus *set, const struct cpus *with);

#endif /* NRDMACTL_CPUS_H */
