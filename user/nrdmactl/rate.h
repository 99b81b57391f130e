/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_RATE_H
#define NRDMACTL_RATE_H

#include "value.h"

/* What a port runs at */
struct rate {
	struct num bps;		/* bits per second */
	struct str lane;	/* "EDR", "unknown (0x200)" */
	struct num width;	/* lanes */
};

struct rate rate_of_code(unsigned int code, unsigned int width_code);
struct rate rate_of_text(const char *text);
struct rate rate_of_port(const char *text, int code, int width_code);

#endif /* NRDMACTL_RATE_H */
