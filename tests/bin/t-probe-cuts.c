// SPDX-License-Identifier: GPL-2.0
/*
 * t-probe-cuts DEVICE TYPE NETDEV ROUNDS SEED: probes that are started, all kinds of
 * them, and cut at random points: the reader killed, the socket closed, the device
 * removed (and added again, of TYPE over NETDEV), the module asked to go.
 *
 * A round begins when nobody has the module, so the one before is over by then, and
 * each probe is under way when its time to the cut begins. Says what it does each
 * 100 rounds, and in the end ROUNDS; what a cut must not come to ends it at once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "link.h"


enum cut {
	CUT_KILL,		/* the reader, in the midst of a measurement or before */
	CUT_CLOSE,		/* the socket, between two of them */
	CUT_REMOVE,		/* the device, the reader reads on */
	CUT_REMOVE_IDLE,	/* the device, between two of them */
	CUT_REMOVE_KILL,	/* the device, and the reader at about the same time */
	CUT_UNLOAD,		/* the module, which stays while there is a reader */
	CUTS
};

static const char * const cut_names[CUTS] = {
	"killed", "closed", "removed", "removed between", "removed and killed", "asked to unload",
};

/**
 * struct seen - what the reader tells, in memory that both have
 * @started: its request was taken
 * @over: the probe ended for it
 * @answer: how, then
 * @messages: that came
 */
struct seen {
	volatile bool		started;
	volatile bool		over;
	struct nl_answer	answer;
	volatile unsigned int	messages;
};

static const char *dev, *type, *netdev;
static struct seen *seen;
static struct nl rdma;
static unsigned int round_nr;
static enum cut cut;

__attribute__((format(printf, 1, 2), noreturn))
static void fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "round %u, %s: ", round_nr, cut_names[cut]);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* What a file of sysfs says, nothing where there is none */
static const char *file_text(const char *path)
{
	static char buf[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return buf;
}

/* ---- the probe ---- */

static void probe_ask(struct nl *nl, bool lasting)
{
	static const uint32_t sizes[] = { 8, 64, 4096, 65536, 1048576, 4194304 };

	if (nl_open(nl, NETLINK_GENERIC) || nl_find_family(nl, NRDMA_FAMILY_NAME))
		fail("no socket: %m");
	nl_begin(nl, nl->family, NRDMA_CMD_PROBE_RUN, NLM_F_DUMP);
	nl_put_string(nl, NRDMA_A_PROBE_DEV_NAME, dev);
	nl_put_u32(nl, NRDMA_A_PROBE_OP, random() % (NRDMA_PROBE_OP_PINGPONG + 1));
	nl_put_u32(nl, NRDMA_A_PROBE_SIZE, sizes[random() % (sizeof(sizes) / sizeof(*sizes))]);
	nl_put_u32(nl, NRDMA_A_PROBE_ITERATIONS, 1 + random() % 1000);
	nl_put_u32(nl, NRDMA_A_PROBE_ROUNDS, lasting ? 1000 : 1 + random() % 20);
	nl_put_u32(nl, NRDMA_A_PROBE_TIME, 60);
	if (random() % 2)
		nl_put_u32(nl, NRDMA_A_PROBE_CPU_NODE, random() % 2);
	if (send(nl->sock, nl->msg, nl->nlh.nlmsg_len, 0) < 0)
		fail("not sent: %m");
}

/* Reads at most so many answers, each of which is a measurement under way meanwhile */
static void probe_read(struct nl *nl, unsigned int most)
{
	static char buf[NL_ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh;
	ssize_t n;

	while (most-- && !seen->over) {
		n = recv(nl->sock, buf, sizeof(buf), 0);
		if (n < 0)
			fail("no answer: %m");
		for (nlh = (void *)buf; NLMSG_OK(nlh, (size_t)n); nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_seq != nl->seq)
				continue;
			seen->messages++;
			if (nl_read(nl, nlh, &seen->answer))
				seen->over = true;
		}
	}
}

/* A process that reads to the end */
static pid_t probe_start(bool lasting)
{
	unsigned int seed = random();
	struct nl nl;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		fail("no process: %m");
	if (!pid) {
		srandom(seed);
		probe_ask(&nl, lasting);
		seen->started = true;
		probe_read(&nl, -1);
		_exit(0);
	}
	while (!seen->started)
		if (waitpid(pid, NULL, WNOHANG))
			fail("the reader ended before it began");
	return pid;
}

/* Up to a second: short times, when all is in the making, are as likely as long ones */
static useconds_t some_time(void)
{
	useconds_t us = 16U << random() % 16;

	return us + random() % us;
}

static void end_of(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		fail("waiting for a process: %m");
}

/* Removed or not, it ends with one of these, and the kernel had words for it */
static void must_be_over(bool gone)
{
	if (!seen->over)
		fail("the reader ended without an answer");
	if (seen->answer.err && (!gone || seen->answer.err != -ENODEV))
		fail("it ended with %s (%s)", strerror(-seen->answer.err), seen->answer.text);
	if (seen->answer.err && !seen->answer.text[0])
		fail("it ended with %s and no words", strerror(-seen->answer.err));
}

/* ---- device and module ---- */

static bool dev_ready(void)
{
	char path[128];
	bool ready = false;
	glob_t gids;
	size_t i;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/state", dev);
	if (!strstr(file_text(path), "ACTIVE"))
		return false;
	/* iWARP has no addresses there */
	if (strcmp(type, "rxe"))
		return true;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/*", dev);
	if (glob(path, 0, NULL, &gids))
		return false;
	for (i = 0; i < gids.gl_pathc && !ready; i++)
		ready = strstr(file_text(gids.gl_pathv[i]), "0000:0000:0000:0000:0000:ffff:");
	globfree(&gids);
	return ready;
}

static void dev_remove(void)
{
	int err = link_delete(&rdma, dev);

	if (err)
		fail("the device is not removed: %s", strerror(err));
}

static void dev_add(void)
{
	int err = link_add(&rdma, dev, type, netdev);

	if (err)
		fail("the device is not added: %s", strerror(err));
	while (!dev_ready())
		usleep(1000);
}

/* Until no probe has the module, which is what rmmod wants, too */
static void wait_unused(void)
{
	while (strcmp(file_text("/sys/module/nrdma/refcnt"), "0\n"))
		usleep(1000);
}

/* ---- cuts ---- */

static void cut_reader(void)
{
	pid_t pid = probe_start(random() % 2);

	usleep(some_time());
	kill(pid, SIGKILL);
	end_of(pid);
}

static void cut_socket(void)
{
	struct nl nl;

	probe_ask(&nl, random() % 2);
	probe_read(&nl, random() % 4);
	close(nl.sock);
}

static void cut_device(void)
{
	pid_t pid = probe_start(true);

	usleep(some_time());
	dev_remove();
	end_of(pid);
	must_be_over(true);
	dev_add();
}

static void cut_device_idle(void)
{
	bool beside = random() % 2;
	struct nl nl;

	probe_ask(&nl, true);
	probe_read(&nl, random() % 4);
	dev_remove();
	if (random() % 2) {
		probe_read(&nl, -1);
		must_be_over(true);
	}
	/* It may still be there when the device comes back */
	if (beside)
		dev_add();
	close(nl.sock);
	if (!beside)
		dev_add();
}

static void cut_device_and_reader(void)
{
	pid_t pid = probe_start(true), killer;
	useconds_t us = some_time();

	usleep(some_time());
	killer = fork();
	if (!killer) {
		usleep(us / 10);
		kill(pid, SIGKILL);
		_exit(0);
	}
	dev_remove();
	end_of(pid);
	end_of(killer);
	dev_add();
}

/* Returns whether it went, which it may when the reader was at its end */
static bool cut_module(void)
{
	pid_t pid = probe_start(random() % 2);
	bool gone;

	usleep(some_time());
	gone = !syscall(SYS_delete_module, "nrdma", O_NONBLOCK);
	if (!gone && errno != EAGAIN && errno != EBUSY)
		fail("the module does not go: %m");
	if (gone) {
		end_of(pid);
		must_be_over(false);
		if (system("modprobe nrdma"))
			fail("the module is not loaded again");
		return true;
	}
	kill(pid, SIGKILL);
	end_of(pid);
	return false;
}

int main(int argc, char **argv)
{
	static const unsigned char weights[CUTS] = { 9, 3, 2, 1, 2, 3 };
	unsigned int rounds, done[CUTS] = { 0 }, gone = 0, answers = 0, i, pick;

	if (argc != 6)
		return 1;
	dev = argv[1];
	type = argv[2];
	netdev = argv[3];
	rounds = atoi(argv[4]);
	srandom(atoi(argv[5]));
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || nl_open(&rdma, NETLINK_RDMA))
		fail("nothing can be begun: %m");
	for (round_nr = 1; round_nr <= rounds; round_nr++) {
		pick = random() % 20;
		for (cut = 0; pick >= weights[cut]; cut++)
			pick -= weights[cut];
		memset(seen, 0, sizeof(*seen));
		switch (cut) {
		case CUT_CLOSE:
			cut_socket();
			break;
		case CUT_REMOVE:
			cut_device();
			break;
		case CUT_REMOVE_IDLE:
			cut_device_idle();
			break;
		case CUT_REMOVE_KILL:
			cut_device_and_reader();
			break;
		case CUT_UNLOAD:
			gone += cut_module();
			break;
		default:
			cut_reader();
			break;
		}
		done[cut]++;
		answers += seen->messages;
		wait_unused();
		if (round_nr % 100 && round_nr != rounds)
			continue;
		printf("# %u:", round_nr);
		for (i = 0; i < CUTS; i++)
			printf(" %u %s,", done[i], cut_names[i]);
		printf(" %u unloaded; %u answers\n", gone, answers);
		fflush(stdout);
	}
	printf("rounds=%u\n", rounds);
	return 0;
}
