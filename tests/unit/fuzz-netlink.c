// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the kernel: the first byte says what kind, the rest is attributes.
 * They are read, and where the tool would print them, printed.
 */
#include <string.h>

#include <linux/rtnetlink.h>

#include "cmd.h"
#include "dcb.h"
#include "fuzz.h"
#include "mod_error.h"
#include "uevent.h"

/* Whose parsers are their own */
#include "mod_irq.c"
#include "mod_pool.c"
#include "monitor.c"
#include "res.c"

FUZZ_SAY_NOTHING

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("NRDMA_SYSROOT", "/nonexistent", 1);
	FUZZ_MUST(freopen("/dev/null", "w", stdout));
	return 0;
}

static struct nl_msg *fuzz_msg(int type, int cmd, const uint8_t *data, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_size(size + 64);
	struct genlmsghdr *hdr;
	void *to;

	FUZZ_MUST(msg && nlmsg_put(msg, 1, 1, type, 0, 0));
	if (cmd >= 0) {
		hdr = nlmsg_reserve(msg, sizeof(*hdr), NLMSG_ALIGNTO);
		hdr->cmd = cmd;
	}
	to = nlmsg_reserve(msg, size, NLMSG_ALIGNTO);
	FUZZ_MUST(to);
	memcpy(to, data, size);
	return msg;
}

static void fuzz_devs(struct nl_msg *msg)
{
	struct dev dev = { .name = "fuzz_0" };

	mod_dev_overlay(&dev, msg);
	dev_policy_free(&dev.policy);
}

static void fuzz_bufs(struct nl_msg *msg)
{
	struct bufs bufs = { 0 };

	bufs_add(&bufs, msg);
	bufs_add(&bufs, msg);
	FUZZ_MUST(bufs.nr <= 1);
	bufs_free(&bufs);
}

static void fuzz_vecs(struct nl_msg *msg)
{
	struct nlattr *tb[NRDMA_A_IRQ_MAX + 1];
	struct vecs vecs = { 0 };

	if (mod_attrs(msg, tb, &mod_irq_attrs))
		mod_irq_parse(vecs_new(&vecs), tb);
	vecs_free(&vecs);
}

static void fuzz_monitor(struct nl_msg *msg, bool json)
{
	struct monitor mon = { .count = -1 };

	opts.json = json;
	out_open(&mon.o, OUT_STREAM, OUT_FIELDS(monitor_fields));
	monitor_on_msg(msg, &mon);
	out_close(&mon.o);
}

/* Of RDMA netlink: a device's index, and who holds what */
static void fuzz_res(struct nl_msg *msg, unsigned int kind)
{
	struct dev dev = { .name = "fuzz_0" };
	struct dev *match[] = { &dev, NULL };
	unsigned int index[2] = { -1, -1 };
	struct ress ress = { 0 };
	struct res_dump dump = {
		.ress = &ress, .match = match, .dev = &dev, .index = index,
		.kind = &res_kinds[kind],
	};

	res_on_dev(msg, &dump);
	res_on_entries(msg, &dump);
	ress_free(&ress);
}

/* The answer of dcbnl, behind its own header */
static void fuzz_dcb(const uint8_t *data, size_t size)
{
	struct nl_msg *msg = fuzz_msg(RTM_GETDCB, -1, data, size);
	struct dcb_pfc pfc = { 0 };

	dcb_pfc_parse(&pfc, msg);
	FUZZ_MUST(!pfc.enabled.known || pfc.enabled.v < 256);
	nlmsg_free(msg);
}

/* Of the device model, text and no netlink at all */
static void fuzz_uevent(const uint8_t *data, size_t size)
{
	struct uevent event;
	char *text = malloc(size);

	memcpy(text, data, size);
	if (uevent_parse(&event, text, size))
		FUZZ_MUST(*event.name && event.action);
	free(text);
}

/* A refusal of a request that is well formed, and of one that is not */
static void fuzz_error(const uint8_t *data, size_t size)
{
	struct nl_msg *request = fuzz_msg(32, data[0] % (NRDMA_CMD_MAX + 1), data, size);
	struct nl_msg *answer = fuzz_msg(NLMSG_ERROR, -1, data, size);
	struct nlmsghdr *nlh = nlmsg_hdr(answer);

	nlh->nlmsg_flags |= NLM_F_ACK_TLVS;
	mod_error_say(-22, nlh, NLMSG_HDRLEN, request);
	mod_error_say(-1, nlh, NLMSG_HDRLEN + 20, request);
	nlmsg_free(answer);
	nlmsg_free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int ntfs[] = { NRDMA_CMD_DEV_NTF, NRDMA_CMD_IRQ_NTF, NRDMA_CMD_BUF_NTF };
	struct nl_msg *msg;
	struct pool pool;
	unsigned int kind;

	if (size < 2)
		return 0;
	kind = *data++ % 12;
	size--;
	if (kind == 11) {
		fuzz_uevent(data, size);
		return 0;
	}
	if (kind == 10) {
		fuzz_dcb(data, size);
		return 0;
	}
	if (kind == 9) {
		fuzz_error(data, size);
		return 0;
	}
	if (kind == 8) {
		msg = fuzz_msg(GENL_ID_CTRL, CTRL_CMD_DELFAMILY, data, size);
		fuzz_monitor(msg, false);
		nlmsg_free(msg);
		return 0;
	}
	msg = fuzz_msg(32, kind >= 7 ? -1 : kind >= 4 ? ntfs[kind - 4] : 1, data, size);
	switch (kind) {
	case 0:
		fuzz_devs(msg);
		break;
	case 1:
		fuzz_bufs(msg);
		break;
	case 2:
		fuzz_vecs(msg);
		break;
	case 3:
		mod_pool_parse(&pool, msg);
		break;
	case 7:
		fuzz_res(msg, data[0] % 3);
		break;
	default:
		fuzz_monitor(msg, false);
		fuzz_monitor(msg, true);
	}
	nlmsg_free(msg);
	return 0;
}
