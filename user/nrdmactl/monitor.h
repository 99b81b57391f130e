/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MONITOR_H
#define NRDMACTL_MONITOR_H

#include "out.h"
#include "value.h"

/**
 * struct monitor - events on their way to standard output
 * @seen: how many
 * @count: stop after so many, -1 for never
 * @end: of the time, as monitor_now(); not known for never
 */
struct monitor {
	struct out o;
	unsigned int seen;
	int status;
	bool done;
	long long count;
	struct num end;
};

void monitor_begin(struct monitor *mon, const char *object, struct str event);
void monitor_end(struct monitor *mon);
long long monitor_now(void);
int monitor_left(struct monitor *mon);
void monitor_lost(struct monitor *mon);

void monitor_host(struct monitor *mon);

#endif /* NRDMACTL_MONITOR_H */
