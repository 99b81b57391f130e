// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

/**
 * size_parse() - read a size like "4096", "64k", "2M" or "4G"
 * @bytes: out
 * @text: a whole number and one of k, M, G, T (powers of 1024), either case,
 *	or nothing; "MiB" and the like are the same
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int size_parse(uint64_t *bytes, const char *text)
{
	static const char units[] = "kmgt";
	unsigned int shift = 0;
	const char *unit;
	uint64_t n;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		unit = strchr(units, *end | 0x20);
		if (!unit)
			return -EINVAL;
		shift = 10 * (unit - units + 1);
		end++;
		if (!strcmp(end, "iB"))
			end += 2;
		if (*end)
			return -EINVAL;
	}
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}

/**
 * size_format() - write a size for people: "0", "4K", "1.5G"
 */
void size_format(uint64_t bytes, char *buf, size_t len)
{
	static const char units[] = "KMGTPE";
	unsigned int shift = 0;
	uint64_t tenths;

	while (shift < 60 && bytes >> shift >= 1024)
		shift += 10;
	if (!shift) {
		snprintf(buf, len, "%" PRIu64, bytes);
		return;
	}
	tenths = (bytes >> (shift - 10)) * 10 / 1024;
	if (tenths % 10)
		snprintf(buf, len, "%" PRIu64 ".%" PRIu64 "%c", tenths / 10, tenths % 10,
			 units[shift / 10 - 1]);
	else
		snprintf(buf, len, "%" PRIu64 "%c", tenths / 10, units[shift / 10 - 1]);
}

/**
 * size_format_exactly() - write a size so that size_parse() reads the same: "1536M"
 */
void size_format_exactly(uint64_t bytes, char *buf, size_t len)
{
	static const char units[] = "KMGT";
	unsigned int n = 0;

	while (bytes && n < 4 && !(bytes & 1023)) {
		bytes >>= 10;
		n++;
	}
	snprintf(buf, len, "%" PRIu64 "%.*s", bytes, n ? 1 : 0, n ? &units[n - 1] : "");
}

/**
 * size_format_bps() - write bits per second: "2.5 Gb/s", "400 Gb/s"
 */
void size_format_bps(uint64_t bps, char *buf, size_t len)
{
	const char *unit = bps >= 1000000000 ? "G" : "M";
	uint64_t tenths = bps / (bps >= 1000000000 ? 100000000 : 100000);

	if (tenths % 10 && tenths < 1000)
		snprintf(buf, len, "%" PRIu64 ".%" PRIu64 " %sb/s", tenths / 10, tenths % 10, unit);
	else
		snprintf(buf, len, "%" PRIu64 " %sb/s", tenths / 10, unit);
}

/**
 * size_parse_u32() - read a whole decimal number
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int size_parse_u32(uint32_t *n, const char *text)
{
	unsigned long long v;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v > UINT32_MAX)
		return -ERANGE;
	*n = v;
	return 0;
}
