// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "cmd.h"
#include "commands.h"
#include "proc.h"
#include "say.h"

/* In the order in which they are printed, for the host and then per device */
const struct check *const checks[] = {
	&check_module,
	&check_abi,
	&check_spread,
	&check_writers,
	&check_netns,
	&check_memlock,
	&check_chardev,
	&check_node,
	&check_port,
	&check_rate,
	&check_pcie,
	&check_mtu,
	&check_pfc,
	&check_vectors,
	&check_buffers,
	&check_cpuset,
	&check_threads,
	&check_counters,
	&check_probe,
	NULL
};

static const char *const check_verdicts[] = { "ok", "info", "warn", "fail", "n/a" };

static const struct cmd_key check_keys[] = {
	{ "pid", "PID", NULL },
	{ "only", "ID[,ID]...", NULL },
	{ "skip", "ID[,ID]...", NULL },
	{ NULL }
};

static const struct out_field check_fields[] = {
	{ "line", "", NULL, OUT_TEXT },
	{ "check" },
	{ "dev_name" },
	{ "verdict" },
	{ "found", NULL, "" },
	{ "expected", NULL, "\n        expected: ", OUT_QUIET },
	{ "why", NULL, "\n        because: ", OUT_QUIET },
	{ "fix", NULL, "\n        to mend it: ", OUT_QUIET },
};

static const struct out_field check_list_fields[] = {
	{ "check", "CHECK" },
	{ "expected", "EXPECTED" },
	{ "why", "BECAUSE" },
};

void checker_say(struct checker *c, enum verdict verdict, const char *fix, const char *fmt, ...)
{
	bool wrong = verdict == VERDICT_WARN || verdict == VERDICT_FAIL;
	struct out *o = &c->out;
	char *found, line[128];
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&found, fmt, ap) < 0)
		out_nomem();
	va_end(ap);
	snprintf(line, sizeof(line), "%-5s %-9s %s%s", check_verdicts[verdict], c->check->id,
		 c->dev ? c->dev->name : "", c->dev ? ": " : "");
	out_record(o);
	out_text(o, "line", line);
	out_text(o, "check", c->check->id);
	if (c->dev)
		out_text(o, "dev_name", c->dev->name);
	else
		out_null(o, "dev_name", NULL);
	out_text(o, "verdict", check_verdicts[verdict]);
	out_text(o, "found", found);
	if (o->json || wrong || o->details) {
		out_text(o, "expected", c->check->expected);
		out_text(o, "why", c->check->why);
	}
	if (fix)
		out_text(o, "fix", fix);
	else
		out_null(o, "fix", NULL);
	out_record_end(o);
	free(found);
	c->failed |= verdict == VERDICT_FAIL;
}

/* Whether @id is one of @list, "a,b" */
static bool check_listed(const char *list, const char *id)
{
	size_t n = strlen(id);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (!strncmp(list, id, n) && (!list[n] || list[n] == ','))
			return true;
	return false;
}

static int check_ids(const char *key, const char *list)
{
	char id[64];
	size_t n;
	int i;

	while (list) {
		n = strcspn(list, ",");
		snprintf(id, sizeof(id), "%.*s", (int)n, list);
		for (i = 0; checks[i] && strcmp(checks[i]->id, id); i++)
			;
		if (!checks[i]) {
			say("%s: no check \"%s\" (nrdmactl check list)", key, id);
			return -EINVAL;
		}
		list = list[n] ? list + n + 1 : NULL;
	}
	return 0;
}

static bool check_wanted(const struct check *check, const char *only, const char *skip)
{
	return (!only || check_listed(only, check->id)) && !check_listed(skip, check->id);
}

/* Silence would pass for "all is well" */
static int check_some(const char *only, const char *skip)
{
	unsigned int i;

	for (i = 0; checks[i]; i++)
		if (check_wanted(checks[i], only, skip))
			return 0;
	say("only and skip leave no check");
	return -EINVAL;
}

static void check_all(struct checker *c, const char *only, const char *skip)
{
	struct dev **match;
	unsigned int i;

	for (i = 0; checks[i]; i++) {
		c->check = checks[i];
		c->dev = NULL;
		if (!check_wanted(c->check, only, skip))
			continue;
		if (c->check->host)
			c->check->host(c);
		for (match = c->survey.picked.match; c->check->dev && *match; match++) {
			c->dev = *match;
			c->check->dev(c, *match);
		}
	}
}

static int check_run(const struct args *args)
{
	const char *only = args_get(args, "only"), *skip = args_get(args, "skip");
	struct checker c = { 0 };
	struct num pid;
	unsigned int i;
	int status;

	if (args_u32(args, "pid", &pid) || check_ids("only", only) ||
	    check_ids("skip", skip) || check_some(only, skip))
		return EXIT_USAGE;
	if (pid.known && (!pid.v || !proc_comm(pid.v).known)) {
		say("no process %lld", pid.v);
		return EXIT_FAILED;
	}
	c.pid = pid.v;
	if (survey_read(&c.survey, args)) {
		survey_free(&c.survey);
		return EXIT_FAILED;
	}
	status = c.survey.status;
	out_open(&c.out, OUT_LINE, OUT_FIELDS(check_fields));
	check_all(&c, only, skip);
	if (c.failed)
		status = EXIT_CHECK;
	if (out_close(&c.out))
		status = EXIT_FAILED;
	for (i = 0; c.counters && c.survey.picked.match[i]; i++)
		counters_free(&c.counters[i]);
	free(c.counters);
	survey_free(&c.survey);
	return status;
}

static int check_list_run(const struct args *args)
{
	struct out o;
	int i;

	(void)args;
	out_open(&o, OUT_TABLE, OUT_FIELDS(check_list_fields));
	for (i = 0; checks[i]; i++) {
		out_record(&o);
		out_text(&o, "check", checks[i]->id);
		out_text(&o, "expected", checks[i]->expected);
		out_text(&o, "why", checks[i]->why);
		out_record_end(&o);
	}
	return out_close(&o) ? EXIT_FAILED : EXIT_DONE;
}

const struct cmd cmd_check = {
	.object = "check",
	.pos = "[DEV]",
	.keys = check_keys,
	.help = "what is not laid out well, and the command that mends it; with pid, for that process",
	.run = check_run,
};

const struct cmd cmd_check_list = {
	.object = "check",
	.name = "list",
	.help = "the checks that there are",
	.run = check_list_run,
};
