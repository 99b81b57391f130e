/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink from the outside, byte by byte: requests that no library would make.
 */
#ifndef TESTS_NL_H
#define TESTS_NL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <linux/nrdma.h>

#define NL_MESSAGE_MAX 8192
#define NL_ANSWER_MAX 65536

/**
 * struct nl - a socket and the request that is being made
 * @sock: descriptor
 * @family: number of the generic family
 * @seq: of the last request
 * @len: of the request so far
 * @msg: the request
 */
struct nl {
	int		sock;
	uint16_t	family;
	uint32_t	seq;
	union {
		struct nlmsghdr	nlh;
		char		msg[NL_MESSAGE_MAX];
	};
};

/**
 * struct nl_answer - what came of a request
 * @err: negative errno, 0 for an acknowledgement or the end of a dump
 * @attr: type of the attribute at fault, -1 for none
 * @text: the kernel's words
 * @interrupted: the dump says that things changed meanwhile
 */
struct nl_answer {
	int	err;
	int	attr;
	char	text[256];
	bool	interrupted;
};

typedef void (*nl_visit)(const struct nlmsghdr *nlh, void *arg);

/* After half a minute without an answer there will be none: EAGAIN */
static inline int nl_open(struct nl *nl, int protocol)
{
	struct timeval patience = { .tv_sec = 60 };
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int one = 1;

	memset(nl, 0, offsetof(struct nl, msg));
	nl->sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (nl->sock < 0)
		return -1;
	if (!bind(nl->sock, (void *)&addr, sizeof(addr)) &&
	    !setsockopt(nl->sock, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)) &&
	    !setsockopt(nl->sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return 0;
	close(nl->sock);
	return -1;
}

static inline void nl_begin_plain(struct nl *nl, uint16_t type, uint16_t flags)
{
	memset(nl->msg, 0, sizeof(nl->msg));
	nl->nlh.nlmsg_len = NLMSG_HDRLEN;
	nl->nlh.nlmsg_type = type;
	nl->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	nl->nlh.nlmsg_seq = ++nl->seq;
}

static inline void nl_begin(struct nl *nl, uint16_t type, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *genl;

	nl_begin_plain(nl, type, flags);
	genl = NLMSG_DATA(&nl->nlh);
	genl->cmd = cmd;
	genl->version = NRDMA_FAMILY_VERSION;
	nl->nlh.nlmsg_len += GENL_HDRLEN;
}

static inline struct nlattr *nl_put(struct nl *nl, uint16_t type, const void *data, size_t bytes)
{
	struct nlattr *attr = (void *)(nl->msg + nl->nlh.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + bytes;
	if (bytes)
		memcpy(attr + 1, data, bytes);
	nl->nlh.nlmsg_len += NLA_ALIGN(attr->nla_len);
	return attr;
}

static inline void nl_put_u8(struct nl *nl, uint16_t type, uint8_t value)
{
	nl_put(nl, type, &value, sizeof(value));
}

static inline void nl_put_u32(struct nl *nl, uint16_t type, uint32_t value)
{
	nl_put(nl, type, &value, sizeof(value));
}

static inline void nl_put_u64(struct nl *nl, uint16_t type, uint64_t value)
{
	nl_put(nl, type, &value, sizeof(value));
}

static inline void nl_put_string(struct nl *nl, uint16_t type, const char *value)
{
	nl_put(nl, type, value, strlen(value) + 1);
}

static inline struct nlattr *nl_nest_begin(struct nl *nl, uint16_t type)
{
	return nl_put(nl, type | NLA_F_NESTED, NULL, 0);
}

static inline void nl_nest_end(struct nl *nl, struct nlattr *nest)
{
	nest->nla_len = nl->msg + nl->nlh.nlmsg_len - (char *)nest;
}

/* The next attribute of @bytes at @attr, NULL at the end */
static inline const struct nlattr *nl_attr_ok(const void *attr, const void *end)
{
	const struct nlattr *a = attr;

	if ((const char *)end - (const char *)attr < (ptrdiff_t)sizeof(*a) ||
	    a->nla_len < sizeof(*a) || (const char *)attr + a->nla_len > (const char *)end)
		return NULL;
	return a;
}

#define nl_for_each(a, begin, end)					\
	for (a = nl_attr_ok(begin, end); a;				\
	     a = nl_attr_ok((const char *)a + NLA_ALIGN(a->nla_len), end))

static inline int nl_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

static inline const void *nl_attr_end(const struct nlattr *a)
{
	return (const char *)a + a->nla_len;
}

/* From @at on */
static inline void nl_read_ext_ack(const struct nl *nl, const struct nlmsghdr *nlh, size_t at,
				   struct nl_answer *answer)
{
	const struct nlattr *a;
	uint32_t offset;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	nl_for_each(a, (const char *)nlh + at, (const char *)nlh + nlh->nlmsg_len) {
		if (a->nla_type == NLMSGERR_ATTR_MSG) {
			snprintf(answer->text, sizeof(answer->text), "%s", (const char *)(a + 1));
		} else if (a->nla_type == NLMSGERR_ATTR_OFFS) {
			memcpy(&offset, a + 1, sizeof(offset));
			if (offset <= sizeof(nl->msg) - sizeof(*a))
				answer->attr = nl_type((const void *)(nl->msg + offset));
		}
	}
}

/* One message of the answer; true when it was the last */
static inline bool nl_read(const struct nl *nl, const struct nlmsghdr *nlh,
			   struct nl_answer *answer)
{
	const struct nlmsgerr *e = NLMSG_DATA(nlh);
	size_t at = NLMSG_HDRLEN + sizeof(*e);

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		answer->interrupted = true;
	if (nlh->nlmsg_type == NLMSG_DONE) {
		memcpy(&answer->err, NLMSG_DATA(nlh), sizeof(int));
		nl_read_ext_ack(nl, nlh, NLMSG_HDRLEN + sizeof(int), answer);
		return true;
	}
	if (nlh->nlmsg_type != NLMSG_ERROR)
		return false;
	answer->err = e->error;
	/* The request follows, unless it is left out */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		at += e->msg.nlmsg_len - sizeof(e->msg);
	nl_read_ext_ack(nl, nlh, at, answer);
	return true;
}

/*
 * Sends the request, which asks for an acknowledgement or is a dump, and reads
 * to its end. What send(2) and recv(2) say is an answer, too.
 */
static inline struct nl_answer nl_ask_each(struct nl *nl, nl_visit visit, void *arg)
{
	static __thread char buf[NL_ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nl_answer answer = { .attr = -1 };
	struct nlmsghdr *nlh;
	ssize_t n;

	if (send(nl->sock, nl->msg, nl->nlh.nlmsg_len, 0) < 0) {
		answer.err = -errno;
		return answer;
	}
	for (;;) {
		n = recv(nl->sock, buf, sizeof(buf), 0);
		if (n < 0) {
			answer.err = -errno;
			return answer;
		}
		for (nlh = (void *)buf; NLMSG_OK(nlh, (size_t)n); nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_seq != nl->seq)
				continue;
			if (nl_read(nl, nlh, &answer))
				return answer;
			if (visit)
				visit(nlh, arg);
		}
	}
}

static inline struct nl_answer nl_ask(struct nl *nl)
{
	return nl_ask_each(nl, NULL, NULL);
}

static inline void nl_see_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *a;
	struct nl *nl = arg;

	nl_for_each(a, (const char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN,
		    (const char *)nlh + nlh->nlmsg_len)
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&nl->family, a + 1, sizeof(nl->family));
}

static inline int nl_find_family(struct nl *nl, const char *name)
{
	struct nl_answer answer;

	nl_begin(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	nl_put_string(nl, CTRL_ATTR_FAMILY_NAME, name);
	answer = nl_ask_each(nl, nl_see_family, nl);
	return answer.err;
}

#endif
