// SPDX-License-Identifier: GPL-2.0
/*
 * t-bench RDMADEV CHARDEV NODE BYTES ROUNDS [WORKERS]
 *
 * How long until memory on NODE is ready for RDMA: zeroed, mapped, one byte of
 * each page touched, registered. Rounds are interleaved, so that what else the
 * machine does hits all alike; medians and ratios are printed, from this run
 * alone. Each kind is on NODE and the caller is on one CPU; with WORKERS, nrdma
 * is also tried with that many CPUs, and from a pool that the caller has set
 * aside and that is given time to be zeroed again between rounds.
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

static void set_workers(int workers)
{
	FILE *f = fopen("/sys/module/nrdma/parameters/fill_workers", "w");

	if (!f || fprintf(f, "%d\n", workers) < 0 || fclose(f))
		die("fill_workers");
}

static void *map_cold(void)
{
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);

	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void *map_warm(void)
{
	struct nrdma_alloc alloc = {
		.size = bytes, .node = node, .flags = NRDMA_ALLOC_POOL_ONLY,
	};
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	void *p = MAP_FAILED;
	uintptr_t at;

	if (fd < 0 || ioctl(fd, NRDMA_IOC_ALLOC, &alloc))
		return NULL;
	/* The kernel aligns a mapping of the device, not one of a dma-buf */
	at = (uintptr_t)mmap(NULL, bytes + (2 << 20), PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	at = (at + (2 << 20) - 1) & ~((2UL << 20) - 1);
	p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, alloc.fd, 0);
	close(alloc.fd);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Sets the pool of the node to @size and waits until it is so. */
static void set_pool(size_t size)
{
	unsigned long long ready;
	char line[128];
	int n;

	snprintf(line, sizeof(line), "nrdmactl pool set node %d size %zu >/dev/null", node, size);
	if (system(line))
		die("nrdmactl pool set");
	for (;;) {
		FILE *f = popen("nrdmactl -j pool show | jq -r '.[] | \"\\(.node) \\(.ready_bytes)\"'",
				"r");
		bool done = false;

		while (f && fgets(line, sizeof(line), f))
			done |= sscanf(line, "%d %llu", &n, &ready) == 2 && n == node &&
				ready == size;
		if (!f || pclose(f))
			die("nrdmactl pool show");
		if (done)
			return;
	}
}

static void prepare_one(void)
{
	set_pool(0);
	set_workers(1);
}

static int more_workers;

static void prepare_more(void)
{
	set_pool(0);
	set_workers(more_workers);
}

static void prepare_warm(void)
{
	set_pool(bytes);
}

static void unmap(void *p)
{
	munmap(p, bytes);
}

static struct kind {
	const char *name;
	void (*prepare)(void);
	void *(*map)(void);
	void (*unmap)(void *p);
	double ready[MAX_ROUNDS], reg[MAX_ROUNDS];
} kinds[] = {
	{ .name = "numa_alloc_onnode", .map = map_numa, .unmap = unmap_numa },
	{ .name = "hugetlbfs 2 MiB", .map = map_huge, .unmap = unmap },
	{ .name = "nrdma, one CPU", .prepare = prepare_one, .map = map_cold, .unmap = unmap },
	{ .name = "nrdma, more CPUs", .prepare = prepare_more, .map = map_cold, .unmap = unmap },
	{ .name = "nrdma, from a pool", .prepare = prepare_warm, .map = map_warm, .unmap = unmap },
};

#define MAX_KINDS (sizeof(kinds) / sizeof(*kinds))

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

	if (k->prepare)
		k->prepare();
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
	double ready[MAX_KINDS], reg[MAX_KINDS];
	size_t nr_kinds = MAX_KINDS;
	int rounds;

	if (argc < 6)
		return 1;
	pd = open_pd(argv[1]);
	chardev = argv[2];
	node = atoi(argv[3]);
	bytes = strtoull(argv[4], NULL, 0);
	rounds = atoi(argv[5]);
	if (argc > 6)
		more_workers = atoi(argv[6]);
	else
		nr_kinds -= 2;
	if (!pd || rounds < 1 || rounds > MAX_ROUNDS)
		return 1;

	for (int r = 0; r < rounds; r++)
		for (size_t k = 0; k < nr_kinds; k++)
			one_round(&kinds[k], r);

	printf("%zu MiB on node %d ready for RDMA, medians of %d interleaved rounds\n",
	       bytes >> 20, node, rounds);
	printf("%-20s %9s %14s %30s\n", "", "ms", "ibv_reg_mr ms", "times as fast as");
	printf("%-20s %9s %14s %18s %11s\n", "", "", "", kinds[0].name, "hugetlbfs");
	for (size_t k = 0; k < nr_kinds; k++) {
		ready[k] = median(kinds[k].ready, rounds);
		reg[k] = median(kinds[k].reg, rounds);
	}
	for (size_t k = 0; k < nr_kinds; k++)
		printf("%-20s %9.1f %14.2f %18.2f %11.2f\n", kinds[k].name, ready[k], reg[k],
		       ready[0] / ready[k], ready[1] / ready[k]);
	return 0;
}
