// SPDX-License-Identifier: GPL-2.0
/* The time of a run over several sizes, which share it. */
#include <time.h>

#include "probe_clock.h"

/**
 * probe_clock_now() - ns since some time of the past
 */
long long probe_clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * CLOCK_SECOND + ts.tv_nsec;
}

/**
 * probe_clock_left() - ns until @end, 0 when it is over
 */
long long probe_clock_left(long long end)
{
	long long now = probe_clock_now();

	return now < end ? end - now : 0;
}

/**
 * probe_clock_share() - what the next size may take
 * @left: ns, for it and those that follow
 * @nr: how many they are
 *
 * Return: seconds; 0 when less than half a one is left for all, since one is the
 * least that the module takes.
 */
unsigned int probe_clock_share(long long left, unsigned int nr)
{
	long long seconds = (left + CLOCK_SECOND / 2) / CLOCK_SECOND;

	if (!seconds)
		return 0;
	return seconds < nr ? 1 : seconds / nr;
}
