// SPDX-License-Identifier: GPL-2.0
/* Checks of a device's ports: state, rate, MTU, what keeps RoCE from losing. */
#include <stdio.h>
#include <string.h>

#include "checker.h"
#include "dcb.h"
#include "link.h"
#include "size.h"
#include "sys.h"

#define ROCE_NETDEV_MTU	4200	/* room for 4096 and every header of RoCE */

/* Those ports that the check is about */
#define CHECK_EACH_PORT(c, dev, port)							\
	for ((port) = (dev)->ports; (port) < (dev)->ports + (dev)->nr_ports; (port)++)	\
		if (!(c)->survey.picked.port || (port)->port == (c)->survey.picked.port)

/* Where to look next, from what is seen of a port that is not active */
static void check_port_one(struct checker *c, const struct dev *dev, const struct dev_port *port)
{
	struct num flags, carrier;
	char fix[192];

	if (!port->state.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: %s", port->port,
			    port->state.why ? port->state.why : "state not known");
		return;
	}
	if (!strcmp(port->state.s, "active")) {
		checker_say(c, VERDICT_OK, NULL, "port %u is active", port->port);
		return;
	}
	/* IPoIB runs over InfiniBand, the others over their network device */
	if (port->netdev.known && strcmp(port->link_layer, "InfiniBand")) {
		flags = sys_num("/sys/class/net/%s/flags", port->netdev.s);
		carrier = sys_num("/sys/class/net/%s/carrier", port->netdev.s);
		if (flags.known && !(flags.v & 1)) {
			snprintf(fix, sizeof(fix), "ip link set %s up", port->netdev.s);
			checker_say(c, VERDICT_FAIL, fix, "port %u is %s: %s is switched off",
				    port->port, port->state.s, port->netdev.s);
		} else if (carrier.known && !carrier.v) {
			snprintf(fix, sizeof(fix), "ethtool %s", port->netdev.s);
			checker_say(c, VERDICT_FAIL, fix,
				    "port %u is %s: %s has no carrier; look at cable, module and switch port",
				    port->port, port->state.s, port->netdev.s);
		} else {
			snprintf(fix, sizeof(fix), "rdma link show %s/%u", dev->name, port->port);
			checker_say(c, VERDICT_FAIL, fix,
				    "port %u is %s although %s has a carrier; look at its address, at the switch and, for RoCE, at PFC (nrdmactl check only pfc)",
				    port->port, port->state.s, port->netdev.s);
		}
		return;
	}
	if (!strcmp(port->state.s, "init") || !strcmp(port->state.s, "armed"))
		checker_say(c, VERDICT_FAIL, "systemctl start opensm",
			    "port %u is %s: the link is there, no subnet manager is", port->port,
			    port->state.s);
	else
		checker_say(c, VERDICT_FAIL, NULL,
			    "port %u is %s, physically %s; look at cable, module and switch port",
			    port->port, port->state.s, port->physical_state.s);
}

static void check_port_dev(struct checker *c, const struct dev *dev)
{
	const struct dev_port *port;

	CHECK_EACH_PORT(c, dev, port)
		check_port_one(c, dev, port);
	if (!dev->nr_ports)
		checker_say(c, VERDICT_NA, NULL, "it shows no port");
}

const struct check check_port = {
	.id = "port",
	.expected = "every port is active",
	.why = "nothing goes over a port that is not",
	.dev = check_port_dev,
};

/* InfiniBand's ports have four lanes or more; what else they could, only MADs tell */
static void check_rate_infiniband(struct checker *c, const struct dev_port *port)
{
	char now[32];

	size_format_bps(port->rate.bps.v, now, sizeof(now));
	if (port->rate.width.known && port->rate.width.v < 4)
		checker_say(c, VERDICT_WARN, NULL,
			    "port %u: %s on %lld lane%s of four; look at the cable", port->port, now,
			    port->rate.width.v, port->rate.width.v == 1 ? "" : "s");
	else
		checker_say(c, VERDICT_OK, NULL, "port %u: %s", port->port, now);
}

static void check_rate_one(struct checker *c, const struct dev_port *port)
{
	char now[32], most[32], fix[192];
	struct link link;

	if (!port->rate.bps.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: %s", port->port, port->rate.bps.why);
		return;
	}
	if (!strcmp(port->link_layer, "InfiniBand")) {
		check_rate_infiniband(c, port);
		return;
	}
	if (!port->netdev.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: no network device is known", port->port);
		return;
	}
	/* Soft devices make their rate up; the network device below does not */
	link_read(&link, port->netdev.s);
	if (!link.bps.known || !link.max_bps.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: %s: %s", port->port, port->netdev.s,
			    link.bps.known ? link.max_bps.why : link.bps.why);
		return;
	}
	size_format_bps(link.bps.v, now, sizeof(now));
	size_format_bps(link.max_bps.v, most, sizeof(most));
	snprintf(fix, sizeof(fix), "ethtool -s %s autoneg on", port->netdev.s);
	if (link.bps.v >= link.max_bps.v)
		checker_say(c, VERDICT_OK, NULL, "port %u: %s has %s", port->port, port->netdev.s,
			    now);
	else if (!link.autoneg.v)
		checker_say(c, VERDICT_FAIL, fix, "port %u: %s has %s of %s, and does not negotiate",
			    port->port, port->netdev.s, now, most);
	else
		checker_say(c, VERDICT_WARN, NULL,
			    "port %u: %s has %s of %s; look at cable, module and switch port",
			    port->port, port->netdev.s, now, most);
}

static void check_rate_dev(struct checker *c, const struct dev *dev)
{
	const struct dev_port *port;

	CHECK_EACH_PORT(c, dev, port)
		check_rate_one(c, port);
}

const struct check check_rate = {
	.id = "rate",
	.expected = "every port runs as fast as it can",
	.why = "a bad cable or a slow switch port costs rate, and nothing else tells",
	.dev = check_rate_dev,
};

static void check_mtu_dev(struct checker *c, const struct dev *dev)
{
	const struct dev_port *port;
	char fix[192], net[96];

	CHECK_EACH_PORT(c, dev, port) {
		/* Nobody sets a path MTU for InfiniBand here, and iWARP has TCP's */
		if (strcmp(port->link_layer, "RoCE")) {
			checker_say(c, VERDICT_NA, NULL, "port %u is %s", port->port,
				    port->link_layer);
			continue;
		}
		if (!port->active_mtu.known || !port->max_mtu.known) {
			checker_say(c, VERDICT_NA, NULL, "port %u: %s", port->port,
				    port->active_mtu.why ? port->active_mtu.why : "not known");
			continue;
		}
		if (port->active_mtu.v >= port->max_mtu.v) {
			checker_say(c, VERDICT_OK, NULL, "port %u: %lld", port->port,
				    port->active_mtu.v);
			continue;
		}
		if (port->netdev.known)
			snprintf(fix, sizeof(fix), "ip link set %s mtu %d", port->netdev.s,
				 ROCE_NETDEV_MTU);
		if (port->netdev_mtu.known)
			snprintf(net, sizeof(net), "for %.64s has %lld", port->netdev.s,
				 port->netdev_mtu.v);
		else
			snprintf(net, sizeof(net), "and that of its network device is not known");
		checker_say(c, VERDICT_FAIL, port->netdev.known ? fix : NULL,
			    "port %u: %lld of %lld, %s", port->port, port->active_mtu.v,
			    port->max_mtu.v, net);
	}
}

const struct check check_mtu = {
	.id = "mtu",
	.expected = "RoCE: the most that the port can",
	.why = "small packets cost rate; switches and the other end must take large ones too",
	.dev = check_mtu_dev,
};

static void check_pfc_one(struct checker *c, const struct dev_port *port)
{
	char list[32] = "", fix[192];
	struct dcb_pfc pfc;
	struct num ecn;
	unsigned int p;

	if (strcmp(port->link_layer, "RoCE") || !port->netdev.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u %s", port->port,
			    port->netdev.known ? "is no RoCE" : "has no network device");
		return;
	}
	dcb_pfc_read(&pfc, port->netdev.s);
	ecn = dcb_ecn(port->netdev.s);
	if (!pfc.enabled.known && !ecn.known) {
		checker_say(c, VERDICT_NA, NULL, "port %u: %s: %s", port->port, port->netdev.s,
			    pfc.enabled.why);
		return;
	}
	for (p = 0; p < 8; p++)
		if (pfc.enabled.v >> p & 1)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%u",
				 *list ? "," : "", p);
	snprintf(fix, sizeof(fix), "dcb pfc set dev %s prio-pfc all:off 3:on", port->netdev.s);
	if (*list)
		checker_say(c, VERDICT_OK, NULL, "port %u: PFC on priorities %s, ECN %s", port->port,
			    list, !ecn.known ? "not told" : ecn.v ? "on" : "off");
	else if (ecn.known && ecn.v)
		checker_say(c, VERDICT_OK, NULL, "port %u: ECN on, PFC %s", port->port,
			    pfc.enabled.known ? "off" : "not told");
	else if (ecn.known && pfc.enabled.known)
		checker_say(c, VERDICT_WARN, fix, "port %u: neither PFC nor ECN", port->port);
	else
		checker_say(c, VERDICT_INFO, NULL, "port %u: %s off, %s not told", port->port,
			    ecn.known ? "ECN" : "PFC", ecn.known ? "PFC" : "ECN");
}

static void check_pfc_dev(struct checker *c, const struct dev *dev)
{
	const struct dev_port *port;

	CHECK_EACH_PORT(c, dev, port)
		check_pfc_one(c, port);
}

const struct check check_pfc = {
	.id = "pfc",
	.expected = "RoCE: PFC or ECN, as the switches have it",
	.why = "RoCE repeats all that follows a lost packet",
	.dev = check_pfc_dev,
};
