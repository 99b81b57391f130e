// SPDX-License-Identifier: GPL-2.0
/*
 * t-stranger IP SECONDS: call whoever listens for iWARP at IP, each port once, by TCP and
 * with an MPA request that has no private data (RFC 5044, 7.1), for so long. A listener
 * may be there for some milliseconds: less than it takes to start a program, or to ask
 * by a connection manager.
 *
 * Prints what became of each call; 0 when some were turned away, and none was taken.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define TCP_LISTEN	0x0a
#define MPA_REJECT	0x20

struct mpa_frame {
	char		key[16];
	uint8_t		flags;
	uint8_t		revision;
	uint16_t	private_data_bytes;
};

static bool called[1 << 16];

/* listener: a port of @sin's address that was not called yet, 0 when there is none */
static unsigned int listener(const struct sockaddr_in *sin)
{
	unsigned int addr, port, state, found = 0;
	char line[256];
	FILE *f = fopen("/proc/net/tcp", "r");

	if (!f)
		tap_bail("/proc/net/tcp: %m");
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*u: %x:%x %*x:%*x %x", &addr, &port, &state) == 3 &&
		    addr == sin->sin_addr.s_addr && state == TCP_LISTEN && !called[port])
			found = port;
	}
	fclose(f);
	return found;
}

/* What became of a call */
enum outcome { NOBODY, NO_ANSWER, TURNED_AWAY, TAKEN };
static const char * const words[] = { "nobody there", "no answer", "turned away", "taken" };

static enum outcome call(const struct sockaddr_in *to)
{
	struct mpa_frame ask = { .key = "MPA ID Req Frame", .revision = 1 }, answer;
	const struct timeval patience = { .tv_sec = 2 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	enum outcome outcome = NOBODY;

	if (fd < 0)
		tap_bail("socket: %m");
	/* One that is queued when its listener goes gets none (kmod/probe_cm.c) */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (const struct sockaddr *)to, sizeof(*to))) {
		/* siw does not bear one that hangs up before it has answered */
		if (send(fd, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask) ||
		    recv(fd, &answer, sizeof(answer), MSG_WAITALL) != sizeof(answer) ||
		    memcmp(answer.key, "MPA ID Rep Frame", sizeof(answer.key)))
			outcome = NO_ANSWER;
		else
			outcome = answer.flags & MPA_REJECT ? TURNED_AWAY : TAKEN;
	}
	close(fd);
	return outcome;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned int count[TAKEN + 1] = { 0 };
	enum outcome outcome;
	unsigned int port;
	time_t end;

	if (argc != 3 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		tap_bail("usage: t-stranger IP SECONDS");
	end = time(NULL) + atoi(argv[2]);
	while (time(NULL) < end) {
		port = listener(&to);
		if (!port)
			continue;
		called[port] = true;
		to.sin_port = htons(port);
		outcome = call(&to);
		count[outcome]++;
		printf("port %u: %s\n", port, words[outcome]);
	}
	return count[TAKEN] || !count[TURNED_AWAY];
}
