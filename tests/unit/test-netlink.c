// SPDX-License-Identifier: GPL-2.0
/* Answers of the module, whole, in pieces, and not as they should be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/dcbnl.h>
#include <linux/nrdma.h>
#include <linux/rtnetlink.h>

#include "cmd.h"
#include "dcb.h"
#include "mod_buf.h"
#include "mod_dev.h"
#include "mod_error.h"
#include "mod_irq.h"
#include "uevent.h"

static struct nl_msg *message(int cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(65536);

	assert_non_null(msg);
	assert_non_null(genlmsg_put(msg, 1, 1, 0x20, 0, 0, cmd, 1));
	return msg;
}

static void dev_answer(void **state)
{
	struct nl_msg *msg = message(NRDMA_CMD_DEV_GET);
	struct dev_port ports[] = { { .port = 1 }, { .port = 2 } };
	struct dev dev = { .name = "mlx5_0", .nr_ports = 2, .ports = ports };
	struct nlattr *nest;

	(void)state;
	nla_put_u32(msg, NRDMA_A_DEV_INDEX, 7);
	nla_put_string(msg, NRDMA_A_DEV_NAME, "mlx5_0");
	nla_put_u32(msg, NRDMA_A_DEV_NODE, 3);
	nla_put_u32(msg, NRDMA_A_DEV_NODE_SOURCE, NRDMA_NODE_SOURCE_OVERRIDE);
	nla_put_s32(msg, NRDMA_A_DEV_NODE_OVERRIDE, 3);
	nla_put_u32(msg, NRDMA_A_DEV_CPU_NODE, 3);
	nla_put_u32(msg, NRDMA_A_DEV_CPU_NODE, 5);
	nla_put_u64(msg, NRDMA_A_DEV_BUF_BYTES, 1ULL << 40);
	nest = nla_nest_start(msg, NRDMA_A_DEV_STEP);
	nla_put_string(msg, NRDMA_A_STEP_BUS, "pci");
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, NRDMA_A_DEV_POLICY);
	nla_put_u32(msg, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nla_put_string(msg, NRDMA_A_POLICY_CPUS, "0-3");
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, NRDMA_A_DEV_LINK);
	nla_put_u32(msg, NRDMA_A_LINK_PORT, 2);
	nla_put_u32(msg, NRDMA_A_LINK_MAX_MTU, 4096);
	nla_put_u32(msg, NRDMA_A_LINK_SPEED, 256);
	nla_put_u32(msg, NRDMA_A_LINK_WIDTH, 2);
	nla_nest_end(msg, nest);
	/* One that says not of which port */
	nest = nla_nest_start(msg, NRDMA_A_DEV_LINK);
	nla_put_u32(msg, NRDMA_A_LINK_SPEED, 1);
	nla_put_u32(msg, NRDMA_A_LINK_WIDTH, 1);
	nla_nest_end(msg, nest);
	/* From a module newer than this */
	nla_put_u32(msg, NRDMA_A_DEV_MAX + 5, 1);

	mod_dev_overlay(&dev, msg);
	assert_true(dev.by_module);
	assert_int_equal(dev.index.v, 7);
	assert_int_equal(dev.place.node.v, 3);
	assert_int_equal(dev.place.override.v, 3);
	assert_true(cpus_has(&dev.place.cpu_nodes, 3));
	assert_true(cpus_has(&dev.place.cpu_nodes, 5));
	assert_int_equal(dev.buf_bytes.v, 1LL << 40);
	assert_false(dev.buf_count.known);
	assert_false(dev.place.mem_node.known);
	assert_int_equal(dev.place.nr_steps, 1);
	assert_false(dev.place.steps[0].node.known);
	assert_string_equal(dev.policy.cpus, "0-3");
	assert_null(dev.policy.exclude);
	assert_false(ports[0].asked);
	assert_true(ports[1].asked);
	assert_int_equal(ports[1].max_mtu.v, 4096);
	assert_false(ports[1].active_mtu.known);
	assert_int_equal(ports[1].rate.bps.v, 800000000000);
	dev_policy_free(&dev.policy);
	nlmsg_free(msg);
}

/* The node that sysfs told must not outlive the module's "unknown" */
static void dev_node_unknown(void **state)
{
	struct nl_msg *msg = message(NRDMA_CMD_DEV_GET);
	struct dev dev = { .name = "a", .place.node = { .known = true, .v = 1 } };

	(void)state;
	nla_put_u32(msg, NRDMA_A_DEV_NODE_UNKNOWN, NRDMA_NODE_UNKNOWN_DISAGREE);
	nla_put_u32(msg, NRDMA_A_DEV_NODE_SOURCE, NRDMA_NODE_SOURCE_UNKNOWN);
	mod_dev_overlay(&dev, msg);
	assert_false(dev.place.node.known);
	assert_string_equal(dev.place.node.why, "lower devices differ");
	assert_false(dev.place.source.known);
	dev_policy_free(&dev.policy);
	nlmsg_free(msg);
}

/* Attributes that are too short are refused with their message, not read */
static void dev_malformed(void **state)
{
	struct nl_msg *msg = message(NRDMA_CMD_DEV_GET);
	struct dev dev = { .name = "a" };

	(void)state;
	nla_put_u8(msg, NRDMA_A_DEV_NODE, 1);
	mod_dev_overlay(&dev, msg);
	assert_false(dev.by_module);
	assert_false(dev.place.node.known);
	nlmsg_free(msg);
}

static struct nl_msg *buffer(uint32_t id, uint64_t offset)
{
	struct nl_msg *msg = message(NRDMA_CMD_BUF_GET);
	struct nlattr *nest;

	nla_put_u32(msg, NRDMA_A_BUF_ID, id);
	nla_put_string(msg, NRDMA_A_BUF_DEV_NAME, "mlx5_0");
	nest = nla_nest_start(msg, NRDMA_A_BUF_NODE_BYTES);
	nla_put_u32(msg, NRDMA_A_RUN_NODE, 1);
	nla_put_u64(msg, NRDMA_A_RUN_BYTES, 8192);
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, NRDMA_A_BUF_RUN);
	nla_put_u64(msg, NRDMA_A_RUN_OFFSET, offset);
	nla_put_u64(msg, NRDMA_A_RUN_BYTES, 4096);
	nla_nest_end(msg, nest);
	return msg;
}

/* A buffer whose runs do not fit one message goes on in the next */
static void buf_goes_on(void **state)
{
	struct bufs bufs = { 0 };
	struct nl_msg *msg;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		msg = buffer(i < 2 ? 5 : 6, 4096 * i);
		assert_int_equal(bufs_add(&bufs, msg), 0);
		nlmsg_free(msg);
	}
	assert_int_equal(bufs.nr, 2);
	assert_int_equal(bufs.v[0].nr_runs, 2);
	assert_int_equal(bufs.v[0].nr_node_bytes, 1);
	assert_int_equal(bufs.v[0].runs[1].offset.v, 4096);
	assert_false(bufs.v[0].runs[0].node.known);
	assert_false(bufs.v[0].pid.known);
	assert_int_equal(bufs.v[1].nr_runs, 1);
	bufs_free(&bufs);
}

/* What dcbnl answers, whole and cut */
static struct nl_msg *dcb_answer(int type, size_t size)
{
	struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = 1 << 3 };
	struct dcbmsg dcb = { .cmd = DCB_CMD_IEEE_GET };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	struct nlattr *nest;

	assert_non_null(msg);
	assert_int_equal(nlmsg_append(msg, &dcb, sizeof(dcb), NLMSG_ALIGNTO), 0);
	nla_put_string(msg, DCB_ATTR_IFNAME, "eth0");
	nest = nla_nest_start(msg, DCB_ATTR_IEEE);
	nla_put(msg, DCB_ATTR_IEEE_PFC, size, &pfc);
	nla_nest_end(msg, nest);
	return msg;
}

static void pfc(void **state)
{
	struct dcb_pfc pfc = { 0 };
	struct nl_msg *msg;

	(void)state;
	msg = dcb_answer(RTM_GETDCB, sizeof(struct ieee_pfc) - 1);
	dcb_pfc_parse(&pfc, msg);
	assert_false(pfc.enabled.known);
	nlmsg_free(msg);
	msg = dcb_answer(RTM_SETDCB, sizeof(struct ieee_pfc));
	dcb_pfc_parse(&pfc, msg);
	assert_false(pfc.enabled.known);
	nlmsg_free(msg);
	msg = dcb_answer(RTM_GETDCB, sizeof(struct ieee_pfc));
	dcb_pfc_parse(&pfc, msg);
	assert_int_equal(pfc.enabled.v, 8);
	assert_int_equal(pfc.capable.v, 8);
	nlmsg_free(msg);
}

#define UEVENT(text)	text, sizeof(text)

static void uevents(void **state)
{
	struct uevent event;

	(void)state;
	assert_true(uevent_parse(&event, UEVENT("add@/devices/virtual/infiniband/rxe0\0ACTION=add\0"
		"DEVPATH=/devices/virtual/infiniband/rxe0\0SUBSYSTEM=infiniband\0NAME=rxe0\0SEQNUM=7")));
	assert_int_equal(event.action, UEVENT_ADD);
	assert_string_equal(event.name, "rxe0");
	assert_true(uevent_parse(&event, UEVENT("move@/x\0ACTION=move\0DEVPATH=/devices/new\0"
		"SUBSYSTEM=infiniband\0DEVPATH_OLD=/devices/old")));
	assert_int_equal(event.action, UEVENT_MOVE);
	assert_string_equal(event.old_name, "old");
	/* Another's, one without a name, one that is cut */
	assert_false(uevent_parse(&event, UEVENT("add@/x\0ACTION=add\0DEVPATH=/devices/uverbs0\0"
		"SUBSYSTEM=infiniband_verbs")));
	assert_false(uevent_parse(&event, UEVENT("add@/x\0ACTION=add\0SUBSYSTEM=infiniband")));
	assert_false(uevent_parse(&event, UEVENT("change@/x\0ACTION=change\0DEVPATH=/x\0SUBSYSTEM=infiniband")));
	assert_false(uevent_parse(&event, "add@/x\0ACTION=ad", 17));
	assert_false(uevent_parse(&event, "", 0));
}

static unsigned int offset_of(struct nl_msg *msg, struct nlattr *attr)
{
	return (char *)attr - (char *)nlmsg_hdr(msg);
}

static void error_attribute(void **state)
{
	struct nl_msg *msg = message(NRDMA_CMD_IRQ_SET);
	struct nlattr *nest, *inner, *first;
	char buf[32];

	(void)state;
	nla_put_string(msg, NRDMA_A_IRQ_DEV_NAME, "mlx5_0");
	nest = nla_nest_start(msg, NRDMA_A_IRQ_POLICY);
	nla_put_u32(msg, NRDMA_A_POLICY_MODE, NRDMA_POLICY_CPUS);
	nla_put_string(msg, NRDMA_A_POLICY_CPUS, "99");
	nla_nest_end(msg, nest);
	first = nla_data(nest);
	inner = (struct nlattr *)((char *)first + nla_total_size(4));

	assert_string_equal(mod_error_attr(msg, offset_of(msg, nest), buf, sizeof(buf)), "policy");
	assert_string_equal(mod_error_attr(msg, offset_of(msg, first), buf, sizeof(buf)),
			    "policy.mode");
	assert_string_equal(mod_error_attr(msg, offset_of(msg, inner), buf, sizeof(buf)),
			    "policy.cpus");
	assert_string_equal(mod_error_attr(msg, NLMSG_HDRLEN + GENL_HDRLEN, buf, sizeof(buf)),
			    "dev-name");
	assert_null(mod_error_attr(msg, 0, buf, sizeof(buf)));
	assert_null(mod_error_attr(msg, 5, buf, sizeof(buf)));
	assert_null(mod_error_attr(msg, UINT32_MAX, buf, sizeof(buf)));
	nlmsg_free(msg);

	msg = message(NRDMA_CMD_DEV_SET);
	nla_put_s32(msg, NRDMA_A_DEV_NODE_OVERRIDE, 7);
	assert_string_equal(mod_error_attr(msg, NLMSG_HDRLEN + GENL_HDRLEN, buf, sizeof(buf)),
			    "node-override");
	nlmsg_free(msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dev_answer),
		cmocka_unit_test(dev_node_unknown),
		cmocka_unit_test(dev_malformed),
		cmocka_unit_test(buf_goes_on),
		cmocka_unit_test(pfc),
		cmocka_unit_test(uevents),
		cmocka_unit_test(error_attribute),
	};

	return cmocka_run_group_tests_name("netlink", tests, NULL, NULL);
}
