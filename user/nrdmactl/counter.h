/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_COUNTER_H
#define NRDMACTL_COUNTER_H

#include <time.h>

#include "dev.h"
#include "value.h"

/**
 * struct counter - a counter of a port, or of the device itself
 * @port: not known for one of the device
 * @group: "counters", which every InfiniBand driver has, or "hw_counters"
 * @name: as its file is called
 * @bytes: it counts bytes, otherwise events
 * @value: since the driver began
 */
struct counter {
	struct num port;
	const char *group;
	char name[64];
	bool bytes;
	struct num value;
};

/* One look at a device's counters, and when that was */
struct counters {
	unsigned int nr, room;
	struct counter *v;
	struct timespec at;
};

int counters_read(struct counters *counters, const struct dev *dev, unsigned int port);
void counters_free(struct counters *counters);
const struct counter *counters_find(const struct counters *counters, const struct counter *like);
struct num counters_rate(const struct counters *now, unsigned int i, const struct counters *before);
bool counter_is_state(const char *name);
void counter_metric(const struct counter *counter, char *buf, size_t len);

#endif /* NRDMACTL_COUNTER_H */
