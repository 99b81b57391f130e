// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfs.h"

static const char *nrdma_sysfs_root(void)
{
	const char *root = secure_getenv("NRDMA_SYSROOT");

	return root ? root : "";
}

__attribute__((format(printf, 2, 0)))
static int nrdma_sysfs_vpath(char path[PATH_MAX], const char *fmt, va_list ap)
{
	int root = snprintf(path, PATH_MAX, "%s", nrdma_sysfs_root());
	int n;

	if (root >= PATH_MAX)
		return -ENAMETOOLONG;
	n = vsnprintf(path + root, PATH_MAX - root, fmt, ap);
	return n >= PATH_MAX - root ? -ENAMETOOLONG : 0;
}

/* nrdma_sysfs_path() - where a file really is, for open(2) */
int nrdma_sysfs_path(char path[PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = nrdma_sysfs_vpath(path, fmt, ap);
	va_end(ap);
	return ret;
}

/*
 * nrdma_sysfs_read() - the beginning of a file, as a string without its last
 * newline
 *
 * Return: its length, or a negative errno.
 */
ssize_t nrdma_sysfs_read(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	ssize_t n = 0, got;
	va_list ap;
	int fd;

	va_start(ap, fmt);
	n = nrdma_sysfs_vpath(path, fmt, ap);
	va_end(ap);
	if (n)
		return n;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buf + n, size - 1 - n);
		if (got > 0)
			n += got;
	} while ((got > 0 && (size_t)n < size - 1) || (got < 0 && errno == EINTR));
	if (got < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return n;
}

/* nrdma_sysfs_number() - a file that holds one decimal number */
int nrdma_sysfs_number(long long *v, const char *fmt, ...)
{
	char path[PATH_MAX], buf[32], *end;
	long long number;
	va_list ap;
	ssize_t n;
	int ret;

	va_start(ap, fmt);
	ret = vsnprintf(path, sizeof(path), fmt, ap) >= PATH_MAX ? -ENAMETOOLONG : 0;
	va_end(ap);
	if (ret)
		return ret;
	n = nrdma_sysfs_read(buf, sizeof(buf), "%s", path);
	if (n < 0)
		return n;
	errno = 0;
	number = strtoll(buf, &end, 10);
	if (errno || end == buf || *end)
		return -EINVAL;
	*v = number;
	return 0;
}

bool nrdma_sysfs_exists(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = nrdma_sysfs_vpath(path, fmt, ap);
	va_end(ap);
	return !ret && !access(path, F_OK);
}

/* nrdma_sysfs_real() - a path with no links in it, again for the functions here */
int nrdma_sysfs_real(char real[PATH_MAX], const char *fmt, ...)
{
	char path[PATH_MAX], root[PATH_MAX];
	size_t len = 0;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = nrdma_sysfs_vpath(path, fmt, ap);
	va_end(ap);
	if (ret)
		return ret;
	if (!realpath(path, real))
		return -errno;
	if (*nrdma_sysfs_root()) {
		if (!realpath(nrdma_sysfs_root(), root))
			return -errno;
		len = strlen(root);
		if (strncmp(real, root, len))
			return -EXDEV;
	}
	memmove(real, real + len, strlen(real + len) + 1);
	return 0;
}

static int nrdma_name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * nrdma_sysfs_list() - what is in a directory, sorted
 *
 * Return: how many, for nrdma_sysfs_list_free(); or a negative errno.
 */
int nrdma_sysfs_list(char ***names, const char *fmt, ...)
{
	char path[PATH_MAX], **list = NULL, **more;
	struct dirent *entry;
	int nr = 0, ret;
	va_list ap;
	DIR *dir;

	va_start(ap, fmt);
	ret = nrdma_sysfs_vpath(path, fmt, ap);
	va_end(ap);
	if (ret)
		return ret;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		more = realloc(list, (nr + 1) * sizeof(*list));
		if (!more)
			goto no_memory;
		list = more;
		list[nr] = strdup(entry->d_name);
		if (!list[nr])
			goto no_memory;
		nr++;
	}
	closedir(dir);
	if (nr)
		qsort(list, nr, sizeof(*list), nrdma_name_cmp);
	*names = list;
	return nr;

no_memory:
	closedir(dir);
	nrdma_sysfs_list_free(list, nr);
	return -ENOMEM;
}

void nrdma_sysfs_list_free(char **names, int nr)
{
	if (nr < 0)
		return;
	while (nr)
		free(names[--nr]);
	free(names);
}

/*
 * nrdma_proc_status() - a line of this process' status
 * @key: what stands before the colon
 *
 * Return: 0, or a negative errno; -ENOENT there is no such line.
 */
int nrdma_proc_status(char *value, size_t size, const char *key)
{
	size_t len = strlen(key);
	char buf[8192], *line;
	ssize_t n;

	n = nrdma_sysfs_read(buf, sizeof(buf), "/proc/self/status");
	if (n < 0)
		return n;
	for (line = buf; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
		return 0;
	}
	return -ENOENT;
}
