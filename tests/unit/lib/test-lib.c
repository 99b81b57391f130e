// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libnrdma against a made-up sysfs (tests/unit/mkroot) and a made-up module:
 * what it says of each failure, how names are found, where it maps.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "nrdma.h"

/* ---- the module ---- */

static struct {
	struct nrdma_info info;
	int info_errno;
	int open_errno;
	int alloc_errno;
	struct nrdma_alloc answer;
	struct nrdma_alloc asked;
	int query_errno;
	struct nrdma_query query;
	struct nrdma_run runs[4];
} fake;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if (strstr(path, "/dev/nrdma/") && fake.open_errno) {
		errno = fake.open_errno;
		return -1;
	}
	return __real_open(path, flags);
}

static int fake_ioctl(unsigned long cmd, void *arg)
{
	struct nrdma_alloc *alloc = arg;
	struct nrdma_query *query = arg;

	switch (cmd) {
	case NRDMA_IOC_INFO:
		memcpy(arg, &fake.info, sizeof(fake.info));
		return fake.info_errno;
	case NRDMA_IOC_ALLOC:
		fake.asked = *alloc;
		if (!fake.alloc_errno) {
			alloc->warm = fake.answer.warm;
			alloc->fd = memfd_create("buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
			assert_int_equal(ftruncate(alloc->fd, alloc->size), 0);
			fake.query.size = alloc->size;
			return 0;
		}
		alloc->reason = fake.answer.reason;
		alloc->node = fake.answer.node;
		alloc->available = fake.answer.available;
		alloc->fd = -1;
		return fake.alloc_errno;
	case NRDMA_IOC_QUERY:
		if (fake.query_errno)
			return fake.query_errno;
		if (query->nr_runs)
			memcpy((void *)(uintptr_t)query->runs, fake.runs,
			       query->nr_runs * sizeof(*fake.runs));
		query->size = fake.query.size;
		query->id = fake.query.id;
		query->node = fake.query.node;
		query->total_runs = fake.query.total_runs;
		return 0;
	}
	return ENOTTY;
}

int __wrap_ioctl(int fd, unsigned long cmd, ...);
int __wrap_ioctl(int fd, unsigned long cmd, ...)
{
	void *arg;
	va_list ap;
	int err;

	(void)fd;
	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	err = fake_ioctl(cmd, arg);
	if (err)
		errno = err;
	return err ? -1 : 0;
}

/* ---- the fixture ---- */

static char root[PATH_MAX];

__attribute__((format(printf, 2, 3)))
static void put(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX + 256], *p;
	va_list ap;
	FILE *f;

	p = path + sprintf(path, "%s/", root);
	va_start(ap, fmt);
	vsprintf(p, fmt, ap);
	va_end(ap);
	for (; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0755);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static int fake_reset(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.info.abi_version = NRDMA_ABI_VERSION;
	fake.info.node = fake.info.mem_node = 1;
	fake.info.chunk_max = 2 << 20;
	fake.info.chunk_min = 4096;
	strcpy(fake.info.name, "mlx5_0");
	strcpy(fake.info.version, "9.9");
	fake.query.id = 7;
	fake.query.node = 1;
	return 0;
}

/* Descriptors that are open: none may be left behind */
static int open_fds(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static int fds_before;

static int setup(void **state)
{
	fds_before = open_fds();
	return fake_reset(state);
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(open_fds(), fds_before);
	return 0;
}

static void says(int error, const char *text)
{
	const struct nrdma_failure *last = nrdma_last_failure();

	assert_int_equal(last->error, error);
	if (!strstr(last->text, text))
		fail_msg("\"%s\" does not say \"%s\"", last->text, text);
}

static struct nrdma_dev *opened(void)
{
	struct nrdma_dev *dev;

	assert_int_equal(nrdma_open(&dev, "mlx5_0"), 0);
	return dev;
}

/* ---- names ---- */

static void test_names(void **state)
{
	static const struct {
		const char *name;
		int error, node;
		const char *text;
	} t[] = {
		{ "mlx5_0", 0, 1, NULL },
		{ "0000:81:00.0", 0, 1, NULL },
		{ "81:00.0", 0, 1, NULL },
		{ "10000:00:02.0", 0, 0, NULL },
		{ "ens2", 0, 0, NULL },
		{ "rxe_eth1", 0, 0, NULL },
		{ "siw_eth1", 0, 0, NULL },
		{ "bond0", 0, -1, NULL },
		{ "rxe_bond0", 0, -1, NULL },
		{ "irdma0", 0, -1, NULL },
		{ "0000:00:06.0", 0, -1, NULL },
		{ "odd0", 0, -1, NULL },
		{ "odd1", 0, -1, NULL },
		{ "eth1", -ENOTUNIQ, -1, "rxe_eth1, siw_eth1" },
		{ "0000:00:05.0", -ENOTUNIQ, -1, "rxe_eth1, siw_eth1" },
		{ "eth10", -ENODEV, -1, "eth10 is no RDMA device" },
		{ "eth", -ENODEV, -1, "eth is no RDMA device" },
		{ "0000:81:00.1", -ENODEV, -1, "no RDMA device" },
		{ "1:81:00.0", -ENODEV, -1, "no RDMA device" },
		{ "0000:81:00.0x", -ENODEV, -1, "no RDMA device" },
		{ "", -EINVAL, -1, "names no device" },
		{ ".", -EINVAL, -1, "names no device" },
		{ "../net/eth1", -EINVAL, -1, "names no device" },
		{ "a-name-that-is-longer-than-any-that-the-kernel-would-give-to-a-device", -EINVAL,
		  -1, "names no device" },
	};
	int node;

	(void)state;
	fake.open_errno = ENOENT;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		node = -7;
		if (nrdma_node_of_device(t[i].name, &node) != t[i].error || node != t[i].node)
			fail_msg("%s: node %d, %s", t[i].name, node, nrdma_last_failure()->text);
		if (t[i].text)
			says(t[i].error, t[i].text);
	}
}

/* siw over a network device without an address has one of zeros, as lo has. */
static void test_node_without_address(void **state)
{
	int node;

	(void)state;
	fake.open_errno = ENOENT;
	put("00:00:00:00:00:00", "sys/class/net/lo/address");
	put("0000:0000:0000:0000:0000:0000:0000:0000",
	    "sys/class/infiniband/siw_eth1/ports/1/gids/0");
	assert_int_equal(nrdma_node_of_device("lo", &node), -ENODEV);
	put("0200:0000:0002:0000:0000:0000:0000:0000",
	    "sys/class/infiniband/siw_eth1/ports/1/gids/0");
}

/* The module's word, an override for instance, goes before that of sysfs */
static void test_node_of_module(void **state)
{
	int node;

	(void)state;
	fake.info.node = 0;
	assert_int_equal(nrdma_node_of_device("mlx5_0", &node), 0);
	assert_int_equal(node, 0);
	fake.info.node = -1;
	assert_int_equal(nrdma_node_of_device("mlx5_0", &node), 0);
	assert_int_equal(node, -1);
	fake.open_errno = EACCES;
	assert_int_equal(nrdma_node_of_device("mlx5_0", &node), 0);
	assert_int_equal(node, 1);
}

static void nodes_are(int node, const char *wanted)
{
	char all[256] = "", name[NRDMA_NAME_MAX];
	unsigned int i;
	int ret;

	for (i = 0; !(ret = nrdma_device_of_node(node, i, name, sizeof(name))); i++)
		sprintf(all + strlen(all), "%s ", name);
	assert_int_equal(ret, -ENOENT);
	assert_string_equal(all, wanted);
}

static void test_device_of_node(void **state)
{
	char name[NRDMA_NAME_MAX];

	(void)state;
	fake.open_errno = ENOENT;
	nodes_are(0, "mlx4_0 rxe_eth1 siw_eth1 ");
	nodes_are(1, "mlx5_0 ");
	nodes_are(-1, "irdma0 odd0 odd1 rxe_bond0 ");
	nodes_are(2, "");
	says(-ENOENT, "node 2 has 0 RDMA devices");
	assert_int_equal(nrdma_device_of_node(-2, 0, name, sizeof(name)), -EINVAL);
	assert_int_equal(nrdma_device_of_node(1, 0, name, 6), -ERANGE);
	assert_int_equal(nrdma_device_of_node(1, 0, name, 7), 0);
}

/* ---- opening ---- */

static void cannot_open(const char *name, int error, const char *text)
{
	struct nrdma_dev *dev = (void *)1;

	assert_int_equal(nrdma_open(&dev, name), error);
	assert_null(dev);
	says(error, text);
}

static void test_open(void **state)
{
	struct nrdma_dev *dev = opened();
	struct nrdma_info info;
	struct {
		struct nrdma_info info;
		char more[8];
	} newer;

	(void)state;
	assert_true(fcntl(nrdma_dev_fd(dev), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(nrdma_dev_info(dev, &info, sizeof(info)), 0);
	assert_string_equal(info.name, "mlx5_0");
	memset(&newer, 0xff, sizeof(newer));
	assert_int_equal(nrdma_dev_info(dev, &newer.info, sizeof(newer)), 0);
	assert_int_equal(newer.more[0] | newer.more[7], 0);
	info.mem_node = 77;
	assert_int_equal(nrdma_dev_info(dev, &info, offsetof(struct nrdma_info, mem_node)), 0);
	assert_int_equal(info.mem_node, 77);
	assert_int_equal(nrdma_dev_info(dev, &info, 0), -EINVAL);
	nrdma_close(dev);
	nrdma_close(NULL);
}

static void test_open_errors(void **state)
{
	(void)state;
	cannot_open("nowhere", -ENODEV, "nowhere is no RDMA device");
	/* The character device that stands there is another's of the same name */
	strcpy(fake.info.name, "mlx5_1");
	cannot_open("mlx5_0", -ENODEV, "mlx5_0 was removed");
	fake_reset(NULL);
	fake.info.abi_version = NRDMA_ABI_VERSION + 1;
	cannot_open("mlx5_0", -EPROTONOSUPPORT, "module nrdma (9.9) speaks version 2");
	fake.info_errno = ENOTTY;
	cannot_open("mlx5_0", -EPROTONOSUPPORT, "no device of the module nrdma");
	fake.open_errno = ENOENT;
	cannot_open("mlx5_0", -ENOENT, "modprobe nrdma");
	put("", "sys/class/nrdma/x");
	cannot_open("mlx5_0", -ENOENT, "--device /dev/nrdma/mlx5_0");
	fake.open_errno = EACCES;
	cannot_open("mlx5_0", -EACCES, "/dev/nrdma/mlx5_0 may not be opened");
	fake.open_errno = EMFILE;
	cannot_open("mlx5_0", -EMFILE, "/dev/nrdma/mlx5_0");
	fake.open_errno = ENXIO;
	cannot_open("mlx5_0", -ENODEV, "removed");
}

/* The second device of a name is called name@index */
static void test_open_index(void **state)
{
	struct nrdma_dev *dev;

	(void)state;
	strcpy(fake.info.name, "irdma0");
	put("", "dev/nrdma/irdma0@12");
	assert_int_equal(nrdma_open(&dev, "irdma0"), 0);
	nrdma_close(dev);
}

/* ---- buffers ---- */

static void test_options(void **state)
{
	struct nrdma_buf_options options = NRDMA_BUF_OPTIONS_INIT;
	struct {
		struct nrdma_buf_options options;
		uint64_t more;
	} newer = { NRDMA_BUF_OPTIONS_INIT, 0 };
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf;

	(void)state;
	assert_int_equal(nrdma_buf_alloc(dev, 12345, NULL, &buf), 0);
	assert_int_equal(fake.asked.size, 12345);
	assert_int_equal(fake.asked.node, -1);
	assert_int_equal(fake.asked.flags, 0);
	nrdma_buf_free(buf);

	options.node = 2;
	options.flags = NRDMA_ALLOC_REMOTE;
	options.min_chunk = 65536;
	assert_int_equal(nrdma_buf_alloc(dev, 1, &options, &buf), 0);
	assert_int_equal(fake.asked.node, 2);
	assert_int_equal(fake.asked.flags, NRDMA_ALLOC_REMOTE);
	assert_int_equal(nrdma_buf_warm(buf), 0);
	assert_int_equal(fake.asked.min_chunk, 65536);
	nrdma_buf_free(buf);

	fake.answer.warm = 4096;
	assert_int_equal(nrdma_buf_alloc(dev, 1, &options, &buf), 0);
	assert_int_equal(nrdma_buf_warm(buf), 4096);
	nrdma_buf_free(buf);

	/* A caller of before there were flags */
	options.size = offsetof(struct nrdma_buf_options, flags);
	assert_int_equal(nrdma_buf_alloc(dev, 1, &options, &buf), 0);
	assert_int_equal(fake.asked.node, 2);
	assert_int_equal(fake.asked.flags, 0);
	nrdma_buf_free(buf);

	newer.options.size = sizeof(newer);
	assert_int_equal(nrdma_buf_alloc(dev, 1, &newer.options, &buf), 0);
	nrdma_buf_free(buf);
	newer.more = 1;
	assert_int_equal(nrdma_buf_alloc(dev, 1, &newer.options, &buf), -E2BIG);
	assert_null(buf);
	says(-E2BIG, "too old");

	memset(&options, 0, sizeof(options));
	assert_int_equal(nrdma_buf_alloc(dev, 1, &options, &buf), -EINVAL);
	says(-EINVAL, "NRDMA_BUF_OPTIONS_INIT");
	nrdma_close(dev);
}

static void test_reasons(void **state)
{
	static const struct {
		unsigned int reason;
		int error;
		const char *text;
	} t[] = {
		{ NRDMA_REASON_NODE_FULL, ENOMEM,
		  "3 GiB on node 1 wanted, but it has 1.50 GiB free (NRDMA_ALLOC_REMOTE" },
		{ NRDMA_REASON_FRAGMENTED, ENOMEM, "not in pieces of 2 MiB" },
		{ NRDMA_REASON_MEMLOCK, ENOMEM,
		  "may lock 64 KiB (RLIMIT_MEMLOCK) and has locked 12 KiB" },
		{ NRDMA_REASON_MEMLOCK, ENOMEM, "ulimit -l" },
		{ NRDMA_REASON_MEMLOCK, ENOMEM, "LimitMEMLOCK=infinity" },
		{ NRDMA_REASON_MEMLOCK, ENOMEM, "--ulimit memlock=-1" },
		{ NRDMA_REASON_CGROUP, ENOMEM, "(/user.slice) has no room" },
		{ NRDMA_REASON_CAP, EDQUOT,
		  "nrdmactl pool set node 1 cap SIZE for one user's, node-cap SIZE for that of all" },
		{ NRDMA_REASON_POOL, ENOMEM, "from the pool of node 1 wanted" },
		{ NRDMA_REASON_CPUSET, ENOMEM, "allows memory of node 0 only" },
		{ NRDMA_REASON_NODE_UNKNOWN, ENXIO, "nrdmactl dev set mlx5_0 node N" },
		{ NRDMA_REASON_NODE_ABSENT, EINVAL, "node 1 is not online, or has no memory" },
		{ NRDMA_REASON_DEVICE_GONE, ENODEV, "mlx5_0 was removed" },
		{ NRDMA_REASON_KERNEL, ENOMEM, "records" },
		{ NRDMA_REASON_INTERRUPTED, EINTR, "interrupted" },
		{ 99, ENOMEM, "unknown reason (reason 99)" },
		{ NRDMA_REASON_NONE, E2BIG, "cannot allocate 3 GiB: Argument list too long" },
	};
	struct nrdma_buf_options options = NRDMA_BUF_OPTIONS_INIT;
	const struct nrdma_failure *last = nrdma_last_failure();
	struct rlimit old, limit;
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf;

	(void)state;
	put("Name:\tx\nVmLck:\t      12 kB\nMems_allowed_list:\t0\nend:\t", "proc/self/status");
	put("0::/user.slice", "proc/self/cgroup");
	getrlimit(RLIMIT_MEMLOCK, &old);
	limit = (struct rlimit){ 65536, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);

	options.min_chunk = 2 << 20;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		fake.answer.reason = t[i].reason;
		fake.answer.node = 1;
		fake.answer.available = 3ULL << 29;
		fake.alloc_errno = t[i].error;
		assert_int_equal(nrdma_buf_alloc(dev, 3ULL << 30, &options, &buf), -t[i].error);
		assert_null(buf);
		says(-t[i].error, t[i].text);
		assert_int_equal(last->reason, t[i].reason);
		assert_int_equal(last->wanted, 3ULL << 30);
		assert_int_equal(last->limit,
				 t[i].reason == NRDMA_REASON_MEMLOCK ? 65536 : 0);
		if (t[i].reason) {
			assert_int_equal(last->node, 1);
			assert_int_equal(last->available, 3ULL << 29);
		}
		assert_non_null(nrdma_strreason(t[i].reason));
	}
	options.flags = NRDMA_ALLOC_REMOTE;
	fake.answer.reason = NRDMA_REASON_NODE_FULL;
	assert_int_equal(nrdma_buf_alloc(dev, 1024, &options, &buf), -E2BIG);
	says(-E2BIG, "1 KiB on node 1 wanted, but it has 1.50 GiB free, and the other nodes");
	setrlimit(RLIMIT_MEMLOCK, &old);
	nrdma_close(dev);
}

/* The kernel refuses these without a reason */
static void test_malformed(void **state)
{
	static const struct {
		uint64_t size;
		struct nrdma_buf_options options;
		const char *text;
	} t[] = {
		{ 0, { .node = -1 }, "mlx5_0: size is 0, but must be 1 or above" },
		{ 0, { .node = -2, .flags = 4 }, "size is 0" },
		{ 1, { .node = -2, .flags = 0x85 }, "mlx5_0: of flags, 0x84 is unknown: there is "
		  "NRDMA_ALLOC_REMOTE (0x1) and NRDMA_ALLOC_POOL_ONLY (0x2)" },
		{ 1, { .node = -2, .min_chunk = 3 }, "mlx5_0: node is -2, but must be 0 or above, or "
		  "NRDMA_NODE_DEVICE (-1)" },
		{ 1, { .node = -1, .min_chunk = 3 }, "mlx5_0: min_chunk is 3, but must be 0, or a power "
		  "of two from 4096 to 2097152" },
		{ 1, { .node = 0, .min_chunk = 2048 }, "min_chunk is 2048" },
		{ 1, { .node = 0, .min_chunk = 12288 }, "min_chunk is 12288" },
		{ 1, { .node = 0, .min_chunk = 4 << 20 }, "min_chunk is 4194304" },
		{ 1, { .node = 0, .min_chunk = 1ULL << 63 }, "min_chunk is 9223372036854775808" },
		/* A module that takes less than the header says is believed */
		{ 1024, { .node = 0, .flags = 3, .min_chunk = 4096 },
		  "mlx5_0: cannot allocate 1 KiB: Invalid argument" },
	};
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf;

	(void)state;
	fake.alloc_errno = EINVAL;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct nrdma_buf_options options = t[i].options;

		options.size = sizeof(options);
		assert_int_equal(nrdma_buf_alloc(dev, t[i].size, &options, &buf), -EINVAL);
		assert_null(buf);
		says(-EINVAL, t[i].text);
		assert_int_equal(nrdma_last_failure()->wanted, t[i].size);
		assert_int_equal(nrdma_last_failure()->reason, NRDMA_REASON_NONE);
	}
	nrdma_close(dev);
}

static int mappings(void)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	int nr = 0;

	while (fgets(line, sizeof(line), f))
		nr += strstr(line, "memfd:buffer") || strstr(line, " ---p ");
	fclose(f);
	return nr;
}

static void test_map(void **state)
{
	static const struct {
		uint64_t offset;
		size_t length, align;
	} t[] = {
		{ 0, 0, 2 << 20 },
		{ 0, 4 << 20, 2 << 20 },
		{ 2 << 20, 0, 2 << 20 },
		{ 4096, 0, 2 << 20 },
		{ (1 << 20) + 8192, 3 << 20, 2 << 20 },
		{ 0, 1 << 20, 1 << 20 },
		{ 0, 65536, 65536 },
		{ 4096, 1, 4096 },
		{ (9 << 20) - 4096, 4096, 4096 },
	};
	struct nrdma_dev *dev = opened();
	int before = mappings();
	struct nrdma_buf *buf;
	void *p, *all;

	(void)state;
	/* The address space is there, the mapping is refused: nothing is left */
	assert_int_equal(nrdma_buf_alloc(dev, 9 << 20, NULL, &buf), 0);
	assert_int_equal(fcntl(nrdma_buf_fd(buf), F_ADD_SEALS, F_SEAL_WRITE), 0);
	assert_int_equal(nrdma_buf_map(buf, 0, 0, PROT_WRITE, &p), -EPERM);
	says(-EPERM, "mmap of 9437184 bytes at 0");
	assert_int_equal(mappings(), before);
	nrdma_buf_free(buf);

	assert_int_equal(nrdma_buf_alloc(dev, 9 << 20, NULL, &buf), 0);
	assert_int_equal(nrdma_buf_map(buf, 0, 0, PROT_READ | PROT_WRITE, &all), 0);
	for (size_t i = 0; i < 9 << 20; i += 4096)
		*(uint64_t *)((char *)all + i) = i;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		size_t length = t[i].length ? t[i].length : (9 << 20) - t[i].offset;

		assert_int_equal(nrdma_buf_map(buf, t[i].offset, t[i].length, PROT_READ, &p), 0);
		assert_int_equal(((uintptr_t)p - t[i].offset) % t[i].align, 0);
		assert_int_equal(*(uint64_t *)p, t[i].offset);
		assert_int_equal(munmap(p, (length + 4095) & -4096), 0);
	}
	for (uint64_t offset = 4095; offset < 4098; offset += 2)
		assert_int_equal(nrdma_buf_map(buf, offset, 0, PROT_READ, &p), -EINVAL);
	assert_int_equal(nrdma_buf_map(buf, 9 << 20, 0, PROT_READ, &p), -EINVAL);
	assert_ptr_equal(p, MAP_FAILED);
	assert_int_equal(nrdma_buf_map(buf, 8 << 20, (1 << 20) + 1, PROT_READ, &p), -EINVAL);
	assert_int_equal(nrdma_buf_map(buf, -4096ULL, 4096, PROT_READ, &p), -EINVAL);
	assert_int_equal(nrdma_buf_map(buf, 0, SIZE_MAX, PROT_READ, &p), -EINVAL);
	says(-EINVAL, "do not lie in a buffer of 9437184");
	nrdma_buf_free(buf);
	assert_int_equal(*(uint64_t *)((char *)all + 8192), 8192);
	munmap(all, 9 << 20);
	assert_int_equal(mappings(), before);
	nrdma_close(dev);
}

static void test_where(void **state)
{
	struct nrdma_dev *dev = opened();
	struct nrdma_run runs[4];
	struct nrdma_buf *buf;
	unsigned int nr = 2;
	uint64_t bytes;

	(void)state;
	fake.query.total_runs = 3;
	fake.runs[0] = (struct nrdma_run){ 0, 4096, 4096, 1, 0 };
	fake.runs[1] = (struct nrdma_run){ 4096, 8192, 4096, 0, 0 };
	fake.runs[2] = (struct nrdma_run){ 12288, 4096, 4096, 1, 0 };
	assert_int_equal(nrdma_buf_alloc(dev, 16384, NULL, &buf), 0);
	nrdma_close(dev);	/* the buffer keeps it */
	assert_int_equal(nrdma_buf_size(buf), 16384);
	assert_int_equal(nrdma_buf_id(buf), 7);
	assert_int_equal(nrdma_buf_node(buf), 1);
	assert_int_equal(nrdma_buf_runs(buf, runs, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(runs[1].bytes, 8192);
	assert_int_equal(nrdma_buf_bytes_on(buf, 0, &bytes), 0);
	assert_int_equal(bytes, 8192);
	assert_int_equal(nrdma_buf_bytes_on(buf, 1, &bytes), 0);
	assert_int_equal(bytes, 8192);
	assert_int_equal(nrdma_buf_bytes_on(buf, 2, &bytes), 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(nrdma_buf_bytes_on(buf, -1, &bytes), -EINVAL);
	nrdma_buf_free(buf);
	nrdma_buf_free(NULL);
}

/* ---- sharing ---- */

static void test_share(void **state)
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM };
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf, *got;
	char *p, *q;
	int sock[2];

	(void)state;
	assert_int_equal(nrdma_buf_alloc(dev, 8192, NULL, &buf), 0);
	assert_int_equal(nrdma_buf_map(buf, 0, 0, PROT_READ | PROT_WRITE, (void **)&p), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, types[i] | SOCK_CLOEXEC, 0, sock), 0);
		/* Two in a row stay two */
		assert_int_equal(nrdma_buf_send(buf, sock[0]), 0);
		assert_int_equal(nrdma_buf_send(buf, sock[0]), 0);
		for (int j = 0; j < 2; j++) {
			assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), 0);
			assert_true(fcntl(nrdma_buf_fd(got), F_GETFD) & FD_CLOEXEC);
			assert_int_equal(nrdma_buf_map(got, 4096, 0, PROT_READ, (void **)&q), 0);
			p[4096] = i + j;
			assert_int_equal(*q, i + j);
			munmap(q, 4096);
			nrdma_buf_free(got);
		}
		close(sock[0]);
		if (types[i] != SOCK_DGRAM) {
			assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -ECONNRESET);
			assert_int_equal(nrdma_buf_send(buf, sock[1]), -EPIPE);
		}
		close(sock[1]);
	}
	munmap(p, 8192);
	nrdma_buf_free(buf);
	nrdma_close(dev);
}

static void send_raw(int sock, const void *bytes, size_t size, const int *fds, int nr)
{
	char control[CMSG_SPACE(8 * sizeof(int))] = "";
	struct iovec iov = { (void *)bytes, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg = (void *)control;

	if (nr) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nr * sizeof(int));
	}
	assert_int_equal(sendmsg(sock, &msg, 0), size);
}

/*
 * Until *stop is closed, the kernel gives this process no more descriptors. Another one
 * says so, as valgrind keeps from the kernel what a process says of itself.
 */
static pid_t starve(int *stop)
{
	int ctl[2];
	char byte;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ctl), 0);
	pid = fork();
	if (!pid) {
		struct rlimit was, none = { 0 };
		pid_t who = getppid();

		close(ctl[0]);
		if (prlimit(who, RLIMIT_NOFILE, NULL, &was))
			_exit(1);
		none.rlim_max = was.rlim_max;
		_exit(prlimit(who, RLIMIT_NOFILE, &none, NULL) || write(ctl[1], "", 1) != 1 ||
		      read(ctl[1], &byte, 1) || prlimit(who, RLIMIT_NOFILE, &was, NULL));
	}
	close(ctl[1]);
	assert_int_equal(read(ctl[0], &byte, 1), 1);
	*stop = ctl[0];
	return pid;
}

/* What else the socket passes on takes nothing away, and nothing of it stays */
static void test_share_more(void **state)
{
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf, *got;
	int sock[2], one = 1, fds[2] = { 0, 0 }, before, stop, status;
	pid_t pid;

	(void)state;
	assert_int_equal(nrdma_buf_alloc(dev, 4096, NULL, &buf), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sock), 0);
	assert_int_equal(setsockopt(sock[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)), 0);
	setsockopt(sock[1], SOL_SOCKET, SO_PASSSEC, &one, sizeof(one));
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD	76
#endif
	/* Of Linux 6.5 */
	setsockopt(sock[1], SOL_SOCKET, SO_PASSPIDFD, &one, sizeof(one));
	before = open_fds();

	assert_int_equal(nrdma_buf_send(buf, sock[0]), 0);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), 0);
	nrdma_buf_free(got);
	assert_int_equal(open_fds(), before);
	send_raw(sock[0], "nrdmabuf", 8, fds, 2);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EBADMSG);
	send_raw(sock[0], "nrdmabuf", 8, NULL, 0);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EBADMSG);
	assert_int_equal(open_fds(), before);

	/* No descriptor is left, and that is said, whatever else came */
	setsockopt(sock[1], SOL_SOCKET, SO_PASSPIDFD, &(int){ 0 }, sizeof(int));
	assert_int_equal(nrdma_buf_send(buf, sock[0]), 0);
	send_raw(sock[0], "", 0, fds, 1);
	pid = starve(&stop);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EMFILE);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EMFILE);
	close(stop);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(open_fds(), before);
	close(sock[0]);
	close(sock[1]);

	/* Credentials come with the end of a stream as well */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	assert_int_equal(setsockopt(sock[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)), 0);
	close(sock[0]);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -ECONNRESET);
	close(sock[1]);
	nrdma_buf_free(buf);
	nrdma_close(dev);
}

static void test_share_errors(void **state)
{
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *got = (void *)1;
	int sock[2], fds[4] = { 0, 0, 0, 0 }, before;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sock), 0);
	before = open_fds();
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EAGAIN);
	assert_null(got);

	send_raw(sock[0], "nrdmabuf", 8, NULL, 0);
	send_raw(sock[0], "nrdmabug", 8, fds, 1);
	send_raw(sock[0], "nrdmabu", 7, fds, 1);
	send_raw(sock[0], "nrdmabuf!", 9, fds, 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EBADMSG);
		assert_null(got);
	}
	for (int nr = 2; nr <= 4; nr++) {
		send_raw(sock[0], "nrdmabuf", 8, fds, nr);
		assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EBADMSG);
	}

	/* Not a byte, but descriptors */
	for (int nr = 1; nr <= 2; nr++) {
		send_raw(sock[0], "", 0, fds, nr);
		assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EBADMSG);
		assert_int_equal(open_fds(), before);
	}
	send_raw(sock[0], "", 0, NULL, 0);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -ECONNRESET);

	fake.query_errno = EINVAL;
	send_raw(sock[0], "nrdmabuf", 8, fds, 1);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), -EINVAL);
	says(-EINVAL, "is not an nrdma buffer");
	assert_int_equal(nrdma_buf_import(dev, 0, &got), -EINVAL);
	assert_int_equal(nrdma_buf_import(dev, 250, &got), -EBADF);
	close(sock[0]);
	close(sock[1]);
	nrdma_close(dev);
}

/* ---- threads ---- */

/* What succeeds, although a part of it did not, leaves no trace of that */
static void test_success_is_quiet(void **state)
{
	struct nrdma_dev *dev = opened();
	struct nrdma_buf *buf, *got;
	char name[NRDMA_NAME_MAX];
	int node, sock[2];

	(void)state;
	cannot_open("", -EINVAL, "names no device");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock), 0);
	errno = EXDEV;
	fake.info.abi_version = NRDMA_ABI_VERSION + 1;
	assert_int_equal(nrdma_node_of_device("81:00.0", &node), 0);
	assert_int_equal(node, 1);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(nrdma_device_of_node(1, 0, name, sizeof(name)), 0);
	assert_int_equal(errno, EXDEV);
	fake_reset(NULL);
	assert_int_equal(nrdma_buf_alloc(dev, 4096, NULL, &buf), 0);
	assert_int_equal(nrdma_buf_send(buf, sock[0]), 0);
	assert_int_equal(nrdma_buf_recv(dev, sock[1], &got), 0);
	assert_int_equal(errno, EXDEV);
	nrdma_buf_free(got);
	nrdma_buf_free(buf);
	nrdma_close(dev);
	assert_int_equal(nrdma_open(&dev, "81:00.0"), 0);
	assert_int_equal(errno, EXDEV);
	says(-EINVAL, "names no device");
	nrdma_close(dev);
	close(sock[0]);
	close(sock[1]);
}

static void *fails_elsewhere(void *arg)
{
	const struct nrdma_failure *last = nrdma_last_failure();
	struct nrdma_dev *dev;

	(void)arg;
	if (last->error || !last->text)
		return "begins with a failure";
	if (nrdma_open(&dev, "nowhere") != -ENODEV || last->error != -ENODEV)
		return "does not keep its own";
	return NULL;
}

static void test_failure_per_thread(void **state)
{
	pthread_t thread;
	void *why;

	(void)state;
	cannot_open("", -EINVAL, "names no device");
	assert_int_equal(pthread_create(&thread, NULL, fails_elsewhere, NULL), 0);
	assert_int_equal(pthread_join(thread, &why), 0);
	assert_null(why);
	says(-EINVAL, "names no device");
	assert_string_equal(nrdma_version(), NRDMA_VERSION);
	assert_string_equal(nrdma_strreason(NRDMA_REASON_MEMLOCK), "over RLIMIT_MEMLOCK");
	assert_string_equal(nrdma_strreason(-1), "unknown reason");
}

static void test_bind(void **state)
{
	struct nrdma_dev *dev = opened();
	cpu_set_t before, after, one;
	int node = -7;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);

	/* Node 1 has CPUs 64-67 and 128 */
	put("600-601", "sys/devices/system/node/node1/cpulist");
	assert_int_equal(nrdma_bind_thread(dev, &node), -EPERM);
	says(-EPERM, "none of CPUs 600-601 of node 1");
	put("0-x", "sys/devices/system/node/node1/cpulist");
	assert_int_equal(nrdma_bind_thread(dev, NULL), -ENODATA);
	put("1-0", "sys/devices/system/node/node1/cpulist");
	assert_int_equal(nrdma_bind_thread(dev, NULL), -ENODATA);
	put("64-67,128", "sys/devices/system/node/node1/cpulist");
	fake.info.node = -1;
	assert_int_equal(nrdma_bind_thread(dev, NULL), -ENXIO);
	says(-ENXIO, "nrdmactl dev set mlx5_0 node N");
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(node, -7);

	/* Node 2 has none, node 0 is nearer than node 1 */
	for (int cpu = 0; cpu < 4; cpu++)
		if (!CPU_ISSET(cpu, &before))
			goto out;	/* the fixture's CPUs are not this host's */
	fake.info.node = 2;
	assert_int_equal(nrdma_bind_thread(dev, &node), 0);
	assert_int_equal(node, 0);
out:
	/* Whatever it has now, it gets no more */
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &after)) {
			CPU_SET(cpu, &one);
			break;
		}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	put("0-1000", "sys/devices/system/node/node0/cpulist");
	fake.info.node = 2;
	assert_int_equal(nrdma_bind_thread(dev, &node), 0);
	assert_int_equal(node, 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&one, &after));
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	nrdma_close(dev);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_node_without_address),
		TEST(test_node_of_module),
		TEST(test_device_of_node),
		TEST(test_open),
		TEST(test_open_errors),
		TEST(test_open_index),
		TEST(test_options),
		TEST(test_reasons),
		TEST(test_malformed),
		TEST(test_map),
		TEST(test_where),
		TEST(test_share),
		TEST(test_share_more),
		TEST(test_share_errors),
		TEST(test_success_is_quiet),
		TEST(test_failure_per_thread),
		TEST(test_bind),
	};

	if (argc != 2)
		return 2;
	snprintf(root, sizeof(root), "%s", argv[1]);
	setenv("NRDMA_SYSROOT", root, 1);
	put("", "dev/nrdma/mlx5_0");
	return cmocka_run_group_tests_name("libnrdma", tests, NULL, NULL);
}
