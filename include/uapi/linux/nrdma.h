/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * nrdma - node-local memory and interrupts for RDMA devices
 *
 * Two surfaces: ioctls on /dev/nrdma/<device>, and the generic netlink family
 * "nrdma" (nrdma.yaml beside this file describes it for ynl).
 *
 * A node is a NUMA node number as in /sys/devices/system/node/nodeN. Unknown
 * is -1 in a structure and an absent attribute in a message, never 0. Sizes
 * and offsets are bytes. Times are nanoseconds of CLOCK_BOOTTIME.
 */
#ifndef _UAPI_LINUX_NRDMA_H
#define _UAPI_LINUX_NRDMA_H

#include <linux/types.h>
#include <linux/ioctl.h>

/*
 * Grows by one whenever a program built for the old value would misread the
 * new one. Additions at the end of structures and enums do not count.
 */
#ifndef NRDMA_ABI_VERSION
#define NRDMA_ABI_VERSION	1
#endif

#define NRDMA_DEV_DIR		"/dev/nrdma"
#define NRDMA_NAME_MAX		64

/**
 * enum nrdma_reason - why an allocation failed, or a node is not known
 * @NRDMA_REASON_NONE: nothing failed
 * @NRDMA_REASON_NODE_FULL: the node has not that much memory to give (ENOMEM)
 * @NRDMA_REASON_FRAGMENTED: it has, but not in chunks of min_chunk (ENOMEM)
 * @NRDMA_REASON_MEMLOCK: over the caller's RLIMIT_MEMLOCK (ENOMEM)
 * @NRDMA_REASON_CGROUP: the memory cgroup refused (ENOMEM)
 * @NRDMA_REASON_CAP: over the cap of the user or of the node (EDQUOT)
 * @NRDMA_REASON_CPUSET: the node is outside the caller's cpuset (ENOMEM)
 * @NRDMA_REASON_NODE_UNKNOWN: the device's node is not known and the caller
 *	named none (ENXIO)
 * @NRDMA_REASON_NODE_ABSENT: the node is not online or has no memory (EINVAL)
 * @NRDMA_REASON_DEVICE_GONE: the RDMA device was removed (ENODEV)
 * @NRDMA_REASON_KERNEL: the kernel had no memory for its own records (ENOMEM)
 * @NRDMA_REASON_INTERRUPTED: a fatal signal arrived meanwhile (EINTR)
 * @NRDMA_REASON_POOL: the node's pool has not that much, or the caller may not
 *	use it (ENOMEM)
 */
enum nrdma_reason {
	NRDMA_REASON_NONE,
	NRDMA_REASON_NODE_FULL,
	NRDMA_REASON_FRAGMENTED,
	NRDMA_REASON_MEMLOCK,
	NRDMA_REASON_CGROUP,
	NRDMA_REASON_CAP,
	NRDMA_REASON_CPUSET,
	NRDMA_REASON_NODE_UNKNOWN,
	NRDMA_REASON_NODE_ABSENT,
	NRDMA_REASON_DEVICE_GONE,
	NRDMA_REASON_KERNEL,
	NRDMA_REASON_INTERRUPTED,
	NRDMA_REASON_POOL,
};

/*
 * ioctls on /dev/nrdma/<device>.
 *
 * Structures grow at the end. A caller built for an older, shorter structure
 * is served as if the rest were 0; a longer one is served when the bytes that
 * this module does not know are 0, E2BIG otherwise. Unknown flags and padding
 * that is not 0: EINVAL. What an answer cannot hold is cut at the caller's size.
 */

/**
 * struct nrdma_info - NRDMA_IOC_INFO: the device, and this file's last failure
 * @flags: in, 0
 * @abi_version: out, NRDMA_ABI_VERSION of the module
 * @node: out, the device's node or -1
 * @mem_node: out, the node that buffers of the device come from, or -1
 * @index: out, the RDMA device's index (as RDMA netlink has it)
 * @gone: out, 1 when the RDMA device was removed
 * @chunk_max: out, largest chunk, bytes
 * @chunk_min: out, smallest chunk (a page), bytes
 * @last_reason: out, enum nrdma_reason of the last failed mmap or ALLOC of
 *	this open file; NRDMA_REASON_NONE when the last one succeeded
 * @last_node: out, the node that it was about, or -1
 * @last_wanted: out, bytes that were asked for
 * @last_available: out, bytes that were free there, as @available of struct
 *	nrdma_alloc
 * @name: out, the RDMA device's name
 * @version: out, the module's version
 */
struct nrdma_info {
	__u32	flags;
	__u32	abi_version;
	__s32	node;
	__s32	mem_node;
	__u32	index;
	__u32	gone;
	__u64	chunk_max;
	__u64	chunk_min;
	__u32	last_reason;
	__s32	last_node;
	__u64	last_wanted;
	__u64	last_available;
	char	name[NRDMA_NAME_MAX];
	char	version[32];
};

/* Take memory from other nodes, nearest first, when the wanted one is full. */
#define NRDMA_ALLOC_REMOTE	(1U << 0)
/*
 * From the node's pool or not at all; the size is rounded up to the pool's
 * chunk. Without this flag a pool is used first, and the rest comes cold.
 */
#define NRDMA_ALLOC_POOL_ONLY	(1U << 1)
#define NRDMA_ALLOC_FLAGS	(NRDMA_ALLOC_REMOTE | NRDMA_ALLOC_POOL_ONLY)

/* The node of the device */
#define NRDMA_NODE_DEVICE	(-1)

/**
 * struct nrdma_alloc - NRDMA_IOC_ALLOC: a new buffer as a dma-buf
 * @size: in, bytes wanted, above 0; out, the real size: rounded up to a page,
 *	or to @min_chunk where one was given
 * @min_chunk: in, no chunk smaller than this: 0 for any, or a power of two
 *	from chunk_min to chunk_max; out, the smallest that was used
 * @flags: in, NRDMA_ALLOC_*
 * @node: in, a node or NRDMA_NODE_DEVICE; out, the node that was wanted
 * @fd: out, the dma-buf (close-on-exec); nothing of use when the call fails
 * @reason: out, enum nrdma_reason; also written when the call fails
 * @available: out, bytes that @node had free when the call failed; for
 *	NRDMA_REASON_POOL, that its pool had
 * @warm: out, bytes that came from a pool, zeroed beforehand
 *
 * Errors: EINVAL bad field, or a structure too short for @fd; E2BIG the
 * structure or the size; and those of enum nrdma_reason.
 */
struct nrdma_alloc {
	__u64	size;
	__u64	min_chunk;
	__u32	flags;
	__s32	node;
	__s32	fd;
	__u32	reason;
	__u64	available;
	__u64	warm;
};

/**
 * struct nrdma_run - adjoining chunks of one size on one node
 * @offset: from the start of the buffer, bytes
 * @bytes: length of the run
 * @chunk_bytes: size of each chunk in it
 * @node: where the chunks lie
 * @reserved: 0
 */
struct nrdma_run {
	__u64	offset;
	__u64	bytes;
	__u64	chunk_bytes;
	__s32	node;
	__u32	reserved;
};

/* The buffer that plain mmap of this file made */
#define NRDMA_QUERY_OWN		(-1)

/**
 * struct nrdma_query - NRDMA_IOC_QUERY: where a buffer lies
 * @fd: in, a dma-buf of any nrdma device, or NRDMA_QUERY_OWN
 * @flags: in, 0
 * @size: out, bytes
 * @runs: in, address of an array of struct nrdma_run, 0 with @nr_runs 0
 * @nr_runs: in, room in @runs; out, how many were written
 * @total_runs: out, how many there are; call again with more room
 * @id: out, the buffer's id, as in netlink
 * @node: out, the node that was wanted
 *
 * Errors: EINVAL @fd is not an nrdma buffer; EBADF; ENOENT NRDMA_QUERY_OWN
 * and nothing was mapped yet; EFAULT.
 */
struct nrdma_query {
	__s32	fd;
	__u32	flags;
	__u64	size;
	__u64	runs;
	__u32	nr_runs;
	__u32	total_runs;
	__u32	id;
	__s32	node;
};

#define NRDMA_IOC_MAGIC		0xd3
#define NRDMA_IOC_INFO		_IOWR(NRDMA_IOC_MAGIC, 1, struct nrdma_info)
#define NRDMA_IOC_ALLOC		_IOWR(NRDMA_IOC_MAGIC, 2, struct nrdma_alloc)
#define NRDMA_IOC_QUERY		_IOWR(NRDMA_IOC_MAGIC, 3, struct nrdma_query)

/* Generic netlink */

#define NRDMA_FAMILY_NAME	"nrdma"
#define NRDMA_FAMILY_VERSION	1
#define NRDMA_MCGRP_EVENTS	"events"

/**
 * enum nrdma_cmd - requests and notifications
 * @NRDMA_CMD_INFO_GET: module and ABI version (NRDMA_A_INFO_*)
 * @NRDMA_CMD_DEV_GET: one device (by NRDMA_A_DEV_INDEX or _NAME), or dump all
 * @NRDMA_CMD_DEV_SET: override a device's node (NRDMA_A_DEV_NODE_OVERRIDE, -1
 *	for none)
 * @NRDMA_CMD_DEV_NTF: event, NRDMA_A_DEV_EVENT says which
 * @NRDMA_CMD_IRQ_GET: dump the vectors of all devices or of one
 *	(NRDMA_A_IRQ_DEV_INDEX or _DEV_NAME). With NRDMA_A_IRQ_POLICY, the
 *	plan: NRDMA_A_IRQ_WANTED is what that policy would give each vector;
 *	nothing changes.
 * @NRDMA_CMD_IRQ_SET: set the steering policy of a device's PCI function
 *	(NRDMA_A_IRQ_POLICY) and steer; the reply holds the policy and what
 *	came of it
 * @NRDMA_CMD_IRQ_RESTORE: policy off, and put back what was there before; the
 *	reply as for IRQ_SET
 * @NRDMA_CMD_IRQ_NTF: event, NRDMA_A_IRQ_EVENT says which
 * @NRDMA_CMD_BUF_GET: dump buffers, of all devices or of one. A buffer whose
 *	runs do not fit one message is continued in the next one with the same
 *	NRDMA_A_BUF_ID.
 * @NRDMA_CMD_BUF_NTF: event, NRDMA_A_BUF_EVENT says which
 * @NRDMA_CMD_POOL_GET: dump the pools and caps, one message per node with
 *	memory (NRDMA_A_POOL_*)
 * @NRDMA_CMD_POOL_SET: change the pool or the caps of NRDMA_A_POOL_NODE; the
 *	reply is its message. Memory is set aside in the background.
 * @NRDMA_CMD_PROBE_RUN: a dump that measures a device by connecting a port with
 *	itself (NRDMA_A_PROBE_*, CAP_NET_ADMIN). The first message says what is
 *	measured, then comes one for each measurement, when it is made; closing
 *	the socket ends the run. One at a time for a device (EBUSY).
 */
enum nrdma_cmd {
	NRDMA_CMD_INFO_GET = 1,
	NRDMA_CMD_DEV_GET,
	NRDMA_CMD_DEV_SET,
	NRDMA_CMD_DEV_NTF,
	NRDMA_CMD_IRQ_GET,
	NRDMA_CMD_IRQ_SET,
	NRDMA_CMD_IRQ_RESTORE,
	NRDMA_CMD_IRQ_NTF,
	NRDMA_CMD_BUF_GET,
	NRDMA_CMD_BUF_NTF,
	NRDMA_CMD_POOL_GET,
	NRDMA_CMD_POOL_SET,
	NRDMA_CMD_PROBE_RUN,

	/* private: */
	__NRDMA_CMD_MAX,
	NRDMA_CMD_MAX = __NRDMA_CMD_MAX - 1
};

/**
 * enum nrdma_a_info - the module
 * @NRDMA_A_INFO_ABI_VERSION: u32, NRDMA_ABI_VERSION
 * @NRDMA_A_INFO_VERSION: string, the module's version
 */
enum nrdma_a_info {
	NRDMA_A_INFO_ABI_VERSION = 1,
	NRDMA_A_INFO_VERSION,

	/* private: */
	__NRDMA_A_INFO_MAX,
	NRDMA_A_INFO_MAX = __NRDMA_A_INFO_MAX - 1
};

/**
 * enum nrdma_node_source - how a device's node is known
 * @NRDMA_NODE_SOURCE_UNKNOWN: it is not
 * @NRDMA_NODE_SOURCE_OVERRIDE: an administrator said so
 * @NRDMA_NODE_SOURCE_PCI: from the PCI function below the RDMA device
 * @NRDMA_NODE_SOURCE_PARENT: from an ancestor that is not a PCI function
 * @NRDMA_NODE_SOURCE_NETDEV: from the network device that it runs over
 */
enum nrdma_node_source {
	NRDMA_NODE_SOURCE_UNKNOWN,
	NRDMA_NODE_SOURCE_OVERRIDE,
	NRDMA_NODE_SOURCE_PCI,
	NRDMA_NODE_SOURCE_PARENT,
	NRDMA_NODE_SOURCE_NETDEV,
};

/**
 * enum nrdma_node_unknown - why a device's node is not known
 * @NRDMA_NODE_UNKNOWN_NONE: it is known
 * @NRDMA_NODE_UNKNOWN_VIRTUAL: no hardware device below it
 * @NRDMA_NODE_UNKNOWN_FIRMWARE: there is, but firmware names no node
 * @NRDMA_NODE_UNKNOWN_DISAGREE: lower devices lie on different nodes
 * @NRDMA_NODE_UNKNOWN_NETDEV: its network device could not be found
 */
enum nrdma_node_unknown {
	NRDMA_NODE_UNKNOWN_NONE,
	NRDMA_NODE_UNKNOWN_VIRTUAL,
	NRDMA_NODE_UNKNOWN_FIRMWARE,
	NRDMA_NODE_UNKNOWN_DISAGREE,
	NRDMA_NODE_UNKNOWN_NETDEV,
};

/**
 * enum nrdma_tier - how near the CPUs are that a policy may use
 * @NRDMA_TIER_NODE: CPUs of the device's own node
 * @NRDMA_TIER_SOCKET: none there; nearest node of the same socket
 * @NRDMA_TIER_REST: none in the socket; nearest node anywhere
 * @NRDMA_TIER_NONE: no CPU may be used
 */
enum nrdma_tier {
	NRDMA_TIER_NODE,
	NRDMA_TIER_SOCKET,
	NRDMA_TIER_REST,
	NRDMA_TIER_NONE,
};

/**
 * enum nrdma_dev_event - what happened to a device
 * @NRDMA_DEV_EVENT_ADDED: it appeared
 * @NRDMA_DEV_EVENT_REMOVED: it went away
 * @NRDMA_DEV_EVENT_RENAMED: NRDMA_A_DEV_OLD_NAME holds the old name
 * @NRDMA_DEV_EVENT_PORT: a port changed, see NRDMA_A_DEV_PORT and _PORT_STATE
 * @NRDMA_DEV_EVENT_NODE: its node or override changed
 */
enum nrdma_dev_event {
	NRDMA_DEV_EVENT_ADDED = 1,
	NRDMA_DEV_EVENT_REMOVED,
	NRDMA_DEV_EVENT_RENAMED,
	NRDMA_DEV_EVENT_PORT,
	NRDMA_DEV_EVENT_NODE,
};

/**
 * enum nrdma_a_dev - a device
 * @NRDMA_A_DEV_PAD: alignment
 * @NRDMA_A_DEV_INDEX: u32, the RDMA device's index (RDMA_NLDEV_ATTR_DEV_INDEX)
 * @NRDMA_A_DEV_NAME: string, the RDMA device's name
 * @NRDMA_A_DEV_CHARDEV: string, path of its character device
 * @NRDMA_A_DEV_PCI: string, "domain:bus:slot.function" of its PCI function
 * @NRDMA_A_DEV_NETDEV: string, network device of its first port that has one
 * @NRDMA_A_DEV_NODE: u32, absent when unknown
 * @NRDMA_A_DEV_MEM_NODE: u32, where buffers go, absent when unknown
 * @NRDMA_A_DEV_CPU_NODE: u32, where interrupts go; several times where several
 * @NRDMA_A_DEV_NODE_SOURCE: u32, enum nrdma_node_source
 * @NRDMA_A_DEV_NODE_UNKNOWN: u32, enum nrdma_node_unknown
 * @NRDMA_A_DEV_NODE_OVERRIDE: s32, absent in an answer when there is none; in
 *	DEV_SET a node that is online, or -1 for none
 * @NRDMA_A_DEV_TIER: u32, enum nrdma_tier
 * @NRDMA_A_DEV_STEP: nest of NRDMA_A_STEP_*, several times, in order: how the
 *	node was found
 * @NRDMA_A_DEV_BUF_COUNT: u32, live buffers
 * @NRDMA_A_DEV_BUF_BYTES: u64, their size
 * @NRDMA_A_DEV_BUF_REMOTE_BYTES: u64, those of them not on the buffer's node
 * @NRDMA_A_DEV_POLICY: nest of NRDMA_A_POLICY_*, absent where the device has
 *	no PCI function
 * @NRDMA_A_DEV_EVENT: u32, enum nrdma_dev_event, in DEV_NTF
 * @NRDMA_A_DEV_OLD_NAME: string, in DEV_NTF
 * @NRDMA_A_DEV_PORT: u32, from 1, in DEV_NTF
 * @NRDMA_A_DEV_PORT_STATE: u32, enum ib_port_state, in DEV_NTF
 * @NRDMA_A_DEV_ERROR: s32, negative errno that kept the module from making
 *	the character device
 * @NRDMA_A_DEV_LINK: nest of NRDMA_A_LINK_*, in an answer, several times: what
 *	the driver tells of a port; of the first 16 ports, not of one that fails to
 */
enum nrdma_a_dev {
	NRDMA_A_DEV_PAD = 1,
	NRDMA_A_DEV_INDEX,
	NRDMA_A_DEV_NAME,
	NRDMA_A_DEV_CHARDEV,
	NRDMA_A_DEV_PCI,
	NRDMA_A_DEV_NETDEV,
	NRDMA_A_DEV_NODE,
	NRDMA_A_DEV_MEM_NODE,
	NRDMA_A_DEV_CPU_NODE,
	NRDMA_A_DEV_NODE_SOURCE,
	NRDMA_A_DEV_NODE_UNKNOWN,
	NRDMA_A_DEV_NODE_OVERRIDE,
	NRDMA_A_DEV_TIER,
	NRDMA_A_DEV_STEP,
	NRDMA_A_DEV_BUF_COUNT,
	NRDMA_A_DEV_BUF_BYTES,
	NRDMA_A_DEV_BUF_REMOTE_BYTES,
	NRDMA_A_DEV_POLICY,
	NRDMA_A_DEV_EVENT,
	NRDMA_A_DEV_OLD_NAME,
	NRDMA_A_DEV_PORT,
	NRDMA_A_DEV_PORT_STATE,
	NRDMA_A_DEV_ERROR,
	NRDMA_A_DEV_LINK,

	/* private: */
	__NRDMA_A_DEV_MAX,
	NRDMA_A_DEV_MAX = __NRDMA_A_DEV_MAX - 1
};

/**
 * enum nrdma_a_step - one step of the way from an RDMA device to its node
 * @NRDMA_A_STEP_BUS: string, "pci", "virtio", "net", "auxiliary", "platform"...
 * @NRDMA_A_STEP_NAME: string, the device's name on it
 * @NRDMA_A_STEP_NODE: u32, the node that it names, absent when none
 */
enum nrdma_a_step {
	NRDMA_A_STEP_BUS = 1,
	NRDMA_A_STEP_NAME,
	NRDMA_A_STEP_NODE,

	/* private: */
	__NRDMA_A_STEP_MAX,
	NRDMA_A_STEP_MAX = __NRDMA_A_STEP_MAX - 1
};

/**
 * enum nrdma_a_link - a port's link
 * @NRDMA_A_LINK_PORT: u32, from 1
 * @NRDMA_A_LINK_ACTIVE_MTU: u32, bytes, absent when not known
 * @NRDMA_A_LINK_MAX_MTU: u32, bytes, absent when not known
 * @NRDMA_A_LINK_SPEED: u32, enum ib_port_speed, of a lane
 * @NRDMA_A_LINK_WIDTH: u32, enum ib_port_width
 */
enum nrdma_a_link {
	NRDMA_A_LINK_PORT = 1,
	NRDMA_A_LINK_ACTIVE_MTU,
	NRDMA_A_LINK_MAX_MTU,
	NRDMA_A_LINK_SPEED,
	NRDMA_A_LINK_WIDTH,

	/* private: */
	__NRDMA_A_LINK_MAX,
	NRDMA_A_LINK_MAX = __NRDMA_A_LINK_MAX - 1
};

/**
 * enum nrdma_policy - where the vectors of a PCI function go
 * @NRDMA_POLICY_OFF: nrdma leaves them alone
 * @NRDMA_POLICY_LOCAL: CPUs of the device's CPU nodes, one core each in turn
 * @NRDMA_POLICY_SPREAD: all CPUs, near nodes first
 * @NRDMA_POLICY_NODE: CPUs of NRDMA_A_POLICY_NODE
 * @NRDMA_POLICY_CPUS: CPUs of NRDMA_A_POLICY_CPUS
 */
enum nrdma_policy {
	NRDMA_POLICY_OFF,
	NRDMA_POLICY_LOCAL,
	NRDMA_POLICY_SPREAD,
	NRDMA_POLICY_NODE,
	NRDMA_POLICY_CPUS,
};

/**
 * enum nrdma_a_policy - steering policy, and what came of it
 * @NRDMA_A_POLICY_PAD: alignment
 * @NRDMA_A_POLICY_MODE: u32, enum nrdma_policy
 * @NRDMA_A_POLICY_NODE: u32, with NRDMA_POLICY_NODE
 * @NRDMA_A_POLICY_CPUS: string, cpulist ("0-3,8"), with NRDMA_POLICY_CPUS
 * @NRDMA_A_POLICY_EXCLUDE: string, cpulist never to be used, "" for none
 * @NRDMA_A_POLICY_ISOLATED: u8, 1: isolated CPUs may be used
 * @NRDMA_A_POLICY_LOCK: u8, 1: user space may not move the vectors
 * @NRDMA_A_POLICY_VECTORS: u32, out, vectors that the function has
 * @NRDMA_A_POLICY_PLACED: u32, out, read back where they were wanted
 * @NRDMA_A_POLICY_PENDING: u32, out, will move at their next interrupt
 * @NRDMA_A_POLICY_MANAGED: u32, out, placed by the kernel, left alone
 * @NRDMA_A_POLICY_DRIFTED: u32, out, moved away by somebody else
 * @NRDMA_A_POLICY_FAILED: u32, out, could not be moved
 * @NRDMA_A_POLICY_ERROR: s32, out, negative errno of the last steering
 * @NRDMA_A_POLICY_STEERED_AT: u64, out, ns of CLOCK_BOOTTIME
 * @NRDMA_A_POLICY_STEERS: u32, out, times that it was steered
 * @NRDMA_A_POLICY_KEPT: u8, out, 1: what changes is steered again without being
 *	asked; 0: this kernel cannot keep vectors from changing underneath, so only
 *	when asked and when the device appears
 *
 * In IRQ_SET what is absent stays as it was.
 */
enum nrdma_a_policy {
	NRDMA_A_POLICY_PAD = 1,
	NRDMA_A_POLICY_MODE,
	NRDMA_A_POLICY_NODE,
	NRDMA_A_POLICY_CPUS,
	NRDMA_A_POLICY_EXCLUDE,
	NRDMA_A_POLICY_ISOLATED,
	NRDMA_A_POLICY_LOCK,
	NRDMA_A_POLICY_VECTORS,
	NRDMA_A_POLICY_PLACED,
	NRDMA_A_POLICY_PENDING,
	NRDMA_A_POLICY_MANAGED,
	NRDMA_A_POLICY_DRIFTED,
	NRDMA_A_POLICY_FAILED,
	NRDMA_A_POLICY_ERROR,
	NRDMA_A_POLICY_STEERED_AT,
	NRDMA_A_POLICY_STEERS,
	NRDMA_A_POLICY_KEPT,

	/* private: */
	__NRDMA_A_POLICY_MAX,
	NRDMA_A_POLICY_MAX = __NRDMA_A_POLICY_MAX - 1
};

/**
 * enum nrdma_irq_state - a vector and nrdma
 * @NRDMA_IRQ_STATE_IDLE: not steered
 * @NRDMA_IRQ_STATE_PLACED: where nrdma wanted it, read back
 * @NRDMA_IRQ_STATE_PENDING: moves at its next interrupt
 * @NRDMA_IRQ_STATE_MANAGED: placed by the kernel for good
 * @NRDMA_IRQ_STATE_DRIFTED: somebody else moved it since
 * @NRDMA_IRQ_STATE_FAILED: the kernel refused, NRDMA_A_IRQ_ERROR says why
 */
enum nrdma_irq_state {
	NRDMA_IRQ_STATE_IDLE,
	NRDMA_IRQ_STATE_PLACED,
	NRDMA_IRQ_STATE_PENDING,
	NRDMA_IRQ_STATE_MANAGED,
	NRDMA_IRQ_STATE_DRIFTED,
	NRDMA_IRQ_STATE_FAILED,
};

/**
 * enum nrdma_irq_changer - who decided last where a vector goes
 * @NRDMA_IRQ_CHANGER_NRDMA: nrdma
 * @NRDMA_IRQ_CHANGER_DRIVER: it is where the driver's hint is
 * @NRDMA_IRQ_CHANGER_KERNEL: the kernel, which manages it or whose CPU went offline
 * @NRDMA_IRQ_CHANGER_OTHER: somebody else, after nrdma
 */
enum nrdma_irq_changer {
	NRDMA_IRQ_CHANGER_NRDMA = 1,
	NRDMA_IRQ_CHANGER_DRIVER,
	NRDMA_IRQ_CHANGER_KERNEL,
	NRDMA_IRQ_CHANGER_OTHER,
};

/**
 * enum nrdma_irq_event - what happened to a function's vectors
 * @NRDMA_IRQ_EVENT_STEERED: an administrator steered them
 * @NRDMA_IRQ_EVENT_RESTEERED: nrdma did, by itself; NRDMA_A_IRQ_WHY says why
 * @NRDMA_IRQ_EVENT_RESTORED: they are back where they were
 * @NRDMA_IRQ_EVENT_DRIFTED: somebody else moved some of them
 */
enum nrdma_irq_event {
	NRDMA_IRQ_EVENT_STEERED = 1,
	NRDMA_IRQ_EVENT_RESTEERED,
	NRDMA_IRQ_EVENT_RESTORED,
	NRDMA_IRQ_EVENT_DRIFTED,
};

/**
 * enum nrdma_a_irq - a vector
 * @NRDMA_A_IRQ_PAD: alignment
 * @NRDMA_A_IRQ_DEV_INDEX: u32, the RDMA device
 * @NRDMA_A_IRQ_DEV_NAME: string, its name
 * @NRDMA_A_IRQ_PCI: string, the PCI function
 * @NRDMA_A_IRQ_VECTOR: u32, MSI index within the function
 * @NRDMA_A_IRQ_IRQ: u32, the kernel's interrupt number
 * @NRDMA_A_IRQ_ACTION: string, name that the driver gave it, absent when free
 * @NRDMA_A_IRQ_CPUS: string, cpulist that it may go to (smp_affinity)
 * @NRDMA_A_IRQ_EFFECTIVE: string, cpulist that it goes to
 * @NRDMA_A_IRQ_NODE: u32, node of the effective CPU
 * @NRDMA_A_IRQ_WANTED: string, cpulist that nrdma gave or would give it
 * @NRDMA_A_IRQ_ORIGINAL: string, cpulist that restore would give it
 * @NRDMA_A_IRQ_STATE: u32, enum nrdma_irq_state
 * @NRDMA_A_IRQ_LOCKED: u8, 1: user space cannot move it
 * @NRDMA_A_IRQ_ERROR: s32, negative errno of the last move
 * @NRDMA_A_IRQ_POLICY: nest of NRDMA_A_POLICY_*, in IRQ_SET, its reply, the
 *	request of IRQ_GET and IRQ_NTF
 * @NRDMA_A_IRQ_EVENT: u32, enum nrdma_irq_event, in IRQ_NTF
 * @NRDMA_A_IRQ_WHY: string, in IRQ_NTF
 * @NRDMA_A_IRQ_CHANGER: u32, enum nrdma_irq_changer, absent when not known
 */
enum nrdma_a_irq {
	NRDMA_A_IRQ_PAD = 1,
	NRDMA_A_IRQ_DEV_INDEX,
	NRDMA_A_IRQ_DEV_NAME,
	NRDMA_A_IRQ_PCI,
	NRDMA_A_IRQ_VECTOR,
	NRDMA_A_IRQ_IRQ,
	NRDMA_A_IRQ_ACTION,
	NRDMA_A_IRQ_CPUS,
	NRDMA_A_IRQ_EFFECTIVE,
	NRDMA_A_IRQ_NODE,
	NRDMA_A_IRQ_WANTED,
	NRDMA_A_IRQ_ORIGINAL,
	NRDMA_A_IRQ_STATE,
	NRDMA_A_IRQ_LOCKED,
	NRDMA_A_IRQ_ERROR,
	NRDMA_A_IRQ_POLICY,
	NRDMA_A_IRQ_EVENT,
	NRDMA_A_IRQ_WHY,
	NRDMA_A_IRQ_CHANGER,

	/* private: */
	__NRDMA_A_IRQ_MAX,
	NRDMA_A_IRQ_MAX = __NRDMA_A_IRQ_MAX - 1
};

/**
 * enum nrdma_buf_event - what happened to a buffer
 * @NRDMA_BUF_EVENT_ALLOCATED: it was made
 * @NRDMA_BUF_EVENT_FREED: its last user let go
 * @NRDMA_BUF_EVENT_FAILED: it could not be made, NRDMA_A_BUF_REASON says why
 */
enum nrdma_buf_event {
	NRDMA_BUF_EVENT_ALLOCATED = 1,
	NRDMA_BUF_EVENT_FREED,
	NRDMA_BUF_EVENT_FAILED,
};

/**
 * enum nrdma_a_buf - a buffer
 * @NRDMA_A_BUF_PAD: alignment
 * @NRDMA_A_BUF_ID: u32, unique while the module is loaded
 * @NRDMA_A_BUF_DEV_INDEX: u32, the RDMA device that it was made through
 * @NRDMA_A_BUF_DEV_NAME: string, its name, or the last that it had
 * @NRDMA_A_BUF_ORPHAN: u8, 1: that device is gone
 * @NRDMA_A_BUF_BYTES: u64, size
 * @NRDMA_A_BUF_NODE: u32, node that was wanted
 * @NRDMA_A_BUF_NODE_BYTES: nest of NRDMA_A_RUN_NODE and _BYTES, once per node, in
 *	the first message of a buffer
 * @NRDMA_A_BUF_RUN: nest of NRDMA_A_RUN_*, several times
 * @NRDMA_A_BUF_UID: u32, user who made it, in the reader's user namespace; in
 *	BUF_NTF, in the initial one
 * @NRDMA_A_BUF_PID: u32, process that made it, in the reader's pid namespace;
 *	absent when gone or when the reader may not know
 * @NRDMA_A_BUF_COMM: string, its command, likewise
 * @NRDMA_A_BUF_UNCHARGED_BYTES: u64, bytes charged to no memory cgroup
 * @NRDMA_A_BUF_EVENT: u32, enum nrdma_buf_event, in BUF_NTF
 * @NRDMA_A_BUF_REASON: u32, enum nrdma_reason, in BUF_NTF
 * @NRDMA_A_BUF_AVAILABLE: u64, bytes that the node had free when it could not be
 *	made; for NRDMA_REASON_POOL, that its pool had; in BUF_NTF
 * @NRDMA_A_BUF_WARM_BYTES: u64, bytes that came from a pool
 * @NRDMA_A_BUF_LINGERING: u8, 1: it was freed, but these bytes of it are still
 *	pinned, by a memory registration for example
 */
enum nrdma_a_buf {
	NRDMA_A_BUF_PAD = 1,
	NRDMA_A_BUF_ID,
	NRDMA_A_BUF_DEV_INDEX,
	NRDMA_A_BUF_DEV_NAME,
	NRDMA_A_BUF_ORPHAN,
	NRDMA_A_BUF_BYTES,
	NRDMA_A_BUF_NODE,
	NRDMA_A_BUF_NODE_BYTES,
	NRDMA_A_BUF_RUN,
	NRDMA_A_BUF_UID,
	NRDMA_A_BUF_PID,
	NRDMA_A_BUF_COMM,
	NRDMA_A_BUF_UNCHARGED_BYTES,
	NRDMA_A_BUF_EVENT,
	NRDMA_A_BUF_REASON,
	NRDMA_A_BUF_AVAILABLE,
	NRDMA_A_BUF_WARM_BYTES,
	NRDMA_A_BUF_LINGERING,

	/* private: */
	__NRDMA_A_BUF_MAX,
	NRDMA_A_BUF_MAX = __NRDMA_A_BUF_MAX - 1
};

/**
 * enum nrdma_a_run - adjoining chunks of one size on one node
 * @NRDMA_A_RUN_PAD: alignment
 * @NRDMA_A_RUN_OFFSET: u64, from the start of the buffer
 * @NRDMA_A_RUN_BYTES: u64, length
 * @NRDMA_A_RUN_CHUNK_BYTES: u64, size of each chunk
 * @NRDMA_A_RUN_NODE: u32, where they lie
 */
enum nrdma_a_run {
	NRDMA_A_RUN_PAD = 1,
	NRDMA_A_RUN_OFFSET,
	NRDMA_A_RUN_BYTES,
	NRDMA_A_RUN_CHUNK_BYTES,
	NRDMA_A_RUN_NODE,

	/* private: */
	__NRDMA_A_RUN_MAX,
	NRDMA_A_RUN_MAX = __NRDMA_A_RUN_MAX - 1
};

/**
 * enum nrdma_a_pool - memory that is set aside on a node, and its caps
 * @NRDMA_A_POOL_PAD: alignment
 * @NRDMA_A_POOL_NODE: u32, which
 * @NRDMA_A_POOL_BYTES: u64, size wanted, 0 for no pool; rounded up to a chunk
 * @NRDMA_A_POOL_CHUNK_BYTES: u64, size of its chunks: a power of two from
 *	chunk_min to chunk_max; cannot change while the pool has memory (EBUSY)
 * @NRDMA_A_POOL_READY_BYTES: u64, out, zeroed and free
 * @NRDMA_A_POOL_DIRTY_BYTES: u64, out, free and still to be zeroed
 * @NRDMA_A_POOL_USED_BYTES: u64, out, in buffers
 * @NRDMA_A_POOL_ERROR: s32, out, negative errno that keeps it from filling
 * @NRDMA_A_POOL_GID: u32, group that may use it beside CAP_IPC_LOCK, in the
 *	initial user namespace; absent, or (u32)-1 in POOL_SET, for none
 * @NRDMA_A_POOL_SHRINK: u8, 1: under memory pressure its free memory is given
 *	back, until the pool is next used
 * @NRDMA_A_POOL_UID_CAP: u64, most bytes of the node that one user may have in
 *	buffers; 0 in POOL_SET for the default, the module's uid_cap percent
 * @NRDMA_A_POOL_NODE_CAP: u64, the same for all users together, node_cap
 * @NRDMA_A_POOL_BUF_BYTES: u64, out, bytes of the node in buffers
 * @NRDMA_A_POOL_FREE_BYTES: u64, out, bytes of the node that are free
 * @NRDMA_A_POOL_TOTAL_BYTES: u64, out, bytes that the node has
 *
 * In POOL_SET what is absent stays as it was.
 */
enum nrdma_a_pool {
	NRDMA_A_POOL_PAD = 1,
	NRDMA_A_POOL_NODE,
	NRDMA_A_POOL_BYTES,
	NRDMA_A_POOL_CHUNK_BYTES,
	NRDMA_A_POOL_READY_BYTES,
	NRDMA_A_POOL_DIRTY_BYTES,
	NRDMA_A_POOL_USED_BYTES,
	NRDMA_A_POOL_ERROR,
	NRDMA_A_POOL_GID,
	NRDMA_A_POOL_SHRINK,
	NRDMA_A_POOL_UID_CAP,
	NRDMA_A_POOL_NODE_CAP,
	NRDMA_A_POOL_BUF_BYTES,
	NRDMA_A_POOL_FREE_BYTES,
	NRDMA_A_POOL_TOTAL_BYTES,

	/* private: */
	__NRDMA_A_POOL_MAX,
	NRDMA_A_POOL_MAX = __NRDMA_A_POOL_MAX - 1
};

/**
 * enum nrdma_probe_op - what a probe does over and over
 * @NRDMA_PROBE_OP_WRITE: an RDMA write, until it is completed (with iWARP that
 *	says that it was sent, not that it arrived)
 * @NRDMA_PROBE_OP_READ: an RDMA read, until it is completed
 * @NRDMA_PROBE_OP_SEND: a send, until both ends have completed it
 * @NRDMA_PROBE_OP_PINGPONG: an RDMA write, and one back when it is seen to have
 *	arrived; latency only
 */
enum nrdma_probe_op {
	NRDMA_PROBE_OP_WRITE,
	NRDMA_PROBE_OP_READ,
	NRDMA_PROBE_OP_SEND,
	NRDMA_PROBE_OP_PINGPONG,
};

/**
 * enum nrdma_a_probe - a probe: what to measure, and a measurement
 * @NRDMA_A_PROBE_PAD: alignment
 * @NRDMA_A_PROBE_DEV_INDEX: u32, the RDMA device
 * @NRDMA_A_PROBE_DEV_NAME: string, its name
 * @NRDMA_A_PROBE_OP: u32, enum nrdma_probe_op; write if absent
 * @NRDMA_A_PROBE_SIZE: u32, bytes of a message, 8 to 4 MiB; 64 if absent
 * @NRDMA_A_PROBE_ITERATIONS: u32, operations of a measurement where its quarter of
 *	a second allows, 1 to 100000; 1000 if absent
 * @NRDMA_A_PROBE_ROUNDS: u32, how often each cell is measured, 1 to 1000; 9 if
 *	absent
 * @NRDMA_A_PROBE_TIME: u32, seconds after which the run ends, 1 to 60; 10 if
 *	absent
 * @NRDMA_A_PROBE_MEM_NODE: u32, only memory of this node; of each with memory if
 *	absent. In a measurement: where the memory was
 * @NRDMA_A_PROBE_CPU_NODE: u32, only a CPU of this node; of each that has one that
 *	may be used if absent. In a measurement: where the CPU was
 * @NRDMA_A_PROBE_PORT: u32, from 1; the first that is active if absent
 * @NRDMA_A_PROBE_ISOLATED: u8, 1: isolated CPUs may be used
 * @NRDMA_A_PROBE_CELLS: u32, out, measurements of a round; in the first message
 * @NRDMA_A_PROBE_SOFTWARE: u8, out, 1: no NIC moves the data, the CPU does; in the
 *	first message
 * @NRDMA_A_PROBE_CPU: u32, out, the CPU
 * @NRDMA_A_PROBE_ROUND: u32, out, from 1
 * @NRDMA_A_PROBE_COUNT: u32, out, operations that were timed
 * @NRDMA_A_PROBE_MIN: u64, out, ns, the fastest of them (of a pingpong: there and
 *	back)
 * @NRDMA_A_PROBE_MEDIAN: u64, out, ns, the one in the middle
 * @NRDMA_A_PROBE_P99: u64, out, ns, 99 of 100 were not slower
 * @NRDMA_A_PROBE_RATE: u64, out, bits per second with the queue kept full
 * @NRDMA_A_PROBE_ERROR: s32, out, negative errno, and no figures: the cell could
 *	not be measured, the run goes on
 * @NRDMA_A_PROBE_WHY: string, out, with NRDMA_A_PROBE_ERROR, in words
 * @NRDMA_A_PROBE_PEER_CPU: u32, out, another CPU of the node for the other side of
 *	a pingpong, and busy meanwhile on a device without a NIC; the same CPU where
 *	the node has no other that may be used
 */
enum nrdma_a_probe {
	NRDMA_A_PROBE_PAD = 1,
	NRDMA_A_PROBE_DEV_INDEX,
	NRDMA_A_PROBE_DEV_NAME,
	NRDMA_A_PROBE_OP,
	NRDMA_A_PROBE_SIZE,
	NRDMA_A_PROBE_ITERATIONS,
	NRDMA_A_PROBE_ROUNDS,
	NRDMA_A_PROBE_TIME,
	NRDMA_A_PROBE_MEM_NODE,
	NRDMA_A_PROBE_CPU_NODE,
	NRDMA_A_PROBE_PORT,
	NRDMA_A_PROBE_ISOLATED,
	NRDMA_A_PROBE_CELLS,
	NRDMA_A_PROBE_SOFTWARE,
	NRDMA_A_PROBE_CPU,
	NRDMA_A_PROBE_ROUND,
	NRDMA_A_PROBE_COUNT,
	NRDMA_A_PROBE_MIN,
	NRDMA_A_PROBE_MEDIAN,
	NRDMA_A_PROBE_P99,
	NRDMA_A_PROBE_RATE,
	NRDMA_A_PROBE_ERROR,
	NRDMA_A_PROBE_WHY,
	NRDMA_A_PROBE_PEER_CPU,

	/* private: */
	__NRDMA_A_PROBE_MAX,
	NRDMA_A_PROBE_MAX = __NRDMA_A_PROBE_MAX - 1
};

#endif /* _UAPI_LINUX_NRDMA_H */
