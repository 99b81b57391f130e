/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of sysfs and procfs. Paths are absolute; in tests they are taken from
 * below the directory that the environment variable NRDMA_SYSROOT names.
 */
#ifndef NRDMA_SYSFS_H
#define NRDMA_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

__attribute__((format(printf, 2, 3)))
int nrdma_sysfs_path(char path[PATH_MAX], const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
ssize_t nrdma_sysfs_read(char *buf, size_t size, const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int nrdma_sysfs_number(long long *v, const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
bool nrdma_sysfs_exists(const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int nrdma_sysfs_real(char real[PATH_MAX], const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int nrdma_sysfs_list(char ***names, const char *fmt, ...);
void nrdma_sysfs_list_free(char **names, int nr);

int nrdma_proc_status(char *value, size_t size, const char *key);

#endif /* NRDMA_SYSFS_H */
