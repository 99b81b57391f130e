// SPDX-License-Identifier: GPL-2.0
/*
 * libnrdma on a real module.
 *
 * t-lib all DEV NETDEV PCI NODE	everything that needs no other set-up; TAP
 * t-lib take SOCKET DEV		(run by it) takes a buffer and adds 1 to it
 * t-lib try NAME BYTES [node N] [remote] [pool] [min BYTES]
 *					open and allocate; what came of it
 * t-lib hold NAME BYTES [remote]...	allocate, map, let go of all else, say "ready";
 *					at the end of standard input: is the data there?
 * t-lib gone DEV			hold a buffer, say "ready", and tell what
 *					is left of it when the device has gone
 * t-lib bind DEV			bind, print node and CPUs
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <nrdma.h>

#include "buf.h"
#include "tap.h"

#define MIB	(1UL << 20)

static const char *dev_name, *self;
static int dev_node;

static const char *why(void)
{
	return nrdma_last_failure()->text;
}

static struct nrdma_dev *opened(const char *name)
{
	struct nrdma_dev *dev;

	if (nrdma_open(&dev, name))
		tap_bail("nrdma_open %s: %s", name, why());
	return dev;
}

static struct nrdma_buf *allocated(struct nrdma_dev *dev, uint64_t bytes)
{
	struct nrdma_buf *buf;

	if (nrdma_buf_alloc(dev, bytes, NULL, &buf))
		tap_bail("nrdma_buf_alloc: %s", why());
	return buf;
}

static unsigned char *mapped(struct nrdma_buf *buf, uint64_t offset, size_t length)
{
	void *p;

	if (nrdma_buf_map(buf, offset, length, PROT_READ | PROT_WRITE, &p))
		tap_bail("nrdma_buf_map: %s", why());
	return p;
}

/* A word at each multiple of its size */
static uint64_t pattern(size_t i)
{
	return (i + 1) * 0x9e3779b97f4a7c15ULL;
}

static void fill(unsigned char *p, size_t bytes)
{
	uint64_t *word = (uint64_t *)p;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = pattern(i);
}

static bool filled(const unsigned char *p, size_t from, size_t bytes)
{
	const uint64_t *word = (const uint64_t *)p;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		if (word[i] != pattern(from / sizeof(*word) + i))
			return false;
	return true;
}

static int open_fds(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* ---- devices ---- */

static void test_names(const char *netdev, const char *pci)
{
	const char *names[] = { dev_name, netdev, pci };
	char name[NRDMA_NAME_MAX], path[128];
	struct nrdma_dev *dev;
	struct nrdma_info info;
	unsigned int hits = 0;
	int node, ret;

	for (size_t i = 0; i < 3; i++) {
		ret = nrdma_open(&dev, names[i]);
		if (!tap_ok(!ret, "open %s: %s", names[i], ret ? why() : "ok"))
			continue;
		nrdma_dev_info(dev, &info, sizeof(info));
		tap_ok(!strcmp(info.name, dev_name) && info.node == dev_node && !info.gone,
		       "and it is %s on node %d", info.name, info.node);
		nrdma_close(dev);
		ret = nrdma_node_of_device(names[i], &node);
		tap_ok(!ret && node == dev_node, "node of %s is %d", names[i], node);
	}
	for (unsigned int i = 0; !nrdma_device_of_node(dev_node, i, name, sizeof(name)); i++)
		hits += !strcmp(name, dev_name);
	tap_ok(hits == 1, "%s is among the devices of node %d", dev_name, dev_node);

	/* As the library sees it without the module's word */
	snprintf(path, sizeof(path), NRDMA_DEV_DIR "/%s", dev_name);
	if (rename(path, "/dev/nrdma/away"))
		tap_bail("rename %s: %m", path);
	ret = nrdma_node_of_device(dev_name, &node);
	tap_ok(!ret && node == dev_node, "sysfs alone says node %d", node);
	rename("/dev/nrdma/away", path);
}

/* ---- memory ---- */

static void test_where(struct nrdma_dev *dev)
{
	struct nrdma_buf *buf = allocated(dev, 8 * MIB + 12288);
	size_t bytes = nrdma_buf_size(buf);
	unsigned char *p = mapped(buf, 0, 0);
	unsigned long nodes[BUF_MAX_NODES], unseen;
	struct nrdma_run runs[64];
	unsigned int nr = 64;
	uint64_t local, sum = 0;
	int ret;

	tap_ok(bytes == 8 * MIB + 12288, "8 MiB and 12 KiB are %zu bytes", bytes);
	tap_ok(!*p && !memcmp(p, p + 1, bytes - 1), "zeroed");
	tap_ok(!((uintptr_t)p % (2 * MIB)), "mapped at a multiple of 2 MiB: %p", (void *)p);
	fill(p, bytes);
	buf_nodes(p, bytes, nodes, &unseen);
	tap_ok(nodes[dev_node] * sysconf(_SC_PAGESIZE) == bytes,
	       "the kernel sees %lu pages on node %d, %lu nowhere", nodes[dev_node], dev_node,
	       unseen);
	ret = nrdma_buf_bytes_on(buf, dev_node, &local);
	tap_ok(!ret && local == bytes, "the library says %llu bytes", (unsigned long long)local);
	tap_ok(!nrdma_buf_bytes_on(buf, dev_node + 1, &local) && !local, "and none elsewhere");
	nrdma_buf_runs(buf, runs, &nr);
	for (unsigned int i = 0; i < nr; i++)
		sum += runs[i].offset == sum ? runs[i].bytes : 0;
	tap_ok(nr && sum == bytes, "%u runs, side by side", nr);
	tap_ok(nrdma_buf_node(buf) == dev_node && nrdma_buf_id(buf), "node and id");
	munmap(p, bytes);
	nrdma_buf_free(buf);
}

/* Bytes that large page table entries map in the area at @p */
static unsigned long pmd_mapped(const void *p)
{
	unsigned long start, end, kb, found = 0;
	bool mine = false;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			mine = start == (unsigned long)p;
		else if (mine && sscanf(line, "FilePmdMapped: %lu kB", &kb) == 1)
			found = kb << 10;
	}
	if (f)
		fclose(f);
	return found;
}

static void test_large(struct nrdma_dev *dev)
{
	struct nrdma_buf_options options = NRDMA_BUF_OPTIONS_INIT;
	struct nrdma_buf *buf;
	unsigned char *p;
	int ret;

	options.min_chunk = 2 * MIB;
	ret = nrdma_buf_alloc(dev, 16 * MIB + 1, &options, &buf);
	if (!tap_ok(!ret && nrdma_buf_size(buf) == 18 * MIB,
		    "16 MiB and a byte in chunks of 2 MiB are 18 MiB: %s", ret ? why() : "ok"))
		return;
	p = mapped(buf, 0, 0);
	fill(p, 18 * MIB);
	tap_ok(pmd_mapped(p) == 18 * MIB, "%lu MiB of it are mapped by PMDs",
	       pmd_mapped(p) / MIB);
	munmap(p, 18 * MIB);

	/* A part that begins in the middle of a chunk is aligned as the chunk is */
	p = mapped(buf, MIB, 0);
	tap_ok(filled(p, MIB, 17 * MIB), "its data, from an offset of 1 MiB on");
	tap_ok(pmd_mapped(p) == 16 * MIB, "%lu MiB of it are mapped by PMDs",
	       pmd_mapped(p) / MIB);
	munmap(p, 17 * MIB);
	nrdma_buf_free(buf);
}

static void test_mapping(struct nrdma_dev *dev)
{
	struct nrdma_buf *buf = allocated(dev, 8 * MIB);
	unsigned char *p = mapped(buf, 0, 0), *q = mapped(buf, 4 * MIB, 2 * MIB), *m;
	void *ro;

	fill(p, 8 * MIB);
	tap_ok(filled(q, 4 * MIB, 2 * MIB), "a second mapping shows the same");
	q[5] ^= 1;
	tap_ok(p[4 * MIB + 5] == q[5], "and changes it");
	q[5] ^= 1;
	munmap(q, 2 * MIB);
	q = mmap(NULL, 8 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	tap_ok(!madvise(p, 8 * MIB, MADV_DONTNEED) && filled(p, 0, 8 * MIB),
	       "MADV_DONTNEED keeps the data");
	tap_ok(!mprotect(p + MIB, 4 * MIB + 4096, PROT_READ) && filled(p, 0, 8 * MIB),
	       "mprotect to read a part");
	tap_ok(!mprotect(p, 8 * MIB, PROT_READ | PROT_WRITE), "and back");
	fill(p, 8 * MIB);
	munmap(p, 8 * MIB);

	/* A new one: split areas of a dma-buf are not joined again, and mremap(2) takes one */
	p = mapped(buf, 0, 0);
	m = mremap(p, 8 * MIB, 3 * MIB + 4096, 0);
	tap_ok(m == p && filled(p, 0, 3 * MIB + 4096), "mremap to less");
	m = mremap(p, 3 * MIB + 4096, 3 * MIB + 4096, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	tap_ok(m == q && filled(q, 0, 3 * MIB + 4096), "mremap to another address");
	m = mremap(q, 3 * MIB + 4096, 16 * MIB, MREMAP_MAYMOVE);
	tap_ok(m == MAP_FAILED, "mremap to more than the buffer is refused: %s",
	       strerrorname_np(errno));
	tap_ok(!munmap(q + MIB, 4096) && filled(q, 0, MIB) &&
	       filled(q + MIB + 4096, MIB + 4096, 2 * MIB), "munmap of a page in the middle");
	munmap(q, 8 * MIB);

	p = mapped(buf, 0, 0);
	tap_ok(filled(p, 0, 8 * MIB), "the buffer still has it all");
	tap_ok(!nrdma_buf_map(buf, 0, 0, PROT_READ, &ro) && filled(ro, 0, 8 * MIB),
	       "mapped for reading only");
	munmap(ro, 8 * MIB);
	nrdma_buf_free(buf);
	tap_ok(filled(p, 0, 8 * MIB), "a mapping outlives the handle");
	munmap(p, 8 * MIB);
}

/* ---- processes ---- */

static int child_says(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		tap_bail("child: %m");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_fork(struct nrdma_dev *dev)
{
	struct nrdma_buf *buf = allocated(dev, 4 * MIB), *more = NULL;
	unsigned char *p = mapped(buf, 0, 0), was;
	int copy, ret;
	pid_t pid;

	fill(p, 4 * MIB);
	was = p[MIB + 7];
	pid = fork();
	if (!pid) {
		/* Inherited memory, handles and descriptor; all let go of once more */
		bool good = filled(p, 0, 4 * MIB);
		unsigned char *q = mapped(buf, MIB, MIB);

		good = good && filled(q, MIB, MIB);
		q[7] = ~was;
		good = good && !nrdma_buf_alloc(dev, MIB, NULL, &more);
		nrdma_buf_free(more);
		nrdma_buf_free(buf);
		nrdma_close(dev);
		_exit(!good);
	}
	tap_ok(!child_says(pid), "a child uses its parent's buffer and device");
	tap_ok(p[MIB + 7] == (unsigned char)~was, "what it wrote is seen");
	p[MIB + 7] = was;

	copy = dup(nrdma_buf_fd(buf));
	munmap(p, 4 * MIB);
	nrdma_buf_free(buf);
	tap_ok(!nrdma_buf_import(dev, copy, &buf) && nrdma_buf_size(buf) == 4 * MIB,
	       "import of a duplicate descriptor");
	close(copy);
	p = mapped(buf, 0, 0);
	tap_ok(filled(p, 0, 4 * MIB), "which is the same buffer");
	munmap(p, 4 * MIB);
	nrdma_buf_free(buf);
	ret = nrdma_buf_import(dev, 0, &buf);
	tap_ok(ret == -EINVAL && !buf, "import of another file: %s", why());
}

static pid_t taker(int sock, unsigned int uid)
{
	char arg[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(arg, sizeof(arg), "%d", sock);
	fcntl(sock, F_SETFD, 0);
	if (setgid(uid) || setuid(uid))
		_exit(9);
	execl("/proc/self/exe", self, "take", arg, dev_name, NULL);
	_exit(9);
}

static void test_share(struct nrdma_dev *dev)
{
	static const unsigned int uids[] = { 0, 1000 };
	struct nrdma_buf *buf;
	unsigned char *p;
	int sock[2];

	for (size_t i = 0; i < 2; i++) {
		buf = allocated(dev, 4 * MIB);
		p = mapped(buf, 0, 0);
		fill(p, 4 * MIB);
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock);
		tap_ok(!nrdma_buf_send(buf, sock[0]), "send a buffer");
		tap_ok(!child_says(taker(sock[1], uids[i])),
		       "another program, of uid %u, takes it, finds the data and changes it",
		       uids[i]);
		for (size_t j = 0; j < 4 * MIB; j++)
			p[j]--;
		tap_ok(filled(p, 0, 4 * MIB), "the change is seen");
		munmap(p, 4 * MIB);
		nrdma_buf_free(buf);
		close(sock[0]);
		close(sock[1]);
	}

	/* It lives while it is in flight, when nobody has it open or mapped */
	buf = allocated(dev, 4 * MIB);
	p = mapped(buf, 0, 0);
	fill(p, 4 * MIB);
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sock);
	nrdma_buf_send(buf, sock[0]);
	munmap(p, 4 * MIB);
	nrdma_buf_free(buf);
	tap_ok(!nrdma_buf_recv(dev, sock[1], &buf), "take a buffer that was only in flight");
	p = mapped(buf, 0, 0);
	tap_ok(filled(p, 0, 4 * MIB), "with its data");
	munmap(p, 4 * MIB);
	nrdma_buf_free(buf);

	/* The maker ends, the buffer stays */
	if (!fork()) {
		buf = allocated(dev, 4 * MIB);
		fill(mapped(buf, 0, 0), 4 * MIB);
		_exit(!!nrdma_buf_send(buf, sock[0]));
	}
	wait(NULL);
	tap_ok(!nrdma_buf_recv(dev, sock[1], &buf), "take a buffer whose maker has ended");
	p = mapped(buf, 0, 0);
	tap_ok(filled(p, 0, 4 * MIB), "with its data");
	munmap(p, 4 * MIB);
	nrdma_buf_free(buf);
	close(sock[0]);
	close(sock[1]);
}

static int cmd_take(int sock, const char *name)
{
	struct nrdma_dev *dev = opened(name);
	struct nrdma_buf *buf;
	unsigned char *p;

	if (nrdma_buf_recv(dev, sock, &buf))
		tap_bail("nrdma_buf_recv: %s", why());
	p = mapped(buf, 0, 0);
	if (!filled(p, 0, nrdma_buf_size(buf)))
		return 1;
	for (size_t i = 0; i < nrdma_buf_size(buf); i++)
		p[i]++;
	nrdma_buf_free(buf);
	nrdma_close(dev);
	return 0;
}

/* ---- threads ---- */

static void *worker(void *arg)
{
	struct nrdma_dev *dev = arg;
	struct nrdma_buf *buf;
	uint64_t bytes;
	void *p;

	for (int i = 0; i < 50; i++) {
		if (nrdma_buf_alloc(dev, 2 * MIB + 4096, NULL, &buf) ||
		    nrdma_buf_map(buf, 0, 0, PROT_READ | PROT_WRITE, &p) ||
		    nrdma_buf_bytes_on(buf, dev_node, &bytes) || bytes != 2 * MIB + 4096)
			return "failed";
		memset(p, i, 4096);
		munmap(p, bytes);
		nrdma_buf_free(buf);
		/* A failure of one's own among those of others */
		if (nrdma_buf_alloc(dev, 0, NULL, &buf) != -EINVAL ||
		    nrdma_last_failure()->error != -EINVAL)
			return "failure lost";
	}
	return NULL;
}

static void test_threads(struct nrdma_dev *dev)
{
	pthread_t threads[4];
	void *ret;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, worker, dev);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		tap_ok(!ret, "thread %d of 4, on one handle: %s", i, ret ? (char *)ret : "ok");
	}
}

static bool on_node(int node)
{
	char path[64];
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
		if (CPU_ISSET(cpu, &set) && access(path, F_OK))
			return false;
	}
	return true;
}

static void *binder(void *arg)
{
	int node = -7;

	if (nrdma_bind_thread(arg, &node))
		return (void *)why();
	return node == dev_node && on_node(dev_node) ? NULL : "bound elsewhere";
}

static void test_bind(struct nrdma_dev *dev)
{
	cpu_set_t before, after;
	pthread_t thread;
	void *ret;

	sched_getaffinity(0, sizeof(before), &before);
	pthread_create(&thread, NULL, binder, dev);
	pthread_join(thread, &ret);
	tap_ok(!ret, "a thread is bound to node %d: %s", dev_node, ret ? (char *)ret : "ok");
	sched_getaffinity(0, sizeof(after), &after);
	tap_ok(CPU_EQUAL(&before, &after), "and the others are not");
}

static int cmd_bind(const char *name)
{
	int node = -1, ret = nrdma_bind_thread(opened(name), &node);
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	printf("%s node=%d cpus=", ret ? strerrorname_np(-ret) : "bound", node);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			printf("%d,", cpu);
	printf("%s%s\n", ret ? " " : "", ret ? why() : "");
	return !!ret;
}

/* ---- failures ---- */

static void options_read(struct nrdma_buf_options *options, char **arg)
{
	for (; *arg; arg++) {
		if (!strcmp(*arg, "remote"))
			options->flags |= NRDMA_ALLOC_REMOTE;
		else if (!strcmp(*arg, "pool"))
			options->flags |= NRDMA_ALLOC_POOL_ONLY;
		else if (!strcmp(*arg, "node") && arg[1])
			options->node = atoi(*++arg);
		else if (!strcmp(*arg, "min") && arg[1])
			options->min_chunk = strtoull(*++arg, NULL, 0);
	}
}

static int cmd_try(const char *name, uint64_t bytes, char **arg)
{
	struct nrdma_buf_options options = NRDMA_BUF_OPTIONS_INIT;
	struct nrdma_dev *dev;
	struct nrdma_buf *buf;
	int ret;

	options_read(&options, arg);
	ret = nrdma_open(&dev, name);
	if (!ret)
		ret = nrdma_buf_alloc(dev, bytes, &options, &buf);
	if (!ret) {
		printf("ok size=%llu warm=%llu\n", (unsigned long long)nrdma_buf_size(buf),
		       (unsigned long long)nrdma_buf_warm(buf));
		return 0;
	}
	printf("%s reason=%s node=%d limit=%llu: %s\n", strerrorname_np(-ret),
	       nrdma_strreason(nrdma_last_failure()->reason), nrdma_last_failure()->node,
	       (unsigned long long)nrdma_last_failure()->limit, why());
	return 1;
}

static int cmd_hold(const char *name, uint64_t bytes, char **arg)
{
	struct nrdma_buf_options options = NRDMA_BUF_OPTIONS_INIT;
	struct nrdma_dev *dev = opened(name);
	struct nrdma_buf *buf;
	unsigned char *p;
	char c;

	options_read(&options, arg);
	if (nrdma_buf_alloc(dev, bytes, &options, &buf))
		tap_bail("nrdma_buf_alloc: %s", why());
	nrdma_close(dev);
	p = mapped(buf, 0, 0);
	nrdma_buf_free(buf);
	fill(p, bytes);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	printf("kept=%d\n", filled(p, 0, bytes));
	return 0;
}

static int cmd_gone(const char *name)
{
	struct nrdma_dev *dev = opened(name);
	struct nrdma_buf *buf = allocated(dev, 4 * MIB), *more = NULL;
	struct pollfd pfd = { .fd = nrdma_dev_fd(dev) };
	unsigned char *p = mapped(buf, 0, 0), *q;
	struct nrdma_info info;
	uint64_t bytes;
	int ret;

	dev_node = nrdma_buf_node(buf);
	fill(p, 4 * MIB);
	tap_ok(!poll(&pfd, 1, 0), "poll has nothing to say of a device that is there");
	fputs("ready\n", stderr);
	tap_ok(poll(&pfd, 1, 60000) == 1 && pfd.revents & POLLHUP, "poll says POLLHUP");
	tap_ok(!nrdma_dev_info(dev, &info, sizeof(info)) && info.gone, "INFO says that it is gone");
	ret = nrdma_buf_alloc(dev, 4096, NULL, &more);
	tap_ok(ret == -ENODEV && !more, "%s", why());
	tap_ok(nrdma_last_failure()->reason == NRDMA_REASON_DEVICE_GONE, "and the reason");
	tap_ok(filled(p, 0, 4 * MIB), "the memory is still there");
	q = mapped(buf, MIB, MIB);
	tap_ok(filled(q, MIB, MIB), "it can be mapped again");
	tap_ok(!nrdma_buf_bytes_on(buf, dev_node, &bytes) && bytes == 4 * MIB,
	       "and tells where it lies");
	ret = nrdma_open(&dev, name);
	tap_ok(ret == -ENODEV, "%s", why());
	return tap_done();
}

int main(int argc, char **argv)
{
	struct nrdma_dev *dev;
	int fds;

	self = argv[0];
	if (argc > 3 && !strcmp(argv[1], "take"))
		return cmd_take(atoi(argv[2]), argv[3]);
	if (argc > 3 && !strcmp(argv[1], "try"))
		return cmd_try(argv[2], strtoull(argv[3], NULL, 0), argv + 4);
	if (argc > 3 && !strcmp(argv[1], "hold"))
		return cmd_hold(argv[2], strtoull(argv[3], NULL, 0), argv + 4);
	if (argc > 2 && !strcmp(argv[1], "gone"))
		return cmd_gone(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "bind"))
		return cmd_bind(argv[2]);
	if (argc != 6 || strcmp(argv[1], "all"))
		tap_bail("usage: t-lib all DEV NETDEV PCI NODE");

	dev_name = argv[2];
	dev_node = atoi(argv[5]);
	fds = open_fds();
	test_names(argv[3], argv[4]);
	dev = opened(dev_name);
	test_where(dev);
	test_large(dev);
	test_mapping(dev);
	test_fork(dev);
	test_share(dev);
	test_threads(dev);
	test_bind(dev);
	nrdma_close(dev);
	tap_ok(open_fds() == fds, "no descriptor is left open");
	return tap_done();
}
