// SPDX-License-Identifier: GPL-2.0
/*
 * t-nl DEVICE: requests that no tool would send, over a raw netlink socket. Each
 * is refused with the errno and, where it is about an attribute, the attribute
 * that the answer must name; nothing changes. TAP.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "buf.h"
#include "tap.h"

#ifndef NETLINK_EXT_ACK
#error "needs a kernel header with extended acknowledgements"
#endif

static int sock;
static uint16_t family;
static uint32_t seq;

struct message {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attrs[4096];
};

static struct message msg;

static void begin(uint16_t type, uint8_t cmd, uint16_t flags)
{
	memset(&msg, 0, sizeof(msg));
	msg.nlh.nlmsg_len = offsetof(struct message, attrs);
	msg.nlh.nlmsg_type = type;
	msg.nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	msg.nlh.nlmsg_seq = ++seq;
	msg.genl.cmd = cmd;
	msg.genl.version = NRDMA_FAMILY_VERSION;
}

static void *put(uint16_t type, const void *data, size_t bytes)
{
	struct nlattr *attr = (void *)((char *)&msg + msg.nlh.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + bytes;
	memcpy(attr + 1, data, bytes);
	msg.nlh.nlmsg_len += NLA_ALIGN(attr->nla_len);
	return attr;
}

static void put_u32(uint16_t type, uint32_t value)
{
	put(type, &value, sizeof(value));
}

static void put_u8(uint16_t type, uint8_t value)
{
	put(type, &value, sizeof(value));
}

static void put_string(uint16_t type, const char *value)
{
	put(type, value, strlen(value) + 1);
}

static struct nlattr *nest_begin(uint16_t type)
{
	return put(type | NLA_F_NESTED, NULL, 0);
}

static void nest_end(struct nlattr *nest)
{
	nest->nla_len = (char *)&msg + msg.nlh.nlmsg_len - (char *)nest;
}

struct answer {
	int err;		/* negative errno, 0 for an acknowledgement */
	int attr;		/* type of the attribute at fault, -1 for none */
	char text[256];
};

/* From @at on */
static void read_ext_ack(const struct nlmsghdr *nlh, size_t at, struct answer *answer)
{
	const struct nlattr *a;
	uint32_t offset;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; at + sizeof(*a) <= nlh->nlmsg_len; at += NLA_ALIGN(a->nla_len)) {
		a = (const void *)((const char *)nlh + at);
		if (a->nla_len < sizeof(*a))
			return;
		if (a->nla_type == NLMSGERR_ATTR_MSG) {
			snprintf(answer->text, sizeof(answer->text), "%s", (const char *)(a + 1));
		} else if (a->nla_type == NLMSGERR_ATTR_OFFS) {
			memcpy(&offset, a + 1, sizeof(offset));
			answer->attr = ((struct nlattr *)((char *)&msg + offset))->nla_type &
				       NLA_TYPE_MASK;
		}
	}
}

static struct answer ask(void)
{
	struct answer answer = { .err = 1, .attr = -1 };
	char buf[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsgerr *e;
	size_t at;

	if (send(sock, &msg, msg.nlh.nlmsg_len, 0) < 0)
		tap_bail("send: %m");
	for (;;) {
		ssize_t n = recv(sock, buf, sizeof(buf), 0);
		struct nlmsghdr *nlh = (void *)buf;

		if (n < 0)
			tap_bail("recv: %m");
		for (; NLMSG_OK(nlh, (size_t)n); nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_seq != seq)
				continue;
			if (nlh->nlmsg_type == NLMSG_DONE) {
				memcpy(&answer.err, NLMSG_DATA(nlh), sizeof(int));
				read_ext_ack(nlh, NLMSG_HDRLEN + sizeof(int), &answer);
				return answer;
			}
			if (nlh->nlmsg_type != NLMSG_ERROR)
				continue;
			e = NLMSG_DATA(nlh);
			answer.err = e->error;
			at = NLMSG_HDRLEN + sizeof(*e);
			/* The request follows, unless it is left out */
			if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
				at += e->msg.nlmsg_len - sizeof(e->msg);
			read_ext_ack(nlh, at, &answer);
			return answer;
		}
	}
}

static void expect(int err, int attr, const char *what)
{
	struct answer a = ask();

	tap_ok(a.err == -err && a.attr == attr && (attr < 0 || a.text[0]), "%s: %s, attribute %d: %s",
	       what, strerrorname_np(-a.err), a.attr, a.text);
}

static void find_family(void)
{
	char buf[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh = (void *)buf;
	struct nlattr *a;
	ssize_t n;

	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put_string(CTRL_ATTR_FAMILY_NAME, NRDMA_FAMILY_NAME);
	if (send(sock, &msg, msg.nlh.nlmsg_len, 0) < 0)
		tap_bail("send: %m");
	n = recv(sock, buf, sizeof(buf), 0);
	if (n < 0 || nlh->nlmsg_type == NLMSG_ERROR)
		tap_bail("no family %s", NRDMA_FAMILY_NAME);
	for (a = (void *)(buf + NLMSG_HDRLEN + GENL_HDRLEN); (char *)a < buf + n;
	     a = (void *)((char *)a + NLA_ALIGN(a->nla_len)))
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, a + 1, sizeof(family));
}

static void request(uint8_t cmd)
{
	begin(family, cmd, NLM_F_ACK);
}

static void test_dev(const char *dev)
{
	request(NRDMA_CMD_DEV_GET);
	expect(EINVAL, -1, "a device without a name");
	request(NRDMA_CMD_DEV_GET);
	put_string(NRDMA_A_DEV_NAME, "nosuch0");
	expect(ENODEV, NRDMA_A_DEV_NAME, "a device that is not there");
	request(NRDMA_CMD_DEV_GET);
	put_u32(NRDMA_A_DEV_INDEX, 4711);
	expect(ENODEV, NRDMA_A_DEV_INDEX, "an index that is not there");
	request(NRDMA_CMD_DEV_GET);
	put_string(NRDMA_A_DEV_NAME, dev);
	put_u32(NRDMA_A_DEV_INDEX, 0);
	expect(EINVAL, NRDMA_A_DEV_NAME, "name and index");
	request(NRDMA_CMD_DEV_GET);
	put_string(NRDMA_A_DEV_NAME, dev);
	put_u32(NRDMA_A_DEV_ERROR + 50, 1);
	expect(EINVAL, NRDMA_A_DEV_ERROR + 50, "an attribute that nobody knows");
	request(NRDMA_CMD_DEV_GET);
	put(NRDMA_A_DEV_NAME, "abc", 3);
	expect(EINVAL, NRDMA_A_DEV_NAME, "a name without an end");
	request(NRDMA_CMD_DEV_GET);
	put(NRDMA_A_DEV_INDEX, "abc", 3);
	expect(EINVAL, NRDMA_A_DEV_INDEX, "an index of three bytes");
	request(NRDMA_CMD_DEV_GET);
	put_string(NRDMA_A_DEV_NAME, "a-name-that-is-longer-than-any-RDMA-device-may-have-in-this-world");
	expect(EINVAL, NRDMA_A_DEV_NAME, "a name that is too long");
	request(NRDMA_CMD_DEV_SET);
	put_string(NRDMA_A_DEV_NAME, dev);
	expect(EINVAL, -1, "nothing to set");
	request(NRDMA_CMD_DEV_SET);
	put_string(NRDMA_A_DEV_NAME, dev);
	put_u32(NRDMA_A_DEV_NODE_OVERRIDE, -2);
	expect(ERANGE, NRDMA_A_DEV_NODE_OVERRIDE, "node -2");
	request(NRDMA_CMD_DEV_SET);
	put_string(NRDMA_A_DEV_NAME, dev);
	put_u32(NRDMA_A_DEV_NODE_OVERRIDE, 0x7fffffff);
	expect(EINVAL, NRDMA_A_DEV_NODE_OVERRIDE, "node INT_MAX");
}

static struct nlattr *irq_set(const char *dev)
{
	request(NRDMA_CMD_IRQ_SET);
	put_string(NRDMA_A_IRQ_DEV_NAME, dev);
	return nest_begin(NRDMA_A_IRQ_POLICY);
}

static void test_irq(const char *dev)
{
	struct nlattr *nest;

	request(NRDMA_CMD_IRQ_SET);
	put_string(NRDMA_A_IRQ_DEV_NAME, dev);
	expect(EINVAL, -1, "no policy");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_MODE, 99);
	nest_end(nest);
	expect(ERANGE, NRDMA_A_POLICY_MODE, "a mode that there is not");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	put_string(NRDMA_A_POLICY_CPUS, "1-x");
	nest_end(nest);
	expect(EINVAL, NRDMA_A_POLICY_CPUS, "a list of CPUs that is none");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	put_string(NRDMA_A_POLICY_CPUS, "4000");
	nest_end(nest);
	expect(EINVAL, NRDMA_A_POLICY_CPUS, "a CPU that is not there");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_MODE, NRDMA_POLICY_NODE);
	put_u32(NRDMA_A_POLICY_NODE, 999);
	nest_end(nest);
	expect(EINVAL, NRDMA_A_POLICY_NODE, "a node that is not there");
	nest = irq_set(dev);
	put_u8(NRDMA_A_POLICY_LOCK, 2);
	nest_end(nest);
	expect(ERANGE, NRDMA_A_POLICY_LOCK, "a lock that is neither on nor off");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_PLACED, 1);
	nest_end(nest);
	expect(EINVAL, NRDMA_A_POLICY_PLACED, "an attribute that is an answer");
	request(NRDMA_CMD_IRQ_RESTORE);
	put_string(NRDMA_A_IRQ_DEV_NAME, "nosuch0");
	expect(ENODEV, NRDMA_A_IRQ_DEV_NAME, "restore of nothing");
}

static void test_others(void)
{
	uint64_t bytes = 3 << 20;

	request(NRDMA_CMD_MAX + 1);
	expect(EOPNOTSUPP, -1, "a command that nobody knows");
	request(NRDMA_CMD_DEV_NTF);
	expect(EOPNOTSUPP, -1, "an event is no request");
	begin(family, NRDMA_CMD_BUF_GET, NLM_F_DUMP);
	put_string(NRDMA_A_BUF_DEV_NAME, "nosuch0");
	/* At the end of a dump there is room for words only */
	expect(ENODEV, -1, "buffers of nothing");
	begin(family, NRDMA_CMD_BUF_GET, NLM_F_DUMP);
	put_u32(NRDMA_A_BUF_UID, 0);
	expect(EINVAL, NRDMA_A_BUF_UID, "an attribute that is an answer, in a dump");
	request(NRDMA_CMD_POOL_SET);
	put_u32(NRDMA_A_POOL_NODE, 0);
	put(NRDMA_A_POOL_CHUNK_BYTES, &bytes, sizeof(bytes));
	expect(EINVAL, NRDMA_A_POOL_CHUNK_BYTES, "a chunk of 3 MiB");
	request(NRDMA_CMD_POOL_SET);
	expect(EINVAL, -1, "a pool of no node");
}

/* Root of a user namespace of his own is not root */
static void test_unprivileged(const char *dev)
{
	struct nlattr *nest;

	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		tap_bail("setresuid: %m");
	request(NRDMA_CMD_DEV_SET);
	put_string(NRDMA_A_DEV_NAME, dev);
	put_u32(NRDMA_A_DEV_NODE_OVERRIDE, 0);
	expect(EPERM, -1, "a user may not set a node");
	nest = irq_set(dev);
	put_u32(NRDMA_A_POLICY_MODE, NRDMA_POLICY_LOCAL);
	nest_end(nest);
	expect(EPERM, -1, "nor steer");
	request(NRDMA_CMD_IRQ_RESTORE);
	put_string(NRDMA_A_IRQ_DEV_NAME, dev);
	expect(EPERM, -1, "nor restore");
	request(NRDMA_CMD_POOL_SET);
	put_u32(NRDMA_A_POOL_NODE, 0);
	expect(EPERM, -1, "nor set memory aside");
	request(NRDMA_CMD_DEV_GET);
	put_string(NRDMA_A_DEV_NAME, dev);
	expect(0, -1, "but look");
}

int main(int argc, char **argv)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int one = 1;

	if (argc != 2)
		tap_bail("usage: t-nl DEVICE");
	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (sock < 0 || bind(sock, (void *)&addr, sizeof(addr)) ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)))
		tap_bail("netlink: %m");
	find_family();
	test_dev(argv[1]);
	test_irq(argv[1]);
	test_others();
	test_unprivileged(argv[1]);
	return tap_done();
}
