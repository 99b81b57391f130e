// SPDX-License-Identifier: GPL-2.0
/*
 * t-bench-live CHARDEV ROUNDS COUNT...
 *
 * What one more buffer costs, and listing them, with COUNT buffers alive: medians
 * of interleaved rounds. Allocations are held against the first COUNT; the first page
 * of a list against the first COUNT that fills one, since an emptier one costs less.
 * Buffers of a page, so that it is not the memory that takes the time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "bench.h"
#include "buf.h"

#define MAX_COUNTS	8
#define MORE		50	/* allocations in a round */
#define LISTS		20	/* first pages in a round */

static int chardev, *live, nr_live;

static struct count {
	int nr, on_page;
	double alloc[BENCH_MAX_ROUNDS], page[BENCH_MAX_ROUNDS], all[BENCH_MAX_ROUNDS];
	double alloc_ms, page_ms, all_ms;
} counts[MAX_COUNTS];

static int take(void)
{
	struct nrdma_alloc req = { .size = 4096, .node = NRDMA_NODE_DEVICE };

	if (ioctl(chardev, NRDMA_IOC_ALLOC, &req))
		bench_die("NRDMA_IOC_ALLOC");
	return req.fd;
}

static void set_live(int nr)
{
	while (nr_live < nr)
		live[nr_live++] = take();
	while (nr_live > nr)
		close(live[--nr_live]);
}

static struct nl_sock *open_netlink(int *family)
{
	struct nl_sock *sock = nl_socket_alloc();

	if (!sock || genl_connect(sock))
		bench_die("netlink");
	*family = genl_ctrl_resolve(sock, NRDMA_FAMILY_NAME);
	if (*family < 0)
		bench_die("no family " NRDMA_FAMILY_NAME);
	return sock;
}

/* One message that the kernel has filled: the buffers on it. @end: it was the last. */
static int read_page(struct nl_sock *sock, bool *end)
{
	struct sockaddr_nl from;
	unsigned char *data;
	struct nlmsghdr *nlh;
	int left = nl_recv(sock, &from, &data, NULL), nr = 0;

	if (left <= 0) {
		fprintf(stderr, "t-bench-live: %s\n", nl_geterror(left));
		exit(1);
	}
	for (nlh = (void *)data; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
		if (nlh->nlmsg_type == NLMSG_DONE)
			*end = true;
		else if (nlh->nlmsg_type == NLMSG_ERROR)
			bench_die("dump");
		else
			nr++;
	}
	free(data);
	return nr;
}

/* Milliseconds until the first page is there, and with @all the rest */
static double list(struct count *c, bool all)
{
	int family, listed;
	bool end = false;
	struct nl_sock *sock = open_netlink(&family);
	double t = bench_ms();

	if (genl_send_simple(sock, family, NRDMA_CMD_BUF_GET, NRDMA_FAMILY_VERSION,
			     NLM_F_DUMP) < 0)
		bench_die("dump");
	listed = c->on_page = read_page(sock, &end);
	while (all && !end)
		listed += read_page(sock, &end);
	t = bench_ms() - t;
	nl_socket_free(sock);
	if (all && listed != c->nr) {
		fprintf(stderr, "t-bench-live: %d of %d buffers listed\n", listed, c->nr);
		exit(1);
	}
	return t;
}

static void one_round(struct count *c, int round)
{
	int fd[MORE];
	double t;

	set_live(c->nr);
	t = bench_ms();
	for (int i = 0; i < MORE; i++)
		fd[i] = take();
	c->alloc[round] = (bench_ms() - t) / MORE;
	for (int i = 0; i < MORE; i++)
		close(fd[i]);

	c->all[round] = list(c, true) / c->nr;
	c->page[round] = 0;
	for (int i = 0; i < LISTS; i++)
		c->page[round] += list(c, false) / LISTS;
}

static void print(struct count *c, int nr)
{
	const struct count *full = &c[0];
	int i;

	for (i = 0; i < nr; i++)
		if (c[i].on_page > full->on_page)
			full = &c[i];
	/* The first that has as many on a page, but for a buffer with a longer entry */
	for (i = 0; c[i].on_page < full->on_page - 2; i++)
		;
	full = &c[i];

	printf("%8s %22s %34s %16s\n", "", "one more buffer", "first page of buf show",
	       "all, each buffer");
	printf("%8s %10s %11s %11s %10s %11s %16s\n", "", "ms", "times", "buffers", "ms", "times",
	       "ms");
	for (i = 0; i < nr; i++) {
		printf("%8d %10.4f %11.2f %11d %10.4f", c[i].nr, c[i].alloc_ms,
		       c[i].alloc_ms / c[0].alloc_ms, c[i].on_page, c[i].page_ms);
		if (&c[i] < full)
			printf(" %11s", "not full");
		else
			printf(" %11.2f", c[i].page_ms / full->page_ms);
		printf(" %16.4f\n", c[i].all_ms);
	}
}

int main(int argc, char **argv)
{
	struct rlimit files = { .rlim_cur = 1 << 17, .rlim_max = 1 << 17 };
	int rounds, nr = 0, most = 0;

	if (argc < 4 || argc > 3 + MAX_COUNTS)
		return 1;
	chardev = open(argv[1], O_RDWR | O_CLOEXEC);
	rounds = atoi(argv[2]);
	for (; argv[3 + nr]; nr++) {
		counts[nr].nr = atoi(argv[3 + nr]);
		if (counts[nr].nr < 1)
			return 1;
		if (counts[nr].nr > most)
			most = counts[nr].nr;
	}
	if (chardev < 0 || rounds < 1 || rounds > BENCH_MAX_ROUNDS)
		return 1;
	if (setrlimit(RLIMIT_NOFILE, &files))
		bench_die("RLIMIT_NOFILE");
	live = calloc(most, sizeof(*live));
	if (!live)
		bench_die("no memory");

	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < nr; i++)
			one_round(&counts[i], r);
	set_live(0);

	printf("with so many buffers alive, medians of %d interleaved rounds (wanted 1.5 at most)\n",
	       rounds);
	for (int i = 0; i < nr; i++) {
		counts[i].alloc_ms = bench_median(counts[i].alloc, rounds);
		counts[i].page_ms = bench_median(counts[i].page, rounds);
		counts[i].all_ms = bench_median(counts[i].all, rounds);
	}
	print(counts, nr);
	return 0;
}
