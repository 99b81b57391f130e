// SPDX-License-Identifier: GPL-2.0
/* The kernel's log, as /dev/kmsg has it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "klog.h"
#include "sys.h"

#define KLOG_MAX	(16U << 20)
#define KLOG_RECORD	8192		/* a record that does not fit cannot be read */

/**
 * klog_read() - all of the log that is there
 *
 * Return: to be freed; NULL where this user may not read it.
 */
char *klog_read(void)
{
	char path[SYS_PATH_MAX], *log = NULL, *more;
	size_t len = 0, room = 0;
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/dev/kmsg", sys_root()) >= (int)sizeof(path))
		return NULL;
	/* At its end a read would wait for the next message */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (len < KLOG_MAX) {
		if (room - len < KLOG_RECORD + 1) {
			more = realloc(log, 2 * room + 4 * KLOG_RECORD);
			if (!more)
				break;
			log = more;
			room = 2 * room + 4 * KLOG_RECORD;
		}
		n = read(fd, log + len, KLOG_RECORD);
		/* EPIPE: some were overwritten before they were read */
		if (n < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (n <= 0)
			break;
		len += n;
	}
	close(fd);
	if (log)
		log[len] = '\0';
	return log;
}

/**
 * klog_next() - the next message
 * @log: what klog_read() returned, moves on
 * @line: out, "6,339,5140900,-;text" without what stands before the text; what a
 *	message adds on lines of its own is left out
 */
bool klog_next(char **log, struct klog_line *line)
{
	char *p = *log, *semicolon;
	size_t n;

	while (p && *p) {
		n = strcspn(p, "\n");
		semicolon = *p == ' ' ? NULL : memchr(p, ';', n);
		if (semicolon && sscanf(p, "%*u,%*u,%lu", &line->usec) == 1) {
			snprintf(line->text, sizeof(line->text), "%.*s",
				 (int)(n - (semicolon + 1 - p)), semicolon + 1);
			*log = p + n + !!p[n];
			return true;
		}
		p += n + !!p[n];
	}
	*log = p;
	return false;
}
