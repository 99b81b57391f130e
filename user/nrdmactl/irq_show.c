// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "commands.h"
#include "irq_put.h"
#include "mod_dev.h"
#include "mod_irq.h"
#include "say.h"

static const struct cmd_key irq_show_keys[] = {
	{ "watch", "S", NULL },
	{ NULL }
};

/* One look at the vectors */
struct irq_look {
	struct vecs vecs;
	struct vec_counts counts;
	struct timespec at;
};

static void irq_look_free(struct irq_look *look)
{
	vecs_free(&look->vecs);
	vec_counts_free(&look->counts);
}

static int irq_look(struct irq_look *look, struct mod *mod, struct picked *picked)
{
	struct dev **match = picked->match;
	struct num irq;
	unsigned int i;
	int status;

	memset(look, 0, sizeof(*look));
	clock_gettime(CLOCK_MONOTONIC, &look->at);
	vec_counts_read(&look->counts);
	if (mod->sk) {
		status = mod_irq_dump(mod, &look->vecs, match[0] && !match[1] ? match[0] : NULL,
				     NULL);
	} else {
		status = mod_status(mod);
		for (i = 0; match[i]; i++)
			if (vecs_read(&look->vecs, match[i]) < 0)
				status = EXIT_PARTIAL;
	}
	for (i = 0; i < look->vecs.nr; i++) {
		irq = look->vecs.v[i].irq;
		if (look->vecs.v[i].action.known || !irq.known)
			continue;
		if (irq.v < look->counts.nr)
			look->vecs.v[i].action = look->counts.action[irq.v];
		else if (look->counts.why)
			look->vecs.v[i].action = str_none(look->counts.why);
	}
	return status;
}

/* Interrupts a second since the look before */
static struct num irq_rate(const struct irq_look *now, const struct irq_look *before,
			   struct num irq)
{
	struct num a, b;
	double s;

	if (!before)
		return num_none("first look");
	a = vec_counts_of(&before->counts, irq);
	b = vec_counts_of(&now->counts, irq);
	s = now->at.tv_sec - before->at.tv_sec + (now->at.tv_nsec - before->at.tv_nsec) / 1e9;
	if (!a.known || !b.known)
		return num_none(b.known ? a.why : b.why);
	if (b.v < a.v || s <= 0)
		return num_none("went down");
	return num_of((b.v - a.v) / s + 0.5);
}

static int irq_show_print(const struct irq_look *now, const struct irq_look *before,
			  struct picked *picked, bool watch)
{
	const struct vec *vec;
	const struct dev *dev;
	unsigned int d, n;
	struct out o;

	irq_put_open(&o, watch);
	for (d = 0; picked->match[d]; d++) {
		dev = picked->match[d];
		n = 0;
		for (vec = NULL; (vec = vecs_next(&now->vecs, &dev->place.pci, vec)); n++) {
			out_record(&o);
			irq_put(&o, vec, dev);
			out_num(&o, "count", vec_counts_of(&now->counts, vec->irq));
			if (watch)
				out_num(&o, "rate", irq_rate(now, before, vec->irq));
			out_record_end(&o);
		}
		if (!n && !before)
			say("%s: %s", dev->name, dev->hidden ? dev->chardev.why :
			    dev->place.pci.known ?
			    "its PCI function has no MSI vectors, so there is nothing to steer" :
			    "no PCI function, so no vectors of its own");
	}
	return out_close(&o);
}

/* Those that went while they were watched are said, and looked at no more */
static bool irq_show_left(struct picked *picked)
{
	struct dev **match, **left = picked->match;

	for (match = picked->match; *match; match++) {
		if (dev_is_here(*match))
			*left++ = *match;
		else
			say("%s: gone", (*match)->name);
	}
	*left = NULL;
	return left > picked->match;
}

static int irq_show_run(const struct args *args)
{
	struct irq_look look[2] = { 0 };
	bool watch = args_get(args, "watch");
	struct picked picked;
	unsigned int turn = 0;
	struct num seconds;
	struct mod mod;
	int status;

	if (args_above_0(args, "watch", &seconds))
		return EXIT_USAGE;
	if (pick(&picked, args)) {
		pick_free(&picked);
		return EXIT_FAILED;
	}
	status = mod_open(&mod) ? mod_dev_dump(&mod, &picked.devs) : mod_status(&mod);
	for (;; turn++) {
		struct irq_look *now = &look[turn & 1];
		int worse;

		irq_look_free(now);
		worse = irq_look(now, &mod, &picked);
		if (worse)
			status = worse;
		if (irq_show_print(now, turn ? &look[!(turn & 1)] : NULL, &picked, watch)) {
			status = EXIT_FAILED;
			break;
		}
		if (!watch || worse == EXIT_FAILED)
			break;
		nanosleep(&(struct timespec){ .tv_sec = seconds.v }, NULL);
		if (!irq_show_left(&picked)) {
			status = EXIT_FAILED;
			break;
		}
	}
	irq_look_free(&look[0]);
	irq_look_free(&look[1]);
	mod_close(&mod);
	pick_free(&picked);
	return status;
}

const struct cmd cmd_irq_show = {
	.object = "irq",
	.name = "show",
	.pos = "[DEV]",
	.keys = irq_show_keys,
	.help = "interrupt vectors: where they may go, where they go, local or remote, how many came",
	.run = irq_show_run,
};
