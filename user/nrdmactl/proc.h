/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROC_H
#define NRDMACTL_PROC_H

#include <stddef.h>
#include <stdio.h>

#include "cpus.h"
#include "value.h"

/* A process, by its number; 0 is the caller. */
FILE *proc_open(unsigned int pid, const char *file);
struct str proc_comm(unsigned int pid);
bool proc_field(unsigned int pid, const char *field, char *buf, size_t len);
struct num proc_kib(unsigned int pid, const char *field);
bool proc_list(unsigned int pid, const char *field, struct cpus *set);
struct num proc_memlock(unsigned int pid);
bool proc_capable(unsigned int pid, unsigned int cap);
struct num proc_last_cpu(unsigned int pid, unsigned int tid);
unsigned int proc_named(const char *comm);

#define PROC_UNLIMITED	-1	/* as a limit */

#endif /* NRDMACTL_PROC_H */
