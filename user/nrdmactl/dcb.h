/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_DCB_H
#define NRDMACTL_DCB_H

#include "value.h"

struct nl_msg;

/* Priorities that pause (a bit each), by dcbnl, and the most that can */
struct dcb_pfc {
	struct num enabled, capable;
};

void dcb_pfc_read(struct dcb_pfc *pfc, const char *netdev);
void dcb_pfc_parse(struct dcb_pfc *pfc, struct nl_msg *msg);
struct num dcb_ecn(const char *netdev);

#endif /* NRDMACTL_DCB_H */
