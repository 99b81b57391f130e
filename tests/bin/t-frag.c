// SPDX-License-Identifier: GPL-2.0
/*
 * t-frag CHARDEV LEAVE PIECE: takes the device's node to pieces. All of it but LEAVE
 * bytes goes into one buffer, the rest into buffers of PIECE bytes, of which every
 * other one is freed again; larger pieces are left none. Says "ready" with how many
 * bytes are free in PIECEs, and lets go at the end of standard input. No compaction helps: buffers cannot be moved.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "buf.h"

static int chardev;

static int take(uint64_t bytes, uint64_t min_chunk, uint64_t *available)
{
	struct nrdma_alloc req = {
		.size = bytes, .min_chunk = min_chunk, .node = NRDMA_NODE_DEVICE,
	};

	if (!ioctl(chardev, NRDMA_IOC_ALLOC, &req))
		return req.fd;
	*available = req.available;
	return -1;
}

int main(int argc, char **argv)
{
	uint64_t leave, piece, size, available = 0;
	static int fd[1 << 16];
	struct rlimit files = {
		.rlim_cur = sizeof(fd) / sizeof(*fd), .rlim_max = sizeof(fd) / sizeof(*fd),
	};
	int nr = 0, i;
	char c;

	if (argc != 4 || setrlimit(RLIMIT_NOFILE, &files))
		return 1;
	chardev = open(argv[1], O_RDWR | O_CLOEXEC);
	leave = strtoull(argv[2], NULL, 0);
	piece = strtoull(argv[3], NULL, 0);
	if (chardev < 0 || !piece)
		return 1;

	/* What it has is what it says when it cannot give that much */
	take(1ULL << 45, 0, &available);
	if (available <= leave || take((available - leave) & -piece, 0, &available) < 0) {
		fprintf(stderr, "%llu bytes are free\n", (unsigned long long)available);
		return 1;
	}
	while (nr < (int)files.rlim_cur - 16) {
		fd[nr] = take(piece, piece, &available);
		if (fd[nr] < 0)
			break;
		nr++;
	}
	for (i = 0; i < nr; i += 2)
		close(fd[i]);
	/* What the kernel did not give because it was the last there was */
	for (size = 2 << 20; size > piece; size /= 2)
		while (take(size, size, &available) >= 0)
			;
	printf("ready bytes=%llu\n", (unsigned long long)((nr + 1) / 2 * piece));
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
