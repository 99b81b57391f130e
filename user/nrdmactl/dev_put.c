// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "dev_put.h"
#include "words.h"

void dev_put_port(struct out *o, const struct dev_port *port)
{
	out_int(o, "port", port->port);
	out_text(o, "link_layer", port->link_layer);
	out_str(o, "state", port->state);
	out_str(o, "physical_state", port->physical_state);
	out_bps(o, "rate", port->rate.bps);
	out_str(o, "lane", port->rate.lane);
	out_num(o, "width", port->rate.width);
	/* In text only where it says something */
	if (o->json || port->max_rate.v > port->rate.bps.v)
		out_bps(o, "max_rate", port->max_rate);
	else
		out_null(o, "max_rate", NULL);
	out_num(o, "active_mtu", port->active_mtu);
	out_num(o, "max_mtu", port->max_mtu);
	out_str(o, "netdev", port->netdev);
	out_num(o, "netdev_mtu", port->netdev_mtu);
}

static void dev_put_cpu_nodes(struct out *o, const struct place *place)
{
	int node;

	if (cpus_empty(&place->cpu_nodes)) {
		out_null(o, "cpu_node", place->node.known ? "none has CPUs" : place->node.why);
		return;
	}
	out_array(o, "cpu_node");
	for (node = cpus_next(&place->cpu_nodes, -1); node >= 0;
	     node = cpus_next(&place->cpu_nodes, node))
		out_int(o, NULL, node);
	out_array_end(o);
}

void dev_put_place(struct out *o, const struct dev *dev)
{
	const struct place *place = &dev->place;

	out_num(o, "node", place->node);
	out_str(o, "node_source", words_of(words_node_source, place->source));
	out_num(o, "mem_node", place->mem_node);
	dev_put_cpu_nodes(o, place);
	out_str(o, "pci", place->pci);
}

static void dev_put_link(struct out *o, const struct pci_link *link, const char *speed,
			 const char *width, const char *rate)
{
	out_str(o, speed, link->speed);
	out_num(o, width, link->width);
	out_bps(o, rate, link->bps);
}

void dev_put_pcie(struct out *o, const struct dev *dev)
{
	dev_put_link(o, &dev->pci.now, "pcie_speed", "pcie_width", "pcie_rate");
	dev_put_link(o, &dev->pci.max, "pcie_max_speed", "pcie_max_width", "pcie_max_rate");
	dev_put_link(o, &dev->pci.upstream_now, "pcie_upstream_speed", "pcie_upstream_width",
		     "pcie_upstream_rate");
	dev_put_link(o, &dev->pci.upstream_max, "pcie_upstream_max_speed",
		     "pcie_upstream_max_width", "pcie_upstream_max_rate");
}

void dev_put_buffers(struct out *o, const struct dev *dev)
{
	out_num(o, "buf_count", dev->buf_count);
	out_bytes(o, "buf_bytes", dev->buf_bytes);
	out_bytes(o, "buf_remote_bytes", dev->buf_remote_bytes);
}

/* An empty list is a value of its own in JSON, in text it is nothing. */
static void dev_put_list(struct out *o, const char *key, const char *list)
{
	if (list && (*list || o->json))
		out_text(o, key, list);
	else
		out_null(o, key, "none");
}

/* errno of the last steering: 0 is none */
static void dev_put_error(struct out *o, const char *key, struct num error)
{
	if (error.known && !error.v)
		error = num_none("none");
	out_shown(o, key, error, error.known ? strerror(-error.v) : "");
}

/**
 * dev_put_policy() - "policy": a steering policy and what came of it, or null
 */
void dev_put_policy(struct out *o, const struct dev_policy *policy)
{
	struct num steered_at = policy->steered_at;
	char text[32];

	if (!policy->known) {
		out_null(o, "policy", NULL);
		return;
	}
	if (!steered_at.known)
		steered_at.why = "never";
	out_object(o, "policy");
	out_str(o, "mode", words_of(words_policy, policy->mode));
	out_num(o, "node", policy->node);
	dev_put_list(o, "cpus", policy->cpus);
	dev_put_list(o, "exclude", policy->exclude);
	out_bool(o, "isolated", policy->isolated);
	out_bool(o, "lock", policy->lock);
	out_num(o, "vectors", policy->vectors);
	out_num(o, "placed", policy->placed);
	out_num(o, "pending", policy->pending);
	out_num(o, "managed", policy->managed);
	out_num(o, "drifted", policy->drifted);
	out_num(o, "failed", policy->failed);
	dev_put_error(o, "error", policy->error);
	snprintf(text, sizeof(text), "%.1f s after boot", steered_at.v / 1e9);
	out_shown(o, "steered_at", steered_at, text);
	out_num(o, "steers", policy->steers);
	if (o->json)
		out_bool(o, "kept", policy->kept);
	else
		out_shown(o, "kept", policy->kept, policy->kept.v ? "by itself" :
			  "no, no lock over MSI vectors: only when set and when the device appears");
	out_object_end(o);
}
