/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_VALUE_H
#define NRDMACTL_VALUE_H

#include <stdbool.h>

/*
 * What may not be known. All zero is "not known, nobody said why", so a field
 * that was never filled in can not pass for a 0.
 */
struct num {
	bool known;
	long long v;
	const char *why;	/* a few words, static */
};

struct str {
	bool known;
	char s[128];
	const char *why;
};

static inline struct num num_of(long long v)
{
	return (struct num){ .known = true, .v = v };
}

static inline struct num num_none(const char *why)
{
	return (struct num){ .why = why };
}

static inline struct str str_none(const char *why)
{
	return (struct str){ .why = why };
}

struct str str_of(const char *s);

#endif /* NRDMACTL_VALUE_H */
