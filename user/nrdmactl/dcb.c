// SPDX-License-Identifier: GPL-2.0
/* What keeps Ethernet from losing what RoCE sends: PFC by dcbnl, ECN where it is told. */
#include <errno.h>
#include <string.h>

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "dcb.h"
#include "sys.h"

static const struct nla_policy dcb_ieee_policy[DCB_ATTR_IEEE_MAX + 1] = {
	[DCB_ATTR_IEEE_PFC] = { .type = NLA_UNSPEC, .minlen = sizeof(struct ieee_pfc) },
};

/**
 * dcb_pfc_parse() - read the answer to DCB_CMD_IEEE_GET
 * @pfc: stays as it is where the answer does not tell
 */
void dcb_pfc_parse(struct dcb_pfc *pfc, struct nl_msg *msg)
{
	struct nlattr *tb[DCB_ATTR_MAX + 1], *ieee[DCB_ATTR_IEEE_MAX + 1];
	struct ieee_pfc got;

	if (nlmsg_hdr(msg)->nlmsg_type != RTM_GETDCB ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(struct dcbmsg), tb, DCB_ATTR_MAX, NULL) ||
	    !tb[DCB_ATTR_IEEE] ||
	    nla_parse_nested(ieee, DCB_ATTR_IEEE_MAX, tb[DCB_ATTR_IEEE], dcb_ieee_policy) ||
	    !ieee[DCB_ATTR_IEEE_PFC])
		return;
	memcpy(&got, nla_data(ieee[DCB_ATTR_IEEE_PFC]), sizeof(got));
	pfc->enabled = num_of(got.pfc_en);
	pfc->capable = num_of(got.pfc_cap);
}

static int dcb_on_msg(struct nl_msg *msg, void *arg)
{
	dcb_pfc_parse(arg, msg);
	return NL_STOP;
}

static int dcb_ask(struct nl_sock *sk, struct dcb_pfc *pfc, const char *netdev)
{
	struct dcbmsg dcb = { .cmd = DCB_CMD_IEEE_GET };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETDCB, 0);
	int err = -NLE_NOMEM;

	if (msg && !nlmsg_append(msg, &dcb, sizeof(dcb), NLMSG_ALIGNTO) &&
	    !nla_put_string(msg, DCB_ATTR_IFNAME, netdev)) {
		nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, dcb_on_msg, pfc);
		err = nl_send_auto(sk, msg);
	}
	nlmsg_free(msg);
	return err < 0 ? err : nl_recvmsgs_default(sk);
}

/**
 * dcb_pfc_read() - ask a network device's driver for its PFC
 * @pfc: out
 */
void dcb_pfc_read(struct dcb_pfc *pfc, const char *netdev)
{
	struct nl_sock *sk;
	int err = -NLE_NOMEM;

	*pfc = (struct dcb_pfc){ num_none("its driver does not tell"),
				 num_none("its driver does not tell") };
	/* A fixture's devices are not the host's */
	if (*sys_root())
		return;
	sk = nl_socket_alloc();
	if (!sk)
		return;
	nl_socket_disable_auto_ack(sk);
	err = nl_connect(sk, NETLINK_ROUTE);
	if (!err)
		dcb_ask(sk, pfc, netdev);
	nl_socket_free(sk);
}

/**
 * dcb_ecn() - whether a NIC answers to congestion marks, where its driver tells:
 * any priority counts
 */
struct num dcb_ecn(const char *netdev)
{
	struct num one, ecn = num_none("its driver does not tell");
	unsigned int priority;

	for (priority = 0; priority < 8; priority++) {
		one = sys_num("/sys/class/net/%s/ecn/roce_np/enable/%u", netdev, priority);
		if (one.known)
			ecn = num_of(one.v || ecn.v);
	}
	return ecn;
}
