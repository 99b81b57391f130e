// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpus.h"
#include "out.h"

void cpus_add(struct cpus *set, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		set->bits[cpu / CPUS_LONG] |= 1UL << (cpu % CPUS_LONG);
}

bool cpus_has(const struct cpus *set, unsigned int cpu)
{
	return cpu < CPUS_MAX && set->bits[cpu / CPUS_LONG] >> (cpu % CPUS_LONG) & 1;
}

/**
 * cpus_next() - the next member
 * @cpu: the one before, -1 for the first
 *
 * Return: the member, or -1 after the last.
 */
int cpus_next(const struct cpus *set, int cpu)
{
	size_t i = ++cpu / CPUS_LONG;
	unsigned long bits;

	if (cpu >= CPUS_MAX)
		return -1;
	bits = set->bits[i] & (~0UL << (cpu % CPUS_LONG));
	while (!bits) {
		if (++i == CPUS_MAX / CPUS_LONG)
			return -1;
		bits = set->bits[i];
	}
	return i * CPUS_LONG + __builtin_ctzl(bits);
}

bool cpus_empty(const struct cpus *set)
{
	return cpus_next(set, -1) < 0;
}

bool cpus_within(const struct cpus *set, const struct cpus *in)
{
	size_t i;

	for (i = 0; i < CPUS_MAX / CPUS_LONG; i++)
		if (set->bits[i] & ~in->bits[i])
			return false;
	return true;
}

void cpus_or(struct cpus *set, const struct cpus *with)
{
	size_t i;

	for (i = 0; i < CPUS_MAX / CPUS_LONG; i++)
		set->bits[i] |= with->bits[i];
}

void cpus_and(struct cpus *set, const struct cpus *with)
{
	size_t i;

	for (i = 0; i < CPUS_MAX / CPUS_LONG; i++)
		set->bits[i] &= with->bits[i];
}

/* strtoul() alone takes signs and white space. */
static int cpus_number(const char **p, unsigned long *n)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	errno = 0;
	*n = strtoul(*p, &end, 10);
	if (errno || *n >= CPUS_MAX)
		return -ERANGE;
	*p = end;
	return 0;
}

/**
 * cpus_parse() - read a list like "0-3,8"
 * @set: out; empty for ""
 * @list: digits, "-" and "," only
 *
 * Return: 0; -EINVAL not such a list; -ERANGE a number of %CPUS_MAX or more.
 */
int cpus_parse(struct cpus *set, const char *list)
{
	unsigned long from, to;
	const char *p = list;
	int err;

	memset(set, 0, sizeof(*set));
	if (!*p)
		return 0;
	for (;; p++) {
		err = cpus_number(&p, &from);
		if (err)
			return err;
		to = from;
		if (*p == '-') {
			p++;
			err = cpus_number(&p, &to);
			if (err)
				return err;
		}
		if (to < from)
			return -EINVAL;
		for (; from <= to; from++)
			cpus_add(set, from);
		if (!*p)
			return 0;
		if (*p != ',')
			return -EINVAL;
	}
}

/**
 * cpus_format() - write a set as a list
 * @buf: out, cut at @len
 *
 * Return: the length that the whole list has.
 */
size_t cpus_format(const struct cpus *set, char *buf, size_t len)
{
	size_t n = 0;
	int from, to;

	if (len)
		*buf = '\0';
	for (from = cpus_next(set, -1); from >= 0; from = cpus_next(set, to)) {
		for (to = from; cpus_has(set, to + 1);)
			to++;
		n += snprintf(n < len ? buf + n : NULL, n < len ? len - n : 0,
			      from == to ? "%s%d" : "%s%d-%d", n ? "," : "", from, to);
	}
	return n;
}

/**
 * cpus_list() - a set as a list, whole however long
 *
 * Return: for free(); never NULL.
 */
char *cpus_list(const struct cpus *set)
{
	size_t len = cpus_format(set, NULL, 0) + 1;
	char *list = malloc(len);

	if (!list)
		out_nomem();
	cpus_format(set, list, len);
	return list;
}

/**
 * cpus_allowed() - the CPUs that this thread may use
 *
 * Return: 0, or a negative errno.
 */
int cpus_allowed(struct cpus *set)
{
	/* Returns how many bytes it wrote; glibc's wrapper hides that */
	long n = syscall(SYS_sched_getaffinity, 0, sizeof(set->bits), set->bits);

	if (n < 0)
		return -errno;
	memset((char *)set->bits + n, 0, sizeof(set->bits) - n);
	return 0;
}

/**
 * cpus_bind() - have this thread use these CPUs
 *
 * Return: 0, or a negative errno.
 */
int cpus_bind(const struct cpus *set)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(set->bits), set->bits) ? -errno : 0;
}
