// SPDX-License-Identifier: GPL-2.0
/* Checks of the host: the module, who else moves interrupts, the devices at large. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <linux/nrdma.h>

#include "checker.h"
#include "numa.h"
#include "proc.h"
#include "sys.h"

/* The module's file for this kernel, as depmod has it, "" for none */
static void check_module_file(const char *release, char *path, size_t len)
{
	char *line = NULL, *colon;
	size_t room = 0;
	FILE *f;

	*path = '\0';
	f = sys_open("/lib/modules/%s/modules.dep", release);
	while (f && getline(&line, &room, f) >= 0) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		if (!strncmp(sys_base(line), "nrdma.ko", 8))
			snprintf(path, len, "%s", line);
	}
	free(line);
	if (f)
		fclose(f);
}

/* Signed is a file that ends with the kernel's magic; a compressed one is not looked into. */
static bool check_module_signed(const char *release, const char *path)
{
	static const char magic[] = "~Module signature appended~\n";
	char end[sizeof(magic)] = "";
	FILE *f;

	if (strcmp(path + strlen(path) - 3, ".ko"))
		return true;
	f = sys_open("/lib/modules/%s/%s", release, path);
	if (!f)
		return true;
	if (!fseek(f, -(long)(sizeof(magic) - 1), SEEK_END))
		if (fread(end, 1, sizeof(magic) - 1, f) != sizeof(magic) - 1)
			end[0] = '\0';
	fclose(f);
	return !strcmp(end, magic);
}

static void check_module_host(struct checker *c)
{
	char path[512], fix[256];
	struct utsname uts;
	struct str enforce;

	if (c->survey.mod_error != -ENOENT) {
		checker_say(c, VERDICT_OK, NULL, "loaded%s%s",
			    c->survey.mod_version.known ? ", version " : "",
			    c->survey.mod_version.s);
		return;
	}
	uname(&uts);
	check_module_file(uts.release, path, sizeof(path));
	if (!*path) {
		snprintf(fix, sizeof(fix), "dkms install nrdma/" NRDMA_VERSION " -k %s && modprobe nrdma",
			 uts.release);
		checker_say(c, VERDICT_FAIL, fix, "not loaded, and not built for this kernel, %s",
			    uts.release);
		return;
	}
	enforce = sys_str("/sys/module/module/parameters/sig_enforce");
	if (enforce.known && !strcmp(enforce.s, "Y")) {
		if (!check_module_signed(uts.release, path))
			checker_say(c, VERDICT_FAIL, "dkms build nrdma/" NRDMA_VERSION " --force",
				    "not loaded; this kernel wants signatures, %s has none", path);
		else
			checker_say(c, VERDICT_FAIL,
				    "modprobe nrdma || mokutil --import /var/lib/dkms/mok.pub",
				    "not loaded; this kernel wants signatures by keys that it knows");
		return;
	}
	checker_say(c, VERDICT_FAIL, "modprobe nrdma", "not loaded");
}

const struct check check_module = {
	.id = "module",
	.expected = "nrdma is loaded",
	.why = "without it no buffers on the device's node and no steering that stays",
	.host = check_module_host,
};

static void check_abi_host(struct checker *c)
{
	if (!c->survey.mod_error)
		checker_say(c, VERDICT_OK, NULL, "both have ABI %d", NRDMA_ABI_VERSION);
	else if (c->survey.mod_error == -ENOENT)
		checker_say(c, VERDICT_NA, NULL, "no module");
	else if (c->survey.mod_error == -EPROTO)
		checker_say(c, VERDICT_FAIL, "modprobe -r nrdma; modprobe nrdma",
			    "module %s and nrdmactl " NRDMA_VERSION " are of different ABIs",
			    c->survey.mod_version.s);
	else
		checker_say(c, VERDICT_WARN, NULL, "the module does not answer: %s",
			    strerror(-c->survey.mod_error));
}

const struct check check_abi = {
	.id = "abi",
	.expected = "module and tool speak the same",
	.why = "they cannot talk to each other otherwise",
	.host = check_abi_host,
};

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

/* A .link file of systemd that places interrupts */
static bool check_writers_link(char *path, size_t len)
{
	static const char *const dirs[] = {
		"/etc/systemd/network", "/run/systemd/network", "/usr/lib/systemd/network",
	};
	char line[256];
	bool found = false;
	unsigned int d;
	char **names;
	int i, n;
	FILE *f;

	for (d = 0; !found && d < sizeof(dirs) / sizeof(*dirs); d++) {
		n = sys_list(&names, "%s", dirs[d]);
		for (i = 0; !found && i < n; i++) {
			if (fnmatch("*.link", names[i], 0))
				continue;
			f = sys_open("%s/%s", dirs[d], names[i]);
			while (f && !found && fgets(line, sizeof(line), f))
				found = !strncmp(line, "IRQAffinityPolicy=", 18);
			if (f)
				fclose(f);
			if (found)
				snprintf(path, len, "%s/%s", dirs[d], names[i]);
		}
		sys_list_free(names, n);
	}
	return found;
}

/* A service of a vendor's driver package that runs set_irq_affinity or the like */
static bool check_writers_vendor(char *path, size_t len)
{
	static const char dir[] = "/etc/systemd/system/multi-user.target.wants";
	bool found = false;
	char **names;
	int i, n;

	n = sys_list(&names, "%s", dir);
	for (i = 0; !found && i < n; i++) {
		found = !fnmatch("*affinity*", names[i], 0);
		if (found)
			snprintf(path, len, "%s", names[i]);
	}
	sys_list_free(names, n);
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
		found = true;
		checker_say(c, open ? VERDICT_WARN : VERDICT_INFO, NULL,
			    "tuned runs (pid %u) and may place interrupts", pid);
	}
	if (check_writers_link(path, sizeof(path))) {
		found = true;
		snprintf(fix, sizeof(fix), "sed -i '/^IRQAffinityPolicy=/d' %s", path);
		checker_say(c, VERDICT_WARN, fix, "systemd places interrupts by %s", path);
	}
	if (check_writers_vendor(path, sizeof(path))) {
		found = true;
		snprintf(fix, sizeof(fix), "systemctl disable --now %s", path);
		checker_say(c, VERDICT_WARN, fix, "%s is enabled", path);
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
