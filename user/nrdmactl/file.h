/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_FILE_H
#define NRDMACTL_FILE_H

#include <stddef.h>

int file_replace(const char *path, const char *text, size_t len);

#endif /* NRDMACTL_FILE_H */
