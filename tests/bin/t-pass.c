// SPDX-License-Identifier: GPL-2.0
/*
 * t-pass CHARDEV BYTES: makes a buffer, puts its descriptor into a socket that
 * nobody reads, and lets go of everything else; says "ready" and stays until the
 * end of standard input. A process that only has the socket holds the buffer.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "buf.h"

static int send_fd(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -1;
}

/* In a process of its own, which is gone when this returns */
static int make_and_send(const char *path, size_t bytes, int sock)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct nrdma_alloc alloc = { .size = bytes, .node = NRDMA_NODE_DEVICE };
		int fd = open(path, O_RDWR);

		if (fd < 0 || ioctl(fd, NRDMA_IOC_ALLOC, &alloc) || send_fd(sock, alloc.fd)) {
			perror(path);
			_exit(1);
		}
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

int main(int argc, char **argv)
{
	int sock[2];
	char c;

	if (argc != 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, sock) ||
	    make_and_send(argv[1], strtoull(argv[2], NULL, 0), sock[0]))
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
