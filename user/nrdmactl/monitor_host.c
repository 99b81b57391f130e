// SPDX-License-Identifier: GPL-2.0
/*
 * Events without the module: devices that come, go and are renamed, by the device
 * model; ports that change with their network device. Of an InfiniBand port only
 * verbs tell, to whoever holds the device open, which may keep it from going.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include "cmd.h"
#include "monitor.h"
#include "say.h"
#include "uevent.h"
#include "words.h"

#define SETTLE_MS	100	/* a network device's message comes before its port's change */

struct monitor_host {
	int events, links;
	struct devs devs;	/* as they were last */
	struct num settled;	/* when to look at the ports, as monitor_now() */
};

static struct dev *monitor_host_find(struct devs *devs, const char *name)
{
	unsigned int i;

	for (i = 0; i < devs->nr; i++)
		if (!strcmp(devs->v[i].name, name))
			return &devs->v[i];
	return NULL;
}

static void monitor_host_port(struct monitor *mon, const struct dev *dev,
			      const struct dev_port *port)
{
	struct out *o = &mon->o;

	monitor_begin(mon, "dev", str_of("port"));
	out_text(o, "dev_name", dev->name);
	out_int(o, "port", port->port);
	out_str(o, "port_state", port->state);
	monitor_end(mon);
}

/* The ports whose state is another than it was; all that is remembered is new */
static void monitor_host_look(struct monitor_host *host, struct monitor *mon)
{
	struct devs now;
	const struct dev *old;
	unsigned int i, p;

	host->settled = num_none(NULL);
	if (devs_read(&now))
		return;
	for (i = 0; mon && i < now.nr; i++) {
		old = monitor_host_find(&host->devs, now.v[i].name);
		for (p = 0; old && p < now.v[i].nr_ports && p < old->nr_ports; p++)
			if (!mon->done && now.v[i].ports[p].state.known &&
			    strcmp(now.v[i].ports[p].state.s, old->ports[p].state.s))
				monitor_host_port(mon, &now.v[i], &now.v[i].ports[p]);
	}
	devs_free(&host->devs);
	host->devs = now;
}

static void monitor_host_dev(struct monitor_host *host, struct monitor *mon,
			     const struct uevent *event)
{
	static const char *const words[] = {
		[UEVENT_ADD] = "added", [UEVENT_REMOVE] = "removed", [UEVENT_MOVE] = "renamed",
	};
	struct out *o = &mon->o;
	const struct dev *dev;

	/* What its ports did meanwhile is told first */
	monitor_host_look(host, mon);
	if (mon->done)
		return;
	dev = monitor_host_find(&host->devs, event->name);
	monitor_begin(mon, "dev", str_of(words[event->action]));
	out_text(o, "dev_name", event->name);
	if (event->action == UEVENT_MOVE)
		out_text(o, "old_name", event->old_name);
	if (event->action == UEVENT_ADD && dev) {
		if (dev->place.node.known) {
			out_num(o, "node", dev->place.node);
			out_str(o, "node_source", words_of(words_node_source, dev->place.source));
		}
		if (dev->place.mem_node.known)
			out_num(o, "mem_node", dev->place.mem_node);
		if (dev->place.pci.known)
			out_str(o, "pci", dev->place.pci);
	}
	monitor_end(mon);
}

static void monitor_host_events(struct monitor_host *host, struct monitor *mon)
{
	struct uevent event;
	int n;

	while (!mon->done && (n = uevent_read(host->events, &event)) != -EAGAIN) {
		if (n == -ENOBUFS)
			monitor_lost(mon);
		else if (n < 0 && n != -EINTR)
			break;
		if (n > 0)
			monitor_host_dev(host, mon, &event);
	}
}

/* That something changed is enough: what did, sysfs tells */
static void monitor_host_links(struct monitor_host *host)
{
	char buf[4096];

	while (recv(host->links, buf, sizeof(buf), 0) > 0 || errno == ENOBUFS || errno == EINTR)
		;
	host->settled = num_of(monitor_now() + SETTLE_MS);
}

static int monitor_host_open(struct monitor_host *host)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };

	memset(host, 0, sizeof(*host));
	host->links = -1;
	host->events = uevent_open();
	if (host->events < 0)
		return host->events;
	host->links = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (host->links < 0 || bind(host->links, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	/* After the sockets are there: what changes from now on is told */
	monitor_host_look(host, NULL);
	return 0;
}

/**
 * monitor_host() - tell what the kernel tells without the module, to the end
 */
void monitor_host(struct monitor *mon)
{
	struct monitor_host host;
	int err = monitor_host_open(&host);
	struct pollfd fds[] = {
		{ .fd = host.events, .events = POLLIN },
		{ .fd = host.links, .events = POLLIN },
	};
	int left;

	if (err) {
		say("no events of the kernel: %s", strerror(-err));
		mon->status = EXIT_FAILED;
	}
	while (!err && (left = monitor_left(mon))) {
		if (host.settled.known && monitor_now() >= host.settled.v)
			monitor_host_look(&host, mon);
		if (host.settled.known && (left < 0 || left > SETTLE_MS))
			left = SETTLE_MS;
		if (mon->done || poll(fds, 2, left) <= 0)
			continue;
		if (fds[1].revents)
			monitor_host_links(&host);
		if (fds[0].revents)
			monitor_host_events(&host, mon);
	}
	if (host.events >= 0)
		close(host.events);
	if (host.links >= 0)
		close(host.links);
	devs_free(&host.devs);
}
