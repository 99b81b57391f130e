// SPDX-License-Identifier: GPL-2.0
/* What only its driver tells of a port, its MTUs and the codes of its rate, by verbs. */
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "sys.h"
#include "verbs.h"

static struct num verbs_mtu(enum ibv_mtu mtu)
{
	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)
		return num_none("unknown code");
	return num_of(128 << mtu);
}

static void verbs_port(struct ibv_context *context, const char *dev, struct dev_port *port)
{
	struct ibv_port_attr attr;

	if (ibv_query_port(context, port->port, &attr)) {
		port->active_mtu = num_none("not supported");
		port->max_mtu = num_none("not supported");
		return;
	}
	dev_port_asked(port, dev, &(struct dev_link){
		.active_mtu = verbs_mtu(attr.active_mtu), .max_mtu = verbs_mtu(attr.max_mtu),
		.speed = attr.active_speed, .width = attr.active_width,
	});
}

static bool verbs_wanted(const struct dev *dev)
{
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++)
		if (!dev->ports[i].asked)
			return true;
	return false;
}

static void verbs_dev(struct ibv_device *ib, struct dev *dev)
{
	struct ibv_context *context = ibv_open_device(ib);
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++) {
		if (dev->ports[i].asked)
			continue;
		if (context) {
			verbs_port(context, dev->name, &dev->ports[i]);
		} else {
			dev->ports[i].active_mtu = num_none("cannot be opened");
			dev->ports[i].max_mtu = num_none("cannot be opened");
		}
	}
	if (context)
		ibv_close_device(context);
}

/**
 * verbs_read() - add what verbs tell
 * @match: devices, NULL-terminated; one that verbs do not know stays as it is
 *
 * To list devices, libibverbs asks for the file of each. Where the module told it all,
 * there is no need.
 */
void verbs_read(struct dev **match)
{
	struct ibv_device **list;
	unsigned int d;
	int i, n;

	/* A fixture's devices are not the host's */
	if (*sys_root())
		return;
	for (d = 0; match[d] && !verbs_wanted(match[d]); d++)
		;
	if (!match[d])
		return;
	list = ibv_get_device_list(&n);
	if (!list)
		return;
	for (i = 0; i < n; i++)
		for (d = 0; match[d]; d++)
			if (verbs_wanted(match[d]) &&
			    !strcmp(ibv_get_device_name(list[i]), match[d]->name))
				verbs_dev(list[i], match[d]);
	ibv_free_device_list(list);
}
