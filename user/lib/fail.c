// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What went wrong, in words.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fail.h"
#include "sysfs.h"

#define TEXT_MAX	512

static _Thread_local char text[TEXT_MAX];
static _Thread_local struct nrdma_failure last = { .node = -1, .text = "nothing has failed" };

const struct nrdma_failure *nrdma_last_failure(void)
{
	return &last;
}

__attribute__((format(printf, 1, 0)))
static void nrdma_fail_vtext(const char *fmt, va_list ap)
{
	vsnprintf(text, sizeof(text), fmt, ap);
	last.text = text;
}

__attribute__((format(printf, 1, 2)))
static void nrdma_fail_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nrdma_fail_vtext(fmt, ap);
	va_end(ap);
}

/*
 * nrdma_fail() - a call fails, for no reason of the allocator's
 *
 * Return: @error.
 */
int nrdma_fail(int error, const char *fmt, ...)
{
	va_list ap;

	last = (struct nrdma_failure){ .error = error, .node = -1 };
	va_start(ap, fmt);
	nrdma_fail_vtext(fmt, ap);
	va_end(ap);
	return error;
}

const char *nrdma_strreason(unsigned int reason)
{
	static const char *const texts[] = {
		[NRDMA_REASON_NONE]		= "no reason",
		[NRDMA_REASON_NODE_FULL]	= "node full",
		[NRDMA_REASON_FRAGMENTED]	= "node fragmented",
		[NRDMA_REASON_MEMLOCK]		= "over RLIMIT_MEMLOCK",
		[NRDMA_REASON_CGROUP]		= "refused by the memory cgroup",
		[NRDMA_REASON_CAP]		= "over the cap of the user or the node",
		[NRDMA_REASON_CPUSET]		= "node outside the cpuset",
		[NRDMA_REASON_NODE_UNKNOWN]	= "node unknown",
		[NRDMA_REASON_NODE_ABSENT]	= "node absent or without memory",
		[NRDMA_REASON_DEVICE_GONE]	= "device removed",
		[NRDMA_REASON_KERNEL]		= "no memory for the kernel's records",
		[NRDMA_REASON_INTERRUPTED]	= "interrupted",
		[NRDMA_REASON_POOL]		= "not to be had from the pool",
	};

	if (reason >= sizeof(texts) / sizeof(*texts))
		return "unknown reason";
	return texts[reason];
}

struct size_text {
	char	s[32];
};

/* "64 KiB", "1.50 GiB": never rounded up, so that a limit is not overstated */
static struct size_text nrdma_size_text(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	uint64_t unit = 1, hundredths;
	struct size_text t;
	unsigned int i = 0;

	while (bytes / unit >= 1024) {
		unit <<= 10;
		i++;
	}
	hundredths = unit > 1 ? (bytes % unit) / (unit / 256) * 100 / 256 : 0;
	if (hundredths)
		snprintf(t.s, sizeof(t.s), "%llu.%02llu %s", (unsigned long long)(bytes / unit),
			 (unsigned long long)hundredths, units[i]);
	else
		snprintf(t.s, sizeof(t.s), "%llu %s", (unsigned long long)(bytes / unit),
			 units[i]);
	return t;
}

/* A field of /proc/self/status as it stands there, "?" without it */
static void nrdma_fail_status(char *value, size_t size, const char *key)
{
	if (nrdma_proc_status(value, size, key))
		snprintf(value, size, "?");
}

static void nrdma_fail_memlock(uint64_t wanted)
{
	struct size_text locked = nrdma_size_text(0);
	unsigned long long kb;
	struct rlimit limit;
	char value[64];

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		limit.rlim_cur = 0;
	last.limit = limit.rlim_cur;
	nrdma_fail_status(value, sizeof(value), "VmLck");
	if (sscanf(value, "%llu", &kb) == 1)
		locked = nrdma_size_text(kb << 10);
	nrdma_fail_text("%s wanted, but this process may lock %s (RLIMIT_MEMLOCK) and has locked "
			"%s: raise the limit, in a shell with \"ulimit -l unlimited\" (the hard "
			"limit is set by memlock in /etc/security/limits.conf), in a systemd unit "
			"with LimitMEMLOCK=infinity, of a container with --ulimit memlock=-1:-1",
			nrdma_size_text(wanted).s, nrdma_size_text(last.limit).s, locked.s);
}

static void nrdma_fail_cgroup(uint64_t wanted, int node)
{
	char path[128] = "?", line[160];

	/* Of version 1 there are several lines, and the memory one is anywhere */
	if (nrdma_sysfs_read(line, sizeof(line), "/proc/self/cgroup") > 0 &&
	    !strncmp(line, "0::", 3))
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
	nrdma_fail_text("%s on node %d wanted, but the memory cgroup of this process (%s) has no "
			"room for it: raise its limit (memory.max; MemoryMax= in a systemd unit)",
			nrdma_size_text(wanted).s, node, path);
}

static void nrdma_fail_cap(uint64_t wanted, int node)
{
	nrdma_fail_text("%s on node %d wanted, but that goes over what the buffers of one user, "
			"or of all users, may take of it (nrdmactl pool show): free some, or have "
			"that cap raised: nrdmactl pool set node %d cap SIZE for one user's, node-cap "
			"SIZE for that of all",
			nrdma_size_text(wanted).s, node, node);
}

static void nrdma_fail_pool(uint64_t wanted, int node, uint64_t available)
{
	nrdma_fail_text("%s from the pool of node %d wanted (NRDMA_ALLOC_POOL_ONLY), but it has %s "
			"free, or this process may not use it: that takes CAP_IPC_LOCK or the "
			"pool's group (nrdmactl pool show)",
			nrdma_size_text(wanted).s, node, nrdma_size_text(available).s);
}

static void nrdma_fail_cpuset(uint64_t wanted, int node)
{
	char allowed[256];

	nrdma_fail_status(allowed, sizeof(allowed), "Mems_allowed_list");
	nrdma_fail_text("%s on node %d wanted, but the cpuset of this process allows memory of "
			"node %s only: let its cpuset.mems hold node %d",
			nrdma_size_text(wanted).s, node, allowed, node);
}

/* A field that is malformed is refused without a word of which one; @dev: its name */
static void nrdma_fail_malformed(const char *dev, uint64_t wanted,
				 const struct nrdma_buf_options *options, uint64_t chunk_max)
{
	uint64_t page = sysconf(_SC_PAGESIZE), chunk = options->min_chunk;
	uint32_t unknown = options->flags & ~NRDMA_ALLOC_FLAGS;

	if (!wanted)
		nrdma_fail_text("%s: size is 0, but must be 1 or above", dev);
	else if (unknown)
		nrdma_fail_text("%s: of flags, 0x%x is unknown: there is NRDMA_ALLOC_REMOTE (0x%x) "
				"and NRDMA_ALLOC_POOL_ONLY (0x%x)", dev, unknown,
				NRDMA_ALLOC_REMOTE, NRDMA_ALLOC_POOL_ONLY);
	else if (options->node < NRDMA_NODE_DEVICE)
		nrdma_fail_text("%s: node is %d, but must be 0 or above, or NRDMA_NODE_DEVICE (%d)",
				dev, options->node, NRDMA_NODE_DEVICE);
	else if (chunk && (chunk & (chunk - 1) || chunk < page || chunk > chunk_max))
		nrdma_fail_text("%s: min_chunk is %llu, but must be 0, or a power of two from %llu "
				"to %llu", dev, (unsigned long long)chunk,
				(unsigned long long)page, (unsigned long long)chunk_max);
}

/*
 * nrdma_fail_alloc() - an allocation fails
 * @error: negative errno
 * @dev: the device
 * @wanted: bytes
 * @options: how it was to be done
 * @answer: what the kernel wrote; @answer->reason is NRDMA_REASON_NONE when it
 *	did not get so far
 *
 * Return: @error.
 */
int nrdma_fail_alloc(int error, const struct nrdma_dev *dev, uint64_t wanted,
		     const struct nrdma_buf_options *options, const struct nrdma_alloc *answer)
{
	struct size_text want = nrdma_size_text(wanted);
	struct size_text have = nrdma_size_text(answer->available);
	char name[NRDMA_NAME_MAX];
	int node = answer->node;

	nrdma_dev_name(dev, name);
	if (answer->reason == NRDMA_REASON_NONE) {
		nrdma_fail(error, "%s: cannot allocate %s: %s", name, want.s, strerror(-error));
		last.wanted = wanted;
		if (error == -EINVAL)
			nrdma_fail_malformed(name, wanted, options, dev->chunk_max);
		return error;
	}

	last = (struct nrdma_failure){
		.error = error,
		.reason = answer->reason,
		.node = node,
		.wanted = wanted,
		.available = answer->available,
	};
	switch (answer->reason) {
	case NRDMA_REASON_NODE_FULL:
		nrdma_fail_text("%s on node %d wanted, but it has %s free%s", want.s, node, have.s,
				options->flags & NRDMA_ALLOC_REMOTE ?
				", and the other nodes have not enough to help out" :
				" (NRDMA_ALLOC_REMOTE would take the rest from other nodes)");
		break;
	case NRDMA_REASON_FRAGMENTED:
		nrdma_fail_text("%s on node %d wanted, of which %s are free, but not in pieces of "
				"%s: ask for a smaller min_chunk, or let the kernel tidy up first "
				"(echo 1 >/proc/sys/vm/compact_memory)", want.s, node, have.s,
				nrdma_size_text(options->min_chunk).s);
		break;
	case NRDMA_REASON_MEMLOCK:
		nrdma_fail_memlock(wanted);
		break;
	case NRDMA_REASON_CGROUP:
		nrdma_fail_cgroup(wanted, node);
		break;
	case NRDMA_REASON_CAP:
		nrdma_fail_cap(wanted, node);
		break;
	case NRDMA_REASON_CPUSET:
		nrdma_fail_cpuset(wanted, node);
		break;
	case NRDMA_REASON_POOL:
		nrdma_fail_pool(wanted, node, answer->available);
		break;
	case NRDMA_REASON_NODE_UNKNOWN:
		nrdma_fail_text("the node of %s is not known, so name one for the buffer, or have "
				"it set for the device: nrdmactl dev set %s node N", name, name);
		break;
	case NRDMA_REASON_NODE_ABSENT:
		nrdma_fail_text("node %d is not online, or has no memory", node);
		break;
	case NRDMA_REASON_DEVICE_GONE:
		nrdma_fail_text("the RDMA device %s was removed", name);
		break;
	default:
		nrdma_fail_text("%s on node %d wanted: %s (reason %u)", want.s, node,
				nrdma_strreason(answer->reason), answer->reason);
	}
	return error;
}
