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

#include <linux/rtnetlink.h>

#include "nl.h"
#include "tap.h"

static struct nl nl;

/*
 * A dump that is refused once it runs ends with the refusal. Up to 6.9 the core
 * puts only its words there, later the attribute as well: whether this one does is
 * seen in a refusal of its own, of a dump of links with an attribute that nobody
 * knows.
 */
static bool dump_names_attribute;

static void see_dump_end(void)
{
	const int unknown = 4711;
	struct nl_answer a;
	struct nl route;
	int one = 1;

	if (nl_open(&route, NETLINK_ROUTE) ||
	    setsockopt(route.sock, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one)))
		tap_bail("rtnetlink: %m");
	nl_begin_plain(&route, RTM_GETLINK, NLM_F_DUMP);
	route.nlh.nlmsg_len += sizeof(struct ifinfomsg);
	nl_put_u32(&route, unknown, 0);
	a = nl_ask(&route);
	close(route.sock);
	if (a.err != -EINVAL || !a.text[0] || (a.attr >= 0 && a.attr != unknown))
		tap_bail("a dump of links: %s, attribute %d: %s", strerror(-a.err), a.attr, a.text);
	dump_names_attribute = a.attr >= 0;
	printf("# the end of a dump names %s\n", dump_names_attribute ? "the attribute" : "none");
}

static void expect(int err, int attr, const char *what)
{
	struct nl_answer a = nl_ask(&nl);

	tap_ok(a.err == -err && a.attr == attr && (attr < 0 || a.text[0]), "%s: %s, attribute %d: %s",
	       what, strerrorname_np(-a.err), a.attr, a.text);
}

static void expect_of_dump(int err, int attr, const char *what)
{
	expect(err, dump_names_attribute ? attr : -1, what);
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

/* Policies that are none; what is -1 or NULL is not said. */
static const struct policy {
	int		mode, node;
	const char	*cpus;
	int		error, attr;
	const char	*what;
} policies[] = {
	{ 99, -1, NULL, ERANGE, NRDMA_A_POLICY_MODE, "a mode that there is not" },
	{ NRDMA_POLICY_CPUS, -1, "1-x", EINVAL, NRDMA_A_POLICY_CPUS,
	  "a list of CPUs that is none" },
	{ NRDMA_POLICY_CPUS, -1, "4000", EINVAL, NRDMA_A_POLICY_CPUS, "a CPU that is not there" },
	{ NRDMA_POLICY_NODE, 63, NULL, EINVAL, NRDMA_A_POLICY_NODE, "a node that is not there" },
	{ NRDMA_POLICY_LOCAL, 0, NULL, EINVAL, NRDMA_A_POLICY_NODE, "a node for another policy" },
	{ NRDMA_POLICY_LOCAL, -1, "0", EINVAL, NRDMA_A_POLICY_CPUS, "CPUs for another policy" },
	{ NRDMA_POLICY_NODE, -1, NULL, EINVAL, NRDMA_A_POLICY_MODE, "policy node of no node" },
	/* The list is not there to be named: its nest is */
	{ NRDMA_POLICY_CPUS, -1, NULL, EINVAL, NRDMA_A_IRQ_POLICY, "policy cpus of no CPUs" },
};

static void test_irq(const char *dev)
{
	const struct policy *p;
	struct nlattr *nest;

	request(NRDMA_CMD_IRQ_SET);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	expect(EINVAL, -1, "no policy");
	for (p = policies; p < policies + sizeof(policies) / sizeof(*policies); p++) {
		nest = irq_set(dev);
		nl_put_u32(&nl, NRDMA_A_POLICY_MODE, p->mode);
		if (p->node >= 0)
			nl_put_u32(&nl, NRDMA_A_POLICY_NODE, p->node);
		if (p->cpus)
			nl_put_string(&nl, NRDMA_A_POLICY_CPUS, p->cpus);
		nl_nest_end(&nl, nest);
		expect(p->error, p->attr, p->what);
	}
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

static struct nlattr *irq_plan(const char *dev)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_IRQ_GET, NLM_F_DUMP);
	if (dev)
		nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	return nl_nest_begin(&nl, NRDMA_A_IRQ_POLICY);
}

static void test_plan(const char *dev)
{
	struct nlattr *nest;

	nl_nest_end(&nl, irq_plan("nosuch0"));
	expect_of_dump(ENODEV, NRDMA_A_IRQ_DEV_NAME, "vectors of nothing");
	nest = irq_plan(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_NODE);
	nl_put_u32(&nl, NRDMA_A_POLICY_NODE, 63);
	nl_nest_end(&nl, nest);
	expect_of_dump(EINVAL, NRDMA_A_POLICY_NODE, "a plan for a node that is not there");
	nest = irq_plan(dev);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nl_put_string(&nl, NRDMA_A_POLICY_CPUS, "x");
	nl_nest_end(&nl, nest);
	expect_of_dump(EINVAL, NRDMA_A_POLICY_CPUS, "a plan for a list of CPUs that is none");
	nest = irq_plan(NULL);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nl_put_string(&nl, NRDMA_A_POLICY_CPUS, "x");
	nl_nest_end(&nl, nest);
	expect_of_dump(EINVAL, NRDMA_A_POLICY_CPUS, "nor for all devices");
	nest = irq_plan(NULL);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_NODE);
	nl_put_u32(&nl, NRDMA_A_POLICY_NODE, 63);
	nl_nest_end(&nl, nest);
	expect_of_dump(0, -1, "of all, those that cannot follow hide none");
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
	expect_of_dump(ENODEV, NRDMA_A_BUF_DEV_NAME, "buffers of nothing");
	nl_begin(&nl, nl.family, NRDMA_CMD_BUF_GET, NLM_F_DUMP);
	nl_put_u32(&nl, NRDMA_A_BUF_UID, 0);
	expect(EINVAL, NRDMA_A_BUF_UID, "an attribute that is an answer, in a dump");
	request(NRDMA_CMD_POOL_SET);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 0);
	nl_put(&nl, NRDMA_A_POOL_CHUNK_BYTES, &bytes, sizeof(bytes));
	expect(EINVAL, NRDMA_A_POOL_CHUNK_BYTES, "a chunk of 3 MiB");
	bytes = 1ULL << 50;
	request(NRDMA_CMD_POOL_SET);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 0);
	nl_put(&nl, NRDMA_A_POOL_BYTES, &bytes, sizeof(bytes));
	expect(ENOSPC, NRDMA_A_POOL_BYTES, "a pool of more than there is");
	request(NRDMA_CMD_POOL_SET);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 63);
	expect(EINVAL, NRDMA_A_POOL_NODE, "a pool of a node that is not there");
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
	expect_of_dump(ENODEV, NRDMA_A_PROBE_DEV_NAME, "a probe of nothing");
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
	expect_of_dump(EINVAL, NRDMA_A_PROBE_CPU_NODE, "a CPU of a node that is not there");
	probe(dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_PORT, 200);
	expect_of_dump(EINVAL, NRDMA_A_PROBE_PORT, "a port that is not there");
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
	see_dump_end();
	test_dev(argv[1]);
	test_irq(argv[1]);
	test_plan(argv[1]);
	test_others();
	test_probe(argv[1]);
	test_unprivileged(argv[1]);
	return tap_done();
}
