// SPDX-License-Identifier: GPL-2.0
/*
 * t-buf-errors CHARDEV: everything that mmap and the ioctls refuse, with the
 * errno that the uapi header promises. TAP.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/udmabuf.h>

#include "buf.h"
#include "tap.h"

static const char *path;

static int dev_open(int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		tap_bail("open %s: %m", path);
	return fd;
}

static void expect_mmap(int fd, size_t bytes, int prot, int flags, off_t offset, int err,
			const char *what)
{
	void *p;

	errno = 0;
	p = mmap(NULL, bytes, prot, flags, fd, offset);
	tap_ok(err ? p == MAP_FAILED && errno == err : p != MAP_FAILED, "%s: %s", what,
	       strerrorname_np(errno));
	if (p != MAP_FAILED)
		munmap(p, bytes);
}

static void expect_ioctl(int fd, unsigned long cmd, void *arg, int err, const char *what)
{
	int ret;

	errno = 0;
	ret = ioctl(fd, cmd, arg);
	tap_ok(err ? ret == -1 && errno == err : !ret, "%s: %s", what,
	       strerrorname_np(errno));
}

/* Of udmabuf, where the kernel has it (CONFIG_UDMABUF); -1 otherwise */
static int foreign_dmabuf(void)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = 4096 };
	int fd, dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		return -1;
	create.memfd = memfd_create("t-buf-errors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (ftruncate(create.memfd, 4096) || fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		tap_bail("memfd: %m");
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	if (fd < 0)
		tap_bail("udmabuf: %m");
	close(create.memfd);
	close(dev);
	return fd;
}

static void test_mmap(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	int fd = dev_open(O_RDWR), ro = dev_open(O_RDONLY);

	expect_mmap(fd, 4096, rw, MAP_PRIVATE, 0, EINVAL, "MAP_PRIVATE");
	expect_mmap(ro, 4096, PROT_READ, MAP_SHARED, 0, EACCES, "opened for reading");
	expect_mmap(fd, 0, rw, MAP_SHARED, 0, EINVAL, "length 0");
	expect_mmap(fd, 1UL << 45, rw, MAP_SHARED, 0, ENOMEM, "length over the node's memory");
	expect_mmap(fd, 4096, rw, MAP_SHARED, LONG_MAX & ~4095UL, EINVAL, "offset near the end");
	expect_mmap(fd, 3 << 20, rw, MAP_SHARED, 0, 0, "3 MiB makes the buffer");
	expect_mmap(fd, 4096, rw, MAP_SHARED, 3 << 20, EINVAL, "offset past the end");
	expect_mmap(fd, 4 << 20, rw, MAP_SHARED, 0, EINVAL, "length past the end");
	expect_mmap(fd, 8192, rw, MAP_SHARED, (3 << 20) - 4096, EINVAL, "last page and one more");
	expect_mmap(fd, 4096, rw, MAP_SHARED, (3 << 20) - 4096, 0, "last page");
	close(ro);
	close(fd);
}

/* A program may lock other memory instead, at once */
static void test_charge(int fd)
{
	int left = 0, i;

	for (i = 0; i < 100; i++) {
		struct nrdma_alloc a = { .size = 1ULL << 45, .node = NRDMA_NODE_DEVICE };

		if (ioctl(fd, NRDMA_IOC_ALLOC, &a) && buf_locked())
			left++;
		if (buf_map(fd, 1UL << 45, 0) == MAP_FAILED && buf_locked())
			left++;
	}
	tap_ok(!left, "a refusal leaves no charge: %d of %d did", left, 2 * i);
}

static void test_alloc(void)
{
	struct nrdma_alloc good = { .size = 4096, .node = NRDMA_NODE_DEVICE }, a;
	struct {
		struct nrdma_alloc a;
		uint64_t more;
	} longer;
	int fd = dev_open(O_RDWR);
	void *p;

	a = good, a.size = 0;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC size 0");
	a = good, a.size = ULLONG_MAX;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, E2BIG, "ALLOC size that overflows");
	a = good, a.flags = 1U << 31;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC unknown flag");
	a = good, a.min_chunk = 4097;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC min_chunk no power of two");
	a = good, a.min_chunk = 1ULL << 40;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC min_chunk over chunk_max");
	a = good, a.node = -2;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC node -2");
	a = good, a.node = 63;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC node that is not there");
	tap_ok(a.reason == NRDMA_REASON_NODE_ABSENT && a.fd == -1, "and its reason");
	a = good, a.node = INT_MAX;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, EINVAL, "ALLOC node INT_MAX");
	a = good, a.size = 1ULL << 45;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &a, ENOMEM, "ALLOC over the node's memory");
	tap_ok(a.reason == NRDMA_REASON_NODE_FULL && a.available > 0 && a.available < 1ULL << 45,
	       "and its reason, with what was there");
	expect_ioctl(fd, NRDMA_IOC_ALLOC, NULL, EFAULT, "ALLOC from nowhere");
	test_charge(fd);

	/* A structure that cannot be answered into leaves no descriptor behind */
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(p, 4096, PROT_READ | PROT_WRITE);
	memcpy(p, &good, sizeof(good));
	mprotect(p, 4096, PROT_READ);
	expect_ioctl(fd, NRDMA_IOC_ALLOC, p, EFAULT, "ALLOC into read-only memory");
	tap_ok(fcntl(fd + 1, F_GETFD) < 0 && errno == EBADF, "and no descriptor is left");
	munmap(p, 4096);

	memset(&longer, 0, sizeof(longer));
	longer.a = good;
	expect_ioctl(fd, _IOWR(NRDMA_IOC_MAGIC, 2, typeof(longer)), &longer, 0,
		     "ALLOC with a longer structure");
	close(longer.a.fd);
	longer.a = good;
	longer.more = 1;
	expect_ioctl(fd, _IOWR(NRDMA_IOC_MAGIC, 2, typeof(longer)), &longer, E2BIG,
		     "the same with bytes that it does not know");
	a = good;
	expect_ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, NRDMA_IOC_MAGIC, 2,
			      offsetof(struct nrdma_alloc, fd)), &a, EINVAL,
		     "ALLOC with a structure that has no room for the descriptor");
	a = good;
	expect_ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, NRDMA_IOC_MAGIC, 2,
			      offsetof(struct nrdma_alloc, reason)), &a, 0,
		     "ALLOC with a shorter one that has");
	close(a.fd);
	close(fd);
}

static void test_others(void)
{
	struct nrdma_query query = { .fd = NRDMA_QUERY_OWN };
	struct nrdma_info info = { .flags = 1 };
	int fd = dev_open(O_RDWR);

	expect_ioctl(fd, NRDMA_IOC_INFO, &info, EINVAL, "INFO unknown flag");
	info.flags = 0;
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO");
	tap_ok(info.abi_version == NRDMA_ABI_VERSION && !info.gone, "and its answer");
	expect_ioctl(fd, NRDMA_IOC_QUERY, &query, ENOENT, "QUERY of a buffer that is not there");
	query.fd = fd;
	expect_ioctl(fd, NRDMA_IOC_QUERY, &query, EINVAL, "QUERY of no dma-buf");
	query.fd = foreign_dmabuf();
	if (query.fd >= 0) {
		expect_ioctl(fd, NRDMA_IOC_QUERY, &query, EINVAL, "QUERY of somebody else's dma-buf");
		close(query.fd);
	}
	query.fd = 1000;
	expect_ioctl(fd, NRDMA_IOC_QUERY, &query, EBADF, "QUERY of no file");
	query.fd = NRDMA_QUERY_OWN;
	query.flags = 1;
	expect_ioctl(fd, NRDMA_IOC_QUERY, &query, EINVAL, "QUERY unknown flag");
	expect_ioctl(fd, _IOWR(NRDMA_IOC_MAGIC, 99, int), &info, ENOTTY, "unknown ioctl");
	expect_ioctl(fd, _IOWR('x', 1, int), &info, ENOTTY, "ioctl of another driver");
	expect_ioctl(fd, _IO(NRDMA_IOC_MAGIC, 1), &info, ENOTTY, "ioctl of no direction");
	close(fd);
}

static void test_last_failure(void)
{
	struct nrdma_alloc alloc = { .node = NRDMA_NODE_DEVICE };
	struct nrdma_info info = { };
	int fd = dev_open(O_RDWR);

	buf_map(fd, 1UL << 45, 0);
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO after a failed mmap");
	tap_ok(info.last_reason == NRDMA_REASON_NODE_FULL && info.last_wanted == 1ULL << 45 &&
	       info.last_node == info.mem_node, "has its reason, node and size");
	buf_map(fd, 4096, 0);
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO after one that succeeded");
	tap_ok(info.last_reason == NRDMA_REASON_NONE, "has none");
	alloc.size = 1ULL << 45;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &alloc, ENOMEM, "ALLOC over the node's memory again");
	buf_map(fd, 4096, 0);
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO after the buffer was mapped once more");
	tap_ok(info.last_reason == NRDMA_REASON_NONE, "has none");

	/* What is refused before anything is looked for is the last one all the same */
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &alloc, ENOMEM, "ALLOC over the node's memory once more");
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO after a private mmap");
	tap_ok(info.last_reason == NRDMA_REASON_NONE, "has none");
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &alloc, ENOMEM, "ALLOC over the node's memory once more");
	alloc.flags = ~0U;
	expect_ioctl(fd, NRDMA_IOC_ALLOC, &alloc, EINVAL, "ALLOC with unknown flags");
	expect_ioctl(fd, NRDMA_IOC_INFO, &info, 0, "INFO after it");
	tap_ok(info.last_reason == NRDMA_REASON_NONE, "has none");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		tap_bail("usage: t-buf-errors CHARDEV");
	path = argv[1];
	test_mmap();
	test_alloc();
	test_others();
	test_last_failure();
	return tap_done();
}
