// SPDX-License-Identifier: GPL-2.0
/*
 * t-bench RDMADEV CHARDEV NODE BYTES ROUNDS WORKERS
 *
 * How long until memory on NODE is ready for RDMA: zeroed, mapped, one byte of
 * each page touched, registered. Rounds are interleaved, so that what else the
 * machine does hits all alike; medians and ratios are printed, from this run
 * alone. Each kind is on NODE and the caller is on one CPU; nrdma is also tried
 * with WORKERS CPUs, and from a pool that the caller has set aside and that is
 * given time to be zeroed again between rounds. What is small is done many times
 * in a round.
 *
 * The registration that belongs to getting ready runs at whatever pace the CPU has
 * just then: after half a second of zeroing, or right after having waited for a
 * pool. Registering by itself is therefore timed after it, REGS times over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/verbs.h>
#include <linux/dma-heap.h>
#include <numa.h>
#include <numaif.h>

#include "bench.h"
#include "buf.h"

#define MIB	(1UL << 20)
#define HUGE	(2 * MIB)
#define REGS	5

static const char *chardev;
static struct ibv_pd *pd;
static size_t bytes, repeat;
static int node, heap = -1, more_workers;

static size_t huge_bytes(void)
{
	return (bytes + HUGE - 1) & -HUGE;
}

static void *map_numa(void)
{
	return numa_alloc_onnode(bytes, node);
}

static void unmap_numa(void *p)
{
	numa_free(p, bytes);
}

static void *map_bound(size_t size, int flags)
{
	unsigned long mask = 1UL << node;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p != MAP_FAILED && mbind(p, size, MPOL_BIND, &mask, sizeof(mask) * 8, 0))
		bench_die("mbind");
	return p == MAP_FAILED ? NULL : p;
}

static void *map_small(void)
{
	void *p = map_bound(bytes, 0);

	if (p && madvise(p, bytes, MADV_NOHUGEPAGE))
		bench_die("MADV_NOHUGEPAGE");
	return p;
}

static void *map_huge(void)
{
	return map_bound(huge_bytes(), MAP_HUGETLB | (21 << MAP_HUGE_SHIFT));
}

static void unmap_huge(void *p)
{
	munmap(p, huge_bytes());
}

/* The heap allocates inside the ioctl, by the caller's policy */
static void *map_heap(void)
{
	struct dma_heap_allocation_data data = { .len = bytes, .fd_flags = O_RDWR | O_CLOEXEC };
	unsigned long mask = 1UL << node;
	void *p;

	if (set_mempolicy(MPOL_BIND, &mask, sizeof(mask) * 8))
		bench_die("set_mempolicy");
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data))
		bench_die("dma-heap");
	set_mempolicy(MPOL_DEFAULT, NULL, 0);
	p = buf_map(data.fd, bytes, 0);
	close(data.fd);
	return p == MAP_FAILED ? NULL : p;
}

static void *map_cold(void)
{
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);

	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* The kernel aligns a mapping of the device, but not one of a dma-buf */
static void *map_warm(void)
{
	struct nrdma_alloc alloc = {
		.size = bytes, .node = node, .flags = NRDMA_ALLOC_POOL_ONLY,
	};
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	char *room, *at;
	void *p;

	if (fd < 0 || ioctl(fd, NRDMA_IOC_ALLOC, &alloc))
		return NULL;
	room = mmap(NULL, huge_bytes() + HUGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	at = (char *)(((uintptr_t)room + HUGE - 1) & -HUGE);
	p = mmap(at, huge_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, alloc.fd, 0);
	if (at > room)
		munmap(room, at - room);
	munmap(at + huge_bytes(), room + HUGE - at);
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
		bench_die("nrdmactl pool set");
	for (;;) {
		FILE *f = popen("nrdmactl -j pool show | jq -r '.[] | \"\\(.node) \\(.ready_bytes)\"'",
				"r");
		bool done = false;

		while (f && fgets(line, sizeof(line), f))
			done |= sscanf(line, "%d %llu", &n, &ready) == 2 && n == node &&
				ready == size;
		if (!f || pclose(f))
			bench_die("nrdmactl pool show");
		if (done)
			return;
	}
}

static void prepare_one(void)
{
	set_pool(0);
	bench_set_workers(1);
}

static void prepare_more(void)
{
	set_pool(0);
	bench_set_workers(more_workers);
}

static void prepare_warm(void)
{
	set_pool(huge_bytes() * repeat);
}

static void unmap(void *p)
{
	munmap(p, bytes);
}

/* @wanted: of 256 MiB, how many times as fast as numa_alloc_onnode and hugetlbfs */
static struct kind {
	const char *name;
	void (*prepare)(void);
	void *(*map)(void);
	void (*unmap)(void *p);
	double wanted[2];
	bool absent, no_mr;
	double ready[BENCH_MAX_ROUNDS], reg[BENCH_MAX_ROUNDS], ready_ms, reg_ms;
} kinds[] = {
	{ .name = "numa_alloc_onnode", .map = map_numa, .unmap = unmap_numa },
	{ .name = "hugetlbfs 2 MiB", .map = map_huge, .unmap = unmap_huge },
	{ .name = "MADV_NOHUGEPAGE", .map = map_small, .unmap = unmap },
	{ .name = "dma-heap", .map = map_heap, .unmap = unmap, .no_mr = true },
	{ .name = "nrdma, one CPU", .prepare = prepare_one, .map = map_cold, .unmap = unmap,
	  .wanted = { 1.8, 0.95 } },
	{ .name = "nrdma, more CPUs", .prepare = prepare_more, .map = map_cold, .unmap = unmap,
	  .wanted = { 2.5, 1.3 } },
	{ .name = "nrdma, from a pool", .prepare = prepare_warm, .map = map_warm,
	  .unmap = unmap_huge, .wanted = { 40, 20 } },
};

enum { NUMA, HUGETLB, SMALL, HEAP };

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static void check_nodes(const struct kind *k, void *p)
{
	size_t pages = (bytes + sysconf(_SC_PAGESIZE) - 1) / sysconf(_SC_PAGESIZE);
	unsigned long nodes[BUF_MAX_NODES], unseen;

	/* A heap's pages cannot be seen from outside */
	if (k->no_mr)
		return;
	if (buf_nodes(p, bytes, nodes, &unseen))
		bench_die("move_pages");
	if (nodes[node] != pages) {
		fprintf(stderr, "t-bench: %s: %lu of %zu pages on node %d, %lu unseen\n", k->name,
			nodes[node], pages, node, unseen);
		exit(1);
	}
}

/* Returns how long it took, ms. */
static double register_once(void *p)
{
	double start = bench_ms(), took;
	struct ibv_mr *mr = ibv_reg_mr(pd, p, bytes,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	took = bench_ms() - start;
	if (!mr || ibv_dereg_mr(mr))
		bench_die("ibv_reg_mr");
	return took;
}

static void once(struct kind *k, bool check, double *ready, double *reg)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	double start = bench_ms(), regs[REGS];
	char *p = k->map();

	if (!p)
		bench_die(k->name);
	for (i = 0; i < bytes; i += page)
		p[i] = 1;
	*ready += bench_ms() - start;
	if (!k->no_mr) {
		*ready += register_once(p);
		for (i = 0; i < REGS; i++)
			regs[i] = register_once(p);
		*reg += bench_median(regs, REGS);
	}
	if (check)
		check_nodes(k, p);
	k->unmap(p);
}

static void one_round(struct kind *k, int round)
{
	double ready = 0, reg = 0;

	if (k->prepare)
		k->prepare();
	for (size_t i = 0; i < repeat; i++)
		once(k, !round && !i, &ready, &reg);
	k->ready[round] = ready / repeat;
	k->reg[round] = reg / repeat;
}

static struct ibv_pd *open_pd(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		bench_die(name);
	return ibv_alloc_pd(ctx);
}

static void print_ratio(double of, double by, bool absent)
{
	if (absent)
		printf(" %10s", "n/a");
	else
		printf(" %10.2f", of / by);
}

static void print_kind(const struct kind *k)
{
	if (k->absent) {
		printf("%-20s n/a (not present)\n", k->name);
		return;
	}
	printf("%-20s %10.3f", k->name, k->ready_ms);
	print_ratio(kinds[NUMA].ready_ms, k->ready_ms, false);
	print_ratio(kinds[HUGETLB].ready_ms, k->ready_ms, false);
	print_ratio(kinds[HEAP].ready_ms, k->ready_ms, kinds[HEAP].absent);
	if (k->no_mr) {
		printf(" %10s  (ready but for the registration, which it does not allow)\n", "n/a");
		return;
	}
	printf(" %10.3f", k->reg_ms);
	print_ratio(kinds[HUGETLB].reg_ms, k->reg_ms, false);
	print_ratio(kinds[SMALL].reg_ms, k->reg_ms, false);
	if (bytes == 256 * MIB && k->wanted[0])
		printf("  wanted %.3g %.3g, reg 0.95 2", k->wanted[0], k->wanted[1]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	int rounds;

	if (argc != 7)
		return 1;
	pd = open_pd(argv[1]);
	chardev = argv[2];
	node = atoi(argv[3]);
	bytes = strtoull(argv[4], NULL, 0);
	rounds = atoi(argv[5]);
	more_workers = atoi(argv[6]);
	if (!pd || !bytes || rounds < 1 || rounds > BENCH_MAX_ROUNDS)
		return 1;
	repeat = bytes >= 32 * MIB ? 1 : bytes < MIB ? 32 : 32 * MIB / bytes;
	heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	kinds[HEAP].absent = heap < 0;

	for (int r = 0; r < rounds; r++)
		for (size_t k = 0; k < NR_KINDS; k++)
			if (!kinds[k].absent)
				one_round(&kinds[k], r);
	set_pool(0);

	if (bytes < MIB)
		printf("%zu KiB", bytes >> 10);
	else
		printf("%zu MiB", bytes / MIB);
	printf(" on node %d, medians of %d interleaved rounds, %zu times in each\n", node, rounds,
	       repeat);
	printf("%-20s %10s %32s %10s %21s\n", "", "ready", "ready: times as fast as", "ibv_reg_mr",
	       "reg: times as fast as");
	printf("%-20s %10s %10s %10s %10s %10s %10s %10s\n", "", "ms", "numa", "hugetlbfs",
	       "dma-heap", "ms", "hugetlbfs", "4 KiB");
	for (size_t k = 0; k < NR_KINDS; k++) {
		kinds[k].ready_ms = bench_median(kinds[k].ready, rounds);
		kinds[k].reg_ms = bench_median(kinds[k].reg, rounds);
	}
	for (size_t k = 0; k < NR_KINDS; k++)
		print_kind(&kinds[k]);
	return 0;
}
