/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_UEVENT_H
#define NRDMACTL_UEVENT_H

#include <stdbool.h>
#include <stddef.h>

enum uevent_action {
	UEVENT_OTHER,
	UEVENT_ADD,
	UEVENT_REMOVE,
	UEVENT_MOVE,
};

/* What the kernel tells of an RDMA device: @old_name where it was renamed */
struct uevent {
	enum uevent_action action;
	char name[64], old_name[64];
};

int uevent_open(void);
int uevent_read(int fd, struct uevent *event);
bool uevent_parse(struct uevent *event, const char *text, size_t len);

#endif /* NRDMACTL_UEVENT_H */
