// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/nrdma.h>
#include <netlink/genl/ctrl.h>

#include "cmd.h"
#include "commands.h"
#include "dev_put.h"
#include "mod_buf.h"
#include "mod_dev.h"
#include "mod_irq.h"
#include "monitor.h"
#include "out.h"
#include "say.h"
#include "sys.h"
#include "words.h"

static const struct cmd_key monitor_keys[] = {
	{ "count", "N", NULL },
	{ "timeout", "S", NULL },
	{ NULL }
};

static const struct out_field monitor_fields[] = {
	{ "time", "" },
	{ "object", "" },
	{ "event", "" },
	{ "dev_index" },
	{ "dev_name", "" },
	{ "pci", "" },
	{ "old_name", "", "was " },
	{ "port", "", "port " },
	{ "port_state", "" },
	{ "node", "", "node " },
	{ "node_source", "", "from " },
	{ "mem_node" },
	{ "chardev" },
	{ "policy", NULL },
	{ "policy.mode", "", "policy " },
	{ "policy.node", NULL, " ", OUT_QUIET },
	{ "policy.cpus", NULL, " ", OUT_QUIET },
	{ "policy.exclude" },
	{ "policy.isolated" },
	{ "policy.lock", NULL, " lock ", OUT_QUIET },
	{ "policy.vectors", NULL, " vectors " },
	{ "policy.placed", NULL, " placed " },
	{ "policy.pending", NULL, " pending " },
	{ "policy.managed", NULL, " managed " },
	{ "policy.drifted", NULL, " drifted " },
	{ "policy.failed", NULL, " failed " },
	{ "policy.error", NULL, " error ", OUT_QUIET },
	{ "policy.steered_at" },
	{ "policy.steers" },
	{ "policy.kept" },
	{ "why", "", "- " },
	{ "id", "", "buffer " },
	{ "bytes", "", "size " },
	{ "reason", "" },
	{ "available", "", "available " },
	{ "uid", "", "uid " },
};

void monitor_begin(struct monitor *mon, const char *object, struct str event)
{
	struct out *o = &mon->o;
	char text[64], zone[64];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(zone, sizeof(zone), "%.32s.%06ld", text, now.tv_nsec / 1000);
	out_record(o);
	out_shown(o, "time", num_of(now.tv_sec * 1000000000LL + now.tv_nsec), zone);
	out_text(o, "object", object);
	out_str(o, "event", event);
}

void monitor_end(struct monitor *mon)
{
	out_record_end(&mon->o);
	if (ferror(stdout)) {
		mon->status = EXIT_FAILED;
		mon->done = true;
	}
	if (++mon->seen == mon->count)
		mon->done = true;
}

/* An event has only what it is about: what is absent is left out. */
static void monitor_num(struct out *o, const char *key, struct nlattr *attr)
{
	if (attr)
		out_num(o, key, mod_u32(attr));
}

static void monitor_str(struct out *o, const char *key, struct nlattr *attr)
{
	if (attr)
		out_str(o, key, mod_str(attr));
}

static void monitor_dev(struct monitor *mon, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_DEV_MAX + 1];
	struct out *o = &mon->o;

	if (!mod_attrs(msg, tb, &mod_dev_attrs))
		return;
	monitor_begin(mon, "dev", words_of(words_dev_event, mod_u32(tb[NRDMA_A_DEV_EVENT])));
	monitor_num(o, "dev_index", tb[NRDMA_A_DEV_INDEX]);
	monitor_str(o, "dev_name", tb[NRDMA_A_DEV_NAME]);
	monitor_str(o, "old_name", tb[NRDMA_A_DEV_OLD_NAME]);
	monitor_num(o, "port", tb[NRDMA_A_DEV_PORT]);
	if (tb[NRDMA_A_DEV_PORT_STATE])
		out_str(o, "port_state", words_of(words_port_state,
						  mod_u32(tb[NRDMA_A_DEV_PORT_STATE])));
	monitor_num(o, "node", tb[NRDMA_A_DEV_NODE]);
	/* Without a node there is nothing that it is known by */
	if (tb[NRDMA_A_DEV_NODE] && tb[NRDMA_A_DEV_NODE_SOURCE])
		out_str(o, "node_source", words_of(words_node_source,
						   mod_u32(tb[NRDMA_A_DEV_NODE_SOURCE])));
	monitor_num(o, "mem_node", tb[NRDMA_A_DEV_MEM_NODE]);
	monitor_str(o, "pci", tb[NRDMA_A_DEV_PCI]);
	monitor_str(o, "chardev", tb[NRDMA_A_DEV_CHARDEV]);
	monitor_end(mon);
}

static void monitor_irq(struct monitor *mon, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_IRQ_MAX + 1];
	struct dev_policy policy;
	struct out *o = &mon->o;

	if (!mod_attrs(msg, tb, &mod_irq_attrs))
		return;
	monitor_begin(mon, "irq", words_of(words_irq_event, mod_u32(tb[NRDMA_A_IRQ_EVENT])));
	monitor_num(o, "dev_index", tb[NRDMA_A_IRQ_DEV_INDEX]);
	monitor_str(o, "dev_name", tb[NRDMA_A_IRQ_DEV_NAME]);
	monitor_str(o, "pci", tb[NRDMA_A_IRQ_PCI]);
	monitor_str(o, "why", tb[NRDMA_A_IRQ_WHY]);
	mod_policy_parse(&policy, tb[NRDMA_A_IRQ_POLICY]);
	if (policy.known)
		dev_put_policy(o, &policy);
	dev_policy_free(&policy);
	monitor_end(mon);
}

static void monitor_buf(struct monitor *mon, struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_BUF_MAX + 1];
	struct out *o = &mon->o;

	if (!mod_attrs(msg, tb, &mod_buf_attrs))
		return;
	monitor_begin(mon, "buf", words_of(words_buf_event, mod_u32(tb[NRDMA_A_BUF_EVENT])));
	monitor_num(o, "dev_index", tb[NRDMA_A_BUF_DEV_INDEX]);
	monitor_str(o, "dev_name", tb[NRDMA_A_BUF_DEV_NAME]);
	monitor_num(o, "id", tb[NRDMA_A_BUF_ID]);
	if (tb[NRDMA_A_BUF_BYTES])
		out_bytes(o, "bytes", mod_u64(tb[NRDMA_A_BUF_BYTES]));
	monitor_num(o, "node", tb[NRDMA_A_BUF_NODE]);
	if (tb[NRDMA_A_BUF_REASON])
		out_str(o, "reason", words_of(words_reason, mod_u32(tb[NRDMA_A_BUF_REASON])));
	if (tb[NRDMA_A_BUF_AVAILABLE])
		out_bytes(o, "available", mod_u64(tb[NRDMA_A_BUF_AVAILABLE]));
	monitor_num(o, "uid", tb[NRDMA_A_BUF_UID]);
	monitor_end(mon);
}

/* The family going away is the module being unloaded: nothing more will come. */
static void monitor_ctrl(struct monitor *mon, struct nl_msg *msg)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[CTRL_ATTR_MAX + 1];

	if (hdr->cmd != CTRL_CMD_DELFAMILY ||
	    genlmsg_parse(nlmsg_hdr(msg), 0, tb, CTRL_ATTR_MAX, NULL) < 0 ||
	    !tb[CTRL_ATTR_FAMILY_NAME] ||
	    strcmp(nla_get_string(tb[CTRL_ATTR_FAMILY_NAME]), NRDMA_FAMILY_NAME))
		return;
	say("module nrdma was unloaded");
	mon->status = EXIT_FAILED;
	mon->done = true;
}

static int monitor_on_msg(struct nl_msg *msg, void *arg)
{
	struct monitor *mon = arg;

	if (mon->done || !genlmsg_valid_hdr(nlmsg_hdr(msg), 0))
		return NL_OK;
	if (nlmsg_hdr(msg)->nlmsg_type == GENL_ID_CTRL) {
		monitor_ctrl(mon, msg);
		return NL_OK;
	}
	switch (((struct genlmsghdr *)nlmsg_data(nlmsg_hdr(msg)))->cmd) {
	case NRDMA_CMD_DEV_NTF:
		monitor_dev(mon, msg);
		break;
	case NRDMA_CMD_IRQ_NTF:
		monitor_irq(mon, msg);
		break;
	case NRDMA_CMD_BUF_NTF:
		monitor_buf(mon, msg);
		break;
	}
	return NL_OK;
}

long long monitor_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/**
 * monitor_left() - for how long to wait for what comes next
 *
 * Return: milliseconds, -1 for ever, 0 when it is over.
 */
int monitor_left(struct monitor *mon)
{
	long long left;

	if (mon->done)
		return 0;
	if (!mon->end.known)
		return -1;
	left = mon->end.v - monitor_now();
	return left <= 0 ? 0 : left > 60000 ? 60000 : left;
}

void monitor_lost(struct monitor *mon)
{
	say("events came faster than they were read: some are lost");
	mon->status = EXIT_PARTIAL;
}

static void monitor_module(struct monitor *mon, struct mod *mod)
{
	struct pollfd pfd = { .fd = nl_socket_get_fd(mod->sk), .events = POLLIN };
	int err, left;

	while ((left = monitor_left(mon))) {
		if (poll(&pfd, 1, left) <= 0)
			continue;
		err = nl_recvmsgs_default(mod->sk);
		if (err == -NLE_NOMEM) {
			monitor_lost(mon);
		} else if (err && err != -NLE_AGAIN && err != -NLE_INTR) {
			say("no more events: %s", nl_geterror(err));
			mon->status = EXIT_FAILED;
			break;
		}
	}
}

static int monitor_listen(struct monitor *mon, struct mod *mod)
{
	nl_socket_disable_seq_check(mod->sk);
	nl_socket_modify_cb(mod->sk, NL_CB_VALID, NL_CB_CUSTOM, monitor_on_msg, mon);
	return mod_listen(mod, "nlctrl", "notify") ||
	       mod_listen(mod, NRDMA_FAMILY_NAME, NRDMA_MCGRP_EVENTS);
}

static int monitor_run(const struct args *args)
{
	struct monitor mon = { .count = -1 };
	struct num count, timeout;
	struct mod mod;

	if (args_above_0(args, "count", &count) || args_u32(args, "timeout", &timeout))
		return EXIT_USAGE;
	if (count.known)
		mon.count = count.v;
	/* A fixture has no events */
	if (*sys_root() ? !mod_must_open(&mod) : !mod_open(&mod) && mod.error != -ENOENT)
		return EXIT_FAILED;
	if (mod.sk && monitor_listen(&mon, &mod)) {
		mod_close(&mod);
		return EXIT_FAILED;
	}
	if (timeout.known)
		mon.end = num_of(monitor_now() + timeout.v * 1000);
	out_open(&mon.o, OUT_STREAM, OUT_FIELDS(monitor_fields));
	if (mod.sk)
		monitor_module(&mon, &mod);
	else
		monitor_host(&mon);
	if (!mon.status && mon.count > 0 && mon.seen < mon.count) {
		say("%u of %lld events came in %lld s", mon.seen, mon.count, timeout.v);
		mon.status = EXIT_FAILED;
	}
	if (out_close(&mon.o))
		mon.status = EXIT_FAILED;
	mod_close(&mod);
	return mon.status;
}

const struct cmd cmd_monitor = {
	.object = "monitor",
	.keys = monitor_keys,
	.help = "events as they come, a line each; with -j an object a line",
	.run = monitor_run,
};
