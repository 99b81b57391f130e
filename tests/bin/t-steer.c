// SPDX-License-Identifier: GPL-2.0
/*
 * t-steer DEVICE ROUNDS: steers all vectors of a device, unlocked, by one netlink
 * request to its node, and by one to all CPUs. Prints the nanoseconds from sending
 * the latter until it was answered, a line a round. They are spread in the end.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nrdma.h>

static struct {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attrs[512];
} msg;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct nlattr *put(uint16_t type, const void *data, size_t bytes)
{
	struct nlattr *attr = (void *)((char *)&msg + msg.nlh.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + bytes;
	if (bytes)
		memcpy(attr + 1, data, bytes);
	msg.nlh.nlmsg_len += NLA_ALIGN(attr->nla_len);
	return attr;
}

static void begin(uint16_t type, uint8_t cmd)
{
	memset(&msg, 0, sizeof(msg));
	msg.nlh.nlmsg_len = offsetof(__typeof__(msg), attrs);
	msg.nlh.nlmsg_type = type;
	msg.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	msg.genl.cmd = cmd;
	msg.genl.version = NRDMA_FAMILY_VERSION;
}

/* The answer's first message is in buf; an error ends the program. */
static ssize_t ask(int sock, char *buf, size_t len)
{
	struct nlmsghdr *nlh = (void *)buf;
	ssize_t n;

	if (send(sock, &msg, msg.nlh.nlmsg_len, 0) < 0)
		die("send");
	n = recv(sock, buf, len, 0);
	if (n < 0)
		die("recv");
	if (nlh->nlmsg_type == NLMSG_ERROR && ((struct nlmsgerr *)NLMSG_DATA(nlh))->error) {
		fprintf(stderr, "refused: %s\n",
			strerror(-((struct nlmsgerr *)NLMSG_DATA(nlh))->error));
		exit(1);
	}
	return n;
}

static long long steer(int sock, uint16_t family, const char *dev, uint32_t mode)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct timespec before, after;
	struct nlattr *nest;
	uint8_t off = 0;

	begin(family, NRDMA_CMD_IRQ_SET);
	/* The answer tells; no acknowledgement after it */
	msg.nlh.nlmsg_flags = NLM_F_REQUEST;
	put(NRDMA_A_IRQ_DEV_NAME, dev, strlen(dev) + 1);
	nest = put(NRDMA_A_IRQ_POLICY | NLA_F_NESTED, NULL, 0);
	put(NRDMA_A_POLICY_MODE, &mode, sizeof(mode));
	put(NRDMA_A_POLICY_LOCK, &off, sizeof(off));
	nest->nla_len = (char *)&msg + msg.nlh.nlmsg_len - (char *)nest;

	clock_gettime(CLOCK_MONOTONIC, &before);
	ask(sock, buf, sizeof(buf));
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
}

int main(int argc, char **argv)
{
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	char buf[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	uint16_t family = 0;
	struct nlattr *a;
	int rounds;
	ssize_t n;

	if (argc != 3) {
		fprintf(stderr, "usage: t-steer DEVICE ROUNDS\n");
		return 1;
	}
	if (sock < 0)
		die("socket");
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	msg.nlh.nlmsg_flags = NLM_F_REQUEST;
	put(CTRL_ATTR_FAMILY_NAME, NRDMA_FAMILY_NAME, sizeof(NRDMA_FAMILY_NAME));
	n = ask(sock, buf, sizeof(buf));
	for (a = (void *)(buf + NLMSG_HDRLEN + GENL_HDRLEN); (char *)a < buf + n;
	     a = (void *)((char *)a + NLA_ALIGN(a->nla_len)))
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, a + 1, sizeof(family));

	for (rounds = atoi(argv[2]); rounds > 0; rounds--) {
		steer(sock, family, argv[1], NRDMA_POLICY_LOCAL);
		printf("%lld\n", steer(sock, family, argv[1], NRDMA_POLICY_SPREAD));
	}
	return 0;
}
