// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "conf.h"
#include "dev_put.h"
#include "mod_dev.h"
#include "out.h"
#include "say.h"
#include "verbs.h"
#include "words.h"

static const struct cmd_key dev_show_keys[] = {
	{ "config", NULL, NULL },
	{ NULL }
};

static const struct out_field dev_show_fields[] = {
	{ "name", "" },
	{ "index", "index", NULL, OUT_DETAIL },
	{ "chardev", "character device" },
	{ "error", "module's error", NULL, OUT_QUIET },
	{ "driver", "driver" },
	{ "firmware", "firmware" },
	{ "node", "node" },
	{ "node_source", NULL, ", from ", OUT_QUIET },
	{ "node_override", "node override", NULL, OUT_QUIET },
	{ "mem_node", "memory node" },
	{ "cpu_node", "CPU nodes" },
	{ "tier", "CPU tier", NULL, OUT_DETAIL },
	{ "step", NULL, NULL, OUT_ROWS },
	{ "step.bus", "found by way of", NULL, OUT_DETAIL },
	{ "step.name", NULL, " ", OUT_DETAIL },
	{ "step.node", NULL, ", node ", OUT_DETAIL | OUT_QUIET },
	{ "pci", "PCI function" },
	{ "pcie_speed", "PCIe" },
	{ "pcie_width", NULL, " x" },
	{ "pcie_rate", NULL, ", " },
	{ "pcie_max_speed", "PCIe at most" },
	{ "pcie_max_width", NULL, " x" },
	{ "pcie_max_rate", NULL, ", " },
	{ "pcie_upstream_speed", "PCIe port above", NULL, OUT_DETAIL },
	{ "pcie_upstream_width", NULL, " x", OUT_DETAIL },
	{ "pcie_upstream_rate", NULL, ", ", OUT_DETAIL },
	{ "pcie_upstream_max_speed", "above at most", NULL, OUT_DETAIL },
	{ "pcie_upstream_max_width", NULL, " x", OUT_DETAIL },
	{ "pcie_upstream_max_rate", NULL, ", ", OUT_DETAIL },
	{ "ports", NULL, NULL, OUT_ROWS },
	{ "ports.port", "port" },
	{ "ports.link_layer", NULL, ": " },
	{ "ports.state", NULL, ", " },
	{ "ports.physical_state", NULL, ", " },
	{ "ports.rate", NULL, ", " },
	{ "ports.lane", NULL, " ", OUT_QUIET },
	{ "ports.width", NULL, " x", OUT_QUIET },
	{ "ports.max_rate", NULL, " of ", OUT_QUIET },
	{ "ports.active_mtu", NULL, ", MTU " },
	{ "ports.max_mtu", NULL, " of " },
	{ "ports.netdev", NULL, ", ", OUT_QUIET },
	{ "ports.netdev_mtu", NULL, " MTU ", OUT_QUIET },
	{ "policy", NULL },
	{ "policy.mode", "steering" },
	{ "policy.node", NULL, " node ", OUT_QUIET },
	{ "policy.cpus", NULL, " cpus ", OUT_QUIET },
	{ "policy.exclude", NULL, ", without CPUs ", OUT_QUIET },
	{ "policy.isolated", NULL, ", isolated CPUs ", OUT_QUIET },
	{ "policy.lock", NULL, ", lock ", OUT_QUIET },
	{ "policy.vectors", "vectors" },
	{ "policy.placed", NULL, ", placed " },
	{ "policy.pending", NULL, ", pending " },
	{ "policy.managed", NULL, ", managed " },
	{ "policy.drifted", NULL, ", drifted " },
	{ "policy.failed", NULL, ", failed " },
	{ "policy.error", "steering's error", NULL, OUT_QUIET },
	{ "policy.steered_at", "steered", NULL, OUT_DETAIL },
	{ "policy.steers", NULL, ", times: ", OUT_DETAIL | OUT_QUIET },
	{ "policy.kept", "kept", NULL, OUT_QUIET },
	{ "buf_count", "buffers" },
	{ "buf_bytes", NULL, ", bytes " },
	{ "buf_remote_bytes", NULL, ", remote " },
};

static void dev_show_steps(struct out *o, const struct place *place)
{
	unsigned int i;

	out_array(o, "step");
	for (i = 0; i < place->nr_steps; i++) {
		out_elem(o);
		out_str(o, "bus", place->steps[i].bus);
		out_str(o, "name", place->steps[i].name);
		out_num(o, "node", place->steps[i].node);
		out_elem_end(o);
	}
	out_array_end(o);
}

static void dev_show_dev(struct out *o, const struct dev *dev, unsigned int port)
{
	unsigned int i;

	out_record(o);
	out_text(o, "name", dev->name);
	out_num(o, "index", dev->index);
	out_str(o, "chardev", dev->chardev);
	out_num(o, "error", dev->error);
	out_str(o, "driver", dev->driver);
	out_str(o, "firmware", dev->firmware);
	dev_put_place(o, dev);
	out_num(o, "node_override", dev->place.override);
	out_str(o, "tier", words_of(words_tier, dev->place.tier));
	dev_show_steps(o, &dev->place);
	dev_put_pcie(o, dev);
	dev_put_policy(o, &dev->policy);
	dev_put_buffers(o, dev);
	out_array(o, "ports");
	for (i = 0; i < dev->nr_ports; i++) {
		if (port && dev->ports[i].port != port)
			continue;
		out_elem(o);
		dev_put_port(o, &dev->ports[i]);
		out_elem_end(o);
	}
	out_array_end(o);
	out_record_end(o);
}

/* Pools are of no device, so they are shown with all. */
static int dev_show_config(const struct args *args, struct picked *picked)
{
	struct pool *pools = NULL;
	unsigned int nr = 0;
	struct mod mod;
	int status, worse = EXIT_DONE;

	if (!mod_must_open(&mod))
		return EXIT_FAILED;
	status = mod_dev_dump(&mod, &picked->devs);
	if (!args->pos)
		worse = mod_pool_dump(&mod, &pools, &nr);
	mod_close(&mod);
	if (worse)
		status = worse;
	if (status != EXIT_FAILED && conf_print(pools, nr, picked->match))
		status = EXIT_FAILED;
	free(pools);
	return status;
}

static int dev_show_run(const struct args *args)
{
	struct picked picked;
	unsigned int i;
	struct out o;
	struct mod mod;
	int status;

	if (pick(&picked, args)) {
		pick_free(&picked);
		return EXIT_FAILED;
	}
	if (args_get(args, "config")) {
		status = dev_show_config(args, &picked);
		pick_free(&picked);
		return status;
	}
	status = mod_open(&mod) ? mod_dev_dump(&mod, &picked.devs) : mod_status(&mod);
	mod_close(&mod);
	verbs_read(picked.match);
	if (!picked.devs.nr)
		say("no RDMA device on this host");

	out_open(&o, OUT_BLOCK, OUT_FIELDS(dev_show_fields));
	for (i = 0; picked.match[i]; i++)
		dev_show_dev(&o, picked.match[i], picked.port);
	if (out_close(&o))
		status = EXIT_FAILED;
	pick_free(&picked);
	return status;
}

const struct cmd cmd_dev_show = {
	.object = "dev",
	.name = "show",
	.pos = "[DEV]",
	.keys = dev_show_keys,
	.help = "all that is known of a device; -d: how its node was found; config: as nrdma.conf",
	.run = dev_show_run,
};
