/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_SYS_H
#define NRDMACTL_SYS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "value.h"

#define SYS_PATH_MAX	4096

/*
 * Files of sysfs and procfs. Every path is below sys_root(): "" or, in tests,
 * a fixture's directory from the environment variable NRDMA_SYSROOT.
 */
const char *sys_root(void);

__attribute__((format(printf, 3, 4)))
ssize_t sys_read(char *buf, size_t len, const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
FILE *sys_open(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
struct str sys_str(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
struct num sys_num(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
bool sys_exists(const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int sys_real(char real[SYS_PATH_MAX], const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int sys_list(char ***names, const char *fmt, ...);

void sys_list_free(char **names, int nr);
const char *sys_base(const char *path);
const char *sys_why(int err);

#endif /* NRDMACTL_SYS_H */
