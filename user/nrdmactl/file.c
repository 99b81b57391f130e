// SPDX-License-Identifier: GPL-2.0
/* Files that others read while they are written: at once or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static int file_write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= n;
	}
	return 0;
}

/**
 * file_replace() - put a text into a file that everybody may read
 * @path: the file; what was there is gone
 * @text: all of it
 * @len: its length
 *
 * Into a file beside @path, which then takes its name: a reader meets the old
 * text or the new one. The name does not end in ".prom", so that node_exporter
 * does not read it half-way.
 *
 * Return: 0, or a negative errno with the file as it was; -EEXIST where that is no
 * regular file.
 */
int file_replace(const char *path, const char *text, size_t len)
{
	char *temp = NULL;
	struct stat st;
	int fd, err;

	/* Nor a symbolic link: in a directory like /tmp it may be another's */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return -EEXIST;
	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkstemp(temp);
	err = fd < 0 ? -errno : file_write_all(fd, text, len);
	/* mkstemp() made it for its owner alone; another user reads it */
	if (fd >= 0) {
		if (!err && (fchmod(fd, 0644) || fsync(fd)))
			err = -errno;
		if (close(fd) && !err)
			err = -errno;
		if (!err && rename(temp, path))
			err = -errno;
		if (err)
			unlink(temp);
	}
	free(temp);
	return err;
}
