// SPDX-License-Identifier: GPL-2.0
/*
 * t-buf map CHARDEV BYTES            map, touch; where each page lies
 * t-buf alloc CHARDEV BYTES [node N] [remote] [pool] [min BYTES] [cold]
 *                                    the same by NRDMA_IOC_ALLOC; cold: not
 *                                    mapped
 * t-buf hold CHARDEV BYTES           map, say "ready", wait for the end of
 *                                    standard input; say what poll has
 * t-buf late CHARDEV BYTES           open, say "ready", wait likewise, map
 * t-buf fill CHARDEV BYTES TIMES     map, write, unmap; each time zero before
 *
 * Prints "key=value" words on one line; exit status 2 and the errno's name
 * when the kernel refused.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"

static int refused(const char *what, const struct nrdma_alloc *alloc)
{
	int err = errno;

	printf("%s=%s", what, strerrorname_np(err));
	if (alloc)
		printf(" reason=%u node=%d available=%llu", alloc->reason, alloc->node,
		       (unsigned long long)alloc->available);
	putchar('\n');
	return 2;
}

static bool all_zero(const char *p, size_t bytes)
{
	return !*p && !memcmp(p, p + 1, bytes - 1);
}

/* Bytes of the mapping at @addr that one page table entry of a PMD maps */
static unsigned long pmd_mapped(void *addr)
{
	unsigned long start, kb, found = 0;
	bool mine = false;
	char line[512];
	FILE *f;

	f = fopen("/proc/self/smaps", "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%*x ", &start) == 1 && strchr(line, '-'))
			mine = start == (unsigned long)addr;
		else if (mine && sscanf(line, "FilePmdMapped: %lu kB", &kb) == 1)
			found = kb << 10;
	}
	fclose(f);
	return found;
}

static int show(char *p, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	unsigned long nodes[BUF_MAX_NODES], unseen;
	bool zero = all_zero(p, bytes);

	for (i = 0; i < bytes; i += page)
		p[i] = 1;
	if (buf_nodes(p, bytes, nodes, &unseen))
		return refused("move_pages", NULL);
	printf("bytes=%zu zero=%d unseen=%lu pmd=%lu", bytes, zero, unseen, pmd_mapped(p));
	for (i = 0; i < BUF_MAX_NODES; i++)
		if (nodes[i])
			printf(" node%zu=%lu", i, nodes[i]);
	putchar('\n');
	return 0;
}

static int cmd_map(int fd, size_t bytes)
{
	char *p = buf_map(fd, bytes, 0);

	return p == MAP_FAILED ? refused("mmap", NULL) : show(p, bytes);
}

static int cmd_alloc(int fd, size_t bytes, char **arg)
{
	struct nrdma_alloc alloc = { .size = bytes, .node = NRDMA_NODE_DEVICE };
	bool cold = false;
	char *p;

	for (; *arg; arg++) {
		if (!strcmp(*arg, "remote"))
			alloc.flags |= NRDMA_ALLOC_REMOTE;
		else if (!strcmp(*arg, "pool"))
			alloc.flags |= NRDMA_ALLOC_POOL_ONLY;
		else if (!strcmp(*arg, "cold"))
			cold = true;
		else if (!strcmp(*arg, "node") && arg[1])
			alloc.node = atoi(*++arg);
		else if (!strcmp(*arg, "min") && arg[1])
			alloc.min_chunk = strtoull(*++arg, NULL, 0);
	}
	if (ioctl(fd, NRDMA_IOC_ALLOC, &alloc))
		return refused("alloc", &alloc);
	if (cold)
		return 0;
	p = buf_map(alloc.fd, alloc.size, 0);
	if (p == MAP_FAILED)
		return refused("mmap", NULL);
	printf("size=%llu min_chunk=%llu warm=%llu wanted=%d ", (unsigned long long)alloc.size,
	       (unsigned long long)alloc.min_chunk, (unsigned long long)alloc.warm, alloc.node);
	return show(p, alloc.size);
}

static void wait_for_end(void)
{
	char c;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
}

static int cmd_late(int fd, size_t bytes)
{
	wait_for_end();
	return cmd_map(fd, bytes);
}

static int cmd_hold(int fd, size_t bytes)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char *p = buf_map(fd, bytes, 0);
	struct nrdma_info info = { };
	int err;

	if (p == MAP_FAILED)
		return refused("mmap", NULL);
	memset(p, 0x5a, bytes);
	wait_for_end();
	poll(&pfd, 1, 0);
	printf("hup=%d kept=%d\n", !!(pfd.revents & POLLHUP), p[0] == 0x5a &&
	       !memcmp(p, p + 1, bytes - 1));
	if (buf_map(fd, bytes, 0) != MAP_FAILED)
		return 0;
	err = errno;
	ioctl(fd, NRDMA_IOC_INFO, &info);
	printf("reason=%s\n", info.last_reason == NRDMA_REASON_DEVICE_GONE ? "gone" : "other");
	errno = err;
	return refused("mmap", NULL);
}

static int cmd_fill(const char *path, size_t bytes, int times)
{
	while (times--) {
		int fd = open(path, O_RDWR | O_CLOEXEC);
		char *p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);

		if (p == MAP_FAILED)
			return refused("mmap", NULL);
		if (!all_zero(p, bytes)) {
			puts("dirty=1");
			return 1;
		}
		memset(p, 0xa5, bytes);
		munmap(p, bytes);
		close(fd);
	}
	puts("dirty=0");
	return 0;
}

int main(int argc, char **argv)
{
	size_t bytes;
	int fd;

	if (argc < 4) {
		fputs("usage: t-buf map|alloc|hold|late|fill CHARDEV BYTES [...]\n", stderr);
		return 1;
	}
	bytes = strtoull(argv[3], NULL, 0);
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return refused("open", NULL);
	if (!strcmp(argv[1], "map"))
		return cmd_map(fd, bytes);
	if (!strcmp(argv[1], "alloc"))
		return cmd_alloc(fd, bytes, argv + 4);
	if (!strcmp(argv[1], "hold"))
		return cmd_hold(fd, bytes);
	if (!strcmp(argv[1], "late"))
		return cmd_late(fd, bytes);
	if (!strcmp(argv[1], "fill") && argc > 4)
		return cmd_fill(argv[2], bytes, atoi(argv[4]));
	return 1;
}
