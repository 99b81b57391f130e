/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_KLOG_H
#define NRDMACTL_KLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message of the kernel's log */
struct klog_line {
	uint64_t usec;		/* since boot */
	char text[256];
};

char *klog_read(void);
bool klog_next(char **log, struct klog_line *line);

#endif /* NRDMACTL_KLOG_H */
