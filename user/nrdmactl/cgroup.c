// SPDX-License-Identifier: GPL-2.0
/* The cpuset of a process' cgroup, version 2 or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "proc.h"

#define CGROUP_DIR	"/sys/fs/cgroup"

/* Where the process is, below the file system of its cpuset */
static bool cgroup_path(char path[SYS_PATH_MAX], unsigned int pid, bool *v1)
{
	char *line = NULL, *rest;
	bool found = false;
	size_t room = 0;
	FILE *f;

	f = proc_open(pid, "cgroup");
	while (f && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		rest = strchr(line, ':');
		if (!rest)
			continue;
		*v1 = !strncmp(rest, ":cpuset:", 8);
		if (*v1 || (!strncmp(line, "0::", 3) && !found)) {
			snprintf(path, SYS_PATH_MAX, "%s", strchr(rest + 1, ':') + 1);
			found = true;
		}
		if (*v1)
			break;
	}
	free(line);
	if (f)
		fclose(f);
	/* Outside of this cgroup namespace nothing can be looked up */
	return found && *path == '/' && !strstr(path, "/..");
}

static void cgroup_unit(struct cgroup_cpuset *set)
{
	static const char *const kinds[] = { ".service", ".scope", ".slice", ".socket", ".mount" };
	const char *base = sys_base(set->dir), *dot = strrchr(base, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(dot, kinds[i]))
			snprintf(set->unit, sizeof(set->unit), "%s", base);
}

/**
 * cgroup_cpuset_read() - what a process' cpuset lets it use
 * @set: out
 * @pid: 0 for the caller
 *
 * Return: whether that can be read.
 */
bool cgroup_cpuset_read(struct cgroup_cpuset *set, unsigned int pid)
{
	char path[SYS_PATH_MAX], list[4096];
	bool v1 = false;
	char *slash;
	ssize_t n;

	memset(set, 0, sizeof(*set));
	if (!cgroup_path(path, pid, &v1))
		return false;
	if (snprintf(set->dir, sizeof(set->dir), CGROUP_DIR "%s%s", v1 ? "/cpuset" : "",
		     strcmp(path, "/") ? path : "") >= (int)sizeof(set->dir))
		return false;
	/* Where the controller is not enabled, that of the cgroup above holds */
	for (;;) {
		n = sys_read(list, sizeof(list), "%s/%s", set->dir,
			     v1 ? "cpuset.effective_cpus" : "cpuset.cpus.effective");
		slash = strrchr(set->dir, '/');
		if (n > 0 || !strcmp(set->dir, CGROUP_DIR))
			break;
		*slash = '\0';
	}
	if (n <= 0 || cpus_parse(&set->cpus, list))
		return false;
	/* One that has no list of its own has the list of the one above */
	while (strcmp(set->dir, CGROUP_DIR) && strcmp(set->dir, CGROUP_DIR "/cpuset") &&
	       sys_read(list, sizeof(list), "%s/cpuset.cpus", set->dir) <= 0 &&
	       sys_read(list, sizeof(list), "%s/cpuset.mems", set->dir) <= 0) {
		slash = strrchr(set->dir, '/');
		*slash = '\0';
	}
	cgroup_unit(set);
	return true;
}

/**
 * cgroup_cpuset_fix() - the command that lets a cpuset have more
 * @memory: nodes of memory, not CPUs
 * @list: all that it should have
 */
void cgroup_cpuset_fix(const struct cgroup_cpuset *set, bool memory, const char *list, char *buf,
		       size_t len)
{
	if (*set->unit)
		snprintf(buf, len, "systemctl set-property %s %s=%s", set->unit,
			 memory ? "AllowedMemoryNodes" : "AllowedCPUs", list);
	else
		snprintf(buf, len, "echo %s >%s/cpuset.%s", list, set->dir,
			 memory ? "mems" : "cpus");
}
