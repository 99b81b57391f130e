// SPDX-License-Identifier: GPL-2.0
/*
 * t-nl DEVICE: requests that no tool would send, over a raw netlink socket. Each
 * is refused with the errno and, where it is about an attribute, the attribute
 * that the answer must name; nothing changes. TAP.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nl.h"
#include "tap.h"

static struct nl nl;

static void expect(int err, int attr, const char *what)
{
	struct nl_answer a = nl_ask(&nl);

	tap_ok(a.err == -err && a.attr == attr && (attr < 0 || a.text[0]), "%s: %s, attribute %d: %s",
	       what, strerrorname_np(-a.err), a.attr, a.text);
}

static void request(uint8_t cmd)
{
	nl_begin(&nl, nl.family, cmd, NLM_F_ACK);
}

static void test_dev(const char *dev)
{
	request(NRDMA_CMD_DEV_GET);
	expect(EINVAL, -1, "a device without a name");
	request(NRDMA_CMD_DEV_GET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, "nosuch0");
	expect(ENODEV, NRDMA_A_DEV_NAME, "a device that is not there");
	request(NRDMA_CMD_DEV_GET);
	nl_put_u32(&nl, NRDMA_A_DEV_INDEX, 4711);
	expect(ENODEV, NRDMA_A_DEV_INDEX, "an index that is not there");
	request(NRDMA_CMD_DEV_GET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_INDEX, 0);
	expect(EINVAL, NRDMA_A_DEV_NAME, "name and index");
	request(NRDMA_CMD_DEV_GET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_ERROR + 50, 1);
	expect(EINVAL, NRDMA_A_DEV_ERROR + 50, "an attribute that nobody knows");
	request(NRDMA_CMD_DEV_GET);
	nl_put(&nl, NRDMA_A_DEV_NAME, "abc", 3);
	expect(EINVAL, NRDMA_A_DEV_NAME, "a name without an end");
	request(NRDMA_CMD_DEV_GET);
	nl_put(&nl, NRDMA_A_DEV_INDEX, "abc", 3);
	expect(EINVAL, NRDMA_A_DEV_INDEX, "an index of three bytes");
	request(NRDMA_CMD_DEV_GET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, "a-name-that-is-longer-than-any-RDMA-device-may-have-in-this-world");
	expect(EINVAL, NRDMA_A_DEV_NAME, "a name that is too long");
	request(NRDMA_CMD_DEV_SET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	expect(EINVAL, -1, "nothing to set");
	request(NRDMA_CMD_DEV_SET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_NODE_OVERRIDE, -2);
	expect(ERANGE, NRDMA_A_DEV_NODE_OVERRIDE, "node -2");
	request(NRDMA_CMD_DEV_SET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_NODE_OVERRIDE, 0x7fffffff);
	expect(EINVAL, NRDMA_A_DEV_NODE_OVERRIDE, "node INT_MAX");
}

static struct nlattr *irq_set(const char *dev)
{
	request(NRDMA_CMD_IRQ_SET);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	return nl_nest_begin(&nl, NRDMA_A_IRQ_POLICY);
}

static void test_irq(const char *dev)
{
	struct nlattr *nest;

	request(NRDMA_CMD_IRQ_SET);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	expect(EINVAL, -1, "no policy");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, 99);
	nl_nest_end(&nl, nest);
	expect(ERANGE, NRDMA_A_POLICY_MODE, "a mode that there is not");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nl_put_string(&nl, NRDMA_A_POLICY_CPUS, "1-x");
	nl_nest_end(&nl, nest);
	expect(EINVAL, NRDMA_A_POLICY_CPUS, "a list of CPUs that is none");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nl_put_string(&nl, NRDMA_A_POLICY_CPUS, "4000");
	nl_nest_end(&nl, nest);
	expect(EINVAL, NRDMA_A_POLICY_CPUS, "a CPU that is not there");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_NODE);
	nl_put_u32(&nl, NRDMA_A_POLICY_NODE, 999);
	nl_nest_end(&nl, nest);
	expect(EINVAL, NRDMA_A_POLICY_NODE, "a node that is not there");
	nest = irq_set(dev);
	nl_put_u8(&nl, NRDMA_A_POLICY_LOCK, 2);
	nl_nest_end(&nl, nest);
	expect(ERANGE, NRDMA_A_POLICY_LOCK, "a lock that is neither on nor off");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_PLACED, 1);
	nl_nest_end(&nl, nest);
	expect(EINVAL, NRDMA_A_POLICY_PLACED, "an attribute that is an answer");
	request(NRDMA_CMD_IRQ_RESTORE);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, "nosuch0");
	expect(ENODEV, NRDMA_A_IRQ_DEV_NAME, "restore of nothing");
}

static void test_others(void)
{
	uint64_t bytes = 3 << 20;

	request(NRDMA_CMD_MAX + 1);
	expect(EOPNOTSUPP, -1, "a command that nobody knows");
	request(NRDMA_CMD_DEV_NTF);
	expect(EOPNOTSUPP, -1, "an event is no request");
	nl_begin(&nl, nl.family, NRDMA_CMD_BUF_GET, NLM_F_DUMP);
	nl_put_string(&nl, NRDMA_A_BUF_DEV_NAME, "nosuch0");
	/* At the end of a dump there is room for words only */
	expect(ENODEV, -1, "buffers of nothing");
	nl_begin(&nl, nl.family, NRDMA_CMD_BUF_GET, NLM_F_DUMP);
	nl_put_u32(&nl, NRDMA_A_BUF_UID, 0);
	expect(EINVAL, NRDMA_A_BUF_UID, "an attribute that is an answer, in a dump");
	request(NRDMA_CMD_POOL_SET);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 0);
	nl_put(&nl, NRDMA_A_POOL_CHUNK_BYTES, &bytes, sizeof(bytes));
	expect(EINVAL, NRDMA_A_POOL_CHUNK_BYTES, "a chunk of 3 MiB");
	request(NRDMA_CMD_POOL_SET);
	expect(EINVAL, -1, "a pool of no node");
}

static void probe(const char *dev)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_PROBE_RUN, NLM_F_DUMP);
	nl_put_string(&nl, NRDMA_A_PROBE_DEV_NAME, dev);
}

static void test_probe(const char *dev)
{
	request(NRDMA_CMD_PROBE_RUN);
	nl_put_string(&nl, NRDMA_A_PROBE_DEV_NAME, dev);
	expect(EOPNOTSUPP, -1, "a probe is a dump");
	nl_begin(&nl, nl.family, NRDMA_CMD_PROBE_RUN, NLM_F_DUMP);
	expect(EINVAL, -1, "a probe of no device");
	probe("nosuch0");
	expect(ENODEV, -1, "a probe of nothing");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_OP, NRDMA_PROBE_OP_PINGPONG + 1);
	expect(ERANGE, NRDMA_A_PROBE_OP, "an operation that there is not");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_SIZE, (4 << 20) + 1);
	expect(ERANGE, NRDMA_A_PROBE_SIZE, "a message of more than 4 MiB");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_ITERATIONS, 0);
	expect(ERANGE, NRDMA_A_PROBE_ITERATIONS, "no iterations");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_TIME, 61);
	expect(ERANGE, NRDMA_A_PROBE_TIME, "more than a minute");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_MEM_NODE, 0xffffffff);
	expect(ERANGE, NRDMA_A_PROBE_MEM_NODE, "memory of node -1");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_CPU_NODE, 63);
	expect(EINVAL, -1, "a CPU of a node that is not there");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_PORT, 200);
	expect(EINVAL, -1, "a port that is not there");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_CELLS, 1);
	expect(EINVAL, NRDMA_A_PROBE_CELLS, "an attribute that is an answer");
}

/* Root of a user namespace of his own is not root */
static void test_unprivileged(const char *dev)
{
	struct nlattr *nest;

	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		tap_bail("setresuid: %m");
	request(NRDMA_CMD_DEV_SET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_NODE_OVERRIDE, 0);
	expect(EPERM, -1, "a user may not set a node");
	nest = irq_set(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_LOCAL);
	nl_nest_end(&nl, nest);
	expect(EPERM, -1, "nor steer");
	request(NRDMA_CMD_IRQ_RESTORE);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	expect(EPERM, -1, "nor restore");
	request(NRDMA_CMD_POOL_SET);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 0);
	expect(EPERM, -1, "nor set memory aside");
	probe(dev);
	expect(EPERM, -1, "nor probe");
	request(NRDMA_CMD_DEV_GET);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	expect(0, -1, "but look");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		tap_bail("usage: t-nl DEVICE");
	if (nl_open(&nl, NETLINK_GENERIC))
		tap_bail("netlink: %m");
	if (nl_find_family(&nl, NRDMA_FAMILY_NAME))
		tap_bail("no family %s", NRDMA_FAMILY_NAME);
	test_dev(argv[1]);
	test_irq(argv[1]);
	test_others();
	test_probe(argv[1]);
	test_unprivileged(argv[1]);
	return tap_done();
}
