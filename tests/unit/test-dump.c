// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps that are whole, interrupted, cut and refused. sendmsg() and recvmsg() are
 * the test's own, in front of libnl's: what comes back is a script.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <linux/nrdma.h>

#include "cmd.h"
#include "mod_buf.h"
#include "mod_dev.h"

#define DEVS		64
#define PER_DATAGRAM	5

/* What one dump answers with */
struct script {
	bool interrupted;	/* the middle of it says so */
	int error;		/* its end does */
	bool cut;		/* a datagram is larger than its buffer */
	unsigned int devs;
};

static const struct script *script;
static unsigned int dumps, dev;
static bool done;
static uint32_t seq, port;

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct nlmsghdr *nlh = msg->msg_iov[0].iov_base;

	(void)fd;
	(void)flags;
	assert_true(nlh->nlmsg_flags & NLM_F_DUMP);
	seq = nlh->nlmsg_seq;
	port = nlh->nlmsg_pid;
	if (dumps++)
		script++;
	dev = 0;
	done = false;
	return msg->msg_iov[0].iov_len;
}

static size_t put(char *to, struct nl_msg *msg, int flags)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);

	nlh->nlmsg_flags = NLM_F_MULTI | flags;
	nlh->nlmsg_seq = seq;
	nlh->nlmsg_pid = port;
	memcpy(to, nlh, len);
	nlmsg_free(msg);
	return len;
}

static struct nl_msg *dev_msg(unsigned int n)
{
	struct nl_msg *msg = nlmsg_alloc_size(1024);
	char name[16];

	snprintf(name, sizeof(name), "dev%u", n);
	assert_non_null(genlmsg_put(msg, port, seq, 32, 0, 0, NRDMA_CMD_DEV_GET, 1));
	nla_put_u32(msg, NRDMA_A_DEV_INDEX, n);
	nla_put_string(msg, NRDMA_A_DEV_NAME, name);
	nla_put_u32(msg, NRDMA_A_DEV_NODE, n % 2);
	return msg;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	static char datagram[16384];
	struct nl_msg *end;
	unsigned int i, before = dev;
	int error = script->error;
	size_t len = 0;

	(void)fd;
	if (done)
		return 0;
	for (i = 0; i < PER_DATAGRAM && dev < script->devs; i++, dev++)
		len += put(datagram + len, dev_msg(dev),
			   script->interrupted && dev == script->devs / 2 ? NLM_F_DUMP_INTR : 0);
	if (dev == script->devs && i < PER_DATAGRAM) {
		end = nlmsg_alloc_simple(NLMSG_DONE, 0);
		nlmsg_append(end, &error, sizeof(error), NLMSG_ALIGNTO);
		len += put(datagram + len, end, 0);
		done = !(flags & MSG_PEEK);
	}
	if (flags & MSG_PEEK)
		dev = before;
	msg->msg_flags = 0;
	if (script->cut && !(flags & MSG_PEEK)) {
		msg->msg_flags = MSG_TRUNC;
		len /= 2;
	}
	if (len > msg->msg_iov[0].iov_len) {
		msg->msg_flags = MSG_TRUNC;
		memcpy(msg->msg_iov[0].iov_base, datagram, msg->msg_iov[0].iov_len);
		return flags & MSG_TRUNC ? len : msg->msg_iov[0].iov_len;
	}
	memcpy(msg->msg_iov[0].iov_base, datagram, len);
	memcpy(msg->msg_name, &from, sizeof(from));
	msg->msg_namelen = sizeof(from);
	msg->msg_controllen = 0;
	return len;
}

/* As after mod_open() */
static void mod_fake(struct mod *mod)
{
	memset(mod, 0, sizeof(*mod));
	mod->sk = nl_socket_alloc();
	mod->family = 32;
	assert_non_null(mod->sk);
	assert_int_equal(nl_connect(mod->sk, NETLINK_GENERIC), 0);
	nl_socket_enable_msg_peek(mod->sk);
}

static int dump(const struct script *scripts, struct devs *devs)
{
	struct mod mod;
	unsigned int i;
	int status;

	script = scripts;
	dumps = 0;
	devs->nr = DEVS;
	devs->v = calloc(DEVS, sizeof(*devs->v));
	assert_non_null(devs->v);
	for (i = 0; i < DEVS; i++)
		snprintf(devs->v[i].name, sizeof(devs->v[i].name), "dev%u", i);
	mod_fake(&mod);
	status = mod_dev_dump(&mod, devs);
	mod_close(&mod);
	return status;
}

static unsigned int told(const struct devs *devs)
{
	unsigned int i, n = 0;

	for (i = 0; i < devs->nr; i++) {
		n += devs->v[i].by_module;
		if (devs->v[i].by_module)
			assert_int_equal(devs->v[i].place.node.v, i % 2);
	}
	return n;
}

static void whole(void **state)
{
	static const struct script scripts[] = { { .devs = DEVS } };
	struct devs devs;

	(void)state;
	assert_int_equal(dump(scripts, &devs), EXIT_DONE);
	assert_int_equal(dumps, 1);
	assert_int_equal(told(&devs), DEVS);
	devs_free(&devs);
}

/* The third try is whole: what the first two told is forgotten */
static void interrupted(void **state)
{
	static const struct script scripts[] = {
		{ .devs = DEVS, .interrupted = true },
		{ .devs = 10, .interrupted = true },
		{ .devs = DEVS - 1 },
	};
	struct devs devs;

	(void)state;
	assert_int_equal(dump(scripts, &devs), EXIT_DONE);
	assert_int_equal(dumps, 3);
	assert_int_equal(told(&devs), DEVS - 1);
	devs_free(&devs);
}

/* Not a fourth time: what there is, and a status that says so */
static void interrupted_always(void **state)
{
	static const struct script scripts[] = {
		{ .devs = DEVS, .interrupted = true },
		{ .devs = DEVS, .interrupted = true },
		{ .devs = 12, .interrupted = true },
	};
	struct devs devs;

	(void)state;
	assert_int_equal(dump(scripts, &devs), EXIT_PARTIAL);
	assert_int_equal(dumps, 3);
	assert_int_equal(told(&devs), 12);
	devs_free(&devs);
}

static void failed_midway(void **state)
{
	static const struct script scripts[] = { { .devs = 7, .error = -ENOMEM } };
	struct devs devs;
	int status;

	(void)state;
	status = dump(scripts, &devs);
	assert_true(status == EXIT_FAILED || status == EXIT_PARTIAL);
	assert_int_equal(dumps, 1);
	devs_free(&devs);
}

static void cut(void **state)
{
	static const struct script scripts[] = { { .devs = DEVS, .cut = true } };
	struct devs devs;
	int status;

	(void)state;
	status = dump(scripts, &devs);
	assert_true(status == EXIT_FAILED || status == EXIT_PARTIAL);
	devs_free(&devs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(interrupted_always),
		cmocka_unit_test(failed_midway),
		cmocka_unit_test(cut),
	};

	/* Of a fixture there is no module */
	unsetenv("NRDMA_SYSROOT");
	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
