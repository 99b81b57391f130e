// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers between processes, over a Unix socket.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

/* What goes with the descriptor: a message must have some bytes */
static const char nrdma_share_mark[8] = "nrdmabuf";

union nrdma_share_control {
	struct cmsghdr	align;
	char		space[CMSG_SPACE(sizeof(int))];
};

/*
 * With it comes what a socket was told to pass on: credentials, a label, a pidfd,
 * and descriptors last. A label is as long as its author likes, but not a page.
 */
union nrdma_share_received {
	struct cmsghdr	align;
	char		space[4096];
};

#ifndef SCM_PIDFD
#define SCM_PIDFD	0x04
#endif

int nrdma_buf_send(const struct nrdma_buf *buf, int sock)
{
	union nrdma_share_control control = { .space = { 0 } };
	int before = errno;
	struct iovec iov = {
		.iov_base = (void *)nrdma_share_mark,
		.iov_len = sizeof(nrdma_share_mark),
	};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int fd = nrdma_buf_fd(buf);
	ssize_t n;

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	do {
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return nrdma_fail(-errno, "sending a buffer: %m");
	/* A Unix socket takes so few bytes as one */
	errno = before;
	return 0;
}

/*
 * Takes the descriptor out of a message and closes what else came.
 *
 * Return: the descriptor, or -ENOMSG for none, -EBADMSG for several.
 */
static int nrdma_share_take(struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	int taken = -ENOMSG, fd;
	bool only = true;
	size_t i;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    (cmsg->cmsg_type != SCM_RIGHTS && cmsg->cmsg_type != SCM_PIDFD))
			continue;
		for (i = 0; CMSG_LEN((i + 1) * sizeof(fd)) <= cmsg->cmsg_len; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd), sizeof(fd));
			/* A pidfd that could not be made is an error's number */
			if (fd < 0)
				continue;
			if (cmsg->cmsg_type == SCM_RIGHTS && taken < 0) {
				taken = fd;
				continue;
			}
			only &= cmsg->cmsg_type != SCM_RIGHTS;
			close(fd);
		}
	}
	if (taken >= 0 && (!only || msg->msg_flags & MSG_CTRUNC)) {
		close(taken);
		taken = -EBADMSG;
		/* There was room for descriptors */
		msg->msg_flags &= ~MSG_CTRUNC;
	}
	return taken;
}

int nrdma_buf_recv(struct nrdma_dev *dev, int sock, struct nrdma_buf **buf)
{
	char mark[sizeof(nrdma_share_mark)];
	union nrdma_share_received control;
	struct iovec iov = { .iov_base = mark, .iov_len = sizeof(mark) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int before = errno;
	int fd, ret;
	ssize_t n;

	*buf = NULL;
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return nrdma_fail(-errno, "waiting for a buffer: %m");
	/* A message without a byte looks like the end, but for what it carries */
	fd = nrdma_share_take(&msg);
	if (!n && fd == -ENOMSG && !(msg.msg_flags & MSG_CTRUNC))
		return nrdma_fail(-ECONNRESET, "the other side is gone, and has sent no buffer");
	if (fd < 0 && msg.msg_flags & MSG_CTRUNC &&
	    sizeof(control) - msg.msg_controllen >= CMSG_LEN(sizeof(fd)))
		return nrdma_fail(-EMFILE, "no descriptor is left for a buffer");
	if (fd < 0 || msg.msg_flags & MSG_TRUNC || n != sizeof(mark) ||
	    memcmp(mark, nrdma_share_mark, sizeof(mark))) {
		if (fd >= 0)
			close(fd);
		return nrdma_fail(-EBADMSG, "what came is no message of nrdma_buf_send()");
	}
	ret = nrdma_buf_import(dev, fd, buf);
	close(fd);
	if (!ret)
		errno = before;
	return ret;
}
