// SPDX-License-Identifier: GPL-2.0
/* Events of the kernel's device model, for hosts without the module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "sys.h"
#include "uevent.h"

#define UEVENT_MAX	8192
#define UEVENT_KERNEL	1	/* multicast group; udev has another */

/* The value of "KEY=value" where the string at @at is that, or NULL */
static const char *uevent_value(const char *at, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(at, key, n) && at[n] == '=' ? at + n + 1 : NULL;
}

/**
 * uevent_parse() - read an event
 * @event: out
 * @text: "add@/devices/...", then strings "KEY=value", each with its zero
 * @len: of all of it
 *
 * Return: whether it is about an RDMA device.
 */
bool uevent_parse(struct uevent *event, const char *text, size_t len)
{
	const char *at, *end = text + len, *value;
	bool rdma = false;

	memset(event, 0, sizeof(*event));
	if (!len || text[len - 1])
		return false;
	for (at = text; at < end; at += strlen(at) + 1) {
		value = uevent_value(at, "SUBSYSTEM");
		if (value)
			rdma = !strcmp(value, "infiniband");
		value = uevent_value(at, "DEVPATH");
		if (value)
			snprintf(event->name, sizeof(event->name), "%s", sys_base(value));
		value = uevent_value(at, "DEVPATH_OLD");
		if (value)
			snprintf(event->old_name, sizeof(event->old_name), "%s", sys_base(value));
		value = uevent_value(at, "ACTION");
		if (value)
			event->action = !strcmp(value, "add") ? UEVENT_ADD :
					!strcmp(value, "remove") ? UEVENT_REMOVE :
					!strcmp(value, "move") ? UEVENT_MOVE : UEVENT_OTHER;
	}
	return rdma && event->action && *event->name;
}

/**
 * uevent_open() - listen to the kernel
 *
 * Return: a socket, or a negative errno.
 */
int uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = UEVENT_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int err;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/**
 * uevent_read() - the next event
 *
 * Return: 1 with an event about an RDMA device, 0 with another, or a negative
 * errno: -EAGAIN when there is none, -ENOBUFS when some were lost.
 */
int uevent_read(int fd, struct uevent *event)
{
	struct sockaddr_nl from = { 0 };
	socklen_t len = sizeof(from);
	char text[UEVENT_MAX];
	ssize_t n = recvfrom(fd, text, sizeof(text), 0, (struct sockaddr *)&from, &len);

	if (n < 0)
		return -errno;
	/* Anybody may send to this socket; the kernel has no port */
	return !from.nl_pid && uevent_parse(event, text, n);
}
