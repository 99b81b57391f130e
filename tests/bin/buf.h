/* SPDX-License-Identifier: GPL-2.0 */
/* Buffers from the outside, as a program without libnrdma has them. */
#ifndef TESTS_BUF_H
#define TESTS_BUF_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/nrdma.h>

#define BUF_MAX_NODES 64

static inline void *buf_map(int fd, size_t bytes, off_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
}

/* What the kernel says this process has locked, KiB, or -1 */
static inline long buf_locked(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmLck: %ld kB", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

/*
 * Counts pages by node, as move_pages(2) sees them; pages that it cannot see
 * go to @unseen. The kernel's own word, not the module's.
 */
static inline int buf_nodes(void *addr, size_t bytes, unsigned long nodes[BUF_MAX_NODES],
			    unsigned long *unseen)
{
	size_t page = sysconf(_SC_PAGESIZE), done, i, n;
	void *addrs[1024];
	int status[1024];

	memset(nodes, 0, BUF_MAX_NODES * sizeof(*nodes));
	*unseen = 0;
	for (done = 0; done < bytes; done += n * page) {
		n = (bytes - done + page - 1) / page;
		if (n > 1024)
			n = 1024;
		for (i = 0; i < n; i++)
			addrs[i] = (char *)addr + done + i * page;
		if (syscall(SYS_move_pages, 0, n, addrs, NULL, status, 0))
			return -1;
		for (i = 0; i < n; i++) {
			if (status[i] < 0 || status[i] >= BUF_MAX_NODES)
				++*unseen;
			else
				nodes[status[i]]++;
		}
	}
	return 0;
}

#endif
