// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "dev_put.h"
#include "out.h"
#include "probe_last.h"
#include "survey.h"
#include "words.h"

static const struct out_field status_fields[] = {
	{ "name" },
	{ "ports", NULL, NULL, OUT_ROWS },
	{ "ports.link", "DEVICE", NULL, OUT_TEXT },
	{ "no_port", NULL, "", OUT_TEXT },
	{ "ports.port" },
	{ "ports.link_layer", "LINK" },
	{ "ports.state", "STATE" },
	{ "ports.physical_state", "PHYSICAL", NULL, OUT_DETAIL },
	{ "ports.rate", "RATE", NULL, OUT_RIGHT },
	{ "ports.lane", NULL, " " },
	{ "ports.width", NULL, " x" },
	{ "ports.max_rate", NULL, " of ", OUT_QUIET },
	{ "ports.active_mtu", "MTU" },
	{ "ports.max_mtu", NULL, "/" },
	{ "ports.netdev_mtu", NULL, " net ", OUT_QUIET },
	{ "ports.netdev", "NETDEV", NULL, OUT_DETAIL },
	{ "node", "NODE" },
	{ "node_source", NULL, " ", OUT_QUIET },
	{ "mem_node", "MEM NODE", NULL, OUT_DETAIL },
	{ "cpu_node", "CPU NODE", NULL, OUT_DETAIL },
	{ "pci", "PCI", NULL, OUT_DETAIL },
	{ "pcie_speed", "PCIE" },
	{ "pcie_width", NULL, " x" },
	{ "pcie_rate", NULL, " " },
	{ "pcie_max_speed", "PCIE MAX", NULL, OUT_DETAIL },
	{ "pcie_max_width", NULL, " x", OUT_DETAIL },
	{ "pcie_max_rate", NULL, " ", OUT_DETAIL },
	{ "pcie_upstream_speed", "PORT ABOVE", NULL, OUT_DETAIL },
	{ "pcie_upstream_width", NULL, " x", OUT_DETAIL },
	{ "pcie_upstream_rate" },
	{ "pcie_upstream_max_speed", "PORT ABOVE MAX", NULL, OUT_DETAIL },
	{ "pcie_upstream_max_width", NULL, " x", OUT_DETAIL },
	{ "pcie_upstream_max_rate" },
	{ "vectors", "VECTORS", NULL, OUT_DETAIL | OUT_RIGHT },
	{ "vectors_local", "L/R/M" },
	{ "vectors_remote", NULL, "/" },
	{ "vectors_managed", NULL, "/", OUT_QUIET },
	{ "steering", "STEERING", NULL, OUT_DETAIL },
	{ "buf_count", "BUFFERS" },
	{ "buf_bytes", NULL, ": " },
	{ "buf_remote_bytes" },
	{ "buf_node_bytes" },
	{ "buf_node_bytes.node", "ON NODE", "node", OUT_DETAIL },
	{ "buf_node_bytes.bytes", NULL, " ", OUT_DETAIL },
	{ "probe" },
	{ "probe.word", "PROBE", NULL, OUT_DETAIL },
	{ "probe.with", NULL, " by ", OUT_DETAIL | OUT_QUIET | OUT_TEXT },
	{ "probe.age", NULL, " ", OUT_DETAIL | OUT_QUIET },
	{ "probe.text" },
	{ "firmware", "FIRMWARE", NULL, OUT_DETAIL },
	{ "driver", "DRIVER", NULL, OUT_DETAIL },
};

static void status_port(struct out *o, const struct dev *dev, const struct dev_port *port)
{
	char link[96];

	snprintf(link, sizeof(link), "%s/%u", dev->name, port->port);
	out_elem(o);
	out_text(o, "link", link);
	dev_put_port(o, port);
	out_elem_end(o);
}

/* How much of a device's buffers lies where */
static void status_node_bytes(struct out *o, const struct dev *dev, const struct bufs *bufs)
{
	long long bytes[CPUS_MAX];
	unsigned int i, n, node, nr = 0;

	if (!dev->buf_bytes.known) {
		out_null(o, "buf_node_bytes", dev->buf_bytes.why);
		return;
	}
	for (i = 0; i < bufs->nr; i++) {
		const struct buf *buf = &bufs->v[i];

		if (buf->orphan.v || strcmp(buf->dev_name.s, dev->name))
			continue;
		for (n = 0; n < buf->nr_node_bytes; n++) {
			node = buf->node_bytes[n].node;
			if (node >= CPUS_MAX)
				continue;
			while (nr <= node)
				bytes[nr++] = 0;
			bytes[node] += buf->node_bytes[n].bytes;
		}
	}
	out_array(o, "buf_node_bytes");
	for (n = 0; n < nr; n++) {
		if (!bytes[n])
			continue;
		out_elem(o);
		out_int(o, "node", n);
		out_bytes(o, "bytes", num_of(bytes[n]));
		out_elem_end(o);
	}
	out_array_end(o);
}

/* What the last probe found, and how long ago */
static void status_probe(struct out *o, const struct dev *dev)
{
	struct probe_last last;
	char age[32], with[96];

	probe_last_read(&last, dev);
	out_object(o, "probe");
	out_str(o, "word", last.word);
	if (*probe_last_with(&last, with, sizeof(with)))
		out_text(o, "with", with);
	out_shown(o, "age", last.age, probe_last_age(&last, age, sizeof(age)));
	if (last.known)
		out_text(o, "text", last.text);
	else
		out_null(o, "text", NULL);
	out_object_end(o);
}

/* Below the table, which has no room for it; with details it is in there. */
static void status_say_probe(const struct dev *dev)
{
	static const char *const says[] = {
		[PROBE_SAME] = "no difference",
		[PROBE_AGREES] = "agrees with its node",
		[PROBE_CONTRADICTS] = "contradicts its node",
		[PROBE_UNKNOWN] = "its node is unknown, and one node's memory is faster",
	};
	const struct num *node = &dev->place.mem_node;
	struct probe_last last;
	const char *text;	/* a whole sentence only where there is something to do */
	unsigned int i;
	char age[32];

	probe_last_read(&last, dev);
	if (!last.known)
		return;
	text = last.text;
	for (i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (says[i] && !strcmp(last.word.s, probe_words[i]) &&
		    (i <= PROBE_AGREES || last.software))
			text = says[i];
	/* As check has it: a verdict is about the node that the device had then */
	if (last.mem_node.known != node->known || last.mem_node.v != node->v)
		text = "its node was another one then";
	printf("probe of %s%s, %s: %s\n", dev->name,
	       last.software ? " (a software device)" : "",
	       probe_last_age(&last, age, sizeof(age)), text);
}

static void status_dev(struct out *o, const struct dev *dev, unsigned int port,
		       const struct vecs *vecs, const struct bufs *bufs)
{
	struct vec_count count = vecs_count(vecs, dev);
	unsigned int i;

	out_record(o);
	out_text(o, "name", dev->name);
	dev_put_place(o, dev);
	dev_put_pcie(o, dev);
	out_num(o, "vectors", count.all);
	out_num(o, "vectors_local", count.local);
	out_num(o, "vectors_remote", count.remote);
	out_num(o, "vectors_managed", count.managed);
	if (dev->policy.known)
		out_str(o, "steering", words_of(words_policy, dev->policy.mode));
	else
		out_null(o, "steering", dev->by_module ? "no PCI function" : dev->chardev.why);
	dev_put_buffers(o, dev);
	status_node_bytes(o, dev, bufs);
	status_probe(o, dev);
	out_str(o, "firmware", dev->firmware);
	out_str(o, "driver", dev->driver);
	out_array(o, "ports");
	for (i = 0; i < dev->nr_ports; i++)
		if (!port || dev->ports[i].port == port)
			status_port(o, dev, &dev->ports[i]);
	out_array_end(o);
	if (!dev->nr_ports)
		out_text(o, "no_port", dev->name);
	out_record_end(o);
}

static int status_run(const struct args *args)
{
	struct survey survey;
	struct dev **match;
	struct out o;
	int status;

	if (survey_read(&survey, args)) {
		survey_free(&survey);
		return EXIT_FAILED;
	}
	status = survey.status;
	out_open(&o, OUT_TABLE, OUT_FIELDS(status_fields));
	for (match = survey.picked.match; *match; match++)
		status_dev(&o, *match, survey.picked.port, &survey.vecs, &survey.bufs);
	if (out_close(&o))
		status = EXIT_FAILED;
	for (match = survey.picked.match; *match && !opts.json && !opts.details; match++)
		status_say_probe(*match);
	if (ferror(stdout) || fflush(stdout))
		status = EXIT_FAILED;
	survey_free(&survey);
	return status;
}

const struct cmd cmd_status = {
	.object = "status",
	.pos = "[DEV]",
	.help = "each port and its device: link, node, PCIe, vectors local/remote/managed, buffers",
	.run = status_run,
};
