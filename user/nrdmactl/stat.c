// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "cmd.h"
#include "commands.h"
#include "counter.h"
#include "out.h"
#include "say.h"
#include "size.h"

static const struct cmd_key stat_keys[] = {
	{ "watch", "S", NULL },
	{ NULL }
};

static const struct out_field stat_fields[] = {
	{ "dev_name", "DEVICE" },
	{ "port", NULL, "/", OUT_QUIET },
	{ "group", "GROUP" },
	{ "counter", "COUNTER" },
	{ "value", "VALUE", NULL, OUT_RIGHT },
	{ "unit", NULL, " ", OUT_QUIET },
	{ "rate", "RATE", NULL, OUT_RIGHT },
};

#define STAT_FIELDS	(sizeof(stat_fields) / sizeof(*stat_fields))

static void stat_put_rate(struct out *o, const struct counter *counter, struct num rate)
{
	char text[32];

	if (counter->bytes) {
		out_bps(o, "rate", rate);
		return;
	}
	snprintf(text, sizeof(text), "%lld/s", rate.v);
	out_shown(o, "rate", rate, text);
}

static void stat_put(struct out *o, const struct dev *dev, const struct counter *counter)
{
	out_text(o, "dev_name", dev->name);
	out_num(o, "port", counter->port);
	out_text(o, "group", counter->group);
	out_text(o, "counter", counter->name);
	out_num(o, "value", counter->value);
	/* In text events have no unit, they are just counted */
	if (counter->bytes || o->json)
		out_text(o, "unit", counter->bytes ? "bytes" : "events");
	else
		out_null(o, "unit", NULL);
}

/* A device, or a port of it, that has no counter at all has a row that says why. */
static void stat_put_none(struct out *o, const struct dev *dev, unsigned int port)
{
	const char *why = dev_is_here(dev) ? "its driver has no counters" : "gone";

	out_text(o, "dev_name", dev->name);
	out_num(o, "port", port ? num_of(port) : num_none(NULL));
	out_null(o, "group", why);
	out_null(o, "counter", NULL);
	out_null(o, "value", NULL);
	out_null(o, "unit", NULL);
}

static int stat_print(const struct counters *now, const struct counters *before,
		      const struct picked *picked, bool watch)
{
	unsigned int d, i;
	struct out o;

	out_open(&o, OUT_TABLE, stat_fields, STAT_FIELDS - !watch);
	for (d = 0; picked->match[d]; d++) {
		for (i = 0; i < now[d].nr; i++) {
			out_record(&o);
			stat_put(&o, picked->match[d], &now[d].v[i]);
			if (watch)
				stat_put_rate(&o, &now[d].v[i],
					      counters_rate(&now[d], i, before ? &before[d] : NULL));
			out_record_end(&o);
		}
		if (!now[d].nr) {
			out_record(&o);
			stat_put_none(&o, picked->match[d], picked->port);
			if (watch)
				out_null(&o, "rate", NULL);
			out_record_end(&o);
		}
	}
	return out_close(&o);
}

static bool stat_any_here(const struct picked *picked)
{
	unsigned int d;

	for (d = 0; picked->match[d]; d++)
		if (dev_is_here(picked->match[d]))
			return true;
	return false;
}

static void stat_free(struct counters *looks, unsigned int nr)
{
	while (looks && nr)
		counters_free(&looks[--nr]);
	free(looks);
}

static int stat_look(struct counters **looks, const struct picked *picked, unsigned int nr)
{
	unsigned int d;

	*looks = calloc(nr + 1, sizeof(**looks));
	if (!*looks)
		return -ENOMEM;
	for (d = 0; d < nr; d++)
		if (counters_read(&(*looks)[d], picked->match[d], picked->port))
			return -ENOMEM;
	return 0;
}

static int stat_run(const struct args *args)
{
	struct counters *now = NULL, *before = NULL;
	bool watch = args_get(args, "watch");
	struct picked picked;
	struct num seconds;
	unsigned int nr = 0;
	int status = EXIT_DONE;

	if (args_above_0(args, "watch", &seconds))
		return EXIT_USAGE;
	if (pick(&picked, args)) {
		pick_free(&picked);
		return EXIT_FAILED;
	}
	if (!picked.devs.nr)
		say("no RDMA device on this host");
	while (picked.match[nr])
		nr++;
	for (;;) {
		bool left = stat_any_here(&picked);

		if (stat_look(&now, &picked, nr) || stat_print(now, before, &picked, watch)) {
			status = EXIT_FAILED;
			break;
		}
		if (!watch)
			break;
		if (!left) {
			status = EXIT_FAILED;
			break;
		}
		stat_free(before, nr);
		before = now;
		now = NULL;
		nanosleep(&(struct timespec){ .tv_sec = seconds.v }, NULL);
	}
	stat_free(now, nr);
	stat_free(before, nr);
	pick_free(&picked);
	return status;
}

const struct cmd cmd_stat = {
	.object = "stat",
	.pos = "[DEV]",
	.keys = stat_keys,
	.help = "counters of ports and devices as their drivers keep them; with watch also as rates",
	.run = stat_run,
};
