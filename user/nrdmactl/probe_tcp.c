// SPDX-License-Identifier: GPL-2.0
/*
 * A ping-pong over TCP, to hold RDMA against: from and to the address of a network
 * device, by two threads, on a given CPU each. The kernel takes what it sends to
 * itself round by its loop-back device, so no NIC has a part in it: what is measured
 * is the stack.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cpus.h"
#include "probe_clock.h"
#include "probe_stat.h"
#include "probe_tcp.h"
#include "say.h"

#define TCP_WARM_UP	16
#define TCP_WAIT_S	5		/* a firewall may drop what is sent */
#define TCP_TIME_NS	250000000LL	/* as the module's measurements */

/**
 * struct probe_tcp - a connection
 * @size: of a message
 * @cpu: of the one who asks
 * @peer_cpu: of the one who answers
 * @asks: socket of the one
 * @answers: and of the other
 * @thread: the other; it ends when the connection does
 * @netdev: whose address it is,
 * @addr: in words
 * @buf: what is sent and received, of the one and the other
 */
struct probe_tcp {
	size_t size;
	unsigned int cpu, peer_cpu;
	int asks, answers;
	bool running;
	pthread_t thread;
	char netdev[IF_NAMESIZE], addr[INET6_ADDRSTRLEN + IF_NAMESIZE];
	char *buf[2];
};

/* Returns 0 or a negative errno, -ETIMEDOUT where nothing went on for too long */
static int probe_tcp_move(int fd, char *buf, size_t size, bool out)
{
	ssize_t n;

	while (size) {
		n = out ? send(fd, buf, size, MSG_NOSIGNAL) : recv(fd, buf, size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return !n ? -ECONNRESET : errno == EAGAIN ? -ETIMEDOUT : -errno;
		buf += n;
		size -= n;
	}
	return 0;
}

static void probe_tcp_bind(unsigned int cpu)
{
	struct cpus one = { 0 };

	cpus_add(&one, cpu);
	cpus_bind(&one);
}

static void *probe_tcp_answer(void *arg)
{
	struct probe_tcp *tcp = arg;

	probe_tcp_bind(tcp->peer_cpu);
	while (!probe_tcp_move(tcp->answers, tcp->buf[1], tcp->size, false) &&
	       !probe_tcp_move(tcp->answers, tcp->buf[1], tcp->size, true))
		;
	return NULL;
}

static int probe_tcp_addr(const char *netdev, struct sockaddr_storage *addr, socklen_t *len)
{
	struct ifaddrs *all, *a;
	int family = 0;

	if (getifaddrs(&all))
		return -errno;
	for (a = all; a; a = a->ifa_next) {
		if (!a->ifa_addr || strcmp(a->ifa_name, netdev))
			continue;
		/* IPv4 first */
		if (a->ifa_addr->sa_family == AF_INET ||
		    (a->ifa_addr->sa_family == AF_INET6 && !family)) {
			family = a->ifa_addr->sa_family;
			*len = family == AF_INET ? sizeof(struct sockaddr_in) :
			       sizeof(struct sockaddr_in6);
			memcpy(addr, a->ifa_addr, *len);
		}
		if (family == AF_INET)
			break;
	}
	freeifaddrs(all);
	return family ? 0 : -EADDRNOTAVAIL;
}

/* How long a socket waits: a connection and what is sent, and what is received */
static int probe_tcp_wait(int fd, int receive_s)
{
	struct timeval out = { .tv_sec = TCP_WAIT_S }, in = { .tv_sec = receive_s };

	return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &out, sizeof(out)) ||
	       setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &in, sizeof(in));
}

static int probe_tcp_connect(struct probe_tcp *tcp, const char *netdev)
{
	struct sockaddr_storage addr = { 0 };
	int listener, one = 1;
	socklen_t len = 0;
	int err;

	err = probe_tcp_addr(netdev, &addr, &len);
	if (err)
		return err;
	getnameinfo((struct sockaddr *)&addr, len, tcp->addr, sizeof(tcp->addr), NULL, 0,
		    NI_NUMERICHOST);
	listener = socket(addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	tcp->asks = socket(addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || tcp->asks < 0 || probe_tcp_wait(listener, TCP_WAIT_S) ||
	    probe_tcp_wait(tcp->asks, TCP_WAIT_S) || bind(listener, (struct sockaddr *)&addr, len) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&addr, &len) ||
	    connect(tcp->asks, (struct sockaddr *)&addr, len)) {
		err = -errno;
	} else {
		tcp->answers = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		/* It got these times from its listener, and has to wait between rounds. */
		if (tcp->answers < 0 || probe_tcp_wait(tcp->answers, 0) ||
		    setsockopt(tcp->asks, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
		    setsockopt(tcp->answers, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
			err = -errno;
	}
	if (listener >= 0)
		close(listener);
	return err == -EINPROGRESS || err == -EAGAIN ? -ETIMEDOUT : err;
}

static void probe_tcp_say(const struct probe_tcp *tcp, int err)
{
	if (err == -ETIMEDOUT)
		say("TCP from %s to itself (%s) got no answer in %d s: let a firewall pass what goes over lo, or measure without compare",
		    tcp->addr, tcp->netdev, TCP_WAIT_S);
	else
		say("no TCP connection over %s: %s", tcp->netdev, strerror(-err));
}

/**
 * probe_tcp_open() - connect a network device's address with itself
 * @cpu: where the one who asks runs
 * @peer_cpu: and the one who answers
 * @size: of a message
 *
 * Return: a connection, or NULL after saying what is wrong.
 */
struct probe_tcp *probe_tcp_open(const char *netdev, unsigned int cpu, unsigned int peer_cpu,
				 size_t size)
{
	struct probe_tcp *tcp = calloc(1, sizeof(*tcp));
	int err = -ENOMEM;

	if (!tcp) {
		say("out of memory");
		return NULL;
	}
	*tcp = (struct probe_tcp){
		.size = size, .cpu = cpu, .peer_cpu = peer_cpu,
		.asks = -1, .answers = -1,
		.buf = { calloc(1, size), calloc(1, size) },
	};
	snprintf(tcp->netdev, sizeof(tcp->netdev), "%s", netdev);
	if (tcp->buf[0] && tcp->buf[1])
		err = probe_tcp_connect(tcp, netdev);
	if (!err) {
		err = -pthread_create(&tcp->thread, NULL, probe_tcp_answer, tcp);
		tcp->running = !err;
	}
	if (err) {
		probe_tcp_say(tcp, err);
		probe_tcp_close(tcp);
		return NULL;
	}
	return tcp;
}

/**
 * probe_tcp_round() - the median time there and back
 * @iterations: how often, where a quarter of a second allows
 *
 * Return: ns, or a negative errno after saying what is wrong.
 */
long long probe_tcp_round(struct probe_tcp *tcp, unsigned int iterations)
{
	long long *ns = calloc(iterations, sizeof(*ns)), start, now, end, median;
	unsigned int i, n = 0;
	struct cpus before;
	bool restore;
	int err = 0;

	if (!ns) {
		say("out of memory");
		return -ENOMEM;
	}
	restore = !cpus_allowed(&before);
	probe_tcp_bind(tcp->cpu);
	now = probe_clock_now();
	end = now + 2 * TCP_TIME_NS;
	for (i = 0; n < iterations && now < end; i++) {
		start = now;
		err = probe_tcp_move(tcp->asks, tcp->buf[0], tcp->size, true);
		if (!err)
			err = probe_tcp_move(tcp->asks, tcp->buf[0], tcp->size, false);
		if (err)
			break;
		now = probe_clock_now();
		if (i >= TCP_WARM_UP || now - (end - 2 * TCP_TIME_NS) > TCP_TIME_NS)
			ns[n++] = now - start;
	}
	if (restore)
		cpus_bind(&before);
	median = probe_stat_of(ns, n).median;
	free(ns);
	if (err)
		probe_tcp_say(tcp, err);
	return err ? err : median;
}

void probe_tcp_close(struct probe_tcp *tcp)
{
	/* Either by itself: what the one says to the other may be dropped. */
	if (tcp->asks >= 0)
		shutdown(tcp->asks, SHUT_RDWR);
	if (tcp->answers >= 0)
		shutdown(tcp->answers, SHUT_RDWR);
	if (tcp->running)
		pthread_join(tcp->thread, NULL);
	if (tcp->asks >= 0)
		close(tcp->asks);
	if (tcp->answers >= 0)
		close(tcp->answers);
	free(tcp->buf[0]);
	free(tcp->buf[1]);
	free(tcp);
}
