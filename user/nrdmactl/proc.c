// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "size.h"
#include "sys.h"

static const char *proc_dir(unsigned int pid)
{
	static char dir[16];

	if (!pid)
		return "self";
	snprintf(dir, sizeof(dir), "%u", pid);
	return dir;
}

FILE *proc_open(unsigned int pid, const char *file)
{
	return sys_open("/proc/%s/%s", proc_dir(pid), file);
}

struct str proc_comm(unsigned int pid)
{
	return sys_str("/proc/%s/comm", proc_dir(pid));
}

/**
 * proc_field() - a line of /proc/PID/status
 * @field: its name, without the colon
 * @buf: out, what follows
 *
 * Return: whether there is such a line.
 */
bool proc_field(unsigned int pid, const char *field, char *buf, size_t len)
{
	size_t n = strlen(field), room = 0;
	char *line = NULL, *p;
	bool found = false;
	FILE *f;

	f = proc_open(pid, "status");
	if (!f)
		return false;
	while (!found && getline(&line, &room, f) >= 0) {
		if (strncmp(line, field, n) || line[n] != ':')
			continue;
		p = line + n + 1 + strspn(line + n + 1, " \t");
		p[strcspn(p, "\n")] = '\0';
		snprintf(buf, len, "%s", p);
		found = true;
	}
	free(line);
	fclose(f);
	return found;
}

/**
 * proc_kib() - a line of /proc/PID/status in kB
 *
 * Return: bytes.
 */
struct num proc_kib(unsigned int pid, const char *field)
{
	unsigned long long kib;
	char text[64];

	if (!proc_field(pid, field, text, sizeof(text)) || sscanf(text, "%llu kB", &kib) != 1)
		return num_none("not readable");
	return num_of(kib * 1024);
}

/**
 * proc_list() - a line of /proc/PID/status with a list of CPUs or nodes
 */
bool proc_list(unsigned int pid, const char *field, struct cpus *set)
{
	char text[CPUS_TEXT];

	return proc_field(pid, field, text, sizeof(text)) && !cpus_parse(set, text);
}

/**
 * proc_memlock() - the soft limit on locked memory
 *
 * Return: bytes or PROC_UNLIMITED.
 */
struct num proc_memlock(unsigned int pid)
{
	struct num limit = num_none("not readable");
	unsigned long long bytes;
	char line[256];
	FILE *f;

	f = proc_open(pid, "limits");
	if (!f)
		return limit;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Max locked memory", 17)) {
			if (sscanf(line + 17, " %llu", &bytes) == 1)
				limit = num_of(bytes);
			else if (!strncmp(line + 17 + strspn(line + 17, " "), "unlimited", 9))
				limit = num_of(PROC_UNLIMITED);
		}
	}
	fclose(f);
	return limit;
}

/* Its own user namespace gives a process every capability there, and none here */
static bool proc_is_initial(unsigned int pid)
{
	unsigned long inside, outside, nr;
	bool initial = false;
	FILE *f;

	f = proc_open(pid, "uid_map");
	if (!f)
		return errno == ENOENT;
	if (fscanf(f, "%lu %lu %lu", &inside, &outside, &nr) == 3)
		initial = !inside && !outside && nr == UINT32_MAX;
	fclose(f);
	return initial;
}

/**
 * proc_capable() - whether a process has a capability in the initial user
 * namespace
 */
bool proc_capable(unsigned int pid, unsigned int cap)
{
	char text[64];

	return proc_is_initial(pid) && proc_field(pid, "CapEff", text, sizeof(text)) &&
	       strtoull(text, NULL, 16) >> cap & 1;
}

/**
 * proc_last_cpu() - the CPU that a thread ran on last
 */
struct num proc_last_cpu(unsigned int pid, unsigned int tid)
{
	char text[1024], *p;
	int field, cpu;

	if (sys_read(text, sizeof(text), "/proc/%s/task/%u/stat", proc_dir(pid), tid) < 0)
		return num_none("gone");
	/* The command, in parentheses, may hold anything; after it comes field 3 */
	p = strrchr(text, ')');
	for (field = 2; p && field < 39; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, " %d", &cpu) != 1)
		return num_none("odd text");
	return num_of(cpu);
}

/**
 * proc_named() - a process with this command
 *
 * Return: its number, or 0 when there is none.
 */
unsigned int proc_named(const char *comm)
{
	unsigned int found = 0;
	struct str name;
	char **names;
	uint32_t pid;
	int i, n;

	n = sys_list(&names, "/proc");
	for (i = 0; !found && i < n; i++) {
		if (size_parse_u32(&pid, names[i]))
			continue;
		name = proc_comm(pid);
		if (name.known && !strcmp(name.s, comm))
			found = pid;
	}
	sys_list_free(names, n);
	return found;
}
