// SPDX-License-Identifier: GPL-2.0
/*
 * Probe: what memory and CPU of each node cost through a device, measured by
 * connecting a port with itself.
 *
 * A run is a netlink dump. Each call of it makes one measurement, by a thread that
 * is bound to the measurement's CPU; the core ends the run when the socket closes,
 * and keeps the module until then. What a measurement takes of the RDMA device
 * lives no longer than the measurement, so between two calls nothing is held, and
 * a reader who stops reading holds nothing.
 *
 * Removal of the device waits for the measurement under way, which looks
 * everywhere it waits whether it should stop, and for nothing else. What it cannot
 * hurry is the connection manager for iWARP: it may wait ten seconds for a port
 * mapper (iwpmd) that runs and does not answer, and siw five for its peer.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "irq_plan.h"
#include "node.h"
#include "probe.h"

/* How often the reader looks whether it, the device or the time is gone */
#define NRDMA_SLICE_LOOK	msecs_to_jiffies(50)
/* What a measurement under way gets beyond the end of the run */
#define NRDMA_SLICE_GRACE	NSEC_PER_SEC
/* What one that was told to give up gets before it is interrupted */
#define NRDMA_SLICE_PATIENCE	msecs_to_jiffies(1000)

/**
 * nrdma_slice_stopped() - is the slice to give up?
 * @slice: slice
 *
 * Context: any.
 * Return: true when the reader or the device is gone.
 */
bool nrdma_slice_stopped(const struct nrdma_slice *slice)
{
	return READ_ONCE(slice->stop) || nrdma_dev_gone(slice->dev);
}

/**
 * nrdma_slice_fail() - say why a slice fails
 * @slice: slice
 * @error: negative errno
 * @why: in words, static; the first to say something is heard
 *
 * Return: @error.
 */
int nrdma_slice_fail(struct nrdma_slice *slice, int error, const char *why)
{
	/* A pingpong has two threads that may have something to say */
	cmpxchg(&slice->why, NULL, why);
	return error;
}

/*
 * The end of a thread: until it is stopped, so that whoever stops it knows then that no
 * code of the module runs.
 */
void nrdma_slice_rest(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

static int nrdma_slice_thread(void *arg)
{
	struct nrdma_slice *slice = arg;

	allow_kernel_signal(SIGINT);
	slice->error = nrdma_slice_measure(slice);
	complete(&slice->done);
	nrdma_slice_rest();
	return 0;
}

/*
 * A thread that is to give up may wait for a CPU that a real-time task keeps to itself.
 * It goes on where the one who waits for it runs; where its mask still held its own
 * CPU, the scheduler would leave it there.
 */
void nrdma_slice_move(struct task_struct *task)
{
	set_cpus_allowed_ptr(task, cpumask_of(raw_smp_processor_id()));
}

/* For how much longer than it should has the thread been at it? */
static bool nrdma_slice_late(const struct nrdma_slice *slice)
{
	return ktime_get_boottime_ns() > slice->end + NRDMA_SLICE_GRACE;
}

/*
 * Ends with the thread. What only a signal ends is a TCP connection in the making that
 * nobody answers: siw waits for it. One that is answered must not be interrupted, hence
 * the patience: siw takes the end of a connection that it has not accepted yet for that
 * of the listener, which it then releases twice, or keeps an endpoint for good
 * (siw_cm_llp_state_change() in drivers/infiniband/sw/siw/siw_cm.c). And no fatal
 * signal: memory is refused to a task that has one.
 */
static int nrdma_slice_run(struct nrdma_slice *slice)
{
	struct task_struct *task;
	bool late = false;

	init_completion(&slice->done);
	/* What it is if the thread is stopped before it ever ran */
	slice->error = -ECANCELED;
	task = kthread_create_on_node(nrdma_slice_thread, slice, slice->cell.cpu_node,
				      "nrdma_probe/%u", slice->cell.cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, slice->cell.cpu);
	wake_up_process(task);
	while (!wait_for_completion_timeout(&slice->done, NRDMA_SLICE_LOOK)) {
		late = nrdma_slice_late(slice);
		if (!late && !fatal_signal_pending(current) && !nrdma_dev_gone(slice->dev))
			continue;
		WRITE_ONCE(slice->stop, true);
		nrdma_slice_move(task);
		if (!wait_for_completion_timeout(&slice->done, NRDMA_SLICE_PATIENCE))
			send_sig(SIGINT, task, 1);
		break;
	}
	kthread_stop(task);
	if (!slice->error || !slice->stop)
		return slice->error;
	if (!late)
		return -ECANCELED;
	slice->why = "the time is up, and this was not finished";
	return -ETIME;
}

/*
 * Fills in the last CPUs of the cell's node that may be used: the first ones do most
 * of the host's own work. Of one core only where there is no other.
 */
static int nrdma_probe_cpus(struct nrdma_probe_cell *cell, const struct nrdma_probe_want *want,
			    struct nrdma_refusal *refusal)
{
	struct nrdma_irq_policy policy;
	unsigned int cores;
	struct nrdma_plan *plan;
	int ret;

	ret = nrdma_irq_policy_init(&policy);
	if (ret)
		return ret;
	policy.mode = NRDMA_POLICY_NODE;
	policy.node = cell->cpu_node;
	policy.isolated = want->isolated;
	plan = nrdma_plan_make(&policy, cell->cpu_node, refusal);
	nrdma_irq_policy_destroy(&policy);
	if (IS_ERR(plan))
		return PTR_ERR(plan);
	/* One CPU of each core comes first */
	for (cores = 1; cores < plan->nr && !plan->cpus[cores].rank; cores++)
		;
	cell->cpu = plan->cpus[cores - 1].cpu;
	cell->peer_cpu = plan->cpus[cores > 1 ? cores - 2 : plan->nr - 1].cpu;
	nrdma_plan_free(plan);
	return 0;
}

static int nrdma_probe_refuse(struct nrdma_refusal *refusal, int error, int attr,
			      const char *msg)
{
	refusal->attr = attr;
	refusal->msg = msg;
	return error;
}

/* All cells, or only those of the nodes that were named */
static int nrdma_probe_plan(struct nrdma_probe *probe, unsigned int max,
			    struct nrdma_refusal *refusal)
{
	const struct nrdma_probe_want *want = &probe->want;
	struct nrdma_probe_cell cell;
	int mem_node, cpu_node, ret;

	if (want->mem_node != NUMA_NO_NODE && !nrdma_node_has_memory(want->mem_node))
		return nrdma_probe_refuse(refusal, -EINVAL, NRDMA_A_PROBE_MEM_NODE,
					  "no such node has memory");
	if (want->cpu_node != NUMA_NO_NODE && !node_online(want->cpu_node))
		return nrdma_probe_refuse(refusal, -EINVAL, NRDMA_A_PROBE_CPU_NODE,
					  "no such node is online");
	for_each_online_node(cpu_node) {
		if (want->cpu_node != NUMA_NO_NODE && want->cpu_node != cpu_node)
			continue;
		cell.cpu_node = cpu_node;
		ret = nrdma_probe_cpus(&cell, want, refusal);
		if (ret == -ENOMEM)
			return ret;
		if (ret && want->cpu_node == NUMA_NO_NODE)
			continue;
		if (ret) {
			refusal->attr = NRDMA_A_PROBE_CPU_NODE;
			return ret;
		}
		for_each_online_node(mem_node) {
			if (!nrdma_node_has_memory(mem_node) ||
			    (want->mem_node != NUMA_NO_NODE && want->mem_node != mem_node))
				continue;
			/* Of a node that just came */
			if (probe->nr_cells == max)
				return 0;
			cell.mem_node = mem_node;
			probe->cells[probe->nr_cells++] = cell;
		}
	}
	if (!probe->nr_cells)
		return nrdma_probe_refuse(refusal, -EINVAL, NRDMA_A_PROBE_ISOLATED,
					  "no CPU may be used: all of them are isolated");
	return 0;
}

static int nrdma_probe_able(const struct ib_device *ib, const struct nrdma_probe_want *want,
			    struct nrdma_refusal *refusal)
{
	if (!ib->kverbs_provider ||
	    !(ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return nrdma_probe_refuse(refusal, -EOPNOTSUPP, 0,
					  "the device has no fast registration for the kernel");
	if (want->port && !rdma_is_port_valid(ib, want->port))
		return nrdma_probe_refuse(refusal, -EINVAL, NRDMA_A_PROBE_PORT,
					  "the device has no such port");
	return 0;
}

/* One run of a device; one that is over, with a reader who stopped, gives way. */
static int nrdma_probe_take(struct nrdma_probe *probe)
{
	struct nrdma_dev *dev = probe->dev;
	int ret = 0;

	mutex_lock(&dev->lock);
	if (dev->probe && dev->probe->end > ktime_get_boottime_ns())
		ret = -EBUSY;
	else
		dev->probe = probe;
	mutex_unlock(&dev->lock);
	return ret;
}

static bool nrdma_probe_current(const struct nrdma_probe *probe)
{
	bool current_run;

	mutex_lock(&probe->dev->lock);
	current_run = probe->dev->probe == probe;
	mutex_unlock(&probe->dev->lock);
	return current_run;
}

/**
 * nrdma_probe_start() - begin a run
 * @dev: device; a reference is taken
 * @net: the reader's network namespace
 * @want: what to measure
 * @refusal: filled in where it cannot be done
 *
 * Measures nothing yet.
 *
 * Context: may sleep; waits for no hardware.
 * Return: a run for nrdma_probe_end(), or an ERR_PTR: -ENODEV, -ENOMEM, -EBUSY
 * another one is under way, -EOPNOTSUPP, -EINVAL a node or port.
 */
struct nrdma_probe *nrdma_probe_start(struct nrdma_dev *dev, struct net *net,
				      const struct nrdma_probe_want *want,
				      struct nrdma_refusal *refusal)
{
	unsigned int nodes = num_online_nodes();
	struct nrdma_probe *probe;
	int ret;

	refusal->attr = 0;
	refusal->msg = NULL;
	probe = kvzalloc(struct_size(probe, cells, nodes * nodes), GFP_KERNEL);
	if (!probe)
		return ERR_PTR(-ENOMEM);
	probe->dev = dev;
	probe->want = *want;
	probe->end = ktime_get_boottime_ns() + want->seconds * NSEC_PER_SEC;
	ret = nrdma_probe_plan(probe, nodes * nodes, refusal);
	if (ret)
		goto free_probe;
	if (!nrdma_dev_begin(dev, net)) {
		ret = nrdma_probe_refuse(refusal, -ENODEV, 0, "the RDMA device was just removed");
		goto free_probe;
	}
	ret = nrdma_probe_able(dev->ib, want, refusal);
	nrdma_dev_end(dev);
	if (ret)
		goto free_probe;
	ret = nrdma_probe_take(probe);
	if (ret) {
		nrdma_probe_refuse(refusal, ret, 0, "another probe of the device is under way");
		goto free_probe;
	}
	kref_get(&dev->ref);
	return probe;

free_probe:
	kvfree(probe);
	return ERR_PTR(ret);
}

/**
 * nrdma_probe_next() - make the next measurement
 * @probe: run
 * @net: the reader's network namespace
 * @slice: out, the measurement
 *
 * Every second round goes through the cells backwards, so that what drifts
 * meanwhile hits all of them alike.
 *
 * Context: may sleep; bounded, and ends early for a fatal signal.
 * Return: 1; 0 the run is over; or a negative errno, which ends it, with words in
 * @slice. A cell that cannot be measured is in @slice, and does not end the run.
 */
int nrdma_probe_next(struct nrdma_probe *probe, struct net *net, struct nrdma_slice *slice)
{
	struct nrdma_dev *dev = probe->dev;
	u32 round = probe->at / probe->nr_cells, i = probe->at % probe->nr_cells;
	int ret;

	if (round >= probe->want.rounds || ktime_get_boottime_ns() >= probe->end ||
	    !nrdma_probe_current(probe))
		return 0;
	if (round & 1)
		i = probe->nr_cells - 1 - i;
	*slice = (struct nrdma_slice){
		.dev	= dev,
		.want	= &probe->want,
		.cell	= probe->cells[i],
		.end	= probe->end,
	};

	if (mutex_lock_killable(&dev->probe_lock))
		return -EINTR;
	if (nrdma_dev_begin(dev, net)) {
		/* It stays: remove() takes the lock that is held here */
		slice->ib = dev->ib;
		nrdma_dev_end(dev);
		ret = nrdma_slice_run(slice);
	} else {
		ret = -ENODEV;
		slice->why = "the RDMA device was removed";
	}
	mutex_unlock(&dev->probe_lock);

	if (ret && nrdma_dev_gone(dev)) {
		ret = -ENODEV;
		slice->why = "the RDMA device was removed";
	}
	if (ret == -ECANCELED)
		return -EINTR;
	slice->error = ret;
	if (ret && ret != -ENOMEM && ret != -EAGAIN && ret != -ETIME)
		return ret;
	probe->at++;
	return 1;
}

/**
 * nrdma_probe_end() - end a run
 * @probe: run; no call is under way
 */
void nrdma_probe_end(struct nrdma_probe *probe)
{
	struct nrdma_dev *dev = probe->dev;

	mutex_lock(&dev->lock);
	if (dev->probe == probe)
		dev->probe = NULL;
	mutex_unlock(&dev->lock);
	nrdma_dev_put(dev);
	kvfree(probe);
}

/**
 * nrdma_probe_dev_gone() - wait until no measurement uses the RDMA device
 * @dev: device; nrdma_dev_gone() is true
 *
 * Context: may sleep.
 */
void nrdma_probe_dev_gone(struct nrdma_dev *dev)
{
	mutex_lock(&dev->probe_lock);
	mutex_unlock(&dev->probe_lock);
}
