// SPDX-License-Identifier: GPL-2.0
/*
 * t-memlock CHARDEV
 *
 * A process that keeps its mmap_lock, while a charge of its own waits to be given
 * back, keeps nobody else from getting back what he was charged. TAP.
 *
 * t-memlock CHARDEV keep
 *
 * Keeps its mmap_lock, while the only charge there is waits to be given back, until
 * the end of standard input. Says "ready"; status 0 when it had the lock to the end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "buf.h"
#include "tap.h"

enum stage { NOT_YET, MAPPING, MAPPED };

static struct shared {
	_Atomic enum stage stage;
	_Atomic bool freed;
} *shared;

static const char *chardev;

static void rest(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static int alloc(void)
{
	struct nrdma_alloc alloc = { .size = 1, .node = NRDMA_NODE_DEVICE };
	int fd = open(chardev, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		tap_bail("%s: %m", chardev);
	if (ioctl(fd, NRDMA_IOC_ALLOC, &alloc))
		tap_bail("ALLOC: %m");
	close(fd);
	return alloc.fd;
}

/* The zero page, 2^24 times: that takes time, with the lock held for read */
static void *populate(void *arg)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	shared->stage = MAPPING;
	mmap(NULL, 1UL << 36, PROT_READ,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
	shared->stage = MAPPED;
	return arg;
}

/* A charge is to be given back while a thread has the lock. */
static void keep_lock(void)
{
	int fd = alloc();
	pthread_t thread;

	if (pthread_create(&thread, NULL, populate, NULL))
		tap_bail("no thread");
	while (shared->stage == NOT_YET)
		rest(1);
	rest(200);
	close(fd);
}

/* Nothing here may need the lock itself, as malloc() would. */
static int keep_lock_alone(void)
{
	char c;

	keep_lock();
	if (write(1, "ready\n", 6) != 6)
		_exit(1);
	while (read(0, &c, 1) > 0)
		;
	_exit(shared->stage != MAPPING);
}

int main(int argc, char **argv)
{
	enum stage stage;
	pid_t child;
	int fd, i;

	if (argc != 2 && (argc != 3 || strcmp(argv[2], "keep")))
		return 2;
	chardev = argv[1];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		tap_bail("mmap: %m");

	if (argc == 3)
		return keep_lock_alone();

	fd = alloc();
	tap_ok(buf_locked() > 0, "a buffer is charged: %ld KiB", buf_locked());
	child = fork();
	if (!child) {
		close(fd);
		keep_lock();
		shared->freed = true;
		for (;;)
			pause();
	}
	while (!shared->freed)
		rest(1);
	close(fd);
	for (i = 0; i < 10000 && buf_locked(); i++)
		rest(1);
	stage = shared->stage;
	tap_ok(!buf_locked(), "freed, it is charged no more");
	tap_ok(stage == MAPPING, "though another process keeps its lock, with a charge of its own");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return tap_done();
}
