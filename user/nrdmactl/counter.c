// SPDX-License-Identifier: GPL-2.0
/* Counters that sysfs has of a port and of its device. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "sys.h"

#define IB_DIR		"/sys/class/infiniband"
#define COUNTER_WORD	4	/* InfiniBand counts data in 32-bit words */

static const char *const counter_words[] = {
	"port_xmit_data", "port_rcv_data", "unicast_xmit_data", "unicast_rcv_data",
	"multicast_xmit_data", "multicast_rcv_data",
};

static bool counter_in_words(const struct counter *counter)
{
	size_t i;

	for (i = 0; i < sizeof(counter_words) / sizeof(*counter_words); i++)
		if (!strcmp(counter->group, "counters") && !strcmp(counter->name, counter_words[i]))
			return true;
	return false;
}

/* Those that drivers count in bytes have it in their name: rx_write_bytes, ip4InOctets */
static bool counter_in_bytes(const char *name)
{
	size_t n = strlen(name);

	return (n >= 6 && !strcmp(name + n - 6, "_bytes")) ||
	       (n >= 6 && !strcmp(name + n - 6, "Octets"));
}

static int counters_add(struct counters *counters, struct num port, const char *group,
			const char *name, struct num value)
{
	struct counter *v;

	if (counters->nr == counters->room) {
		v = reallocarray(counters->v, 2 * counters->room + 64, sizeof(*v));
		if (!v)
			return -ENOMEM;
		counters->v = v;
		counters->room = 2 * counters->room + 64;
	}
	v = &counters->v[counters->nr++];
	memset(v, 0, sizeof(*v));
	v->port = port;
	v->group = group;
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->value = value;
	v->bytes = counter_in_bytes(name);
	if (counter_in_words(v)) {
		v->bytes = true;
		if (__builtin_mul_overflow(value.v, COUNTER_WORD, &v->value.v))
			v->value = num_none("too large");
	}
	return 0;
}

static int counters_dir(struct counters *counters, struct num port, const char *group,
			const char *dir)
{
	char **names;
	int i, n, err = 0;

	n = sys_list(&names, "%s/%s", dir, group);
	for (i = 0; !err && i < n; i++) {
		/* How long the driver keeps what it read: a setting among the counters */
		if (strcmp(names[i], "lifespan"))
			err = counters_add(counters, port, group, names[i],
					   sys_num("%s/%s/%s", dir, group, names[i]));
	}
	sys_list_free(names, n);
	return err;
}

/**
 * counters_read() - a device's counters
 * @counters: they are added here
 * @dev: the device
 * @port: that one's alone, or 0
 *
 * One that cannot be read is there without a value.
 *
 * Return: 0 or -ENOMEM. To be freed by counters_free() in either case.
 */
int counters_read(struct counters *counters, const struct dev *dev, unsigned int port)
{
	char dir[SYS_PATH_MAX];
	struct num of;
	unsigned int i;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &counters->at);
	for (i = 0; !err && i < dev->nr_ports; i++) {
		if (port && dev->ports[i].port != port)
			continue;
		of = num_of(dev->ports[i].port);
		snprintf(dir, sizeof(dir), IB_DIR "/%s/ports/%lld", dev->name, of.v);
		err = counters_dir(counters, of, "counters", dir);
		if (!err)
			err = counters_dir(counters, of, "hw_counters", dir);
	}
	if (!err && !port) {
		snprintf(dir, sizeof(dir), IB_DIR "/%s", dev->name);
		err = counters_dir(counters, num_none("device"), "hw_counters", dir);
	}
	return err;
}

void counters_free(struct counters *counters)
{
	free(counters->v);
	memset(counters, 0, sizeof(*counters));
}

/**
 * counters_find() - the same counter at another look, or NULL
 */
const struct counter *counters_find(const struct counters *counters, const struct counter *like)
{
	unsigned int i;

	for (i = 0; i < counters->nr; i++) {
		const struct counter *c = &counters->v[i];

		if (c->port.known == like->port.known && c->port.v == like->port.v &&
		    c->group == like->group && !strcmp(c->name, like->name))
			return c;
	}
	return NULL;
}

/**
 * counters_rate() - how fast a counter went since the look before
 * @now: this look
 * @i: which of its counters
 * @before: the look before, NULL when this is the first
 *
 * Return: events a second, or bits a second where bytes are counted.
 */
struct num counters_rate(const struct counters *now, unsigned int i, const struct counters *before)
{
	const struct counter *counter = &now->v[i], *then;
	double s;

	if (!counter->value.known)
		return num_none(counter->value.why);
	then = before ? counters_find(before, counter) : NULL;
	if (!then || !then->value.known)
		return num_none("first look");
	s = now->at.tv_sec - before->at.tv_sec + (now->at.tv_nsec - before->at.tv_nsec) / 1e9;
	if (counter->value.v < then->value.v || s <= 0)
		return num_none("went down");
	return num_of((counter->value.v - then->value.v) / s * (counter->bytes ? 8 : 1) + 0.5);
}

/**
 * counter_is_state() - some drivers have what goes down again among the counters
 */
bool counter_is_state(const char *name)
{
	return !strncmp(name, "active_", 7) || !strncmp(name, "max_", 4) ||
	       !strncmp(name, "watermark_", 10);
}

/**
 * counter_metric() - a counter's name after Prometheus' conventions
 * @buf: out, "port_xmit_data" is "nrdma_port_xmit_data_bytes_total",
 *	"tcpInErrs" is "nrdma_port_hw_tcp_in_errs_total"
 */
void counter_metric(const struct counter *counter, char *buf, size_t len)
{
	const char *p = counter->name;
	size_t n;

	if (!strncmp(p, "port_", 5))
		p += 5;
	n = snprintf(buf, len, "nrdma_%s_%s", counter->port.known ? "port" : "device",
		     strcmp(counter->group, "counters") ? "hw_" : "");
	for (; *p && n < len - 2; p++) {
		if (isupper((unsigned char)*p) && p > counter->name &&
		    (islower((unsigned char)p[-1]) || isdigit((unsigned char)p[-1])))
			buf[n++] = '_';
		buf[n++] = isalnum((unsigned char)*p) ? tolower((unsigned char)*p) : '_';
	}
	buf[n] = '\0';
	if (counter->bytes && !(n > 6 && !strcmp(buf + n - 6, "_bytes")))
		n += snprintf(buf + n, len - n, "_bytes");
	if (n < len && !counter_is_state(counter->name))
		snprintf(buf + n, len - n, "_total");
}
