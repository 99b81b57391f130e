// SPDX-License-Identifier: GPL-2.0
/*
 * t-linger RDMADEV CHARDEV BYTES ROUNDS [PART]
 *
 * A registration is kept while its buffer is unmapped and closed; the next
 * buffer must share no page with it. Page frames are read from pagemap, which
 * root may. The last registration is held until the end of standard input, so
 * that others can look; with PART, it is the first and the third part of so many
 * bytes. TAP.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "buf.h"
#include "tap.h"

static const char *chardev;
static size_t bytes, pages;

static char *map(void)
{
	int fd = open(chardev, O_RDWR | O_CLOEXEC);
	char *p = fd < 0 ? MAP_FAILED : buf_map(fd, bytes, 0);

	if (p == MAP_FAILED)
		tap_bail("%s: %m", chardev);
	close(fd);
	return p;
}

/* Every frame of the mapping, in order of its number */
static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void frames(const char *p, uint64_t *pfn)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t page = bytes / pages, i;

	if (fd < 0 || pread(fd, pfn, pages * sizeof(*pfn), (uintptr_t)p / page * sizeof(*pfn)) !=
	    (ssize_t)(pages * sizeof(*pfn)))
		tap_bail("pagemap: %m");
	close(fd);
	for (i = 0; i < pages; i++) {
		pfn[i] &= (1ULL << 55) - 1;
		if (!pfn[i])
			tap_bail("pagemap tells no frames");
	}
	qsort(pfn, pages, sizeof(*pfn), compare);
}

static size_t shared(const uint64_t *a, const uint64_t *b)
{
	size_t i = 0, k = 0, n = 0;

	while (i < pages && k < pages) {
		n += a[i] == b[k];
		if (a[i] <= b[k])
			i++;
		else
			k++;
	}
	return n;
}

/* Frames that a freed buffer had, a byte each */
static unsigned char *freed;
static size_t nr_freed;

static void remember(const uint64_t *pfn)
{
	size_t most = pfn[pages - 1] + 1, i;

	if (most > nr_freed) {
		freed = realloc(freed, most);
		if (!freed)
			tap_bail("no memory");
		memset(freed + nr_freed, 0, most - nr_freed);
		nr_freed = most;
	}
	for (i = 0; i < pages; i++)
		freed[pfn[i]] = 1;
}

static size_t remembered(const uint64_t *pfn)
{
	size_t i, n = 0;

	for (i = 0; i < pages; i++)
		n += pfn[i] < nr_freed && freed[pfn[i]];
	return n;
}

static struct ibv_pd *open_pd(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name)) {
			struct ibv_context *ctx = ibv_open_device(list[i]);

			return ctx ? ibv_alloc_pd(ctx) : NULL;
		}
	return NULL;
}

static struct ibv_mr *reg(struct ibv_pd *pd, char *p, size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, p, length, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		tap_bail("ibv_reg_mr: %m");
	return mr;
}

int main(int argc, char **argv)
{
	size_t both = 0, again = 0;
	uint64_t *held, *next;
	struct ibv_mr *mr, *third = NULL;
	struct ibv_pd *pd;
	size_t part = 0;
	int rounds;
	char *p, c;

	if (argc != 5 && argc != 6)
		tap_bail("usage: t-linger RDMADEV CHARDEV BYTES ROUNDS [PART]");
	pd = open_pd(argv[1]);
	chardev = argv[2];
	bytes = strtoull(argv[3], NULL, 0);
	pages = bytes / sysconf(_SC_PAGESIZE);
	rounds = atoi(argv[4]);
	if (argc == 6)
		part = strtoull(argv[5], NULL, 0);
	held = calloc(pages, sizeof(*held));
	next = calloc(pages, sizeof(*next));
	if (!pd || !held || !next || rounds < 1)
		tap_bail("%s: %m", argv[1]);

	for (int r = 0;; r++) {
		p = map();
		memset(p, 1, bytes);
		frames(p, held);
		again += remembered(held);
		mr = reg(pd, p, part && r == rounds - 1 ? part : bytes);
		if (part && r == rounds - 1)
			third = reg(pd, p + 2 * part, part);
		munmap(p, bytes);
		/* The next may well have the other parts */
		if (third)
			break;

		p = map();
		if (*p || memcmp(p, p + 1, bytes - 1))
			tap_bail("round %d: not all of it is zero", r);
		memset(p, 2, bytes);
		frames(p, next);
		both += shared(held, next);
		again += remembered(next);
		remember(next);
		munmap(p, bytes);
		if (r == rounds - 1)
			break;
		ibv_dereg_mr(mr);
	}
	tap_ok(!both, "%zu pages shared with a registration in %d rounds", both, rounds);
	/* Else the check above would prove nothing */
	tap_ok(rounds == 1 || again, "%zu pages were used again once they were free", again);
	puts("# ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	tap_ok(!ibv_dereg_mr(mr) && (!third || !ibv_dereg_mr(third)), "ibv_dereg_mr long after");
	return tap_done();
}
