/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_SIZE_H
#define NRDMACTL_SIZE_H

#include <stddef.h>
#include <stdint.h>

int size_parse(uint64_t *bytes, const char *text);
void size_format(uint64_t bytes, char *buf, size_t len);
void size_format_exactly(uint64_t bytes, char *buf, size_t len);
void size_format_bps(uint64_t bps, char *buf, size_t len);
int size_parse_u32(uint32_t *n, const char *text);

#endif /* NRDMACTL_SIZE_H */
