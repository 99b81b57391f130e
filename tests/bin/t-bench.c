// SPDX-License-Identifier: GPL-2.0
/*
 * t-bench RDMADEV CHARDEV NODE BYTES ROUNDS
 *
 * How long until memory on NODE is ready for RDMA: zeroed, mapped, one byte of
 * each page touched, registered. Rounds are interleaved, so that what else the
 * machine does hits all alike; medians and ratios are printed, from this run
 * alone. Each kind is on NODE and the caller is on one CPU.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <infiniband/verbs.h>
#include <numa.h>
#include <numaif.h>

#include "buf.h"

#define MAX_ROUNDS 99

static const char *chardev;
static struct ibv_pd *pd;
static size_t bytes;
static int node;

static void die(const char *what)
{
	fprintf(stderr, "t-bench: %s: %m\n", what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void *map_numa(void)
{
	return numa_alloc_onnode(bytes, node);
}

static void unmap_numa(void *p)
{
	numa_free(p, bytes);
}

static void *map_huge(void)
{
	unsigned long mask = 1UL << node;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (21 << MAP_HUGE_SHIFT), -1, 0);

	if (p != MAP_FAILED && mbind(p, bytes, MPOL_BIND, &mask, sizeof(mask) * 8, 0))
		die("mbind");
	return p == MAP_FAILED ? NULL : p;
}

static void *map_nrdma(void)
{
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);

	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *p)
{
	munmap(p, bytes);
}

static struct kind {
	const char *name;
	void *(*map)(void);
	void (*unmap)(void *p);
	double ready[MAX_ROUNDS], reg[MAX_ROUNDS];
} kinds[] = {
	{ .name = "nrdma", .map = map_nrdma, .unmap = unmap },
	{ .name = "numa_alloc_onnode", .map = map_numa, .unmap = unmap_numa },
	{ .name = "hugetlbfs 2 MiB", .map = map_huge, .unmap = unmap },
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static void check_nodes(const char *name, void *p)
{
	unsigned long nodes[BUF_MAX_NODES], unseen;

	if (buf_nodes(p, bytes, nodes, &unseen))
		die("move_pages");
	if (nodes[node] != bytes / sysconf(_SC_PAGESIZE)) {
		fprintf(stderr, "t-bench: %s: %lu of %lu pages on node %d, %lu unseen\n", name,
			nodes[node], bytes / sysconf(_SC_PAGESIZE), node, unseen);
		exit(1);
	}
}

static void one_round(struct kind *k, int round)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	double t0, t1, t2;
	struct ibv_mr *mr;
	char *p;

	t0 = now_ms();
	p = k->map();
	if (!p)
		die(k->name);
	for (i = 0; i < bytes; i += page)
		p[i] = 1;
	t1 = now_ms();
	mr = ibv_reg_mr(pd, p, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	t2 = now_ms();
	if (!mr)
		die("ibv_reg_mr");
	k->ready[round] = t2 - t0;
	k->reg[round] = t2 - t1;
	ibv_dereg_mr(mr);
	if (!round)
		check_nodes(k->name, p);
	k->unmap(p);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

static struct ibv_pd *open_pd(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die(name);
	return ibv_alloc_pd(ctx);
}

int main(int argc, char **argv)
{
	double ready[NR_KINDS], reg[NR_KINDS];
	int rounds;

	if (argc != 6)
		return 1;
	pd = open_pd(argv[1]);
	chardev = argv[2];
	node = atoi(argv[3]);
	bytes = strtoull(argv[4], NULL, 0);
	rounds = atoi(argv[5]);
	if (!pd || rounds < 1 || rounds > MAX_ROUNDS)
		return 1;

	for (int r = 0; r < rounds; r++)
		for (size_t k = 0; k < NR_KINDS; k++)
			one_round(&kinds[k], r);

	printf("%zu MiB on node %d ready for RDMA, medians of %d interleaved rounds\n",
	       bytes >> 20, node, rounds);
	printf("%-20s %10s %14s %22s\n", "", "ms", "ibv_reg_mr ms", "ready in nrdma, times");
	for (size_t k = 0; k < NR_KINDS; k++) {
		ready[k] = median(kinds[k].ready, rounds);
		reg[k] = median(kinds[k].reg, rounds);
		printf("%-20s %10.1f %14.2f %22.2f\n", kinds[k].name, ready[k], reg[k],
		       ready[k] / ready[0]);
	}
	return 0;
}
