// SPDX-License-Identifier: GPL-2.0
/*
 * t-buf-offsets CHARDEV [FILE]: what of a buffer a mapping shows. Each page holds
 * its own number; mappings at every kind of offset must show that. With FILE, on
 * a disk filesystem: the buffer written to it and read back by O_DIRECT. TAP.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "buf.h"
#include "tap.h"

#define PAGES	(8UL << 8)	/* 8 MiB: several chunks of 2 MiB */
#define ODD	3UL		/* and some pages more */

static size_t page;
static const char *path;

static int dev_open(void)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		tap_bail("open %s: %m", path);
	return fd;
}

static void number(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		*(volatile uint64_t *)(p + i * page) = i + 1;
}

static bool shows(const char *p, size_t first, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		if (*(volatile uint64_t *)(p + i * page) != first + i + 1)
			return false;
	return true;
}

static void check_offsets(int fd, size_t pages, const char *what)
{
	const struct {
		size_t first, pages;
	} parts[] = {
		{ 0, pages }, { 0, 1 }, { 1, 1 }, { 511, 2 }, { 512, 512 }, { 513, 1024 },
		{ 1023, 1 }, { 2, pages - 2 }, { pages - 1, 1 }, { pages - 4, 4 },
	};
	size_t i, bad = 0;
	char *p;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		p = buf_map(fd, parts[i].pages * page, parts[i].first * page);
		if (p == MAP_FAILED || !shows(p, parts[i].first, parts[i].pages))
			bad++;
		if (p != MAP_FAILED)
			munmap(p, parts[i].pages * page);
	}
	tap_ok(!bad, "%s: %zu mappings of parts, %zu do not show theirs", what, i, bad);

	for (bad = i = 0; i < pages; i += 7) {
		p = buf_map(fd, page, i * page);
		if (p == MAP_FAILED || !shows(p, i, 1))
			bad++;
		if (p != MAP_FAILED)
			munmap(p, page);
	}
	tap_ok(!bad, "%s: every seventh page alone, %zu are wrong", what, bad);
}

static void expect_einval(int fd, size_t bytes, uint64_t offset, const char *what)
{
	void *p = buf_map(fd, bytes, (off_t)offset);
	int err = errno;

	tap_ok(p == MAP_FAILED && (err == EINVAL || err == EOVERFLOW), "%s: %s", what,
	       p == MAP_FAILED ? strerrorname_np(err) : "mapped");
	if (p != MAP_FAILED)
		munmap(p, bytes);
}

static void check_ends(int fd, size_t pages, const char *what)
{
	size_t bytes = pages * page;

	printf("# %s\n", what);
	expect_einval(fd, page, bytes, "the page past the end");
	expect_einval(fd, 2 * page, bytes - page, "the last page and one more");
	expect_einval(fd, bytes + page, 0, "the whole and one more");
	expect_einval(fd, page, 1ULL << 32, "4 GiB, which is 0 in 32 bits");
	expect_einval(fd, page, 1ULL << 44, "2^44, which is 0 in pages of 32 bits");
	expect_einval(fd, page, 1ULL << 62, "2^62");
	expect_einval(fd, page, INT64_MAX & -page, "the last offset that there is");
	expect_einval(fd, page, -page, "an offset below 0");
	expect_einval(fd, bytes, -page, "an offset that overflows with the length");
}

static sigjmp_buf escape;

static void on_fault(int sig)
{
	siglongjmp(escape, sig);
}

/* The signal that touching @p gives, 0 for none */
static int touch(volatile char *p)
{
	struct sigaction sa = { .sa_handler = on_fault }, segv, bus;
	int sig;

	sigaction(SIGSEGV, &sa, &segv);
	sigaction(SIGBUS, &sa, &bus);
	sig = sigsetjmp(escape, 1);
	if (!sig)
		*p = *p;
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return sig;
}

static void check_changes(int fd)
{
	size_t bytes = (PAGES + ODD) * page;
	char *p = buf_map(fd, bytes, 0), *q, *m;
	size_t hole = 700;

	tap_ok(!munmap(p + hole * page, page) && shows(p, 0, hole) &&
	       shows(p + (hole + 1) * page, hole + 1, PAGES + ODD - hole - 1),
	       "munmap of a page inside a chunk leaves its neighbours");
	tap_ok(touch(p + hole * page) == SIGSEGV, "and not itself");
	tap_ok(!munmap(p + 512 * page, 512 * page) && shows(p, 0, 512) &&
	       shows(p + 1024 * page, 1024, PAGES + ODD - 1024), "munmap of a whole chunk");
	munmap(p, bytes);

	p = buf_map(fd, bytes, 0);
	m = mremap(p, bytes, 600 * page, 0);
	tap_ok(m == p && shows(p, 0, 600), "mremap to less");
	q = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m = mremap(p, 600 * page, 600 * page, MREMAP_MAYMOVE | MREMAP_FIXED, q + page);
	tap_ok(m == q + page && shows(m, 0, 600), "mremap to an address that no PMD fits");
	tap_ok(touch(p) == SIGSEGV, "nothing is left where it was");
	m = mremap(q + page, 600 * page, (PAGES + ODD + 1) * page, MREMAP_MAYMOVE);
	tap_ok(m == MAP_FAILED, "mremap to more: %s", strerrorname_np(errno));
	tap_ok(shows(q + page, 0, 600), "which changes nothing");
	m = mremap(q + page, 0, 600 * page, MREMAP_MAYMOVE);
	tap_ok(m == MAP_FAILED || shows(m, 0, 600), "a copy by mremap of length 0: %s",
	       m == MAP_FAILED ? strerrorname_np(errno) : "shows the same");
	if (m != MAP_FAILED)
		munmap(m, 600 * page);
	munmap(q, bytes);

	p = buf_map(fd, bytes, 0);
	tap_ok(!madvise(p + 100 * page, 1000 * page, MADV_DONTNEED) && shows(p, 0, PAGES + ODD),
	       "MADV_DONTNEED of parts of chunks");
	tap_ok(!mprotect(p + 300 * page, 5 * page, PROT_NONE) && touch(p + 302 * page) == SIGSEGV &&
	       !mprotect(p + 300 * page, 5 * page, PROT_READ | PROT_WRITE) &&
	       shows(p, 0, PAGES + ODD), "mprotect, and back");
	munmap(p, bytes);
}

static void check_sharing(int fd)
{
	size_t bytes = (PAGES + ODD) * page;
	char *p = buf_map(fd, bytes, 0), *q = buf_map(fd, bytes, 0);
	int other = dev_open();
	pid_t pid;
	char *r;

	*(volatile uint64_t *)(p + 1000 * page) = 77;
	tap_ok(p != q && *(volatile uint64_t *)(q + 1000 * page) == 77, "two mappings share");
	r = buf_map(other, bytes, 0);
	tap_ok(r != MAP_FAILED && !*(volatile uint64_t *)(r + 1000 * page),
	       "another open file has another buffer, which is zero");
	pid = fork();
	if (!pid) {
		*(volatile uint64_t *)(q + 1000 * page) = 1001;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	tap_ok(shows(p, 0, PAGES + ODD), "a child writes into it too");
	close(other);
	close(fd);
	tap_ok(shows(p, 0, PAGES + ODD) && !*(volatile uint64_t *)(r + 1000 * page),
	       "all of them outlive the descriptors");
	munmap(p, bytes);
	munmap(q, bytes);
	munmap(r, bytes);
}

static void check_direct(const char *file)
{
	size_t bytes = PAGES * page, i;
	int fd = dev_open(), disk = open(file, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	char *p = buf_map(fd, 2 * bytes, 0), *q = p + bytes;

	if (disk < 0)
		tap_bail("open %s: %m", file);
	number(p, PAGES);
	tap_ok(pwrite(disk, p, bytes, 0) == (ssize_t)bytes, "O_DIRECT writes a buffer");
	tap_ok(pread(disk, q, bytes, 0) == (ssize_t)bytes && shows(q, 0, PAGES),
	       "and reads it back");
	/* In sectors, across the border of two chunks */
	for (i = 0; i < 512; i++)
		p[512 * page - 1536 + i * 6] = i;
	tap_ok(pwrite(disk, p + 512 * page - 1536, 4096, 512) == 4096 &&
	       pread(disk, q + 512 * page - 1536, 4096, 512) == 4096 &&
	       !memcmp(p + 512 * page - 1536, q + 512 * page - 1536, 4096),
	       "unaligned to a page, over two chunks");
	munmap(p, 2 * bytes);
	close(disk);
	close(fd);
}

static void check_far(uint64_t bytes)
{
	const uint64_t offsets[] = {
		0, page, (1ULL << 31) - page, 1ULL << 31, (1ULL << 32) - page, 1ULL << 32,
		(1ULL << 32) + page, bytes - page,
	};
	const size_t nr = sizeof(offsets) / sizeof(*offsets);
	int fd = dev_open();
	char *p = buf_map(fd, bytes, 0), *q;
	size_t i, bad = 0;

	if (p == MAP_FAILED)
		tap_bail("mmap of %llu bytes: %m", (unsigned long long)bytes);
	for (i = 0; i < nr; i++)
		*(volatile uint64_t *)(p + offsets[i]) = i + 1;
	for (i = 0; i < nr; i++) {
		q = buf_map(fd, page, offsets[i]);
		bad += q == MAP_FAILED || *(volatile uint64_t *)q != i + 1;
		bad += *(volatile uint64_t *)(p + offsets[i]) != i + 1;
		if (q != MAP_FAILED)
			munmap(q, page);
	}
	tap_ok(!bad, "%zu pages up to %llu, each by its own offset", nr,
	       (unsigned long long)bytes);
	expect_einval(fd, page, bytes, "the page past the end");
	expect_einval(fd, bytes, page, "the whole from its second page on");
	munmap(p, bytes);
	close(fd);
}

int main(int argc, char **argv)
{
	struct nrdma_alloc alloc = {
		.node = NRDMA_NODE_DEVICE,
	};
	char *p;
	int fd;

	if (argc < 2)
		tap_bail("usage: t-buf-offsets CHARDEV [FILE]");
	path = argv[1];
	page = sysconf(_SC_PAGESIZE);
	if (argc > 3 && !strcmp(argv[2], "far")) {
		check_far(strtoull(argv[3], NULL, 0));
		return tap_done();
	}
	alloc.size = (PAGES + ODD) * page;

	/* The first mmap makes the buffer: of offset and length */
	fd = dev_open();
	p = buf_map(fd, page, (PAGES + ODD - 1) * page);
	tap_ok(p != MAP_FAILED, "a first mmap at an offset makes all of the buffer");
	munmap(p, page);
	p = buf_map(fd, (PAGES + ODD) * page, 0);
	if (!tap_ok(p != MAP_FAILED, "which a later one maps"))
		tap_bail("mmap: %m");
	number(p, PAGES + ODD);
	munmap(p, (PAGES + ODD) * page);
	check_offsets(fd, PAGES + ODD, "mmap of the device");
	check_ends(fd, PAGES + ODD, "mmap of the device");
	check_changes(fd);
	check_sharing(fd);

	fd = dev_open();
	if (ioctl(fd, NRDMA_IOC_ALLOC, &alloc))
		tap_bail("NRDMA_IOC_ALLOC: %m");
	close(fd);
	tap_ok(fcntl(alloc.fd, F_GETFD) & FD_CLOEXEC, "ALLOC: closed by exec");
	p = buf_map(alloc.fd, alloc.size, 0);
	number(p, PAGES + ODD);
	munmap(p, alloc.size);
	check_offsets(alloc.fd, PAGES + ODD, "mmap of a dma-buf");
	check_ends(alloc.fd, PAGES + ODD, "mmap of a dma-buf");
	check_changes(alloc.fd);
	close(alloc.fd);

	if (argc > 2)
		check_direct(argv[2]);
	return tap_done();
}
