// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mempolicy.h>

#include "cmd.h"
#include "commands.h"
#include "cpus.h"
#include "mod_dev.h"
#include "say.h"

/* As env(1) exits */
#define RUN_FAILED	125
#define RUN_NOT_EXEC	126
#define RUN_NOT_FOUND	127

static int run_bind_cpus(const struct dev *dev)
{
	char *want, *have, *nodes = cpus_list(&dev->place.cpu_nodes);
	struct cpus cpus, allowed;
	int err;

	if (!place_cpus(&dev->place, &cpus)) {
		say("no CPUs near the device: node %s has none online", nodes);
		free(nodes);
		return -ENXIO;
	}
	want = cpus_list(&cpus);
	err = cpus_allowed(&allowed);
	if (err) {
		say("the allowed CPUs cannot be read: %s", strerror(-err));
		goto out;
	}
	cpus_and(&cpus, &allowed);
	if (cpus_empty(&cpus)) {
		have = cpus_list(&allowed);
		say("this process may use CPUs %s only, the device's node %s has %s (taskset, cpuset.cpus)",
		    have, nodes, want);
		free(have);
		err = -EPERM;
		goto out;
	}
	err = cpus_bind(&cpus);
	if (err)
		say("CPUs %s cannot be bound: %s", want, strerror(-err));
out:
	free(want);
	free(nodes);
	return err;
}

static int run_bind_memory(const struct dev *dev)
{
	struct cpus nodes = { 0 };
	int err;

	cpus_add(&nodes, dev->place.mem_node.v);
	/* The kernel takes one bit less than it is told. */
	if (!syscall(SYS_set_mempolicy, MPOL_BIND, nodes.bits, 1024 + 1))
		return 0;
	err = -errno;
	if (err == -EINVAL)
		say("node %lld is not among the memory nodes that this process may use (cpuset.mems, Mems_allowed in /proc/self/status)",
		    dev->place.mem_node.v);
	else
		say("memory cannot be bound to node %lld: %s", dev->place.mem_node.v,
		    strerror(-err));
	return err;
}

static int run_bind(const struct args *args)
{
	struct picked picked;
	struct dev *dev;
	struct mod mod;
	int err = -ENODEV;

	dev = pick_one(&picked, args, true);
	if (!dev)
		goto out;
	/* Without the module sysfs has to do, and it is not worth a word */
	if (mod_open_quietly(&mod))
		mod_dev_dump(&mod, &picked.devs);
	mod_close(&mod);
	if (!dev->place.node.known || !dev->place.mem_node.known) {
		say("the device's node is not known (%s): nothing to bind to (nrdmactl dev set %s node N)",
		    dev->place.node.known ? dev->place.mem_node.why : dev->place.node.why,
		    dev->name);
		goto out;
	}
	err = run_bind_cpus(dev);
	if (!err)
		err = run_bind_memory(dev);
out:
	pick_free(&picked);
	return err;
}

static int run_run(const struct args *args)
{
	int err;

	if (run_bind(args))
		return RUN_FAILED;
	execvp(args->rest[0], args->rest);
	err = errno;
	say("%s: %s", args->rest[0], strerror(err));
	return err == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXEC;
}

const struct cmd cmd_run = {
	.object = "run",
	.pos = "DEV",
	.rest = "COMMAND [ARG]...",
	.help = "run a command on the device's CPUs, with memory of its node; exits as env(1) does",
	.usage_status = RUN_FAILED,
	.run = run_run,
};
