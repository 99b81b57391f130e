// SPDX-License-Identifier: GPL-2.0
/* Counters of errors: what is not zero, and what still grows. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checker.h"
#include "counter.h"

#define COUNTERS_WAIT	1	/* seconds between the two looks */

/* Names as in counters/ and hw_counters/, of several drivers */
static const char *const counter_names[] = {
	"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
	"port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors", "port_xmit_discards",
	"port_xmit_constraint_errors", "port_rcv_constraint_errors",
	"local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped",
	"out_of_sequence", "out_of_buffer", "packet_seq_err", "duplicate_request",
	"local_ack_timeout_err", "rnr_nak_retry_err", "implied_nak_seq_err",
	"req_cqe_error", "resp_cqe_error", "req_remote_access_errors", "resp_remote_access_errors",
	"resp_local_length_error", "rx_icrc_encapsulated", "roce_slow_restart_cnps",
	"cq_overflow", "retry_exceeded_err", "retry_rnr_exceeded_err", "send_rnr_err",
	"out_of_seq_request", "completer_retry_err",
	"rcvd_seq_err", "rcvd_rnr_err", "send_err", "tcpInErrs", "iwInRdmaInErrs",
};

static bool check_counter(const struct counter *counter)
{
	size_t i;

	for (i = 0; i < sizeof(counter_names) / sizeof(*counter_names); i++)
		if (counter->value.known && !strcmp(counter->name, counter_names[i]))
			return true;
	return false;
}

static void check_counters_add(char *list, size_t len, const struct counter *counter,
			       long long more)
{
	size_t n = strlen(list);

	if (n + 96 > len) {
		snprintf(list + n, len - n, "%s", n && list[n - 1] == '.' ? "" : ", ...");
		return;
	}
	n += snprintf(list + n, len - n, "%s%s %lld", n ? ", " : "", counter->name,
		      counter->value.v);
	if (more)
		snprintf(list + n, len - n, " (+%lld)", more);
}

/* The first look at every device, and the wait for all of them */
static void check_counters_host(struct checker *c)
{
	bool wait = false;
	unsigned int d, i, nr = 0;

	while (c->survey.picked.match[nr])
		nr++;
	c->counters = calloc(nr + 1, sizeof(*c->counters));
	for (d = 0; c->counters && d < nr; d++) {
		counters_read(&c->counters[d], c->survey.picked.match[d], c->survey.picked.port);
		for (i = 0; i < c->counters[d].nr; i++)
			wait |= check_counter(&c->counters[d].v[i]) && c->counters[d].v[i].value.v;
	}
	if (wait)
		nanosleep(&(struct timespec){ .tv_sec = COUNTERS_WAIT }, NULL);
}

static void check_counters_dev(struct checker *c, const struct dev *dev)
{
	char stand[512] = "", grow[512] = "";
	const struct counters *before;
	const struct counter *then;
	unsigned int i, known = 0;
	struct counters now = { 0 };

	for (i = 0; c->survey.picked.match[i] != dev; i++)
		;
	before = c->counters ? &c->counters[i] : &now;
	counters_read(&now, dev, c->survey.picked.port);
	for (i = 0; i < now.nr; i++) {
		if (!check_counter(&now.v[i]))
			continue;
		known++;
		then = counters_find(before, &now.v[i]);
		if (then && then->value.known && now.v[i].value.v > then->value.v)
			check_counters_add(grow, sizeof(grow), &now.v[i],
					   now.v[i].value.v - then->value.v);
		else if (now.v[i].value.v)
			check_counters_add(stand, sizeof(stand), &now.v[i], 0);
	}
	if (*grow)
		checker_say(c, VERDICT_WARN, NULL, "growing: %s", grow);
	else if (*stand)
		checker_say(c, VERDICT_INFO, NULL, "not 0, but not growing: %s", stand);
	else if (known)
		checker_say(c, VERDICT_OK, NULL, "%u counters of errors, all 0", known);
	else
		checker_say(c, VERDICT_NA, NULL, "the driver has none that are known here");
	counters_free(&now);
}

const struct check check_counters = {
	.id = "counters",
	.expected = "no counter of errors grows",
	.why = "errors that grow are retries: latency, and a fault on the way",
	.host = check_counters_host,
	.dev = check_counters_dev,
};
