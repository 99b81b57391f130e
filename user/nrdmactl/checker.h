/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CHECKER_H
#define NRDMACTL_CHECKER_H

#include <time.h>

#include "counter.h"
#include "out.h"
#include "survey.h"

enum verdict {
	VERDICT_OK,
	VERDICT_INFO,	/* worth knowing, not wrong */
	VERDICT_WARN,	/* may be wrong */
	VERDICT_FAIL,
	VERDICT_NA,	/* cannot be told here */
};

struct checker;

/**
 * struct check - a test of the host
 * @id: its name, for only and skip
 * @expected: what should be found
 * @why: why that matters, in a phrase
 * @host: run once, or NULL
 * @dev: run for each device, or NULL
 */
struct check {
	const char *id;
	const char *expected;
	const char *why;
	void (*host)(struct checker *c);
	void (*dev)(struct checker *c, const struct dev *dev);
};

/**
 * struct checker - a run of the checks
 * @counters: the first look at them, by position in survey.picked.match
 * @pid: the process that memory and threads are checked of, 0 for the caller
 */
struct checker {
	struct out out;
	struct survey survey;
	struct counters *counters;
	unsigned int pid;
	const struct check *check;
	const struct dev *dev;
	bool failed;
};

extern const struct check *const checks[];

extern const struct check check_module, check_abi, check_spread, check_writers, check_netns,
	check_memlock, check_cpuset, check_threads, check_chardev, check_node, check_port,
	check_rate, check_pfc,
	check_pcie, check_mtu, check_vectors, check_buffers, check_counters,
	check_probe;

/*
 * The verdict of the check that runs. @fix is the command that mends it, NULL
 * where there is none.
 */
__attribute__((format(printf, 4, 5)))
void checker_say(struct checker *c, enum verdict verdict, const char *fix, const char *fmt, ...);

#endif /* NRDMACTL_CHECKER_H */
