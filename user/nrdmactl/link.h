/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_LINK_H
#define NRDMACTL_LINK_H

#include <stdint.h>

#include "value.h"

#define LINK_MODE_LEN	32	/* ETH_GSTRING_LEN */

/* A network device's link, as ethtool has it */
struct link {
	struct num bps;		/* as it runs */
	struct num max_bps;	/* the most that the device can */
	struct num autoneg;
};

void link_read(struct link *link, const char *netdev);
struct num link_modes_max(const char (*names)[LINK_MODE_LEN], unsigned int nr, const uint32_t *mask,
			  unsigned int words);

#endif /* NRDMACTL_LINK_H */
