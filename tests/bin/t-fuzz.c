// SPDX-License-Identifier: GPL-2.0
/*
 * t-fuzz SEED CALLS|SECONDSs [links]
 *
 * Calls of the module from several threads at once: valid ones, ones that are
 * nearly so, and garbage; descriptors are closed and mappings taken away under
 * calls that use them. Probes are short ones, read to their end or cut. With
 * "links" (as root), RDMA devices fuzz0 to fuzz2 over the netdevs fuzzd0 and fuzzd1
 * come, go and are renamed meanwhile. What a thread asks for follows from SEED; what
 * it then meets, from the others as well.
 *
 * Prints calls and successes of each kind. That nothing bad happens is for the
 * kernel to say; here it is only seen that it goes on answering.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/dma-buf.h>

#include "buf.h"
#include "link.h"
#include "nl.h"

#define THREADS 4
#define FDS 12
#define MAPS 12

/* What is called: a line each of the table at the end */
enum call {
	CALL_OPEN, CALL_CLOSE, CALL_INFO, CALL_ALLOC, CALL_QUERY, CALL_IOCTL, CALL_POLL,
	CALL_MMAP, CALL_MUNMAP, CALL_MREMAP, CALL_MPROTECT, CALL_MADVISE, CALL_MLOCK, CALL_TOUCH,
	CALL_PIN, CALL_SYNC, CALL_SEEK, CALL_RW, CALL_PASS, CALL_FORK,
	CALL_INFO_GET, CALL_DEV_GET, CALL_DEV_DUMP, CALL_DEV_SET, CALL_IRQ_DUMP, CALL_IRQ_SET,
	CALL_IRQ_RESTORE, CALL_BUF_DUMP, CALL_POOL_DUMP, CALL_POOL_SET, CALL_PROBE_RUN,
	CALL_GARBAGE, CALL_LINK_NEW, CALL_LINK_DEL, CALL_RENAME, CALLS
};

static const char * const call_names[CALLS] = {
	"open", "close", "ioctl INFO", "ioctl ALLOC", "ioctl QUERY", "ioctl other", "poll",
	"mmap", "munmap", "mremap", "mprotect", "madvise", "mlock", "touch",
	"pin", "dma-buf sync", "lseek", "read, write", "pass", "fork",
	"INFO_GET", "DEV_GET", "DEV_GET dump", "DEV_SET", "IRQ_GET dump", "IRQ_SET",
	"IRQ_RESTORE", "BUF_GET dump", "POOL_GET dump", "POOL_SET", "PROBE_RUN",
	"netlink other", "link add", "link delete", "rename",
};

static unsigned long calls[CALLS], successes[CALLS];

/* Descriptors and areas are everybody's: whoever likes closes them. */
enum kind { CHARDEV, DMABUF, KINDS };

static int fds[KINDS][FDS];
static struct { char *at; size_t bytes; } maps[MAPS];

static volatile bool stop;

/* ---- chance: splitmix64, each thread its own ---- */

static __thread uint64_t state;

static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

static bool chance(unsigned int percent)
{
	return below(100) < percent;
}

/* A number near where something may happen */
static uint64_t odd_number(void)
{
	static const uint64_t edges[] = {
		0, 1, 2, 4095, 4096, 4097, 65536, 2 << 20, (2 << 20) + 1, 4 << 20,
		0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 40,
		(1ULL << 63) - 1, 1ULL << 63, ~0ULL, ~0ULL - 4095,
	};

	switch (below(3)) {
	case 0: return edges[below(sizeof(edges) / sizeof(edges[0]))];
	case 1: return edges[below(sizeof(edges) / sizeof(edges[0]))] + below(3) - 1;
	default: return rnd() >> below(64);
	}
}

static uint64_t good_size(void)
{
	return chance(70) ? 4096 * (1 + below(64)) : (1 + below(4)) << 20;
}

static long did(enum call call, long ret)
{
	__atomic_fetch_add(&calls[call], 1, __ATOMIC_RELAXED);
	if (ret >= 0)
		__atomic_fetch_add(&successes[call], 1, __ATOMIC_RELAXED);
	return ret;
}

/* ---- files ---- */

/* Of a kind, mostly */
static int any_fd(enum kind kind)
{
	int odd = odd_number();

	/* Neither this program's own nor the case's */
	if (chance(3) && (odd < 0 || odd > 1023))
		return odd;
	if (chance(10))
		kind = !kind;
	return __atomic_load_n(&fds[kind][below(FDS)], __ATOMIC_RELAXED);
}

static int either_fd(void)
{
	return any_fd(below(KINDS));
}

/* Takes the place of an older one, which is closed whoever uses it */
static void keep_fd(enum kind kind, int fd)
{
	int old = __atomic_exchange_n(&fds[kind][below(FDS)], fd, __ATOMIC_RELAXED);

	if (old > 2)
		close(old);
}

static void do_open(void)
{
	struct dirent *e, *found = NULL;
	char path[300];
	unsigned int n = 0;
	DIR *d;
	int fd;

	d = opendir(NRDMA_DEV_DIR);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && !below(++n))
			found = e;
	if (found)
		snprintf(path, sizeof(path), "%s/%s", NRDMA_DEV_DIR, found->d_name);
	closedir(d);
	if (!found)
		return;
	fd = open(path, (chance(90) ? O_RDWR : below(3)) | O_CLOEXEC | (chance(5) ? O_PATH : 0));
	if (did(CALL_OPEN, fd) >= 0)
		keep_fd(CHARDEV, fd);
}

static void do_close(void)
{
	int fd = __atomic_exchange_n(&fds[below(KINDS)][below(FDS)], -1, __ATOMIC_RELAXED);

	if (fd > 2)
		did(CALL_CLOSE, close(fd));
}

/* An argument, at times cut short, longer, or at an address that is none */
static unsigned long odd_size(unsigned long cmd)
{
	unsigned int size = _IOC_SIZE(cmd);

	if (chance(85))
		return cmd;
	switch (below(3)) {
	case 0: size = below(size); break;
	case 1: size += below(64); break;
	default: size = below(1 << _IOC_SIZEBITS);
	}
	return _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), size);
}

static void *odd_address(void *p)
{
	if (chance(95))
		return p;
	return chance(50) ? NULL : (void *)odd_number();
}

/* Any bit of @p, now and then */
static void spoil(void *p, size_t bytes)
{
	unsigned int n;

	if (chance(75))
		return;
	for (n = 1 + below(3); n; n--)
		((unsigned char *)p)[below(bytes)] ^= 1 << below(8);
}

union arg {
	struct nrdma_info	info;
	struct nrdma_alloc	alloc;
	struct nrdma_query	query;
	/* As large as an ioctl can say */
	char			room[1 << _IOC_SIZEBITS];
};

static __thread union arg arg;

static void do_info(void)
{
	memset(&arg, 0, sizeof(arg.info) + 64);
	spoil(&arg, sizeof(arg.info));
	did(CALL_INFO, ioctl(any_fd(CHARDEV), odd_size(NRDMA_IOC_INFO), odd_address(&arg)));
}

static void do_alloc(void)
{
	unsigned long cmd = odd_size(NRDMA_IOC_ALLOC);

	memset(&arg, 0, sizeof(arg.alloc) + 64);
	arg.alloc.size = chance(85) ? good_size() : odd_number();
	arg.alloc.min_chunk = chance(70) ? 0 : chance(80) ? 4096UL << below(10) : odd_number();
	arg.alloc.flags = chance(80) ? below(NRDMA_ALLOC_FLAGS + 1) : 0;
	arg.alloc.node = chance(60) ? NRDMA_NODE_DEVICE : (int)below(4) - 1;
	arg.alloc.fd = -1;
	spoil(&arg, sizeof(arg.alloc));
	/* A whole node is full soon enough, and takes its time each time */
	if (arg.alloc.size > 16 << 20 && arg.alloc.size < 1ULL << 36)
		arg.alloc.size &= (16 << 20) - 1;
	if (!did(CALL_ALLOC, ioctl(any_fd(CHARDEV), cmd, odd_address(&arg))) &&
	    _IOC_SIZE(cmd) >= offsetof(struct nrdma_alloc, reason) && arg.alloc.fd > 2)
		keep_fd(DMABUF, arg.alloc.fd);
}

static void do_query(void)
{
	static __thread struct nrdma_run runs[64];

	memset(&arg, 0, sizeof(arg.query) + 64);
	arg.query.fd = chance(40) ? NRDMA_QUERY_OWN : any_fd(DMABUF);
	spoil(&arg, sizeof(arg.query));
	arg.query.nr_runs = chance(80) ? below(65) : odd_number();
	/* More than there is room for only where nothing is */
	arg.query.runs = arg.query.nr_runs > 64 ? 8 : (uintptr_t)odd_address(runs);
	did(CALL_QUERY, ioctl(any_fd(CHARDEV), odd_size(NRDMA_IOC_QUERY), odd_address(&arg)));
}

static void do_ioctl(void)
{
	unsigned long cmd = chance(50) ? rnd() : (rnd() & ~0xff00UL) | NRDMA_IOC_MAGIC << 8;
	size_t i;

	for (i = 0; i < 64; i += 8)
		*(uint64_t *)(arg.room + i) = odd_number();
	/* Not the descriptors' own: FIOCLEX and the like tell nothing of us */
	did(CALL_IOCTL, ioctl(either_fd(), cmd | 0x80, odd_address(&arg)));
}

static void do_poll(void)
{
	struct pollfd p[3] = {
		{ either_fd(), rnd(), 0 }, { either_fd(), rnd(), 0 }, { either_fd(), rnd(), 0 },
	};

	did(CALL_POLL, poll(p, 3, 0));
}

/* ---- mappings ---- */

/*
 * Who works on an area has it to himself, so that the areas beside it are safe
 * from him. Never waited for: a child has the lock as it was when it was made.
 */
static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;

static bool with_map(char **at, size_t *bytes)
{
	unsigned int slot = below(MAPS);

	if (pthread_mutex_trylock(&maps_lock))
		return false;
	*at = maps[slot].at;
	*bytes = maps[slot].bytes;
	maps[slot].at = NULL;
	pthread_mutex_unlock(&maps_lock);
	return *at;
}

static void put_map(char *at, size_t bytes)
{
	unsigned int i, slot = below(MAPS);

	if (!pthread_mutex_trylock(&maps_lock)) {
		for (i = 0; i < MAPS && maps[slot].at; i++)
			slot = (slot + 1) % MAPS;
		if (i < MAPS) {
			maps[slot].at = at;
			maps[slot].bytes = bytes;
			at = NULL;
		}
		pthread_mutex_unlock(&maps_lock);
	}
	if (at)
		munmap(at, bytes);
}

static void do_mmap(void)
{
	size_t bytes = chance(90) ? good_size() : odd_number();
	off_t offset = chance(80) ? 0 : chance(70) ? 4096 * below(64) : (off_t)odd_number();
	int prot = chance(85) ? PROT_READ | PROT_WRITE : (int)below(8);
	int flags = chance(90) ? MAP_SHARED : chance(50) ? MAP_PRIVATE : MAP_SHARED_VALIDATE;
	void *p;

	if (chance(10))
		flags |= MAP_POPULATE;
	if (chance(5))
		flags |= MAP_LOCKED;
	if (chance(5))
		flags |= MAP_NORESERVE;
	/* Never MAP_FIXED: it would go over what this program stands on */
	p = mmap(NULL, bytes, prot, flags, either_fd(), offset);
	did(CALL_MMAP, p == MAP_FAILED ? -1 : 0);
	if (p != MAP_FAILED)
		put_map(p, bytes);
}

static void do_munmap(void)
{
	size_t bytes, head;
	char *at;

	if (!with_map(&at, &bytes))
		return;
	if (bytes <= 4096 || chance(60)) {
		did(CALL_MUNMAP, munmap(at, bytes));
		return;
	}
	/* A hole in the middle, or an end */
	bytes = (bytes + 4095) & ~4095UL;
	head = 4096 * (1 + below(bytes / 4096 - 1));
	did(CALL_MUNMAP, munmap(at + head, bytes - head));
	put_map(at, head);
}

static void do_mremap(void)
{
	size_t bytes, to;
	char *at, *new;

	if (!with_map(&at, &bytes))
		return;
	to = chance(50) ? bytes : good_size();
	new = mremap(at, bytes, to, MREMAP_MAYMOVE);
	did(CALL_MREMAP, new == MAP_FAILED ? -1 : 0);
	if (new == MAP_FAILED)
		put_map(at, bytes);
	else
		put_map(new, to);
}

static void do_mprotect(void)
{
	size_t bytes;
	char *at;

	if (!with_map(&at, &bytes))
		return;
	did(CALL_MPROTECT, mprotect(at, (1 + below((bytes + 4095) / 4096)) * 4096, below(8)));
	put_map(at, bytes);
}

static void do_madvise(void)
{
	static const int advice[] = {
		MADV_NORMAL, MADV_DONTNEED, MADV_WILLNEED, MADV_REMOVE, MADV_DONTFORK, MADV_DOFORK,
		MADV_MERGEABLE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_FREE,
		MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_WIPEONFORK,
	};
	size_t bytes;
	char *at;

	if (!with_map(&at, &bytes))
		return;
	did(CALL_MADVISE, madvise(at, bytes, advice[below(sizeof(advice) / sizeof(advice[0]))]));
	put_map(at, bytes);
}

static void do_mlock(void)
{
	size_t bytes;
	char *at;

	if (!with_map(&at, &bytes))
		return;
	did(CALL_MLOCK, chance(50) ? mlock(at, bytes) : munlock(at, bytes));
	put_map(at, bytes);
}

/* By a system call, which does not die of what is not there */
static void do_touch(void)
{
	char c[64] = "touched";
	struct iovec here = { c, sizeof(c) }, there;
	size_t bytes;
	char *at;

	if (!with_map(&at, &bytes))
		return;
	there.iov_base = at + below(bytes);
	there.iov_len = sizeof(c);
	did(CALL_TOUCH, chance(50) ? process_vm_writev(getpid(), &here, 1, &there, 1, 0) :
				     process_vm_readv(getpid(), &here, 1, &there, 1, 0));
	put_map(at, bytes);
}

/* Pages that a pipe holds while the mapping goes */
static void do_pin(void)
{
	struct iovec v;
	size_t bytes;
	char *at;
	int p[2];

	if (!with_map(&at, &bytes))
		return;
	if (!pipe2(p, O_CLOEXEC | O_NONBLOCK)) {
		v.iov_base = at;
		v.iov_len = bytes < 65536 ? bytes : 65536;
		did(CALL_PIN, vmsplice(p[1], &v, 1, SPLICE_F_NONBLOCK));
		if (chance(30)) {
			did(CALL_MUNMAP, munmap(at, bytes));
			at = NULL;
		}
		close(p[0]);
		close(p[1]);
	}
	if (at)
		put_map(at, bytes);
}

static void do_sync(void)
{
	struct dma_buf_sync sync = { .flags = chance(90) ? below(8) : odd_number() };

	did(CALL_SYNC, ioctl(any_fd(DMABUF), DMA_BUF_IOCTL_SYNC, odd_address(&sync)));
}

static void do_seek(void)
{
	did(CALL_SEEK, lseek(any_fd(DMABUF), chance(60) ? 0 : odd_number(), below(5)));
}

static void do_rw(void)
{
	char c[64];
	int fd = either_fd();

	/* Neither the case's standard input nor its output */
	if (fd > 2)
		did(CALL_RW, chance(50) ? read(fd, c, sizeof(c)) : write(fd, c, sizeof(c)));
}

/* Through a socket; what is in flight when it is closed goes with it */
static void do_pass(void)
{
	union { struct cmsghdr align; char room[CMSG_SPACE(sizeof(int))]; } control = { };
	char c = 'x';
	struct iovec v = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&m);
	enum kind kind = below(KINDS);
	int s[2], fd = any_fd(kind);

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, s))
		return;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	if (did(CALL_PASS, sendmsg(s[0], &m, 0)) > 0 && chance(50) &&
	    recvmsg(s[1], &m, MSG_CMSG_CLOEXEC) > 0 && m.msg_controllen) {
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
		keep_fd(kind, fd);
	}
	close(s[0]);
	close(s[1]);
}

/* A child that inherits it all, and ends in the middle of something */
static void do_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		while (chance(90))
			chance(50) ? do_touch() : do_munmap();
		_exit(0);
	}
	if (did(CALL_FORK, pid) > 0) {
		if (chance(30))
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* ---- netlink ---- */

static __thread struct nl nl;

static const char * const names[] = { "rxe_eth0", "rxe_eth1", "fuzz0", "fuzz1", "fuzz2" };

/* Half of the requests have nothing wrong about them. */
static __thread bool good;

static const char *any_name(void)
{
	static __thread char name[300];
	size_t i, len;

	if (good)
		return names[below(2)];
	if (chance(90))
		return names[below(sizeof(names) / sizeof(names[0]))];
	len = below(sizeof(name) - 1);
	for (i = 0; i < len; i++)
		name[i] = 1 + below(255);
	name[len] = '\0';
	return name;
}

static uint32_t number_near(unsigned int n)
{
	return good || chance(85) ? below(n) : odd_number();
}

/* Names a device, by one attribute or the other, or by both */
static void put_device(int index_attr, int name_attr)
{
	if (good || chance(85))
		nl_put_string(&nl, name_attr, any_name());
	if (!good && chance(20))
		nl_put_u32(&nl, index_attr, number_near(8));
}

static const char *any_cpus(void)
{
	static const char * const lists[] = {
		"0", "1", "0-3", "0,2", "1-2", "", "3-1", "0-", "x", "4000", "0-8191", "8192",
		"0-3:1/2", "999999999999", ",,,", "-", "0-3,\n",
	};

	return lists[good || chance(70) ? below(5) : below(sizeof(lists) / sizeof(lists[0]))];
}

static void put_policy(void)
{
	struct nlattr *nest = nl_nest_begin(&nl, NRDMA_A_IRQ_POLICY);
	uint32_t mode = number_near(NRDMA_POLICY_CPUS + 1);

	if (good || chance(80))
		nl_put_u32(&nl, NRDMA_A_POLICY_MODE, mode);
	if (good ? mode == NRDMA_POLICY_NODE : chance(50))
		nl_put_u32(&nl, NRDMA_A_POLICY_NODE, number_near(2));
	if (good ? mode == NRDMA_POLICY_CPUS : chance(50))
		nl_put_string(&nl, NRDMA_A_POLICY_CPUS, any_cpus());
	if (!good && chance(30))
		nl_put_string(&nl, NRDMA_A_POLICY_EXCLUDE, any_cpus());
	if (chance(30))
		nl_put_u8(&nl, NRDMA_A_POLICY_ISOLATED, number_near(2));
	if (chance(50))
		nl_put_u8(&nl, NRDMA_A_POLICY_LOCK, number_near(2));
	nl_nest_end(&nl, nest);
}

/* Sizes, types and content of what has been put together, now and then */
static void spoil_request(void)
{
	spoil(nl.msg + NLMSG_HDRLEN + GENL_HDRLEN,
	      nl.nlh.nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN ?
	      nl.nlh.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN : 1);
}

static void no_answer(enum call call)
{
	fprintf(stderr, "t-fuzz: no answer to %s in a minute\n", call_names[call]);
	abort();
}

static void request(enum call call)
{
	struct nl_answer a;

	if (!good && chance(30))
		spoil_request();
	a = nl_ask(&nl);
	if (a.err == -EAGAIN)
		no_answer(call);
	did(call, a.err ? -1 : 0);
}

static void do_request(void)
{
	static const enum call often[] = {
		CALL_INFO_GET, CALL_INFO_GET, CALL_DEV_GET, CALL_DEV_GET, CALL_DEV_GET,
		CALL_DEV_DUMP, CALL_DEV_SET, CALL_IRQ_DUMP, CALL_IRQ_SET, CALL_IRQ_RESTORE,
		CALL_BUF_DUMP, CALL_POOL_DUMP, CALL_POOL_SET,
	};
	static const struct { uint8_t cmd; uint16_t flags; } how[CALLS] = {
		[CALL_INFO_GET]		= { NRDMA_CMD_INFO_GET, NLM_F_ACK },
		[CALL_DEV_GET]		= { NRDMA_CMD_DEV_GET, NLM_F_ACK },
		[CALL_DEV_DUMP]		= { NRDMA_CMD_DEV_GET, NLM_F_DUMP },
		[CALL_DEV_SET]		= { NRDMA_CMD_DEV_SET, NLM_F_ACK },
		[CALL_IRQ_DUMP]		= { NRDMA_CMD_IRQ_GET, NLM_F_DUMP },
		[CALL_IRQ_SET]		= { NRDMA_CMD_IRQ_SET, NLM_F_ACK },
		[CALL_IRQ_RESTORE]	= { NRDMA_CMD_IRQ_RESTORE, NLM_F_ACK },
		[CALL_BUF_DUMP]		= { NRDMA_CMD_BUF_GET, NLM_F_DUMP },
		[CALL_POOL_DUMP]	= { NRDMA_CMD_POOL_GET, NLM_F_DUMP },
		[CALL_POOL_SET]		= { NRDMA_CMD_POOL_SET, NLM_F_ACK },
	};
	enum call call = often[below(sizeof(often) / sizeof(often[0]))];

	good = chance(50);
	nl_begin(&nl, nl.family, how[call].cmd, how[call].flags);
	switch (call) {
	case CALL_DEV_GET:
		put_device(NRDMA_A_DEV_INDEX, NRDMA_A_DEV_NAME);
		break;
	case CALL_DEV_SET:
		put_device(NRDMA_A_DEV_INDEX, NRDMA_A_DEV_NAME);
		nl_put_u32(&nl, NRDMA_A_DEV_NODE_OVERRIDE, number_near(4) - 1);
		break;
	case CALL_IRQ_DUMP:
		if (chance(50))
			put_device(NRDMA_A_IRQ_DEV_INDEX, NRDMA_A_IRQ_DEV_NAME);
		if (chance(30))
			put_policy();
		break;
	case CALL_IRQ_SET:
		put_device(NRDMA_A_IRQ_DEV_INDEX, NRDMA_A_IRQ_DEV_NAME);
		put_policy();
		break;
	case CALL_IRQ_RESTORE:
		put_device(NRDMA_A_IRQ_DEV_INDEX, NRDMA_A_IRQ_DEV_NAME);
		break;
	case CALL_BUF_DUMP:
		if (chance(50))
			put_device(NRDMA_A_BUF_DEV_INDEX, NRDMA_A_BUF_DEV_NAME);
		break;
	case CALL_POOL_SET:
		nl_put_u32(&nl, NRDMA_A_POOL_NODE, good ? below(2) : number_near(3));
		if (chance(70))
			nl_put_u64(&nl, NRDMA_A_POOL_BYTES,
				   good || chance(80) ? (uint64_t)below(16) << 20 : odd_number());
		if (!good && chance(30))
			nl_put_u64(&nl, NRDMA_A_POOL_CHUNK_BYTES,
				   chance(80) ? 4096ULL << below(10) : odd_number());
		if (chance(20))
			nl_put_u32(&nl, NRDMA_A_POOL_GID, chance(70) ? 1000 : odd_number());
		if (chance(30))
			nl_put_u8(&nl, NRDMA_A_POOL_SHRINK, number_near(2));
		/* Small caps would refuse everything for the rest of the run */
		if (chance(10))
			nl_put_u64(&nl, NRDMA_A_POOL_UID_CAP, chance(50) ? 0 : 256 << 20);
		break;
	default:
		break;
	}
	request(call);
}

static uint32_t probe_size(void)
{
	if (!good && chance(20))
		return odd_number();
	/* The largest is 4 MiB */
	return chance(90) ? 8 + below(4096) : 8U << below(20);
}

/*
 * Whether it began. That says its first message, which measures nothing; to read one
 * is to have the next one measured.
 */
static bool read_probe(int sock, unsigned int most)
{
	static __thread char buf[NL_ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nl_answer a = { .attr = -1 };
	bool began = false, over = false;
	struct nlmsghdr *nlh;
	ssize_t n;

	while (most-- && !over) {
		n = recv(sock, buf, sizeof(buf), 0);
		if (n < 0 && errno == EAGAIN)
			no_answer(CALL_PROBE_RUN);
		if (n < 0)
			break;
		for (nlh = (void *)buf; !over && NLMSG_OK(nlh, (size_t)n);
		     nlh = NLMSG_NEXT(nlh, n)) {
			over = nl_read(&nl, nlh, &a);
			began |= !over;
		}
	}
	return began;
}

/*
 * Has a socket of its own: closing it ends the run, and what was not read goes with
 * it. Its number is none that files have had, for whoever still reads from one of
 * those would take an answer away.
 */
static int probe_socket(void)
{
	struct nl probe;
	int sock;

	if (nl_open(&probe, NETLINK_GENERIC))
		return -1;
	sock = fcntl(probe.sock, F_DUPFD_CLOEXEC, 512);
	close(probe.sock);
	return sock;
}

static void do_probe(void)
{
	unsigned int most;
	bool began = false;
	int sock;

	good = chance(70);
	nl_begin(&nl, nl.family, NRDMA_CMD_PROBE_RUN, NLM_F_DUMP);
	/* Good ones are asked of devices that come and go, too. */
	if (good && chance(30))
		nl_put_string(&nl, NRDMA_A_PROBE_DEV_NAME, names[2 + below(2)]);
	else
		put_device(NRDMA_A_PROBE_DEV_INDEX, NRDMA_A_PROBE_DEV_NAME);
	if (chance(80))
		nl_put_u32(&nl, NRDMA_A_PROBE_OP, number_near(NRDMA_PROBE_OP_PINGPONG + 1));
	if (chance(80))
		nl_put_u32(&nl, NRDMA_A_PROBE_SIZE, probe_size());
	/* Short: by itself it would take ten seconds */
	if (good || chance(80)) {
		nl_put_u32(&nl, NRDMA_A_PROBE_ITERATIONS, 1 + number_near(20));
		nl_put_u32(&nl, NRDMA_A_PROBE_ROUNDS, 1 + (chance(60) ? 0 : number_near(3)));
		nl_put_u32(&nl, NRDMA_A_PROBE_TIME, 1 + number_near(1));
	}
	if (chance(50))
		nl_put_u32(&nl, NRDMA_A_PROBE_MEM_NODE, number_near(2));
	if (chance(50))
		nl_put_u32(&nl, NRDMA_A_PROBE_CPU_NODE, number_near(2));
	if (chance(30))
		nl_put_u32(&nl, NRDMA_A_PROBE_PORT, 1 + number_near(1));
	if (chance(30))
		nl_put_u8(&nl, NRDMA_A_PROBE_ISOLATED, number_near(2));
	if (!good && chance(30))
		spoil_request();
	/* To the end where it is near; none of the others may keep the thread for long */
	most = good && chance(40) ? 20 : below(5);
	sock = probe_socket();
	if (sock >= 0) {
		if (send(sock, nl.msg, nl.nlh.nlmsg_len, 0) >= 0)
			began = read_probe(sock, most);
		close(sock);
	}
	did(CALL_PROBE_RUN, began ? 0 : -1);
}

static void do_garbage(void)
{
	unsigned int n;

	good = false;
	nl_begin(&nl, nl.family, below(256), chance(50) ? NLM_F_DUMP : NLM_F_ACK);
	for (n = below(8); n; n--) {
		char bytes[64];
		size_t i, len = below(sizeof(bytes));

		for (i = 0; i < len; i++)
			bytes[i] = rnd();
		nl_put(&nl, chance(80) ? below(40) : rnd(), bytes, len);
	}
	request(CALL_GARBAGE);
}

/* ---- threads ---- */

struct share {
	void		(*call)(void);
	unsigned int	weight;
};

/* So that there is something to work on. A probe holds its thread for a second. */
static const struct share shares[] = {
	{ do_open, 60 }, { do_close, 20 }, { do_info, 70 }, { do_alloc, 100 }, { do_query, 90 },
	{ do_ioctl, 30 }, { do_poll, 40 }, { do_mmap, 130 }, { do_munmap, 50 }, { do_mremap, 25 },
	{ do_mprotect, 25 }, { do_madvise, 30 }, { do_mlock, 10 }, { do_touch, 80 },
	{ do_pin, 20 }, { do_sync, 40 }, { do_seek, 20 }, { do_rw, 15 }, { do_pass, 25 },
	{ do_fork, 4 }, { do_request, 200 }, { do_probe, 1 }, { do_garbage, 20 },
};

static void do_any(void)
{
	const struct share *k;
	unsigned int n = 0;

	for (k = shares; k < shares + sizeof(shares) / sizeof(shares[0]); k++)
		n += k->weight;
	n = below(n);
	for (k = shares; n >= k->weight; k++)
		n -= k->weight;
	k->call();
}

/* Calls of each thread */
static unsigned long each = ~0UL;

static void *thread(void *seed)
{
	unsigned long n;

	state = (uintptr_t)seed;
	if (nl_open(&nl, NETLINK_GENERIC) || nl_find_family(&nl, NRDMA_FAMILY_NAME)) {
		fprintf(stderr, "t-fuzz: no family %s\n", NRDMA_FAMILY_NAME);
		exit(1);
	}
	for (n = each; n && !stop; n--)
		do_any();
	close(nl.sock);
	return NULL;
}

/* Devices come, go and are renamed under what is done with them */
static void *link_thread(void *seed)
{
	static struct nl rdma;
	char name[16], to[16];

	state = (uintptr_t)seed;
	if (nl_open(&rdma, NETLINK_RDMA)) {
		fprintf(stderr, "t-fuzz: RDMA netlink: %m\n");
		exit(1);
	}
	while (!stop) {
		snprintf(name, sizeof(name), "fuzz%u", below(2));
		switch (below(3)) {
		case 0:
			did(CALL_LINK_NEW, -link_new(&rdma, name, chance(50) ? "fuzzd0" : "fuzzd1"));
			break;
		case 1:
			did(CALL_LINK_DEL, -link_delete(&rdma, name));
			break;
		default:
			snprintf(to, sizeof(to), "fuzz%u", below(3));
			did(CALL_RENAME, -link_rename(&rdma, name, to));
			/* fuzz2 is never looked for, only run into */
			if (chance(80))
				link_rename(&rdma, "fuzz2", name);
		}
	}
	for (const char * const *n = names + 2; n < names + 5; n++)
		link_delete(&rdma, *n);
	close(rdma.sock);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long all = 0, succeeded = 0, seed;
	bool links = argc == 4 && !strcmp(argv[3], "links");
	pthread_t threads[THREADS], linker;
	struct timespec t = { };
	char *unit;
	uintptr_t i;

	if (argc < 3 || (argc == 4 && !links) || argc > 4) {
		fprintf(stderr, "usage: t-fuzz SEED CALLS|SECONDSs [links]\n");
		return 1;
	}
	seed = strtoul(argv[1], NULL, 0);
	t.tv_sec = strtoul(argv[2], &unit, 0);
	if (*unit != 's')
		each = t.tv_sec / THREADS;
	signal(SIGPIPE, SIG_IGN);
	memset(fds, 0xff, sizeof(fds));
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(seed * 1000 + i));
	if (links)
		pthread_create(&linker, NULL, link_thread, (void *)(seed * 1000 + THREADS));
	if (*unit == 's') {
		nanosleep(&t, NULL);
		stop = true;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = true;
	if (links)
		pthread_join(linker, NULL);

	for (i = 0; i < CALLS; i++) {
		if (calls[i])
			printf("%-14s %9lu calls %9lu succeeded\n", call_names[i], calls[i],
			       successes[i]);
		all += calls[i];
		succeeded += successes[i];
	}
	printf("seed %lu, uid %d: %lu calls, %lu succeeded\n", seed, getuid(), all,
	       succeeded);
	return 0;
}
