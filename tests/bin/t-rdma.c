// SPDX-License-Identifier: GPL-2.0
/*
 * t-rdma CHARDEV IP [BYTES [COMMAND...]]: register a buffer in every way that applications
 * do, then RDMA WRITE and READ between two halves of one over a loop-back
 * connection of the device that has IP, verified by pattern. By the connection
 * manager, so that it serves RoCE and iWARP alike. TAP. Then become COMMAND, with the
 * buffer mapped and registered and the connection up.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "buf.h"
#include "tap.h"

#define PORT "18515"
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static struct rdma_cm_id *client, *server, *listener;
static const char *ip;

static void fill(unsigned char *p, size_t bytes, unsigned int seed)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = seed + i + (i >> 12);
}

static struct rdma_cm_id *endpoint(int flags)
{
	struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP }, *res;
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(ip, PORT, &hints, &res))
		tap_bail("rdma_getaddrinfo %s: %m", ip);
	if (rdma_create_ep(&id, res, NULL, &attr))
		tap_bail("rdma_create_ep %s: %m", ip);
	rdma_freeaddrinfo(res);
	return id;
}

static void *serve(void *arg)
{
	(void)arg;
	if (rdma_get_request(listener, &server) || rdma_accept(server, NULL))
		tap_bail("rdma_accept: %m");
	return NULL;
}

static void connect_loopback(void)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
	};
	pthread_t thread;

	listener = endpoint(RAI_PASSIVE);
	if (rdma_listen(listener, 1))
		tap_bail("rdma_listen: %m");
	pthread_create(&thread, NULL, serve, NULL);
	client = endpoint(0);
	if (rdma_connect(client, &param))
		tap_bail("rdma_connect: %m");
	pthread_join(thread, NULL);
}

static void test_registration(unsigned char *p, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct {
		const char *what;
		size_t offset, bytes;
	} parts[] = {
		{ "whole buffer", 0, bytes },
		{ "unaligned sub-range", page / 2 + 3, bytes / 2 + 777 },
		{ "last page", bytes - page, page },
		{ "one byte", bytes - 1, 1 },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct ibv_mr *mr = ibv_reg_mr(client->pd, p + parts[i].offset, parts[i].bytes,
					       ACCESS);

		tap_ok(mr, "ibv_reg_mr %s: %s", parts[i].what, mr ? "ok" : strerror(errno));
		if (mr)
			tap_ok(!ibv_dereg_mr(mr), "ibv_dereg_mr %s", parts[i].what);
	}
}

static bool complete(void)
{
	struct ibv_wc wc;

	return rdma_get_send_comp(client, &wc) == 1 && wc.status == IBV_WC_SUCCESS;
}

/*
 * A WRITE that is complete has arrived on InfiniBand and RoCE; on iWARP it has been sent
 * (RFC 5040, 5.5).
 */
static bool arrives(const unsigned char *local, const unsigned char *remote, size_t bytes)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (int i = 0; i < 5000; i++) {
		if (!memcmp(local, remote, bytes))
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static void test_transfer(unsigned char *local, struct ibv_mr *lmr, unsigned char *remote,
			  struct ibv_mr *rmr, size_t bytes)
{
	fill(local, bytes, 1);
	memset(remote, 0, bytes);
	tap_ok(!rdma_post_write(client, NULL, local, bytes, lmr, 0, (uintptr_t)remote,
				rmr->rkey) && complete() && arrives(local, remote, bytes),
	       "RDMA WRITE of %zu bytes, by pattern", bytes);
	fill(remote, bytes, 99);
	tap_ok(!rdma_post_read(client, NULL, local, bytes, lmr, 0, (uintptr_t)remote,
			       rmr->rkey) && complete() && !memcmp(local, remote, bytes),
	       "RDMA READ of %zu bytes, by pattern", bytes);
}

/* What a registration holds, and what the mapping shows, are the same pages */
static void test_mapping_changes(unsigned char *p, size_t bytes, struct ibv_mr *lmr,
				 struct ibv_mr *rmr)
{
	unsigned char *local = p, *remote = p + bytes / 2;
	size_t some = 3 << 12;
	pid_t pid;
	int status;

	fill(remote, some, 7);
	tap_ok(!madvise(p, bytes, MADV_DONTNEED), "MADV_DONTNEED");
	tap_ok(!rdma_post_read(client, NULL, local, some, lmr, 0, (uintptr_t)remote,
			       rmr->rkey) && complete() && !memcmp(local, remote, some),
	       "the data is still there, for the NIC as well");
	pid = fork();
	if (!pid)
		_exit(!!memcmp(local, remote, some));
	waitpid(pid, &status, 0);
	tap_ok(!status, "a child has the mapping");
	test_transfer(local, lmr, remote, rmr, some);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 3 ? strtoull(argv[3], NULL, 0) : (8 << 20) + 12288;
	struct ibv_mr *lmr, *rmr;
	unsigned char *p;
	int fd;

	if (argc < 3)
		tap_bail("usage: t-rdma CHARDEV IP [BYTES [COMMAND...]]");
	ip = argv[2];
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		tap_bail("open %s: %m", argv[1]);
	p = buf_map(fd, bytes, 0);
	if (p == MAP_FAILED)
		tap_bail("mmap %s: %m", argv[1]);
	close(fd);

	connect_loopback();
	test_registration(p, bytes);
	lmr = ibv_reg_mr(client->pd, p, bytes, ACCESS);
	rmr = ibv_reg_mr(server->pd, p, bytes, ACCESS);
	if (!lmr || !rmr)
		tap_bail("ibv_reg_mr: %m");
	test_transfer(p, lmr, p + bytes / 2, rmr, 1);
	test_transfer(p + 1, lmr, p + bytes / 2 + 5, rmr, 65537);
	test_transfer(p, lmr, p + bytes / 2, rmr, bytes / 2);
	test_mapping_changes(p, bytes, lmr, rmr);
	if (argc > 4) {
		tap_done();
		fflush(stdout);
		execvp(argv[4], argv + 4);
		tap_bail("%s: %m", argv[4]);
	}

	/* The pages stay for as long as the registration does */
	munmap(p, bytes);
	tap_ok(!ibv_dereg_mr(lmr) && !ibv_dereg_mr(rmr), "ibv_dereg_mr after munmap");
	/* Not rdma_disconnect(): it waits for an answer, which would be ours to give */
	rdma_destroy_ep(client);
	rdma_destroy_ep(server);
	rdma_destroy_ep(listener);
	return tap_done();
}
