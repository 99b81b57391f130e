/* SPDX-License-Identifier: GPL-2.0 */
/* What the measuring programs have in common: a clock, medians, the module's knobs. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_MAX_ROUNDS 99

__attribute__((noreturn))
static inline void bench_die(const char *what)
{
	fprintf(stderr, "%s: %s: %m\n", program_invocation_short_name, what);
	exit(1);
}

static inline double bench_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts @v */
static inline double bench_median(double *v, int n)
{
	qsort(v, n, sizeof(*v), bench_compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* How many CPUs allocate one buffer */
static inline void bench_set_workers(int workers)
{
	FILE *f = fopen("/sys/module/nrdma/parameters/fill_workers", "w");

	if (!f || fprintf(f, "%d\n", workers) < 0 || fclose(f))
		bench_die("fill_workers");
}

#endif
