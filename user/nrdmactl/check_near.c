// SPDX-License-Identifier: GPL-2.0
/* Checks of what should be near a device: vectors, buffers, programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>
#include <linux/nrdma.h>

#include "cgroup.h"
#include "checker.h"
#include "numa.h"
#include "proc.h"
#include "res.h"
#include "size.h"
#include "sys.h"

#define MEMLOCK_LEAST	(64LL << 20)	/* what programs register without much thought */

/* A vector that is on its way counts as if it were there */
static struct num check_vector_local(const struct vec *vec, const struct dev *dev)
{
	struct vec settled = *vec;

	if (vec->state.known && vec->state.v == NRDMA_IRQ_STATE_PENDING && vec->wanted) {
		settled.effective = NULL;
		settled.cpus = vec->wanted;
	}
	return vec_local(&settled, dev);
}

static void check_vectors_dev(struct checker *c, const struct dev *dev)
{
	unsigned int nr = 0, remote = 0, drifted = 0, failed = 0, managed = 0, unknown = 0;
	const struct vec *vec = NULL;
	struct cpus cpus, one, near;
	struct num local;
	char fix[128];

	if (!dev->place.pci.known) {
		checker_say(c, VERDICT_NA, NULL, "no PCI function");
		return;
	}
	if (!dev->place.node.known) {
		checker_say(c, VERDICT_NA, NULL, "node not known");
		return;
	}
	memset(&cpus, 0, sizeof(cpus));
	while ((vec = vecs_next(&c->survey.vecs, &dev->place.pci, vec))) {
		const char *list = vec->effective && *vec->effective ? vec->effective : vec->cpus;

		nr++;
		drifted += vec->state.known && vec->state.v == NRDMA_IRQ_STATE_DRIFTED;
		failed += vec->state.known && vec->state.v == NRDMA_IRQ_STATE_FAILED;
		if (vec->state.known && vec->state.v == NRDMA_IRQ_STATE_MANAGED) {
			managed++;
			continue;
		}
		local = check_vector_local(vec, dev);
		if (!local.known)
			unknown++;
		else if (!local.v)
			remote++;
		if (list && !cpus_parse(&one, list))
			cpus_or(&cpus, &one);
	}
	snprintf(fix, sizeof(fix), "nrdmactl irq set %s policy local lock on", dev->name);
	if (!nr)
		checker_say(c, VERDICT_WARN, NULL, "none were found");
	else if (drifted || failed)
		checker_say(c, VERDICT_FAIL, fix, "%u of %u were moved away, %u could not be moved",
			    drifted, nr, failed);
	else if (remote)
		checker_say(c, VERDICT_FAIL, fix, "%u of %u go to CPUs that are not near", remote,
			    nr);
	else if (unknown && unknown == nr - managed)
		checker_say(c, VERDICT_NA, NULL, "where %u go cannot be read", unknown);
	else if (nr - managed > 1 && !cpus_empty(&cpus) && place_cpus(&dev->place, &near) &&
		 cpus_next(&near, cpus_next(&near, -1)) >= 0 &&
		 cpus_next(&cpus, cpus_next(&cpus, -1)) < 0)
		checker_say(c, VERDICT_WARN, fix, "all %u go to CPU %d", nr, cpus_next(&cpus, -1));
	else
		checker_say(c, VERDICT_OK, NULL, "%u, %u near, %u managed by the kernel", nr,
			    nr - managed - unknown, managed);
}

const struct check check_vectors = {
	.id = "vectors",
	.expected = "every vector goes to CPUs near the device, not all to one",
	.why = "each completion crosses the interconnect otherwise",
	.dev = check_vectors_dev,
};

static void check_buffers_dev(struct checker *c, const struct dev *dev)
{
	char all[32], remote[32], fix[128];

	if (!dev->buf_bytes.known || !dev->buf_remote_bytes.known) {
		checker_say(c, VERDICT_NA, NULL, "%s", dev->buf_bytes.why ? dev->buf_bytes.why :
			    "not told");
		return;
	}
	size_format(dev->buf_bytes.v, all, sizeof(all));
	size_format(dev->buf_remote_bytes.v, remote, sizeof(remote));
	if (!dev->buf_remote_bytes.v) {
		checker_say(c, VERDICT_OK, NULL, "%s in %lld, all where they were wanted", all,
			    dev->buf_count.v);
		return;
	}
	/* Who has them asked for that, and knows best when to make them anew */
	snprintf(fix, sizeof(fix), "nrdmactl buf show %s", dev->name);
	checker_say(c, VERDICT_FAIL, fix,
		    "%s of %s are not on the node that was wanted; they stay until their programs make them anew",
		    remote, all);
}

const struct check check_buffers = {
	.id = "buffers",
	.expected = "every buffer lies on the node that was wanted",
	.why = "each access of the device crosses the interconnect otherwise",
	.dev = check_buffers_dev,
};

static void check_memlock_host(struct checker *c)
{
	struct num limit = proc_memlock(c->pid);
	struct num locked = proc_kib(c->pid, "VmLck"), pinned = proc_kib(c->pid, "VmPin");
	long long used = locked.v > pinned.v ? locked.v : pinned.v;
	const char *sudo = proc_capable(0, CAP_SYS_RESOURCE) ? "" : "sudo ";
	char fix[128], text[32], need[32];

	if (c->pid)
		snprintf(fix, sizeof(fix), "%sprlimit --pid %u --memlock=unlimited", sudo, c->pid);
	else
		snprintf(fix, sizeof(fix), "%sprlimit --pid $$ --memlock=unlimited", sudo);
	if (!limit.known) {
		checker_say(c, VERDICT_NA, NULL, "the limit is %s", limit.why);
		return;
	}
	if (limit.v == PROC_UNLIMITED) {
		checker_say(c, VERDICT_OK, NULL, "unlimited");
		return;
	}
	size_format(limit.v, text, sizeof(text));
	if (proc_capable(c->pid, CAP_IPC_LOCK)) {
		checker_say(c, VERDICT_OK, NULL, "%s, but CAP_IPC_LOCK goes over it", text);
		return;
	}
	size_format(used + MEMLOCK_LEAST, need, sizeof(need));
	if (limit.v < used + MEMLOCK_LEAST)
		checker_say(c, VERDICT_FAIL, fix, "RLIMIT_MEMLOCK is %s", text);
	else
		checker_say(c, VERDICT_OK, NULL, "%s", text);
}

const struct check check_memlock = {
	.id = "memlock",
	.expected = "64M beyond what is locked (systemd: LimitMEMLOCK=, container: --ulimit memlock=)",
	.why = "buffers and registrations count against it, and fail with ENOMEM",
	.host = check_memlock_host,
};

static void check_cpuset_mems(struct checker *c, const struct place *place, const struct cpus *mems,
			      const struct cgroup_cpuset *set)
{
	char *fix = NULL, *list = cpus_list(mems);
	struct cpus want = { 0 };

	cpus_add(&want, place->mem_node.v);
	if (set)
		fix = cgroup_cpuset_fix(set, true, mems, &want);
	checker_say(c, VERDICT_FAIL, fix, "memory node %lld is not among the allowed, %s",
		    place->mem_node.v, list);
	free(list);
	free(fix);
}

static void check_cpuset_cpus(struct checker *c, const struct cpus *near,
			      const struct cgroup_cpuset *set)
{
	char *fix = cgroup_cpuset_fix(set, false, &set->cpus, near), *list = cpus_list(&set->cpus);

	checker_say(c, VERDICT_FAIL, fix, "no CPU near the device is among those allowed, %s", list);
	free(list);
	free(fix);
}

static void check_cpuset_dev(struct checker *c, const struct dev *dev)
{
	const struct place *place = &dev->place;
	struct cpus mems, near, both;
	struct cgroup_cpuset set;
	bool known;
	char *list;

	if (!place->mem_node.known) {
		checker_say(c, VERDICT_NA, NULL, "memory node not known");
		return;
	}
	if (!proc_list(c->pid, "Mems_allowed_list", &mems)) {
		checker_say(c, VERDICT_NA, NULL, "Mems_allowed_list cannot be read");
		return;
	}
	known = cgroup_cpuset_read(&set, c->pid);
	if (!cpus_has(&mems, place->mem_node.v)) {
		check_cpuset_mems(c, place, &mems, known ? &set : NULL);
		return;
	}
	known = known && place_cpus(place, &near);
	if (known) {
		both = near;
		cpus_and(&both, &set.cpus);
		if (cpus_empty(&both)) {
			check_cpuset_cpus(c, &near, &set);
			return;
		}
	}
	list = cpus_list(&mems);
	checker_say(c, VERDICT_OK, NULL, "memory node %lld is among the allowed, %s%s",
		    place->mem_node.v, list, known ? ", and so are CPUs near it" : "");
	free(list);
}

const struct check check_cpuset = {
	.id = "cpuset",
	.expected = "the cpuset of the process has the device's memory node, and CPUs near it",
	.why = "its buffers cannot lie there and its threads not run there otherwise",
	.dev = check_cpuset_dev,
};

/* How many threads a process has, and how many of them ran elsewhere last */
static unsigned int check_threads_of(unsigned int pid, const struct cpus *near, unsigned int *away)
{
	unsigned int nr = 0;
	struct num cpu;
	char **names;
	int i, n;

	*away = 0;
	n = sys_list(&names, "/proc/%u/task", pid);
	for (i = 0; i < n; i++) {
		cpu = proc_last_cpu(pid, strtoul(names[i], NULL, 10));
		if (!cpu.known)
			continue;
		nr++;
		*away += !cpus_has(near, cpu.v);
	}
	sys_list_free(names, n);
	return nr;
}

/* Who holds verbs' resources or buffers of the device */
static int check_threads_users(struct checker *c, const struct dev *dev, struct ress *ress)
{
	struct dev *match[] = { (struct dev *)dev, NULL };
	unsigned int i;
	int err;

	err = ress_read(ress, match);
	for (i = 0; !err && i < c->survey.bufs.nr; i++) {
		const struct buf *buf = &c->survey.bufs.v[i];

		if (buf->pid.known && !buf->orphan.v && !strcmp(buf->dev_name.s, dev->name) &&
		    !ress_of(ress, buf->pid.v, dev))
			err = -ENOMEM;
	}
	return err;
}

/* Nobody was named: those that use it are looked at, but need not be this user's */
static void check_threads_all(struct checker *c, const struct dev *dev, const struct cpus *near,
			      const char *cpus)
{
	unsigned int i, away, elsewhere = 0;
	struct ress ress = { 0 };
	char *fix = NULL;

	if (check_threads_users(c, dev, &ress)) {
		checker_say(c, VERDICT_NA, NULL, "who uses it cannot be read");
	} else {
		for (i = 0; i < ress.nr; i++) {
			check_threads_of(ress.v[i].pid, near, &away);
			if (away && !elsewhere++)
				fix = out_format("taskset -acp %s %u", cpus, ress.v[i].pid);
		}
		if (elsewhere)
			checker_say(c, VERDICT_WARN, fix,
				    "%u of %u processes that use it have threads that ran elsewhere last",
				    elsewhere, ress.nr);
		else if (ress.nr)
			checker_say(c, VERDICT_OK, NULL,
				    "%u process%s that use%s it ran on CPUs %s last", ress.nr,
				    ress.nr == 1 ? "" : "es", ress.nr == 1 ? "s" : "", cpus);
		else
			checker_say(c, VERDICT_NA, NULL, "no process uses it");
	}
	free(fix);
	ress_free(&ress);
}

static void check_threads_one(struct checker *c, const struct cpus *near, const char *cpus)
{
	unsigned int nr, away;
	char *fix;

	nr = check_threads_of(c->pid, near, &away);
	fix = out_format("taskset -acp %s %u", cpus, c->pid);
	if (!nr)
		checker_say(c, VERDICT_NA, NULL, "process %u is gone", c->pid);
	else if (away)
		checker_say(c, VERDICT_FAIL, fix, "%u of %u threads of process %u ran elsewhere last",
			    away, nr, c->pid);
	else
		checker_say(c, VERDICT_OK, NULL, "all %u of process %u ran on CPUs %s last", nr,
			    c->pid, cpus);
	free(fix);
}

static void check_threads_dev(struct checker *c, const struct dev *dev)
{
	struct cpus near;
	char *cpus;

	if (!place_cpus(&dev->place, &near)) {
		checker_say(c, VERDICT_NA, NULL, "CPU nodes not known");
		return;
	}
	cpus = cpus_list(&near);
	if (c->pid)
		check_threads_one(c, &near, cpus);
	else
		check_threads_all(c, dev, &near, cpus);
	free(cpus);
}

const struct check check_threads = {
	.id = "threads",
	.expected = "who uses the device runs on CPUs near it",
	.why = "what the device wrote is far from who reads it otherwise",
	.dev = check_threads_dev,
};
