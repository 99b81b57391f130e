// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers between processes, over a Unix socket.
 */
#include <errno.h>
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

int nrdma_buf_send(const struct nrdma_buf *buf, int sock)
{
	union nrdma_share_control control = { .space = { 0 } };
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
	return 0;
}

int nrdma_buf_recv(struct nrdma_dev *dev, int sock, struct nrdma_buf **buf)
{
	char mark[sizeof(nrdma_share_mark)];
	union nrdma_share_control control;
	struct iovec iov = { .iov_base = mark, .iov_len = sizeof(mark) };
	/*
	 * Room for one, without the padding, which would hold a second: the
	 * kernel drops what is over, and says MSG_CTRUNC
	 */
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *cmsg;
	int fd = -1, ret;
	ssize_t n;

	*buf = NULL;
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return nrdma_fail(-errno, "waiting for a buffer: %m");
	if (!n)
		return nrdma_fail(-ECONNRESET, "the other side is gone, and has sent no buffer");

	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS &&
	    cmsg->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	if (fd < 0 && msg.msg_flags & MSG_CTRUNC)
		return nrdma_fail(-EMFILE, "no descriptor is left for a buffer");
	if (fd < 0 || msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || n != sizeof(mark) ||
	    memcmp(mark, nrdma_share_mark, sizeof(mark))) {
		if (fd >= 0)
			close(fd);
		return nrdma_fail(-EBADMSG, "what came is no message of nrdma_buf_send()");
	}
	ret = nrdma_buf_import(dev, fd, buf);
	close(fd);
	return ret;
}
