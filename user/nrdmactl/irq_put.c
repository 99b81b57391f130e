// SPDX-License-Identifier: GPL-2.0
/* Vectors and the outcome of steering, as irq show, set and restore print them. */
#include <string.h>

#include "cmd.h"
#include "dev_put.h"
#include "irq_put.h"
#include "say.h"
#include "words.h"

#define IRQ_FIELDS_FIRST \
	{ "dev_name", "DEVICE" }, \
	{ "pci", "PCI", NULL, OUT_DETAIL }, \
	{ "vector", "VEC", NULL, OUT_RIGHT | OUT_QUIET }, \
	{ "irq", "IRQ", NULL, OUT_RIGHT }, \
	{ "action", "ACTION" }, \
	{ "serves", "SERVES", NULL, OUT_QUIET }, \
	{ "cpus", "CPUS" }, \
	{ "effective", "ON CPU" }, \
	{ "node", "NODE" }, \
	{ "local", "PLACE" }, \
	{ "state", "STATE" }, \
	{ "error", NULL, ": ", OUT_QUIET }, \
	{ "locked", "LOCK", NULL, OUT_QUIET }, \
	{ "changer", "CHANGED BY", NULL, OUT_QUIET }, \
	{ "original", "BEFORE", NULL, OUT_DETAIL }

static const struct out_field irq_fields[] = {
	IRQ_FIELDS_FIRST,
	{ "wanted", "WANTED", NULL, OUT_QUIET },
	{ "count", "COUNT", NULL, OUT_RIGHT },
};

static const struct out_field irq_watch_fields[] = {
	IRQ_FIELDS_FIRST,
	{ "wanted", "WANTED", NULL, OUT_QUIET },
	{ "count", "COUNT", NULL, OUT_RIGHT },
	{ "rate", "PER S", NULL, OUT_RIGHT },
};

static const struct out_field irq_plan_fields[] = {
	IRQ_FIELDS_FIRST,
	{ "wanted", "WOULD GET" },
};

static const struct out_field irq_result_fields[] = {
	{ "dev_name", "" },
	{ "policy", NULL },
	IRQ_FIELDS_POLICY(": policy "),
};

void irq_put_open(struct out *o, bool watch)
{
	if (watch)
		out_open(o, OUT_TABLE, OUT_FIELDS(irq_watch_fields));
	else
		out_open(o, OUT_TABLE, OUT_FIELDS(irq_fields));
}

void irq_put_open_plan(struct out *o)
{
	out_open(o, OUT_TABLE, OUT_FIELDS(irq_plan_fields));
}

static void irq_put_list(struct out *o, const char *key, const char *list, const char *why)
{
	if (list && *list)
		out_text(o, key, list);
	else
		out_null(o, key, why);
}

/**
 * irq_put() - the fields that every list of vectors has
 * @dev: the device whose vector it is
 */
void irq_put(struct out *o, const struct vec *vec, const struct dev *dev)
{
	struct num local = vec_local(vec, dev), error = vec->error;

	out_text(o, "dev_name", dev->name);
	out_str(o, "pci", vec->pci);
	out_num(o, "vector", vec->vector);
	out_num(o, "irq", vec->irq);
	out_str(o, "action", vec->action);
	out_str(o, "serves", vec_serves(vec));
	irq_put_list(o, "cpus", vec->cpus, "not readable");
	irq_put_list(o, "effective", vec->effective, "not started");
	out_num(o, "node", vec->node);
	if (o->json)
		out_bool(o, "local", local);
	else
		out_shown(o, "local", local, local.v ? "local" : "remote");
	out_str(o, "state", words_of(words_irq_state, vec->state));
	if (error.known && !error.v)
		error = num_none("none");
	out_shown(o, "error", error, error.known ? strerror(-error.v) : "");
	out_bool(o, "locked", vec->locked);
	out_str(o, "changer", words_of(words_irq_changer, vec->changer));
	irq_put_list(o, "original", vec->original, "not steered");
	irq_put_list(o, "wanted", vec->wanted, "not steered");
}

/**
 * irq_put_result() - what came of steering or restoring
 * @policy: the module's reply
 *
 * Return: EXIT_*; vectors that could not be moved are a failure.
 */
int irq_put_result(const struct dev *dev, const struct dev_policy *policy)
{
	struct out o;

	out_open(&o, OUT_LINE, OUT_FIELDS(irq_result_fields));
	out_record(&o);
	out_text(&o, "dev_name", dev->name);
	dev_put_policy(&o, policy);
	out_record_end(&o);
	if (out_close(&o))
		return EXIT_FAILED;
	if (policy->known && policy->vectors.known && !policy->vectors.v)
		say("the PCI function has no MSI vectors: nothing was steered");
	if (policy->failed.v || (policy->error.known && policy->error.v))
		return EXIT_FAILED;
	return EXIT_DONE;
}
