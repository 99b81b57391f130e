// SPDX-License-Identifier: GPL-2.0
/* Checks of the host: who else moves interrupts, the devices at large. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "checker.h"
#include "numa.h"
#include "proc.h"
#include "sys.h"

static void check_spread_host(struct checker *c)
{
	const struct devs *devs = &c->survey.picked.devs;
	struct cpus nodes, used = { 0 };
	unsigned int i, known = 0;

	if (numa_with_cpus(&nodes)) {
		checker_say(c, VERDICT_NA, NULL, "the nodes cannot be read");
		return;
	}
	for (i = 0; i < devs->nr; i++) {
		if (!devs->v[i].place.node.known)
			continue;
		known++;
		cpus_add(&used, devs->v[i].place.node.v);
	}
	if (cpus_next(&nodes, cpus_next(&nodes, -1)) < 0)
		checker_say(c, VERDICT_OK, NULL, "one node with CPUs");
	else if (known < 2)
		checker_say(c, VERDICT_OK, NULL, "%u device%s whose node is known", known,
			    known == 1 ? "" : "s");
	else if (cpus_next(&used, cpus_next(&used, -1)) < 0)
		checker_say(c, VERDICT_INFO, NULL, "all %u devices are on node %d of several",
			    known, cpus_next(&used, -1));
	else
		checker_say(c, VERDICT_OK, NULL, "devices on more than one node");
}

const struct check check_spread = {
	.id = "spread",
	.expected = "devices on more than one node",
	.why = "programs on the other nodes have none near them",
	.host = check_spread_host,
};

/* Whether a file has a line "KEY = VALUE", white space or none; any value for NULL */
static bool check_writers_set(const char *path, const char *key, const char *value)
{
	char line[256], *p;
	bool found = false;
	FILE *f;

	f = sys_open("%s", path);
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = '\0';
		p = line + strspn(line, " \t");
		if (strncmp(p, key, strlen(key)))
			continue;
		p += strlen(key);
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t\"");
		found = value ? !strncasecmp(p, value, strlen(value)) : *p;
	}
	if (f)
		fclose(f);
	return found;
}

/*
 * A file of @dir that matches and places interrupts. The first by name decides
 * what systemd does, but none of them should.
 */
static bool check_writers_dir(const char *dir, const char *pattern, char *path, size_t len)
{
	bool found = false;
	char **names;
	int i, n;

	n = sys_list(&names, "%s", dir);
	for (i = 0; !found && i < n; i++) {
		if (fnmatch(pattern, names[i], 0))
			continue;
		snprintf(path, len, "%s/%s", dir, names[i]);
		found = check_writers_set(path, "IRQAffinityPolicy", NULL) ||
			check_writers_set(path, "IRQAffinity", NULL);
	}
	sys_list_free(names, n);
	return found;
}

/* A .link file of systemd that places interrupts, or what is dropped in for one */
static bool check_writers_link(char *path, size_t len)
{
	static const char *const dirs[] = {
		"/etc/systemd/network", "/run/systemd/network", "/usr/lib/systemd/network",
	};
	char dropin[512];
	bool found = false;
	unsigned int d;
	char **names;
	int i, n;

	for (d = 0; !found && d < sizeof(dirs) / sizeof(*dirs); d++) {
		found = check_writers_dir(dirs[d], "*.link", path, len);
		names = NULL;
		n = found ? 0 : sys_list(&names, "%s", dirs[d]);
		for (i = 0; !found && i < n; i++) {
			if (fnmatch("*.link.d", names[i], 0))
				continue;
			snprintf(dropin, sizeof(dropin), "%s/%s", dirs[d], names[i]);
			found = check_writers_dir(dropin, "*.conf", path, len);
		}
		sys_list_free(names, n);
	}
	return found;
}

/* A service of a vendor's driver package that runs set_irq_affinity or the like */
static bool check_writers_vendor(char *path, size_t len)
{
	static const char *const dirs[] = {
		"/etc/systemd/system/multi-user.target.wants",
		"/etc/systemd/system/sysinit.target.wants",
		"/etc/systemd/system/network.target.wants",
		"/etc/systemd/system/network-online.target.wants",
	};
	static const char *const patterns[] = { "*affinity*", "*mlnx_tune*", "*irq-balance*" };
	bool found = false;
	unsigned int d, p;
	char **names;
	int i, n;

	for (d = 0; !found && d < sizeof(dirs) / sizeof(*dirs); d++) {
		n = sys_list(&names, "%s", dirs[d]);
		for (i = 0; !found && i < n; i++) {
			for (p = 0; p < sizeof(patterns) / sizeof(*patterns); p++)
				found |= !fnmatch(patterns[p], names[i], 0);
			if (found)
				snprintf(path, len, "%s", names[i]);
		}
		sys_list_free(names, n);
	}
	return found;
}

static void check_writers_host(struct checker *c)
{
	const struct devs *devs = &c->survey.picked.devs;
	bool steered = false, open = false, found = false;
	unsigned int i, pid;
	char path[256], fix[320];

	for (i = 0; i < devs->nr; i++) {
		const struct dev_policy *policy = &devs->v[i].policy;

		if (!policy->known || policy->mode.v == NRDMA_POLICY_OFF)
			continue;
		steered = true;
		open |= !policy->lock.v;
	}
	pid = proc_named("irqbalance");
	if (pid) {
		found = true;
		if (open)
			checker_say(c, VERDICT_WARN, "systemctl disable --now irqbalance",
				    "irqbalance runs (pid %u), and steered vectors are not locked",
				    pid);
		else
			checker_say(c, VERDICT_INFO, NULL, "irqbalance runs (pid %u); %s", pid,
				    steered ? "steered vectors are locked" :
				    "no vectors are steered");
	}
	pid = proc_named("tuned");
	if (pid) {
		struct str profile = sys_str("/etc/tuned/active_profile");

		found = true;
		checker_say(c, open ? VERDICT_WARN : VERDICT_INFO,
			    open ? "systemctl disable --now tuned" : NULL,
			    "tuned runs (pid %u, profile %s) and may place interrupts", pid,
			    profile.known ? profile.s : "not known");
	}
	if (check_writers_link(path, sizeof(path))) {
		found = true;
		snprintf(fix, sizeof(fix), "sed -i '/IRQAffinity/d' %s", path);
		checker_say(c, VERDICT_WARN, fix, "systemd places interrupts by %s", path);
	}
	if (check_writers_vendor(path, sizeof(path))) {
		found = true;
		snprintf(fix, sizeof(fix), "systemctl disable --now %s", path);
		checker_say(c, VERDICT_WARN, fix, "%s is enabled", path);
	}
	if (check_writers_set("/etc/infiniband/openib.conf", "RUN_AFFINITY_TUNER", "yes")) {
		found = true;
		checker_say(c, VERDICT_WARN,
			    "sed -i s/^RUN_AFFINITY_TUNER=.*/RUN_AFFINITY_TUNER=no/ /etc/infiniband/openib.conf",
			    "openibd places interrupts when it starts");
	}
	if (!found)
		checker_say(c, VERDICT_OK, NULL, "nobody else was found");
}

const struct check check_writers = {
	.id = "writers",
	.expected = "nobody else moves interrupts, or the vectors are locked",
	.why = "who writes last wins, and placement is lost",
	.host = check_writers_host,
};

static void check_netns_host(struct checker *c)
{
	struct str shared = sys_str("/sys/module/ib_core/parameters/netns_mode");

	if (!shared.known)
		checker_say(c, VERDICT_NA, NULL, "netns_mode: %s", shared.why);
	else if (!strcmp(shared.s, "Y"))
		checker_say(c, VERDICT_OK, NULL, "shared: devices are seen from every network namespace");
	else
		checker_say(c, VERDICT_INFO, NULL,
			    "exclusive: a device is seen from one network namespace only");
}

const struct check check_netns = {
	.id = "netns",
	.expected = "known",
	.why = "in exclusive mode devices of other namespaces are not in this report",
	.host = check_netns_host,
};
