// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"

struct str str_of(const char *s)
{
	struct str str = { .known = true };

	snprintf(str.s, sizeof(str.s), "%s", s);
	return str;
}

const char *sys_root(void)
{
	static const char *root;

	if (!root)
		root = getenv("NRDMA_SYSROOT");
	if (!root)
		root = "";
	return root;
}

/**
 * sys_why() - why a file could not be read, in a few words
 * @err: errno, negative
 */
const char *sys_why(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return "absent";
	case -EACCES:
	case -EPERM:
		return "no permission";
	case -EINVAL:
	case -EOPNOTSUPP:
		return "not supported";
	default:
		return strerror(-err);
	}
}

static int sys_path(char path[SYS_PATH_MAX], const char *fmt, va_list ap)
{
	int root = snprintf(path, SYS_PATH_MAX, "%s", sys_root());
	int n;

	if (root >= SYS_PATH_MAX)
		return -ENAMETOOLONG;
	n = vsnprintf(path + root, SYS_PATH_MAX - root, fmt, ap);
	return n < SYS_PATH_MAX - root ? 0 : -ENAMETOOLONG;
}

static ssize_t sys_read_path(char *buf, size_t len, const char *path)
{
	size_t n = 0;
	ssize_t got;
	int err = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Where its line ends, there is no more to ask for */
	while (n < len - 1 && !(n && buf[n - 1] == '\n')) {
		got = read(fd, buf + n, len - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err = -errno;
		if (got <= 0)
			break;
		n += got;
	}
	close(fd);
	if (err)
		return err;
	buf[n] = '\0';
	n = strlen(buf);
	while (n && strchr(" \t\r\n", buf[n - 1]))
		buf[--n] = '\0';
	return n;
}

/**
 * sys_read() - read a file of one line as a string without trailing white space
 * @buf: where to
 * @len: room there, above 0; what is longer is cut
 * @fmt: path
 *
 * Return: length, or a negative errno.
 */
ssize_t sys_read(char *buf, size_t len, const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	return err ? err : sys_read_path(buf, len, path);
}

FILE *sys_open(const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	if (err) {
		errno = -err;
		return NULL;
	}
	return fopen(path, "re");
}

static struct str sys_str_path(const char *path)
{
	struct str str = { 0 };
	ssize_t n = sys_read_path(str.s, sizeof(str.s), path);

	if (n < 0)
		return str_none(sys_why(n));
	if (!n)
		return str_none("empty");
	str.known = true;
	return str;
}

struct str sys_str(const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	return err ? str_none(sys_why(err)) : sys_str_path(path);
}

/**
 * sys_num() - read a file that holds one whole decimal or 0x number
 * @fmt: path
 */
struct num sys_num(const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	struct str str;
	va_list ap;
	char *end;
	long long v;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	if (err)
		return num_none(sys_why(err));
	str = sys_str_path(path);
	if (!str.known)
		return num_none(str.why);
	errno = 0;
	v = strtoll(str.s, &end, strncmp(str.s, "0x", 2) ? 10 : 16);
	if (errno || end == str.s || *end)
		return num_none("not a number");
	return num_of(v);
}

bool sys_exists(const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	return !err && !access(path, F_OK);
}

/* realpath(3) asks for each directory on the way, the kernel knows them all. */
static int sys_full(char full[PATH_MAX], const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	char self[32];
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, full, PATH_MAX - 1);
	if (n < 0)
		err = -errno;
	else
		full[n] = '\0';
	close(fd);
	return err;
}

/**
 * sys_real() - where a path leads, links resolved
 * @real: out, below sys_root() and without it, as the other functions take it
 * @fmt: path
 *
 * Return: 0 or a negative errno; -EXDEV for a link that leaves the root.
 */
int sys_real(char real[SYS_PATH_MAX], const char *fmt, ...)
{
	char path[SYS_PATH_MAX], root[PATH_MAX], full[PATH_MAX];
	size_t skip = 0;
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = sys_path(path, fmt, ap);
	va_end(ap);
	if (!err)
		err = sys_full(full, path);
	if (err)
		return err;
	if (*sys_root()) {
		if (!realpath(sys_root(), root))
			return -errno;
		skip = strlen(root);
		if (strncmp(full, root, skip) || full[skip] != '/')
			return -EXDEV;
	}
	snprintf(real, SYS_PATH_MAX, "%s", full + skip);
	return 0;
}

const char *sys_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int sys_no_dots(const struct dirent *ent)
{
	return ent->d_name[0] != '.';
}

/**
 * sys_list() - names in a directory, numbers in them ordered as numbers
 * @names: out, for sys_list_free()
 * @fmt: path
 *
 * Return: how many, or a negative errno with nothing to free.
 */
int sys_list(char ***names, const char *fmt, ...)
{
	char path[SYS_PATH_MAX];
	struct dirent **ents;
	va_list ap;
	int i, n;

	*names = NULL;
	va_start(ap, fmt);
	n = sys_path(path, fmt, ap);
	va_end(ap);
	if (n)
		return n;
	n = scandir(path, &ents, sys_no_dots, versionsort);
	if (n < 0)
		return -errno;
	*names = calloc(n + 1, sizeof(**names));
	for (i = 0; i < n; i++) {
		if (*names)
			(*names)[i] = strdup(ents[i]->d_name);
		free(ents[i]);
	}
	free(ents);
	for (i = 0; *names && i < n; i++) {
		if (!(*names)[i]) {
			sys_list_free(*names, n);
			*names = NULL;
		}
	}
	return *names ? n : -ENOMEM;
}

void sys_list_free(char **names, int nr)
{
	if (!names)
		return;
	while (nr > 0)
		free(names[--nr]);
	free(names);
}
