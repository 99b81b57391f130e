// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * RDMA WRITE between two processes, over memory on the NIC's own node.
 *
 *	server:	rdma-write
 *	client:	rdma-write ADDRESS-OF-THE-SERVER
 *
 * Both take their buffer from the device that the connection runs over. The
 * server tells the client where its buffer is in the private data of the
 * connection; the client fills it by one RDMA WRITE and says so by a SEND,
 * which cannot overtake it.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <nrdma.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define PORT	"18599"
#define BYTES	(64UL << 20)
#define DONE	"done"

/* What the server tells the client */
struct offer {
	uint64_t	address;
	uint64_t	bytes;
	uint32_t	rkey;
};

/* A buffer of the device, mapped and registered */
struct memory {
	struct nrdma_buf	*buf;
	struct ibv_mr		*mr;
	unsigned char		*at;
	size_t			bytes;
};

static struct rdma_cm_id *endpoint(const char *address)
{
	struct rdma_addrinfo *found, hints = {
		.ai_port_space = RDMA_PS_TCP, .ai_flags = address ? 0 : RAI_PASSIVE,
	};
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 2, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = sizeof(DONE) },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(address, PORT, &hints, &found))
		err(1, "rdma_getaddrinfo");
	if (rdma_create_ep(&id, found, NULL, &attr))
		err(1, "rdma_create_ep");
	rdma_freeaddrinfo(found);
	return id;
}

/* Threads that touch the memory belong on its node as much as the memory does. */
static struct memory memory_on(struct rdma_cm_id *id, size_t bytes)
{
	const char *name = ibv_get_device_name(id->verbs->device);
	struct memory mem = { .bytes = bytes };
	struct nrdma_dev *dev;
	uint64_t local;
	void *at;

	if (nrdma_open(&dev, name))
		errx(1, "%s", nrdma_last_failure()->text);
	if (nrdma_bind_thread(dev, NULL))
		warnx("%s", nrdma_last_failure()->text);
	if (nrdma_buf_alloc(dev, bytes, NULL, &mem.buf) ||
	    nrdma_buf_map(mem.buf, 0, 0, PROT_READ | PROT_WRITE, &at) ||
	    nrdma_buf_bytes_on(mem.buf, nrdma_buf_node(mem.buf), &local))
		errx(1, "%s", nrdma_last_failure()->text);
	/* The buffer keeps what it needs of the device */
	nrdma_close(dev);
	mem.at = at;
	mem.mr = ibv_reg_mr(id->pd, at, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mem.mr)
		err(1, "ibv_reg_mr");
	printf("%s: %llu of %zu bytes on node %d\n", name, (unsigned long long)local, bytes,
	       nrdma_buf_node(mem.buf));
	return mem;
}

static void memory_free(struct memory *mem)
{
	ibv_dereg_mr(mem->mr);
	munmap(mem->at, mem->bytes);
	nrdma_buf_free(mem->buf);
}

static unsigned char pattern(size_t i)
{
	return i ^ i >> 8 ^ i >> 16;
}

static void completed(int n, const struct ibv_wc *wc, const char *what)
{
	if (n != 1)
		err(1, "%s", what);
	if (wc->status != IBV_WC_SUCCESS)
		errx(1, "%s: %s", what, ibv_wc_status_str(wc->status));
}

static int serve(void)
{
	struct rdma_cm_id *listener = endpoint(NULL), *id;
	struct memory mem;
	struct ibv_mr *mr;
	struct offer offer;
	struct rdma_conn_param param = {
		.private_data = &offer, .private_data_len = sizeof(offer),
		.responder_resources = 1, .initiator_depth = 1, .rnr_retry_count = 7,
	};
	char done[sizeof(DONE)] = "";
	struct ibv_wc wc;
	size_t i;

	if (rdma_listen(listener, 1))
		err(1, "rdma_listen");
	puts("listening");
	fflush(stdout);
	if (rdma_get_request(listener, &id))
		err(1, "rdma_get_request");
	mem = memory_on(id, BYTES);
	mr = rdma_reg_msgs(id, done, sizeof(done));
	if (!mr || rdma_post_recv(id, NULL, done, sizeof(done), mr))
		err(1, "rdma_post_recv");
	offer = (struct offer){
		.address = (uintptr_t)mem.at, .bytes = mem.bytes, .rkey = mem.mr->rkey,
	};
	if (rdma_accept(id, &param))
		err(1, "rdma_accept");
	completed(rdma_get_recv_comp(id, &wc), &wc, "receive");

	for (i = 0; i < mem.bytes && mem.at[i] == pattern(i); i++)
		;
	printf("%zu of %zu bytes arrived as they were sent\n", i, mem.bytes);
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	memory_free(&mem);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
	return i < mem.bytes;
}

static int client(const char *address)
{
	struct rdma_cm_id *id = endpoint(address);
	/* What is lost is sent again: 0, the default, gives up at once */
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7,
	};
	struct memory mem = memory_on(id, BYTES);
	struct offer offer = { 0 };
	struct ibv_wc wc;
	size_t i;

	for (i = 0; i < mem.bytes; i++)
		mem.at[i] = pattern(i);
	if (rdma_connect(id, &param))
		err(1, "rdma_connect");
	if (id->event->param.conn.private_data_len >= sizeof(offer))
		memcpy(&offer, id->event->param.conn.private_data, sizeof(offer));
	if (offer.bytes < mem.bytes)
		errx(1, "the server offers not enough memory");
	if (rdma_post_write(id, NULL, mem.at, mem.bytes, mem.mr, 0, offer.address, offer.rkey) ||
	    rdma_post_send(id, NULL, DONE, sizeof(DONE), NULL, IBV_SEND_INLINE))
		err(1, "rdma_post_write");
	completed(rdma_get_send_comp(id, &wc), &wc, "RDMA WRITE");
	completed(rdma_get_send_comp(id, &wc), &wc, "send");
	printf("%zu bytes written\n", mem.bytes);
	rdma_disconnect(id);
	memory_free(&mem);
	rdma_destroy_ep(id);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? client(argv[1]) : serve();
}
