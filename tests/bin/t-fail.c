// SPDX-License-Identifier: GPL-2.0
/*
 * t-fail DEVICE NETDEV [WORD [TIMES]]
 * t-fail load NRDMA.ko
 *
 * Each thing that can be asked of the module, with the first, the second, the
 * third... of its allocations (and copies to and from user space) failing, until
 * it gets by without a failure. Each time the error is one that the interface
 * promises, everything is as it was before, and the same thing done again
 * without a fault succeeds. TAP; only what is named like WORD is done, with !WORD
 * all else. With TIMES, each that is refused is refused that often before it is looked
 * at what is left.
 *
 * Takes a kernel with fault injection and its stack filter: only what the module
 * itself asks for fails. An RDMA device "fail0" is made over NETDEV. "load" does
 * it to loading the module, which is not loaded when it begins and ends.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <time.h>

#include "../kmod/nrdma_importer.h"
#include "buf.h"
#include "link.h"
#include "nl.h"
#include "tap.h"

#define MIB (1UL << 20)
#define FAULTS_MAX 3000

static const char *dev, *netdev, *only, *ko;
static unsigned int times;
static char chardev[128];
static struct nl nl, rdma;

/* ---- fault injection ---- */

static const char * const attrs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return ret;
}

static void set_attr(const char *attr, const char *name, const char *value, bool needed)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", attr, name);
	if (write_to(path, value) && needed)
		tap_bail("%s: %m", path);
}

static void set_all(const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		set_attr(attrs[i], name, value, true);
}

/* An address; there are kernels that take only a signed number */
static void set_address(const char *attr, const char *name, unsigned long address)
{
	char text[32], path[160];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", attr, name);
	snprintf(text, sizeof(text), "%#lx", address);
	if (!write_to(path, text))
		return;
	snprintf(text, sizeof(text), "%ld", (long)address);
	set_attr(attr, name, text, true);
}

/* What fails has been asked for by code between these */
static void only_from(unsigned long start, unsigned long end)
{
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		set_address(attrs[i], "require-start", start);
		set_address(attrs[i], "require-end", end);
	}
}

static void prepare_faults(void)
{
	set_all("probability", "0");
	set_all("interval", "1");
	set_all("times", "-1");
	/* Else each one prints a trace */
	set_all("verbose", "0");
	set_attr("failslab", "ignore-gfp-wait", "N", true);
	set_attr("fail_page_alloc", "ignore-gfp-wait", "N", true);
	set_attr("fail_page_alloc", "ignore-gfp-highmem", "N", true);
	set_attr("fail_page_alloc", "min-order", "0", true);
}

/* Nor does what other code asks for on the module's behalf */
static void not_from(const char *attr, unsigned long start, unsigned long end)
{
	set_address(attr, "reject-start", start);
	set_address(attr, "reject-end", end);
}

static bool find_module(const char *wanted, unsigned long *start, unsigned long *end)
{
	char line[512], name[64];
	unsigned long size = 0, base = 0;
	FILE *f = fopen("/proc/modules", "r");
	bool found = false;

	if (!f)
		tap_bail("/proc/modules: %m");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%63s %lu %*s %*s %*s %lx", name, &size, &base) == 3 &&
			!strcmp(name, wanted);
	fclose(f);
	*start = base;
	*end = base + size;
	return found;
}

static void forget_faults(void)
{
	set_all("probability", "0");
	only_from(0, ~0UL);
}

static void only_from_module(void)
{
	unsigned long start, end;

	if (!find_module("nrdma", &start, &end))
		tap_bail("nrdma is not loaded");
	only_from(start, end);
}

static int nth_fd = -1;

static void fail_nth(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (pwrite(nth_fd, text, strlen(text), 0) < 0)
		tap_bail("fail-nth: %m");
}

/* Was it reached? */
static bool failed_nth(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		tap_bail("fail-nth: %m");
	return !atoi(text);
}

/* ---- what the module and the kernel say ---- */

struct text {
	size_t	len;
	char	s[65536];
};

__attribute__((format(printf, 2, 3)))
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->len, sizeof(t->s) - t->len, fmt, ap);
	va_end(ap);
	t->len += n;
	if (t->len >= sizeof(t->s))
		tap_bail("too much to compare");
}

/* Attributes by which a state is told from another, all others change anyway */
static bool in(int type, const int *types)
{
	for (; *types; types++)
		if (*types == type)
			return true;
	return false;
}

static void say_attrs(struct text *t, const void *begin, const void *end, const int *types,
		      int nest, const int *nested)
{
	const struct nlattr *a;
	const unsigned char *c;

	nl_for_each(a, begin, end) {
		if (nest && nl_type(a) == nest) {
			say(t, "{");
			say_attrs(t, a + 1, nl_attr_end(a), nested, 0, NULL);
			say(t, "}");
			continue;
		}
		if (!in(nl_type(a), types))
			continue;
		say(t, " %d=", nl_type(a));
		for (c = (const void *)(a + 1); c < (const unsigned char *)nl_attr_end(a); c++)
			say(t, *c > ' ' && *c < 127 ? "%c" : "%02x", *c);
	}
}

static const int dev_types[] = {
	NRDMA_A_DEV_NAME, NRDMA_A_DEV_CHARDEV, NRDMA_A_DEV_PCI,
	NRDMA_A_DEV_NODE, NRDMA_A_DEV_MEM_NODE, NRDMA_A_DEV_NODE_OVERRIDE, NRDMA_A_DEV_BUF_COUNT,
	NRDMA_A_DEV_BUF_BYTES, NRDMA_A_DEV_BUF_REMOTE_BYTES, NRDMA_A_DEV_ERROR, 0,
};
static const int policy_types[] = {
	NRDMA_A_POLICY_MODE, NRDMA_A_POLICY_NODE, NRDMA_A_POLICY_CPUS, NRDMA_A_POLICY_EXCLUDE,
	NRDMA_A_POLICY_ISOLATED, NRDMA_A_POLICY_LOCK, NRDMA_A_POLICY_VECTORS, 0,
};
static const int irq_types[] = {
	NRDMA_A_IRQ_VECTOR, NRDMA_A_IRQ_IRQ, NRDMA_A_IRQ_CPUS, NRDMA_A_IRQ_LOCKED, 0,
};
static const int pool_types[] = {
	NRDMA_A_POOL_NODE, NRDMA_A_POOL_BYTES, NRDMA_A_POOL_CHUNK_BYTES, NRDMA_A_POOL_USED_BYTES,
	NRDMA_A_POOL_READY_BYTES,
	NRDMA_A_POOL_GID, NRDMA_A_POOL_SHRINK, NRDMA_A_POOL_UID_CAP, NRDMA_A_POOL_NODE_CAP,
	NRDMA_A_POOL_BUF_BYTES, 0,
};
static const int buf_types[] = { NRDMA_A_BUF_ID, NRDMA_A_BUF_BYTES, NRDMA_A_BUF_NODE, 0 };

static struct text *saying;

static void say_message(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const void *begin = (const char *)genl + GENL_HDRLEN;
	const void *end = (const char *)nlh + nlh->nlmsg_len;
	const int *types = arg;

	say(saying, "%d:", genl->cmd);
	say_attrs(saying, begin, end, types, types == dev_types ? NRDMA_A_DEV_POLICY : 0,
		  policy_types);
	say(saying, "\n");
}

static void say_dump(struct text *t, uint8_t cmd, const int *types)
{
	struct nl_answer a;
	size_t len = t->len;
	int tries = 20;

	saying = t;
	do {
		t->len = len;
		nl_begin(&nl, nl.family, cmd, NLM_F_DUMP);
		a = nl_ask_each(&nl, say_message, (void *)types);
	} while (a.interrupted && --tries);
	if (a.err)
		tap_bail("dump %d: %s", cmd, strerror(-a.err));
}

/* Pages that the process is charged for; given back by a work item */
static long locked_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmLck: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static int dmabufs(void)
{
	FILE *f = fopen("/sys/kernel/debug/dma_buf/bufinfo", "r");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "nrdma:");
	if (f)
		fclose(f);
	return n;
}

static int module_users(void)
{
	FILE *f = fopen("/sys/module/nrdma/refcnt", "r");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

static void say_dir(struct text *t, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort), i;

	say(t, "%s:", path);
	for (i = 0; i < n; i++) {
		say(t, " %s", names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	say(t, "\n");
}

/* All that a failed request must leave as it was */
static void snapshot(struct text *t)
{
	int fd = dup(0);

	close(fd);
	t->len = 0;
	say_dump(t, NRDMA_CMD_DEV_GET, dev_types);
	say_dump(t, NRDMA_CMD_IRQ_GET, irq_types);
	say_dump(t, NRDMA_CMD_POOL_GET, pool_types);
	say_dump(t, NRDMA_CMD_BUF_GET, buf_types);
	say_dir(t, NRDMA_DEV_DIR);
	say_dir(t, "/sys/class/infiniband");
	say_dir(t, "/sys/class/nrdma");
	say(t, "next descriptor %d, locked %ld KiB, %d dma-bufs, %d users\n", fd, locked_kib(),
	    dmabufs(), module_users());
}

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/*
 * What is freed may be freed by a work item: within ten seconds. To look is work, so
 * less and less often.
 */
static bool as_before(const struct text *before)
{
	static struct text now;
	const char *a, *b;
	long ms, waited;

	for (ms = 50, waited = 0; waited < 10000; waited += ms, ms = ms < 800 ? 2 * ms : ms) {
		snapshot(&now);
		if (!strcmp(now.s, before->s))
			return true;
		pause_ms(ms);
	}
	for (a = before->s, b = now.s; *a && *a == *b; a++, b++)
		;
	while (a > before->s && a[-1] != '\n')
		a--, b--;
	printf("# was: %.*s\n# is:  %.*s\n", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
	return false;
}

/* ---- what is asked for ---- */

static int chr = -1, made = -1;
static void *mapped;
static size_t mapped_bytes;
static struct nrdma_alloc alloc;

/**
 * struct op - something that can be asked for
 * @name: what
 * @before: makes what it takes, without a fault
 * @run: does it; 0 or an errno
 * @undo: undoes it after a run that succeeded
 * @check: after a run that failed with that errno: is it said as promised?
 * @after: undoes @before
 * @errors: errnos that @run may give
 */
struct op {
	const char	*name;
	void		(*before)(void);
	int		(*run)(void);
	void		(*undo)(void);
	bool		(*check)(int err);
	void		(*after)(void);
	int		errors[4];
};

static void chr_open(void)
{
	chr = open(chardev, O_RDWR | O_CLOEXEC);
	if (chr < 0)
		tap_bail("%s: %m", chardev);
}

static void chr_close(void)
{
	close(chr);
	chr = -1;
}

static int run_open(void)
{
	chr = open(chardev, O_RDWR | O_CLOEXEC);
	return chr < 0 ? errno : 0;
}

static int map_bytes(size_t bytes)
{
	mapped = buf_map(chr, bytes, 0);
	mapped_bytes = bytes;
	return mapped == MAP_FAILED ? errno : 0;
}

static int run_mmap_page(void)
{
	return map_bytes(4096);
}

static int run_mmap_large(void)
{
	int err = map_bytes(5 * MIB);

	if (!err)
		memset(mapped, 1, 5 * MIB);
	return err;
}

/* The file keeps its buffer: a new one, so that it is made each time */
static void undo_mmap(void)
{
	munmap(mapped, mapped_bytes);
	chr_close();
	chr_open();
}

static bool says_reason(int err)
{
	struct nrdma_info info = { };

	if (err != ENOMEM)
		return true;
	return !ioctl(chr, NRDMA_IOC_INFO, &info) && info.last_reason != NRDMA_REASON_NONE;
}

static int run_mmap_again(void)
{
	return map_bytes(MIB);
}

static void before_mmap_again(void)
{
	chr_open();
	if (buf_map(chr, 2 * MIB, 0) == MAP_FAILED)
		tap_bail("mmap: %m");
}

static void undo_mmap_again(void)
{
	munmap(mapped, mapped_bytes);
}

/* Whatever this file has mapped */
static void after_map(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from[16], to[16];
	char line[512];
	int n = 0;

	while (f && n < 16 && fgets(line, sizeof(line), f))
		if (strstr(line, "dmabuf") && sscanf(line, "%lx-%lx", &from[n], &to[n]) == 2)
			n++;
	if (f)
		fclose(f);
	while (n--)
		munmap((void *)from[n], to[n] - from[n]);
	chr_close();
}

static int run_info(void)
{
	struct nrdma_info info = { };

	return ioctl(chr, NRDMA_IOC_INFO, &info) ? errno : 0;
}

static int do_alloc(struct nrdma_alloc a)
{
	int ret;

	alloc = a;
	ret = ioctl(chr, NRDMA_IOC_ALLOC, &alloc);
	made = ret ? -1 : alloc.fd;
	return ret ? errno : 0;
}

static int run_alloc_small(void)
{
	return do_alloc((struct nrdma_alloc){ .size = 12288, .node = NRDMA_NODE_DEVICE });
}

static int run_alloc_large(void)
{
	return do_alloc((struct nrdma_alloc){ .size = 6 * MIB, .node = NRDMA_NODE_DEVICE,
					      .min_chunk = 2 * MIB });
}

static int run_alloc_remote(void)
{
	return do_alloc((struct nrdma_alloc){ .size = 4 * MIB, .node = NRDMA_NODE_DEVICE,
					      .flags = NRDMA_ALLOC_REMOTE });
}

static int run_alloc_pool(void)
{
	return do_alloc((struct nrdma_alloc){ .size = 4 * MIB, .node = NRDMA_NODE_DEVICE,
					      .flags = NRDMA_ALLOC_POOL_ONLY });
}

static int run_alloc_workers(void)
{
	return do_alloc((struct nrdma_alloc){ .size = 96 * MIB, .node = NRDMA_NODE_DEVICE });
}

static void undo_alloc(void)
{
	close(made);
}

/* ENOMEM has a reason, and nobody is told of a descriptor that is none */
static bool says_alloc(int err)
{
	if (err != ENOMEM)
		return true;
	return alloc.reason != NRDMA_REASON_NONE && alloc.fd == -1;
}

static int run_query(void)
{
	struct nrdma_run runs[4];
	struct nrdma_query q = {
		.fd = NRDMA_QUERY_OWN, .runs = (uintptr_t)runs, .nr_runs = 4,
	};

	return ioctl(chr, NRDMA_IOC_QUERY, &q) ? errno : 0;
}

static int run_poll(void)
{
	struct pollfd p = { .fd = chr, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? errno : 0;
}

static void nothing(void)
{
}

/* ---- another driver takes the buffer ---- */

static int importer = -1;

static void before_import(void)
{
	chr_open();
	importer = open("/dev/nrdma_importer", O_RDWR | O_CLOEXEC);
	if (importer < 0 || run_alloc_large())
		tap_bail("no importer, or nothing to import: %m");
}

static void after_import(void)
{
	close(made);
	close(importer);
	chr_close();
}

static int run_import(void)
{
	struct nrdma_importer_attach attach = { .fd = made };
	struct nrdma_importer_map map;
	int err;

	if (ioctl(importer, NRDMA_IMPORTER_ATTACH, &attach))
		return errno;
	if (!ioctl(importer, NRDMA_IMPORTER_MAP, &map))
		return 0;
	err = errno;
	ioctl(importer, NRDMA_IMPORTER_DETACH);
	return err;
}

static void undo_import(void)
{
	if (ioctl(importer, NRDMA_IMPORTER_UNMAP) || ioctl(importer, NRDMA_IMPORTER_DETACH))
		tap_bail("the importer does not let go: %m");
}

/* ---- netlink ---- */

static int asked(void)
{
	return -nl_ask(&nl).err;
}

static int run_info_get(void)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_INFO_GET, NLM_F_ACK);
	return asked();
}

static int run_dev_get(void)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_DEV_GET, NLM_F_ACK);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	return asked();
}

static int dumped(uint8_t cmd)
{
	nl_begin(&nl, nl.family, cmd, NLM_F_DUMP);
	return asked();
}

static int run_dev_dump(void) { return dumped(NRDMA_CMD_DEV_GET); }
static int run_irq_dump(void) { return dumped(NRDMA_CMD_IRQ_GET); }
static int run_buf_dump(void) { return dumped(NRDMA_CMD_BUF_GET); }
static int run_pool_dump(void) { return dumped(NRDMA_CMD_POOL_GET); }

static int run_irq_plan(void)
{
	struct nlattr *nest;

	nl_begin(&nl, nl.family, NRDMA_CMD_IRQ_GET, NLM_F_DUMP);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	nest = nl_nest_begin(&nl, NRDMA_A_IRQ_POLICY);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, NRDMA_POLICY_SPREAD);
	nl_nest_end(&nl, nest);
	return asked();
}

static int set_node(int32_t node)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_DEV_SET, NLM_F_ACK);
	nl_put_string(&nl, NRDMA_A_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_DEV_NODE_OVERRIDE, node);
	return asked();
}

static int run_dev_set(void)
{
	return set_node(0);
}

static void undo_dev_set(void)
{
	if (set_node(-1))
		tap_bail("the override is not to be undone");
}

static int steer(uint32_t mode)
{
	struct nlattr *nest;

	nl_begin(&nl, nl.family, NRDMA_CMD_IRQ_SET, NLM_F_ACK);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	nest = nl_nest_begin(&nl, NRDMA_A_IRQ_POLICY);
	nl_put_u32(&nl, NRDMA_A_POLICY_MODE, mode);
	nl_put_u8(&nl, NRDMA_A_POLICY_LOCK, mode != NRDMA_POLICY_OFF);
	if (mode == NRDMA_POLICY_CPUS)
		nl_put_string(&nl, NRDMA_A_POLICY_CPUS, "0-1");
	if (mode == NRDMA_POLICY_NODE)
		nl_put_u32(&nl, NRDMA_A_POLICY_NODE, 0);
	nl_nest_end(&nl, nest);
	return asked();
}

static int restore(void)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_IRQ_RESTORE, NLM_F_ACK);
	nl_put_string(&nl, NRDMA_A_IRQ_DEV_NAME, dev);
	return asked();
}

static void undo_steer(void)
{
	if (restore())
		tap_bail("the vectors are not to be restored");
}

static void before_steered(void)
{
	if (steer(NRDMA_POLICY_LOCAL))
		tap_bail("the vectors are not to be steered");
}

static int run_steer(void) { return steer(NRDMA_POLICY_CPUS); }
static int run_steer_node(void) { return steer(NRDMA_POLICY_NODE); }
static void undo_to_local(void) { before_steered(); }

static int set_pool(uint64_t bytes)
{
	nl_begin(&nl, nl.family, NRDMA_CMD_POOL_SET, NLM_F_ACK);
	nl_put_u32(&nl, NRDMA_A_POOL_NODE, 1);
	nl_put_u64(&nl, NRDMA_A_POOL_BYTES, bytes);
	return asked();
}

static int run_pool_set(void)
{
	return set_pool(4 * MIB);
}

static void see_ready(const struct nlmsghdr *nlh, void *arg)
{
	const char *begin = (const char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN;
	const struct nlattr *a;
	uint32_t node = 0;
	uint64_t ready = 0;

	nl_for_each(a, begin, (const char *)nlh + nlh->nlmsg_len) {
		if (nl_type(a) == NRDMA_A_POOL_NODE)
			memcpy(&node, a + 1, sizeof(node));
		if (nl_type(a) == NRDMA_A_POOL_READY_BYTES)
			memcpy(&ready, a + 1, sizeof(ready));
	}
	if (node == 1)
		*(uint64_t *)arg = ready;
}

/* The thread that fills and empties the pool has got that far. */
static void wait_pool(uint64_t bytes)
{
	uint64_t ready = 0;

	do {
		nl_begin(&nl, nl.family, NRDMA_CMD_POOL_GET, NLM_F_DUMP);
		nl_ask_each(&nl, see_ready, &ready);
		pause_ms(50);
	} while (ready != bytes);
}

static void empty_pool(void)
{
	if (set_pool(0))
		tap_bail("the pool is not to be emptied");
	wait_pool(0);
}

static void undo_pool_set(void)
{
	wait_pool(4 * MIB);
	empty_pool();
}

/* What one of its measurements says */
static void see_probe(const struct nlmsghdr *nlh, void *arg)
{
	const char *begin = (const char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN;
	const struct nlattr *a;

	nl_for_each(a, begin, (const char *)nlh + nlh->nlmsg_len)
		if (nl_type(a) == NRDMA_A_PROBE_ERROR)
			memcpy(arg, a + 1, sizeof(int));
}

/*
 * Not what rxe allocates: where it fails to make a queue pair, it deletes timers
 * that it has not set up (seen on 6.1), which the kernel complains about.
 */
static void before_probe(void)
{
	unsigned long start, end;

	if (find_module("rdma_rxe", &start, &end))
		not_from("failslab", start, end);
}

static void after_probe(void)
{
	not_from("failslab", 0, 0);
}

static int run_probe(void)
{
	struct nl_answer a;
	int error = 0;

	nl_begin(&nl, nl.family, NRDMA_CMD_PROBE_RUN, NLM_F_DUMP);
	nl_put_string(&nl, NRDMA_A_PROBE_DEV_NAME, dev);
	nl_put_u32(&nl, NRDMA_A_PROBE_OP, NRDMA_PROBE_OP_SEND);
	nl_put_u32(&nl, NRDMA_A_PROBE_ITERATIONS, 2);
	nl_put_u32(&nl, NRDMA_A_PROBE_ROUNDS, 1);
	nl_put_u32(&nl, NRDMA_A_PROBE_TIME, 60);
	nl_put_u32(&nl, NRDMA_A_PROBE_MEM_NODE, 0);
	nl_put_u32(&nl, NRDMA_A_PROBE_CPU_NODE, 1);
	a = nl_ask_each(&nl, see_probe, &error);
	return -(a.err ?: error);
}

static void before_alloc_pool(void)
{
	chr_open();
	if (set_pool(8 * MIB))
		tap_bail("no pool");
	wait_pool(8 * MIB);
}

static void undo_alloc_pool(void)
{
	undo_alloc();
	wait_pool(8 * MIB);
}

static void after_alloc_pool(void)
{
	empty_pool();
	chr_close();
}

/* ---- RDMA devices ---- */

static int run_link_new(void)
{
	return link_new(&rdma, "fail0", netdev);
}

static int run_link_delete(void)
{
	return link_delete(&rdma, "fail0");
}

static void undo_link(void)
{
	if (run_link_delete())
		tap_bail("fail0 is not to be deleted");
}

static void before_unlink(void)
{
	if (run_link_new())
		tap_bail("fail0 is not to be made");
}

static int run_rename(void)
{
	return link_rename(&rdma, "fail0", "fail1");
}

/* Which makes a character device that could not be made for the other name */
static void undo_rename(void)
{
	if (link_rename(&rdma, "fail1", "fail0"))
		tap_bail("fail1 is not to be renamed");
}

static void after_unlink(void)
{
	undo_link();
}

/* Deleting succeeds whatever fails; undone, it is there again */
static void undo_unlink(void)
{
	before_unlink();
}

static const struct op ops[] = {
	{ "open", nothing, run_open, chr_close, NULL, nothing, { ENOMEM } },
	{ "mmap of a page", chr_open, run_mmap_page, undo_mmap, says_reason, chr_close,
	  { ENOMEM } },
	{ "mmap of 5 MiB", chr_open, run_mmap_large, undo_mmap, says_reason, chr_close,
	  { ENOMEM } },
	{ "mmap of what is mapped", before_mmap_again, run_mmap_again, undo_mmap_again, NULL,
	  after_map, { ENOMEM } },
	{ "poll", chr_open, run_poll, nothing, NULL, chr_close, { ENOMEM } },
	{ "INFO", chr_open, run_info, nothing, NULL, chr_close, { EFAULT } },
	{ "ALLOC of three pages", chr_open, run_alloc_small, undo_alloc, says_alloc, chr_close,
	  { ENOMEM, EFAULT } },
	{ "ALLOC of large chunks", chr_open, run_alloc_large, undo_alloc, says_alloc, chr_close,
	  { ENOMEM, EFAULT } },
	{ "ALLOC with REMOTE", chr_open, run_alloc_remote, undo_alloc, says_alloc, chr_close,
	  { ENOMEM, EFAULT } },
	/* The first one starts the thread that fills the pool */
	{ "POOL_SET", nothing, run_pool_set, undo_pool_set, NULL, nothing, { ENOMEM } },
	{ "ALLOC from the pool", before_alloc_pool, run_alloc_pool, undo_alloc_pool, says_alloc,
	  after_alloc_pool, { ENOMEM, EFAULT } },
	{ "QUERY", before_mmap_again, run_query, nothing, NULL, after_map, { ENOMEM, EFAULT } },
	{ "attached and mapped by a driver", before_import, run_import, undo_import, NULL,
	  after_import, { ENOMEM } },
	{ "INFO_GET", nothing, run_info_get, nothing, NULL, nothing, { ENOMEM } },
	{ "DEV_GET", nothing, run_dev_get, nothing, NULL, nothing, { ENOMEM } },
	{ "DEV_GET dump", nothing, run_dev_dump, nothing, NULL, nothing, { ENOMEM } },
	{ "DEV_SET", nothing, run_dev_set, undo_dev_set, NULL, nothing, { ENOMEM } },
	{ "IRQ_GET dump", nothing, run_irq_dump, nothing, NULL, nothing, { ENOMEM } },
	{ "IRQ_GET plan", nothing, run_irq_plan, nothing, NULL, nothing, { ENOMEM } },
	{ "IRQ_SET first", nothing, run_steer, undo_steer, NULL, nothing, { ENOMEM } },
	{ "IRQ_SET another", before_steered, run_steer_node, undo_to_local, NULL, undo_steer,
	  { ENOMEM } },
	{ "IRQ_RESTORE", before_steered, restore, undo_to_local, NULL, undo_steer, { ENOMEM } },
	{ "BUF_GET dump", before_mmap_again, run_buf_dump, nothing, NULL, after_map,
	  { ENOMEM } },
	{ "POOL_GET dump", nothing, run_pool_dump, nothing, NULL, nothing, { ENOMEM } },
	{ "PROBE_RUN", nothing, run_probe, nothing, NULL, nothing, { ENOMEM } },
	{ "device added", nothing, run_link_new, undo_link, NULL, nothing, { ENOMEM } },
	{ "device renamed", before_unlink, run_rename, undo_rename, NULL, after_unlink,
	  { ENOMEM } },
	{ "device removed", before_unlink, run_link_delete, undo_unlink, NULL, after_unlink,
	  { ENOMEM } },
};

/* ---- the rounds ---- */

static bool wanted(const struct op *op)
{
	return only[0] == '!' ? !strstr(op->name, only + 1) : !!strstr(op->name, only);
}

static bool promised(const struct op *op, int err)
{
	size_t i;

	if (!err)
		return true;
	for (i = 0; i < sizeof(op->errors) / sizeof(op->errors[0]); i++)
		if (op->errors[i] == err)
			return true;
	return false;
}

/* What is wrong about a run that ended with @err, NULL for nothing */
static const char *wrong(const struct op *op, int err, const struct text *before)
{
	int again;

	if (!promised(op, err))
		return "an errno that nobody promised";
	if (err && op->check && !op->check(err))
		return "the reason is not said";
	if (!err)
		op->undo();
	if (!as_before(before))
		return "something has changed";
	again = op->run();
	if (again) {
		printf("# again: %s\n", strerror(again));
		return "the next try fails";
	}
	op->undo();
	return as_before(before) ? NULL : "something is left after the next try";
}

/* What is made once only is there before the comparison */
static void begin(const struct op *op, struct text *before)
{
	int err;

	op->before();
	err = op->run();
	if (err)
		tap_bail("%s: %s, without a fault", op->name, strerror(err));
	op->undo();
	snapshot(before);
}

static void try_each_fault(const struct op *op)
{
	unsigned int n, errors = 0, borne = 0;
	static struct text before;
	const char *what = NULL;
	bool reached;
	int err;

	begin(op, &before);
	for (n = 1; n <= FAULTS_MAX; n++) {
		fail_nth(n);
		err = op->run();
		reached = failed_nth();
		fail_nth(0);
		if (!reached) {
			what = err ? "an error without a fault" : NULL;
			if (!err)
				op->undo();
			break;
		}
		errors += !!err;
		borne += !err;
		what = wrong(op, err, &before);
		if (what)
			break;
	}
	if (n > FAULTS_MAX)
		what = "no end";
	op->after();
	if (what)
		tap_ok(false, "%s: fault %u, %s: %s", op->name, n, err ? strerror(err) : "no error",
		       what);
	else
		tap_ok(true, "%s: %u faults, %u refused, %u borne", op->name, n - 1, errors, borne);
}

/*
 * The same fault until it was refused so often. Which allocation is the N-th is not
 * the same each time, since slabs ask for pages at times only; where many in a row
 * are borne, it is one that is. Returns what is wrong.
 */
static const char *refuse_often(const struct op *op, unsigned int n, unsigned int *refused,
				bool *reached)
{
	unsigned int got = 0, borne = 0;
	int err;

	while (got < times && borne < 20) {
		fail_nth(n);
		err = op->run();
		*reached = failed_nth();
		fail_nth(0);
		if (!*reached && err)
			return "an error without a fault";
		if (!promised(op, err))
			return "an errno that nobody promised";
		if (err && op->check && !op->check(err))
			return "the reason is not said";
		if (err) {
			got++;
			borne = 0;
		} else {
			op->undo();
			borne++;
		}
	}
	*refused += got;
	*reached |= got;
	return NULL;
}

static void try_often(const struct op *op)
{
	unsigned int n, refused = 0, points = 0, was;
	static struct text before;
	const char *what = NULL;
	bool reached = false;

	begin(op, &before);
	for (n = 1; n <= FAULTS_MAX; n++) {
		was = refused;
		what = refuse_often(op, n, &refused, &reached);
		points += refused > was;
		if (!what && !as_before(&before))
			what = "something has changed";
		if (what || !reached)
			break;
	}
	if (!what && n > FAULTS_MAX)
		what = "no end";
	if (!what && op->run())
		what = "the next try fails";
	else if (!what)
		op->undo();
	op->after();
	tap_ok(!what && refused >= times, "%s: refused %u times, at %u of %u points: %s", op->name,
	       refused, points, n - 1, what ?: "as promised");
}

/*
 * What workers and threads of the kernel allocate is not this task's: it fails by
 * chance, in percent, and whichever way it ends, it ends well.
 */
struct by_chance {
	struct op	op;
	const char	*attr;
	unsigned int	runs;
	const char	*chances[6];
};

static const struct by_chance by_chance[] = {
	{ { "ALLOC by workers", chr_open, run_alloc_workers, undo_alloc, says_alloc, chr_close,
	    { ENOMEM, EFAULT } }, "fail_page_alloc", 1, { "5", "30", "60", "95", "100" } },
	{ { "PROBE_RUN by its thread", before_probe, run_probe, nothing, NULL, after_probe,
	    { ENOMEM } }, "failslab", 24, { "1", "2", "5", "15", "40" } },
};

static void try_by_chance(const struct by_chance *c)
{
	const struct op *op = &c->op;
	unsigned int errors = 0, borne = 0, n;
	static struct text before;
	const char *what = NULL;
	size_t i;
	int err;

	begin(op, &before);
	for (i = 0; !what && c->chances[i]; i++) {
		for (n = 0; !what && n < c->runs; n++) {
			set_attr(c->attr, "probability", c->chances[i], true);
			err = op->run();
			set_attr(c->attr, "probability", "0", true);
			errors += !!err;
			borne += !err;
			what = wrong(op, err, &before);
		}
	}
	op->after();
	tap_ok(!what && errors && borne, "%s: %u refused, %u borne: %s%s%s", op->name, errors, borne,
	       what ?: "as promised", what && err ? ", " : "", what && err ? strerror(err) : "");
}

/* ---- loading ---- */

static int run_load(void)
{
	int fd = open(ko, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		tap_bail("%s: %m", ko);
	ret = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	return ret;
}

static void unload(void)
{
	if (syscall(SYS_delete_module, "nrdma", O_NONBLOCK))
		tap_bail("nrdma is not to be unloaded: %m");
}

static bool no_trace(void)
{
	return access("/sys/module/nrdma", F_OK) && access(NRDMA_DEV_DIR, F_OK) &&
	       access("/sys/class/nrdma", F_OK) && nl_find_family(&nl, NRDMA_FAMILY_NAME);
}

/* Everything of the module's that there is: its code has no address beforehand */
static void try_loading(void)
{
	unsigned int n, errors = 0, borne = 0;
	const char *what = NULL;
	int err = 0;

	/* Where modules are on x86-64, to the end */
	only_from(0xffffffff80000000UL + (512UL << 20), ~0UL - 1);
	for (n = 1; !what && n <= FAULTS_MAX; n++) {
		bool reached;

		fail_nth(n);
		err = run_load();
		reached = failed_nth();
		fail_nth(0);
		if (!err)
			unload();
		if (!reached)
			break;
		errors += !!err;
		borne += !err;
		if (err && err != ENOMEM)
			what = "an errno that nobody promised";
		else if (!no_trace())
			what = "something is left";
		else if (run_load())
			what = "the next try fails";
		else
			unload();
	}
	if (!what && n > FAULTS_MAX)
		what = "no end";
	tap_ok(!what, "loading: %u faults, %u refused, %u borne: %s%s%s", n - 1, errors, borne,
	       what ?: "as promised", what && err ? ", " : "", what && err ? strerror(err) : "");
}

int main(int argc, char **argv)
{
	char path[64];
	size_t i;

	if (argc < 3)
		tap_bail("usage: t-fail DEVICE NETDEV [WORD [TIMES]] | load NRDMA.ko");
	snprintf(path, sizeof(path), "/proc/self/task/%d/fail-nth", gettid());
	nth_fd = open(path, O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		tap_bail("no fault injection in this kernel: %s: %m", path);
	if (nl_open(&nl, NETLINK_GENERIC) || nl_open(&rdma, NETLINK_RDMA))
		tap_bail("netlink: %m");
	prepare_faults();
	if (!strcmp(argv[1], "load")) {
		ko = argv[2];
		try_loading();
	} else {
		dev = argv[1];
		netdev = argv[2];
		only = argc > 3 ? argv[3] : "";
		times = argc > 4 ? atoi(argv[4]) : 0;
		snprintf(chardev, sizeof(chardev), "%s/%s", NRDMA_DEV_DIR, dev);
		if (nl_find_family(&nl, NRDMA_FAMILY_NAME))
			tap_bail("no family %s", NRDMA_FAMILY_NAME);
		only_from_module();
		for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			if (wanted(&ops[i]))
				(times ? try_often : try_each_fault)(&ops[i]);
		for (i = 0; !times && i < sizeof(by_chance) / sizeof(by_chance[0]); i++)
			if (wanted(&by_chance[i].op))
				try_by_chance(&by_chance[i]);
	}
	forget_faults();
	return tap_done();
}
