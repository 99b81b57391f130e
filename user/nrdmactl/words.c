// SPDX-License-Identifier: GPL-2.0
#include <linux/nrdma.h>

#include "sys.h"
#include "words.h"

const char *const words_node_source[] = {
	[NRDMA_NODE_SOURCE_UNKNOWN] = "unknown",
	[NRDMA_NODE_SOURCE_OVERRIDE] = "override",
	[NRDMA_NODE_SOURCE_PCI] = "pci",
	[NRDMA_NODE_SOURCE_PARENT] = "parent",
	[NRDMA_NODE_SOURCE_NETDEV] = "netdev",
	NULL
};

const char *const words_tier[] = {
	[NRDMA_TIER_NODE] = "node",
	[NRDMA_TIER_SOCKET] = "socket",
	[NRDMA_TIER_REST] = "rest",
	[NRDMA_TIER_NONE] = "none",
	NULL
};

const char *const words_policy[] = {
	[NRDMA_POLICY_OFF] = "off",
	[NRDMA_POLICY_LOCAL] = "local",
	[NRDMA_POLICY_SPREAD] = "spread",
	[NRDMA_POLICY_NODE] = "node",
	[NRDMA_POLICY_CPUS] = "cpus",
	NULL
};

const char *const words_irq_state[] = {
	[NRDMA_IRQ_STATE_IDLE] = "idle",
	[NRDMA_IRQ_STATE_PLACED] = "placed",
	[NRDMA_IRQ_STATE_PENDING] = "pending",
	[NRDMA_IRQ_STATE_MANAGED] = "managed",
	[NRDMA_IRQ_STATE_DRIFTED] = "drifted",
	[NRDMA_IRQ_STATE_FAILED] = "failed",
	NULL
};

const char *const words_dev_event[] = {
	[0] = "unknown",
	[NRDMA_DEV_EVENT_ADDED] = "added",
	[NRDMA_DEV_EVENT_REMOVED] = "removed",
	[NRDMA_DEV_EVENT_RENAMED] = "renamed",
	[NRDMA_DEV_EVENT_PORT] = "port",
	[NRDMA_DEV_EVENT_NODE] = "node",
	NULL
};

const char *const words_irq_changer[] = {
	[0] = "unknown",
	[NRDMA_IRQ_CHANGER_NRDMA] = "nrdma",
	[NRDMA_IRQ_CHANGER_DRIVER] = "driver",
	[NRDMA_IRQ_CHANGER_KERNEL] = "kernel",
	[NRDMA_IRQ_CHANGER_OTHER] = "other",
	NULL
};

const char *const words_irq_event[] = {
	[0] = "unknown",
	[NRDMA_IRQ_EVENT_STEERED] = "steered",
	[NRDMA_IRQ_EVENT_RESTEERED] = "resteered",
	[NRDMA_IRQ_EVENT_RESTORED] = "restored",
	[NRDMA_IRQ_EVENT_DRIFTED] = "drifted",
	NULL
};

const char *const words_buf_event[] = {
	[0] = "unknown",
	[NRDMA_BUF_EVENT_ALLOCATED] = "allocated",
	[NRDMA_BUF_EVENT_FREED] = "freed",
	[NRDMA_BUF_EVENT_FAILED] = "failed",
	NULL
};

const char *const words_reason[] = {
	[NRDMA_REASON_NONE] = "none",
	[NRDMA_REASON_NODE_FULL] = "node full",
	[NRDMA_REASON_FRAGMENTED] = "node fragmented",
	[NRDMA_REASON_MEMLOCK] = "memlock limit",
	[NRDMA_REASON_CGROUP] = "memory cgroup",
	[NRDMA_REASON_CAP] = "cap",
	[NRDMA_REASON_CPUSET] = "node outside cpuset",
	[NRDMA_REASON_NODE_UNKNOWN] = "node unknown",
	[NRDMA_REASON_NODE_ABSENT] = "node absent",
	[NRDMA_REASON_DEVICE_GONE] = "device gone",
	[NRDMA_REASON_KERNEL] = "kernel memory",
	[NRDMA_REASON_INTERRUPTED] = "interrupted",
	[NRDMA_REASON_POOL] = "pool",
	NULL
};

/* enum ib_port_state */
const char *const words_port_state[] = {
	"nop", "down", "init", "armed", "active", "active_defer", NULL
};

/**
 * words_of() - the word for a number
 *
 * A number of a newer module has none, and is still shown.
 */
struct str words_of(const char *const *words, struct num n)
{
	struct str str = { .known = true };
	long long i;

	if (!n.known)
		return str_none(n.why);
	for (i = 0; words[i]; i++)
		if (i == n.v)
			return str_of(words[i]);
	snprintf(str.s, sizeof(str.s), "unknown (%lld)", n.v);
	return str;
}

/**
 * words_node_unknown() - why a node is not known, enum nrdma_node_unknown
 */
const char *words_node_unknown(long long why)
{
	switch (why) {
	case NRDMA_NODE_UNKNOWN_VIRTUAL:
		return "virtual";
	case NRDMA_NODE_UNKNOWN_FIRMWARE:
		return "not in firmware";
	case NRDMA_NODE_UNKNOWN_DISAGREE:
		return "lower devices differ";
	case NRDMA_NODE_UNKNOWN_NETDEV:
		return "no netdev";
	default:
		return "unknown";
	}
}
