/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_PROGRESS_H
#define NRDMACTL_PROBE_PROGRESS_H

void probe_progress(long long size, unsigned int complete, unsigned int wanted);
void probe_progress_end(void);

#endif /* NRDMACTL_PROBE_PROGRESS_H */
