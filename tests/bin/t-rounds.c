// SPDX-License-Identifier: GPL-2.0
/*
 * t-rounds RDMADEV CHARDEV BYTES ROUNDS: a process each that maps, touches,
 * registers, deregisters, unmaps and exits; every other one exits with it all in
 * its hands. Prints how many did.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <infiniband/verbs.h>

#include "buf.h"

static int one(const char *rdma, const char *chardev, size_t bytes, bool tidy)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int fd = open(chardev, O_RDWR | O_CLOEXEC), i;
	struct ibv_context *ctx = NULL;
	struct ibv_mr *mr;
	struct ibv_pd *pd;
	char *p;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), rdma))
			ctx = ibv_open_device(list[i]);
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);
	if (!pd || p == MAP_FAILED)
		return 1;
	close(fd);
	memset(p, 1, bytes);
	mr = ibv_reg_mr(pd, p, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		return 1;
	if (!tidy)
		return 0;
	return ibv_dereg_mr(mr) || munmap(p, bytes) || ibv_dealloc_pd(pd) || ibv_close_device(ctx);
}

int main(int argc, char **argv)
{
	int rounds, i, status;
	size_t bytes;

	if (argc != 5)
		return 1;
	bytes = strtoull(argv[3], NULL, 0);
	rounds = atoi(argv[4]);
	for (i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(one(argv[1], argv[2], bytes, i % 2));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			perror("t-rounds");
			return 1;
		}
	}
	printf("rounds=%d\n", i);
	return 0;
}
