/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_PROBE_H
#define NRDMA_PROBE_H

#include <linux/completion.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <uapi/linux/nrdma.h>

struct ib_device;
struct net;
struct nrdma_dev;
struct nrdma_refusal;

#define NRDMA_PROBE_SIZE_MIN		8
#define NRDMA_PROBE_SIZE_MAX		SZ_4M
#define NRDMA_PROBE_ITERATIONS_MAX	100000
#define NRDMA_PROBE_ROUNDS_MAX		1000
#define NRDMA_PROBE_SECONDS_MAX		60

/**
 * struct nrdma_probe_want - what a run is to measure
 * @op: operation
 * @size: of a message, bytes
 * @iterations: operations of each measurement, where time allows
 * @rounds: how often each cell is measured
 * @seconds: most that the run may take
 * @port: from 1, or 0 for the first that is active
 * @mem_node: the only node for memory, or NUMA_NO_NODE for each in turn
 * @cpu_node: the only node for the CPU, or NUMA_NO_NODE for each in turn
 * @isolated: isolated CPUs may be used
 */
struct nrdma_probe_want {
	enum nrdma_probe_op	op;
	u32			size;
	u32			iterations;
	u32			rounds;
	u32			seconds;
	u32			port;
	int			mem_node;
	int			cpu_node;
	bool			isolated;
};

/**
 * struct nrdma_probe_cell - where memory and CPU of a measurement are
 * @mem_node: node of the memory
 * @cpu_node: node of the CPU
 * @cpu: the CPU
 * @peer_cpu: another one of the node, or the same where it has no other
 */
struct nrdma_probe_cell {
	int		mem_node;
	int		cpu_node;
	unsigned int	cpu;
	unsigned int	peer_cpu;
};

/**
 * struct nrdma_probe_result - what came of a measurement
 * @count: operations that were timed
 * @min_ns: the fastest of them
 * @median_ns: the one in the middle
 * @p99_ns: 99 of 100 were not slower
 * @bytes: that went with the queue full, 0 when that was not measured
 * @bytes_ns: time that it took
 */
struct nrdma_probe_result {
	u32	count;
	u64	min_ns;
	u64	median_ns;
	u64	p99_ns;
	u64	bytes;
	u64	bytes_ns;
};

/**
 * struct nrdma_slice - one measurement in one cell
 *
 * Everything that it takes of the RDMA device is made by its thread and gone
 * when the thread has said that it is done, so a run that nobody reads on holds
 * nothing of the device.
 *
 * @dev: device; its probe_lock is held as long as the thread runs
 * @ib: its RDMA device, which remove() leaves alone until then
 * @want: what
 * @cell: where
 * @end: of the run, CLOCK_BOOTTIME
 * @stop: the thread is to give up, see nrdma_slice_stopped()
 * @done: the thread has finished
 * @error: 0 or a negative errno
 * @why: in words, static; NULL where @error says it all
 * @result: without @error
 */
struct nrdma_slice {
	struct nrdma_dev		*dev;
	struct ib_device		*ib;
	const struct nrdma_probe_want	*want;
	struct nrdma_probe_cell		cell;
	u64				end;
	bool				stop;
	struct completion		done;
	int				error;
	const char			*why;
	struct nrdma_probe_result	result;
};

bool nrdma_slice_stopped(const struct nrdma_slice *slice);
int nrdma_slice_fail(struct nrdma_slice *slice, int error, const char *why);
void nrdma_slice_rest(void);
void nrdma_slice_move(struct task_struct *task);

/* probe_op.c */
int nrdma_slice_measure(struct nrdma_slice *slice);

/**
 * struct nrdma_probe - a run
 *
 * Belongs to a netlink dump, whose calls never overlap; so it has no lock. One
 * at a time is a device's, dev->probe, under dev->lock.
 *
 * @dev: device, referenced
 * @want: what is measured
 * @end: when it is over, CLOCK_BOOTTIME
 * @at: measurements so far, round by round
 * @told: the first message, which measures nothing, was made
 * @nr_cells: entries in @cells
 * @cells: what a round measures
 */
struct nrdma_probe {
	struct nrdma_dev	*dev;
	struct nrdma_probe_want	want;
	u64			end;
	u32			at;
	bool			told;
	unsigned int		nr_cells;
	struct nrdma_probe_cell	cells[];
};

struct nrdma_probe *nrdma_probe_start(struct nrdma_dev *dev, struct net *net,
				      const struct nrdma_probe_want *want,
				      struct nrdma_refusal *refusal);
int nrdma_probe_next(struct nrdma_probe *probe, struct net *net, struct nrdma_slice *slice);
void nrdma_probe_end(struct nrdma_probe *probe);
void nrdma_probe_dev_gone(struct nrdma_dev *dev);

#endif /* NRDMA_PROBE_H */
