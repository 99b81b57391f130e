// SPDX-License-Identifier: GPL-2.0
/*
 * Measuring: operations over a connection, each timed, then as many at once as it
 * takes to keep the queue full.
 */
#include <linux/bottom_half.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>

#include "probe.h"
#include "probe_link.h"
#include "probe_mem.h"

#define NRDMA_OP_DEPTH_MAX	32
#define NRDMA_OP_INFLIGHT	SZ_2M
#define NRDMA_OP_WARM_UP	16
/* Looks at memory for each one at the completions, whose queue the driver uses, too */
#define NRDMA_OP_LOOKS		64
/* Warm-up, latency and bandwidth each end after so long, whatever was asked for */
#define NRDMA_OP_TIME_NS	(250ULL * NSEC_PER_MSEC)

/*
 * What each side has: A's source goes to B's sink. A reply, where there is one,
 * takes memory of its own, for A's source may still be read then.
 */
enum nrdma_op_mem {
	NRDMA_MEM_A_SOURCE,
	NRDMA_MEM_B_SINK,
	NRDMA_MEM_B_SOURCE,
	NRDMA_MEM_A_SINK,
	NRDMA_MEMS
};

/**
 * struct nrdma_bench - a measurement under way
 * @slice: what it is for
 * @link: connection
 * @mem: memory of the slice's node
 * @op: operation
 * @size: of a message
 * @posted: operations of A so far
 * @turn: last byte of the last ping, see nrdma_bench_pingpong()
 * @peer: thread of side B, see nrdma_bench_peer(); NULL without
 * @peer_turn: what it waits for
 * @peer_error: what it met; -EAGAIN its CPU went offline
 */
struct nrdma_bench {
	struct nrdma_slice	*slice;
	struct nrdma_link	link;
	struct nrdma_mem	mem[NRDMA_MEMS];
	enum nrdma_probe_op	op;
	u32			size;
	u32			posted;
	u8			turn;
	struct task_struct	*peer;
	u8			peer_turn;
	int			peer_error;
};

/* rxe up to 6.1 works in softirqs, which run at local_bh_enable() then */
static int nrdma_bench_post(struct nrdma_bench *b, enum nrdma_side side,
			    enum ib_wr_opcode opcode, enum nrdma_op_mem local,
			    enum nrdma_op_mem remote, u32 bytes)
{
	struct ib_sge sge = {
		.addr	= b->mem[local].mr->iova,
		.length	= bytes,
		.lkey	= b->mem[local].mr->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe		= &b->link.sent,
			.sg_list	= &sge,
			.num_sge	= 1,
			.opcode		= opcode,
			.send_flags	= IB_SEND_SIGNALED,
		},
		.remote_addr	= b->mem[remote].mr->iova,
		.rkey		= b->mem[remote].mr->rkey,
	};
	int ret;

	local_bh_disable();
	ret = ib_post_send(b->link.qp[side], &wr.wr, NULL);
	local_bh_enable();
	if (ret)
		nrdma_slice_fail(b->slice, ret, "the device takes no more work");
	return ret;
}

static int nrdma_bench_post_recv(struct nrdma_bench *b)
{
	struct nrdma_mem *mem = &b->mem[NRDMA_MEM_B_SINK];
	struct ib_sge sge = {
		.addr	= mem->mr->iova,
		.length	= b->size,
		.lkey	= mem->mr->lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &b->link.received,
		.sg_list	= &sge,
		.num_sge	= 1,
	};
	int ret;

	ret = ib_post_recv(b->link.qp[NRDMA_SIDE_B], &wr, NULL);
	if (ret)
		nrdma_slice_fail(b->slice, ret, "the device takes no more work");
	return ret;
}

/* One operation of A. A pingpong's way there is a write. */
static int nrdma_bench_start(struct nrdma_bench *b)
{
	int ret;

	b->posted++;
	switch (b->op) {
	case NRDMA_PROBE_OP_READ:
		return nrdma_bench_post(b, NRDMA_SIDE_A, IB_WR_RDMA_READ, NRDMA_MEM_A_SOURCE,
					NRDMA_MEM_B_SINK, b->size);
	case NRDMA_PROBE_OP_SEND:
		ret = nrdma_bench_post_recv(b);
		if (ret)
			return ret;
		return nrdma_bench_post(b, NRDMA_SIDE_A, IB_WR_SEND, NRDMA_MEM_A_SOURCE,
					NRDMA_MEM_B_SINK, b->size);
	default:
		return nrdma_bench_post(b, NRDMA_SIDE_A, IB_WR_RDMA_WRITE, NRDMA_MEM_A_SOURCE,
					NRDMA_MEM_B_SINK, b->size);
	}
}

/*
 * Between two operations: 0, or why there is not to be another one. A thread whose CPU
 * goes offline goes on elsewhere, which is not what is to be measured.
 */
static int nrdma_bench_go_on(struct nrdma_bench *b)
{
	int ret;

	cond_resched();
	if (nrdma_slice_stopped(b->slice))
		return -ECANCELED;
	ret = raw_smp_processor_id() == b->slice->cell.cpu ? READ_ONCE(b->peer_error) : -EAGAIN;
	if (ret == -EAGAIN)
		nrdma_slice_fail(b->slice, ret, "the CPU went offline");
	return ret;
}

/* Waits until @value is the last byte of @mem, which shows that all has arrived. */
static int nrdma_bench_arrival(struct nrdma_bench *b, enum nrdma_op_mem mem, u8 value)
{
	unsigned int looks;
	u64 end = 0;
	int ret;

	for (looks = 1; nrdma_mem_last(&b->mem[mem]) != value; looks++) {
		if (looks % NRDMA_OP_LOOKS) {
			cpu_relax();
			continue;
		}
		ret = nrdma_link_wait(&b->link, NULL, 0) ?: nrdma_bench_go_on(b);
		if (ret)
			return ret;
		/* With a peer it is the way there and the way back */
		if (!end)
			end = ktime_get_ns() + NSEC_PER_SEC * (b->peer ? 16ULL : 8ULL);
		else if (ktime_get_ns() > end)
			return nrdma_slice_fail(b->slice, -ETIMEDOUT,
						"what was written did not arrive");
	}
	return 0;
}

/* The way back of a pingpong */
static int nrdma_bench_answer(struct nrdma_bench *b, u8 turn)
{
	nrdma_mem_set_last(&b->mem[NRDMA_MEM_B_SOURCE], turn);
	return nrdma_bench_post(b, NRDMA_SIDE_B, IB_WR_RDMA_WRITE, NRDMA_MEM_B_SOURCE,
				NRDMA_MEM_A_SINK, b->size);
}

static bool nrdma_bench_peer_asked(struct nrdma_bench *b)
{
	return b->op == NRDMA_PROBE_OP_PINGPONG &&
	       nrdma_mem_last(&b->mem[NRDMA_MEM_B_SINK]) == b->peer_turn;
}

/*
 * Side B on a CPU of its own, as two programs would have it: where the CPU moves the
 * data, what A's has to do after the data has arrived is not in B's way. It looks at
 * its memory and answers a pingpong; all completions are the other thread's. Where it
 * has nothing to answer it keeps the CPU awake, on which the driver of a software
 * device may do B's share: waking a CPU from idle would be most of what is measured.
 */
static int nrdma_bench_peer(void *arg)
{
	struct nrdma_bench *b = arg;
	int ret = 0;

	while (!ret && !kthread_should_stop()) {
		if (nrdma_bench_peer_asked(b))
			ret = nrdma_bench_answer(b, b->peer_turn++);
		else
			cpu_relax();
		if (!ret && raw_smp_processor_id() != b->slice->cell.peer_cpu)
			ret = -EAGAIN;
		cond_resched();
	}
	WRITE_ONCE(b->peer_error, ret);
	nrdma_slice_rest();
	return 0;
}

static int nrdma_bench_peer_start(struct nrdma_bench *b)
{
	const struct nrdma_probe_cell *cell = &b->slice->cell;
	struct task_struct *task;

	if (cell->peer_cpu == cell->cpu ||
	    (b->op != NRDMA_PROBE_OP_PINGPONG && !ib_uses_virt_dma(b->slice->ib)))
		return 0;
	task = kthread_create_on_node(nrdma_bench_peer, b, cell->cpu_node, "nrdma_probe/%u",
				      cell->peer_cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cell->peer_cpu);
	set_user_nice(task, task_nice(current));
	b->peer_turn = b->turn + 1;
	b->peer = task;
	wake_up_process(task);
	return 0;
}

/* Before its memory and its queue pair go */
static void nrdma_bench_peer_stop(struct nrdma_bench *b)
{
	if (!b->peer)
		return;
	nrdma_slice_move(b->peer);
	kthread_stop(b->peer);
	b->peer = NULL;
}

/* There and back, by writes alone: each side looks at its memory. */
static int nrdma_bench_pingpong(struct nrdma_bench *b)
{
	int ret;

	b->turn++;
	nrdma_mem_set_last(&b->mem[NRDMA_MEM_A_SOURCE], b->turn);
	ret = nrdma_bench_start(b);
	if (!ret && !b->peer)
		ret = nrdma_bench_arrival(b, NRDMA_MEM_B_SINK, b->turn) ?:
		      nrdma_bench_answer(b, b->turn);
	if (!ret)
		ret = nrdma_bench_arrival(b, NRDMA_MEM_A_SINK, b->turn);
	if (ret)
		return ret;
	b->posted++;
	/* Of the ones before these two; the queue is never full */
	return nrdma_link_wait(&b->link, &b->link.nr_sent, b->posted - 2);
}

/* Until all that was posted is completed, at both ends */
static int nrdma_bench_finish(struct nrdma_bench *b)
{
	int ret = nrdma_link_wait(&b->link, &b->link.nr_sent, b->posted);

	if (!ret && b->op == NRDMA_PROBE_OP_SEND)
		ret = nrdma_link_wait(&b->link, &b->link.nr_received, b->posted);
	return ret;
}

static int nrdma_bench_one(struct nrdma_bench *b)
{
	if (b->op == NRDMA_PROBE_OP_PINGPONG)
		return nrdma_bench_pingpong(b);
	return nrdma_bench_start(b) ?: nrdma_bench_finish(b);
}

#ifdef NRDMA_TEST
/* What arrived is spoilt, so that the comparison has something to find. */
static bool probe_spoil;
module_param(probe_spoil, bool, 0600);
MODULE_PARM_DESC(probe_spoil, "test build: change the last byte of what arrived");

static void nrdma_bench_spoil(struct nrdma_mem *mem)
{
	if (READ_ONCE(probe_spoil))
		nrdma_mem_set_last(mem, ~nrdma_mem_last(mem));
}
#else
static void nrdma_bench_spoil(struct nrdma_mem *mem)
{
}
#endif

/*
 * That the operation moves the data, every byte of it. A write is followed by a
 * read of the same memory: with iWARP its completion says only that it was sent.
 */
static int nrdma_bench_verify(struct nrdma_bench *b)
{
	struct nrdma_mem *from = &b->mem[NRDMA_MEM_A_SOURCE], *to = &b->mem[NRDMA_MEM_B_SINK];
	u64 seed = ktime_get_ns();
	int ret;

	if (b->op == NRDMA_PROBE_OP_READ)
		swap(from, to);
	nrdma_mem_fill(from, seed);
	nrdma_mem_fill(to, ~seed);
	ret = nrdma_bench_start(b) ?: nrdma_bench_finish(b);
	if (!ret && b->op != NRDMA_PROBE_OP_READ && b->op != NRDMA_PROBE_OP_SEND) {
		b->posted++;
		ret = nrdma_bench_post(b, NRDMA_SIDE_A, IB_WR_RDMA_READ, NRDMA_MEM_A_SOURCE,
				       NRDMA_MEM_B_SINK, NRDMA_PROBE_SIZE_MIN) ?:
		      nrdma_bench_finish(b);
	}
	if (ret)
		return ret;
	nrdma_bench_spoil(to);
	if (!nrdma_mem_holds(to, seed) || !nrdma_mem_holds(from, seed))
		return nrdma_slice_fail(b->slice, -EBADMSG, "what arrived is not what was sent");
	/* Nobody has said this yet, at either end */
	b->turn = nrdma_mem_last(to);
	if (b->op == NRDMA_PROBE_OP_PINGPONG)
		nrdma_mem_set_last(&b->mem[NRDMA_MEM_A_SINK], b->turn);
	return 0;
}

static int nrdma_bench_compare(const void *a, const void *b)
{
	u32 l = *(const u32 *)a, r = *(const u32 *)b;

	return l < r ? -1 : l > r;
}

static int nrdma_bench_latency(struct nrdma_bench *b)
{
	struct nrdma_probe_result *result = &b->slice->result;
	u32 *ns, n = 0, max = b->slice->want->iterations;
	u64 start, now, end;
	int i, ret = 0;

	ns = kvmalloc_array(max, sizeof(*ns), GFP_KERNEL);
	if (!ns)
		return -ENOMEM;
	now = ktime_get_ns();
	end = now + NRDMA_OP_TIME_NS;
	for (i = 0; !ret && i < NRDMA_OP_WARM_UP && now < end; i++) {
		ret = nrdma_bench_one(b);
		now = ktime_get_ns();
	}
	end = now + NRDMA_OP_TIME_NS;
	while (!ret && n < max && now < end) {
		start = ktime_get_ns();
		ret = nrdma_bench_one(b);
		now = ktime_get_ns();
		ns[n++] = min_t(u64, now - start, U32_MAX);
		ret = ret ?: nrdma_bench_go_on(b);
	}
	if (!ret) {
		sort(ns, n, sizeof(*ns), nrdma_bench_compare, NULL);
		result->count = n;
		result->min_ns = ns[0];
		result->median_ns = ns[n / 2];
		result->p99_ns = ns[n * 99 / 100];
	}
	kvfree(ns);
	return ret;
}

static int nrdma_bench_bandwidth(struct nrdma_bench *b)
{
	u32 first = b->posted, depth = b->link.depth;
	u32 max = max(b->slice->want->iterations, depth);
	u64 start = ktime_get_ns();
	int ret = 0;

	while (!ret && b->posted - first < max && ktime_get_ns() - start < NRDMA_OP_TIME_NS) {
		ret = nrdma_bench_start(b);
		/* Makes room for the next one */
		if (!ret)
			ret = nrdma_link_wait(&b->link, &b->link.nr_sent, b->posted - depth + 1);
		if (!ret && b->op == NRDMA_PROBE_OP_SEND)
			ret = nrdma_link_wait(&b->link, &b->link.nr_received,
					      b->posted - depth + 1);
		ret = ret ?: nrdma_bench_go_on(b);
	}
	if (!ret)
		ret = nrdma_bench_finish(b);
	if (!ret) {
		b->slice->result.bytes_ns = ktime_get_ns() - start;
		b->slice->result.bytes = (u64)(b->posted - first) * b->size;
	}
	return ret;
}

static int nrdma_bench_run(struct nrdma_bench *b)
{
	unsigned int mems = b->op == NRDMA_PROBE_OP_PINGPONG ? NRDMA_MEMS : NRDMA_MEM_B_SOURCE;
	unsigned int i;
	int ret;

	for (i = 0; i < mems; i++) {
		ret = nrdma_mem_open(&b->mem[i], &b->link, b->slice->cell.mem_node, b->size);
		if (ret)
			return ret;
	}
	/* Registrations were counted too */
	b->posted = b->link.nr_sent;
	b->link.nr_received = b->posted;

	ret = nrdma_bench_verify(b) ?: nrdma_bench_peer_start(b) ?: nrdma_bench_latency(b);
	if (!ret && b->op != NRDMA_PROBE_OP_PINGPONG)
		ret = nrdma_bench_bandwidth(b);
	nrdma_bench_peer_stop(b);
	return ret;
}

/**
 * nrdma_slice_measure() - make a measurement
 * @slice: what and where; the result goes there
 *
 * Context: a thread that is bound to the cell's CPU. May sleep.
 * Return: 0 or a negative errno; nothing of the RDMA device is held in any case.
 */
int nrdma_slice_measure(struct nrdma_slice *slice)
{
	u32 size = slice->want->size;
	struct nrdma_bench *b;
	unsigned int i;
	int ret;

	if (raw_smp_processor_id() != slice->cell.cpu)
		return nrdma_slice_fail(slice, -EAGAIN, "the CPU is offline");
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	/* Threads of the driver move the data then, maybe on the CPU that polls here */
	if (ib_uses_virt_dma(slice->ib))
		set_user_nice(current, MAX_NICE);
	b->slice = slice;
	b->op = slice->want->op;
	b->size = size;
	ret = nrdma_link_open(&b->link, slice, clamp_t(u32, NRDMA_OP_INFLIGHT / size, 2,
						       NRDMA_OP_DEPTH_MAX)) ?:
	      nrdma_bench_run(b);
	/* What hurried this shall not hurry the undoing of it */
	flush_signals(current);
	nrdma_link_disconnect(&b->link);
	for (i = 0; i < NRDMA_MEMS; i++)
		nrdma_mem_close(&b->mem[i]);
	nrdma_link_close(&b->link);
	kfree(b);
	return ret;
}
