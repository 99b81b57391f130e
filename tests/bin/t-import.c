// SPDX-License-Identifier: GPL-2.0
/*
 * t-import CHARDEV BYTES          attach, map, move data, unmap, detach. TAP
 * t-import hold CHARDEV BYTES     attach and map, close all else, say "ready", wait
 *                                 for the end of standard input; what was written
 *                                 is there still?
 *
 * The importer is the driver of tests/kmod, which reads and writes by the
 * addresses that it was given, as a NIC does.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include <nrdma_importer.h>

#include "buf.h"
#include "tap.h"

static const char *chardev;
static size_t bytes, page;
static unsigned char *pattern, *seen;

static int importer(void)
{
	int fd = open("/dev/nrdma_importer", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		tap_bail("/dev/nrdma_importer: %m");
	return fd;
}

static int alloc(void)
{
	struct nrdma_alloc req = { .size = bytes, .node = NRDMA_NODE_DEVICE };
	int fd = open(chardev, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, NRDMA_IOC_ALLOC, &req))
		tap_bail("%s: %m", chardev);
	close(fd);
	return req.fd;
}

static int attach(int imp, int buf, unsigned int flags, unsigned int max_segment)
{
	struct nrdma_importer_attach req = {
		.fd = buf, .flags = flags, .max_segment = max_segment,
	};

	return ioctl(imp, NRDMA_IMPORTER_ATTACH, &req);
}

static struct nrdma_importer_map map(int imp)
{
	struct nrdma_importer_map got = { };

	if (ioctl(imp, NRDMA_IMPORTER_MAP, &got))
		tap_bail("mapping for DMA: %m");
	return got;
}

static int move(int imp, unsigned long cmd, size_t offset, void *data, size_t n)
{
	struct nrdma_importer_move req = {
		.offset = offset, .bytes = n, .data = (uintptr_t)data,
	};

	return ioctl(imp, cmd, &req);
}

static void fill(unsigned char seed)
{
	for (size_t i = 0; i < bytes; i++)
		pattern[i] = seed + i * 31 + (i >> 12) * 7;
}

/* Both ways between the device and a process, by pieces of @step bytes */
static bool moves(int imp, unsigned char *p, unsigned char seed, size_t step)
{
	size_t at, n;

	fill(seed);
	for (at = 0; at < bytes; at += n) {
		n = bytes - at < step ? bytes - at : step;
		if (move(imp, NRDMA_IMPORTER_WRITE, at, pattern + at, n))
			return false;
	}
	if (memcmp(p, pattern, bytes))
		return false;

	fill(seed + 1);
	memcpy(p, pattern, bytes);
	memset(seen, 0, bytes);
	for (at = 0; at < bytes; at += n) {
		n = bytes - at < step ? bytes - at : step;
		if (move(imp, NRDMA_IMPORTER_READ, at, seen + at, n))
			return false;
	}
	return !memcmp(seen, pattern, bytes);
}

static void round_of(int buf, unsigned char *p, unsigned int flags, unsigned int max_segment)
{
	const char *how = flags & NRDMA_IMPORTER_DYNAMIC ? "dynamic" : "static";
	int imp = importer(), err;
	struct nrdma_importer_map got;

	tap_ok(!attach(imp, buf, flags, max_segment), "%s, at most %u: attaches", how,
	       max_segment);
	got = map(imp);
	tap_ok(got.bytes == bytes && got.smallest, "it has all %zu bytes, in %u pieces", bytes,
	       got.segments);
	printf("# largest %llu, smallest %llu\n", (unsigned long long)got.largest,
	       (unsigned long long)got.smallest);
	if (max_segment) {
		tap_ok(got.largest <= max_segment, "none larger than the device takes");
		tap_ok(got.segments >= bytes / max_segment, "and so many of them");
	} else {
		tap_ok(!got.adjoining, "none begins where the one before ends");
	}
	tap_ok(!got.moved, "the memory has not moved");
	tap_ok(moves(imp, p, 3, 1 << 20), "the device and the process see the same");
	tap_ok(moves(imp, p, 90, 3 * page + 17), "at odd places too");
	tap_ok(move(imp, NRDMA_IMPORTER_READ, bytes, seen, 1) && errno == EINVAL,
	       "but nothing past its end");
	tap_ok(!ioctl(imp, NRDMA_IMPORTER_CPU), "the kernel's CPU may look meanwhile");

	err = ioctl(imp, NRDMA_IMPORTER_UNMAP);
	tap_ok(!err && !ioctl(imp, NRDMA_IMPORTER_CPU), "unmaps, and the CPU may look");
	map(imp);
	tap_ok(moves(imp, p, 7, 1 << 20), "maps again");
	err = ioctl(imp, NRDMA_IMPORTER_UNMAP);
	tap_ok(!err && !ioctl(imp, NRDMA_IMPORTER_DETACH), "unmaps and detaches");
	close(imp);
}

static void many(int buf, unsigned char *p)
{
	int first = importer(), second = importer(), i, bad = 0;

	attach(first, buf, 0, 0);
	attach(second, buf, NRDMA_IMPORTER_DYNAMIC, 1 << 16);
	map(first);
	map(second);
	tap_ok(moves(first, p, 1, 1 << 20) && moves(second, p, 2, 1 << 20),
	       "two importers have it at once");
	ioctl(first, NRDMA_IMPORTER_UNMAP);
	tap_ok(!ioctl(first, NRDMA_IMPORTER_DETACH) && moves(second, p, 5, 1 << 20),
	       "one of them goes, the other stays");
	for (i = 0; i < 200; i++) {
		int imp = importer();

		bad += attach(imp, buf, i & 1 ? NRDMA_IMPORTER_DYNAMIC : 0, 0);
		map(imp);
		/* Every other one leaves it to the end of the file */
		if (i & 2)
			ioctl(imp, NRDMA_IMPORTER_UNMAP);
		close(imp);
	}
	tap_ok(!bad, "%d importers come and go", i);
	close(first);
	close(second);
}

static int hold(void)
{
	int imp = importer(), buf = alloc();
	char c;

	if (attach(imp, buf, 0, 0))
		tap_bail("attaching: %m");
	map(imp);
	fill(40);
	if (move(imp, NRDMA_IMPORTER_WRITE, 0, pattern, bytes))
		tap_bail("writing: %m");
	close(buf);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	if (move(imp, NRDMA_IMPORTER_READ, 0, seen, bytes) || memcmp(seen, pattern, bytes)) {
		puts("kept=0");
		return 1;
	}
	puts("kept=1");
	return 0;
}

int main(int argc, char **argv)
{
	bool holds = argc == 4 && !strcmp(argv[1], "hold");
	unsigned char *p;
	int buf;

	if (argc != 3 && !holds)
		tap_bail("usage: t-import [hold] CHARDEV BYTES");
	chardev = argv[argc - 2];
	bytes = strtoull(argv[argc - 1], NULL, 0);
	page = sysconf(_SC_PAGESIZE);
	pattern = malloc(bytes);
	seen = malloc(bytes);
	if (!pattern || !seen)
		tap_bail("no memory");
	if (holds)
		return hold();

	buf = alloc();
	p = buf_map(buf, bytes, 0);
	if (p == MAP_FAILED)
		tap_bail("mmap: %m");
	round_of(buf, p, 0, 0);
	round_of(buf, p, NRDMA_IMPORTER_DYNAMIC, 0);
	round_of(buf, p, 0, 1 << 16);
	round_of(buf, p, NRDMA_IMPORTER_DYNAMIC, page);
	many(buf, p);
	return tap_done();
}
