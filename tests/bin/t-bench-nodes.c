// SPDX-License-Identifier: GPL-2.0
/*
 * t-bench-nodes CHARDEV BYTES ROUNDS NODE CPU NODE CPU
 *
 * Two CPUs that allocate BYTES from a node each at the same time, against each of
 * them alone: medians of interleaved rounds. One worker a buffer. What the machine
 * has two CPUs for is told by two that write memory which they have already.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "buf.h"

static const char *chardev;
static size_t bytes;
static pthread_barrier_t start;

static struct side {
	int node, cpu;
	void *memory;
	double began, ended;
} side[2];

/* Allocating is zeroing; what frees it again is not timed */
static void allocate(struct side *s)
{
	struct nrdma_alloc req = { .size = bytes, .node = s->node };
	int fd = open(chardev, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		bench_die(chardev);
	s->began = bench_ms();
	if (ioctl(fd, NRDMA_IOC_ALLOC, &req))
		bench_die("NRDMA_IOC_ALLOC");
	s->ended = bench_ms();
	pthread_barrier_wait(&start);
	close(req.fd);
	close(fd);
}

static void overwrite(struct side *s)
{
	s->began = bench_ms();
	memset(s->memory, 1, bytes);
	s->ended = bench_ms();
	pthread_barrier_wait(&start);
}

static void (*work)(struct side *s);

static void *thread_fn(void *arg)
{
	struct side *s = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die("sched_setaffinity");
	if (!s->memory) {
		s->memory = malloc(bytes);
		if (!s->memory)
			bench_die("no memory");
		memset(s->memory, 1, bytes);
	}
	pthread_barrier_wait(&start);
	work(s);
	return NULL;
}

/* Milliseconds that @nr sides from @first on take for it */
static double run(void (*fn)(struct side *s), int first, int nr)
{
	double began = 0, ended = 0;
	pthread_t thread[2];

	work = fn;
	if (pthread_barrier_init(&start, NULL, nr))
		bench_die("pthread_barrier_init");
	for (int i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, thread_fn, &side[first + i]))
			bench_die("pthread_create");
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start);
	for (int i = 0; i < nr; i++) {
		const struct side *s = &side[first + i];

		if (!i || s->began < began)
			began = s->began;
		if (!i || s->ended > ended)
			ended = s->ended;
	}
	return ended - began;
}

static struct kind {
	const char *name, *wanted;
	void (*fn)(struct side *s);
	double one[BENCH_MAX_ROUNDS], two[BENCH_MAX_ROUNDS];
} kinds[] = {
	{ "nrdma", " (wanted 1.6)", allocate, { 0 }, { 0 } },
	{ "writing alone", "", overwrite, { 0 }, { 0 } },
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

int main(int argc, char **argv)
{
	int rounds;

	if (argc != 8)
		return 1;
	chardev = argv[1];
	bytes = strtoull(argv[2], NULL, 0);
	rounds = atoi(argv[3]);
	if (!bytes || rounds < 1 || rounds > BENCH_MAX_ROUNDS)
		return 1;
	for (int i = 0; i < 2; i++) {
		side[i].node = atoi(argv[4 + 2 * i]);
		side[i].cpu = atoi(argv[5 + 2 * i]);
	}
	bench_set_workers(1);

	for (int r = 0; r < rounds; r++)
		for (size_t k = 0; k < NR_KINDS; k++) {
			struct kind *kind = &kinds[k];

			kind->one[r] = (run(kind->fn, 0, 1) + run(kind->fn, 1, 1)) / 2;
			kind->two[r] = run(kind->fn, 0, 2);
		}

	printf("%zu MiB from a node by a CPU of it, medians of %d interleaved rounds\n",
	       bytes >> 20, rounds);
	for (size_t k = 0; k < NR_KINDS; k++) {
		double one = bench_median(kinds[k].one, rounds);
		double two = bench_median(kinds[k].two, rounds);

		printf("%-14s one alone %8.1f ms, two on two nodes at once %8.1f ms: %.2f times the rate%s\n",
		       kinds[k].name, one, two, 2 * one / two, kinds[k].wanted);
	}
	return 0;
}
