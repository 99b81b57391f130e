/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_CLOCK_H
#define NRDMACTL_PROBE_CLOCK_H

#define CLOCK_SECOND	1000000000LL	/* ns; the module takes whole ones */

long long probe_clock_now(void);
long long probe_clock_left(long long end);
unsigned int probe_clock_share(long long left, unsigned int nr);

#endif /* NRDMACTL_PROBE_CLOCK_H */
