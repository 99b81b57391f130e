// SPDX-License-Identifier: GPL-2.0
/* Counters of errors: what is not zero, and what still grows. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checker.h"
#include "sys.h"

#define COUNTERS_MAX	64
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
	"rcvd_seq_err", "rcvd_rnr_err", "send_err", "tcpInErrs", "iwInRdmaInErrs",
};

struct counter {
	const char *dir;
	unsigned int port, name;
	long long v;
};

static unsigned int counters_read(struct counter *counters, const struct dev *dev)
{
	static const char *const dirs[] = { "counters", "hw_counters" };
	unsigned int p, d, i, n = 0;
	struct num v;

	for (p = 0; p < dev->nr_ports; p++)
		for (d = 0; d < 2; d++)
			for (i = 0; i < sizeof(counter_names) / sizeof(*counter_names); i++) {
				v = sys_num("/sys/class/infiniband/%s/ports/%u/%s/%s", dev->name,
					    dev->ports[p].port, dirs[d], counter_names[i]);
				if (v.known && n < COUNTERS_MAX)
					counters[n++] = (struct counter){
						dirs[d], dev->ports[p].port, i, v.v
					};
			}
	return n;
}

static void counters_add(char *list, size_t len, const struct counter *counter, long long more)
{
	size_t n = strlen(list);

	if (n + 64 > len) {
		snprintf(list + n, len - n, "%s", n && list[n - 1] == '.' ? "" : ", ...");
		return;
	}
	n += snprintf(list + n, len - n, "%s%s %lld", n ? ", " : "", counter_names[counter->name],
		      counter->v);
	if (more)
		snprintf(list + n, len - n, " (+%lld)", more);
}

static void check_counters_dev(struct checker *c, const struct dev *dev)
{
	struct counter before[COUNTERS_MAX], now[COUNTERS_MAX];
	char stand[256] = "", grow[256] = "";
	unsigned int i, n;

	n = counters_read(before, dev);
	if (!n) {
		checker_say(c, VERDICT_NA, NULL, "the driver has none that are known here");
		return;
	}
	for (i = 0; i < n && !before[i].v; i++)
		;
	if (i == n) {
		checker_say(c, VERDICT_OK, NULL, "%u counters of errors, all 0", n);
		return;
	}
	nanosleep(&(struct timespec){ .tv_sec = COUNTERS_WAIT }, NULL);
	if (counters_read(now, dev) != n) {
		checker_say(c, VERDICT_NA, NULL, "the counters changed while they were read");
		return;
	}
	for (i = 0; i < n; i++) {
		if (now[i].v > before[i].v)
			counters_add(grow, sizeof(grow), &now[i], now[i].v - before[i].v);
		else if (now[i].v)
			counters_add(stand, sizeof(stand), &now[i], 0);
	}
	if (*grow)
		checker_say(c, VERDICT_WARN, NULL, "growing: %s", grow);
	else
		checker_say(c, VERDICT_INFO, NULL, "not 0, but not growing: %s", stand);
}

const struct check check_counters = {
	.id = "counters",
	.expected = "no counter of errors grows",
	.why = "errors that grow are retries: latency, and a fault on the way",
	.dev = check_counters_dev,
};
