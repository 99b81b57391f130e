// SPDX-License-Identifier: GPL-2.0
/* The cpuset of a process' cgroup, version 2 or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "out.h"
#include "proc.h"

#define CGROUP_DIR	"/sys/fs/cgroup"
#define CGROUP_ROOT(v1)	((v1) ? CGROUP_DIR "/cpuset" : CGROUP_DIR)

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

/* systemd's unit of a cgroup, or NULL */
static const char *cgroup_unit(const char *dir)
{
	static const char *const kinds[] = { ".service", ".scope", ".slice", ".socket", ".mount" };
	const char *base = sys_base(dir), *dot = strrchr(base, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(dot, kinds[i]))
			return base;
	return NULL;
}

static bool cgroup_list(struct cpus *set, const char *dir, const char *file)
{
	char list[CPUS_TEXT];

	return sys_read(list, sizeof(list), "%s/%s", dir, file) > 0 && !cpus_parse(set, list);
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
	char path[SYS_PATH_MAX];

	memset(set, 0, sizeof(*set));
	if (!cgroup_path(path, pid, &set->v1))
		return false;
	if (snprintf(set->dir, sizeof(set->dir), "%s%s", CGROUP_ROOT(set->v1),
		     strcmp(path, "/") ? path : "") >= (int)sizeof(set->dir))
		return false;
	/* Where the controller is not enabled, that of the cgroup above holds */
	while (!cgroup_list(&set->cpus, set->dir,
			    set->v1 ? "cpuset.effective_cpus" : "cpuset.cpus.effective")) {
		if (!strcmp(set->dir, CGROUP_ROOT(set->v1)))
			return false;
		*strrchr(set->dir, '/') = '\0';
	}
	return true;
}

/**
 * cgroup_cpuset_fix() - the command that lets a cpuset have more
 * @memory: nodes of memory, not CPUs
 * @have: what the process may use now
 * @want: some of this it should
 *
 * That is said to the cgroup whose list keeps the process from it: one without a
 * list of its own has that of the one above, and none has more than that.
 *
 * Return: for free().
 */
char *cgroup_cpuset_fix(const struct cgroup_cpuset *set, bool memory, const struct cpus *have,
			const struct cpus *want)
{
	const char *kind = memory ? "mems" : "cpus", *unit;
	char own[32], effective[32], dir[SYS_PATH_MAX], *above, *text, *fix;
	struct cpus list, more, all = *want;
	bool narrow;

	snprintf(own, sizeof(own), "cpuset.%s", kind);
	snprintf(effective, sizeof(effective), set->v1 ? "cpuset.effective_%s" :
		 "cpuset.%s.effective", kind);
	snprintf(dir, sizeof(dir), "%s", set->dir);
	while (strcmp(dir, CGROUP_ROOT(set->v1))) {
		above = strrchr(dir, '/');
		*above = '\0';
		more = *want;
		narrow = false;
		if (cgroup_list(&list, dir, effective)) {
			cpus_and(&more, &list);
			narrow = cpus_empty(&more);
		}
		*above = '/';
		if (!narrow && cgroup_list(&list, dir, own)) {
			all = more;
			break;
		}
		*above = '\0';
	}
	if (cgroup_list(&list, dir, own))
		cpus_or(&all, &list);
	cpus_or(&all, have);
	text = cpus_list(&all);
	unit = cgroup_unit(dir);
	if (unit)
		fix = out_format("systemctl set-property %s %s=%s", unit,
				 memory ? "AllowedMemoryNodes" : "AllowedCPUs", text);
	else
		fix = out_format("echo %s >%s/%s", text, dir, own);
	free(text);
	return fix;
}
