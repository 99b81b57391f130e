/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_RES_H
#define NRDMACTL_RES_H

#include "dev.h"

/* What a process holds of a device, as RDMA netlink counts it */
struct res {
	unsigned int pid;
	const struct dev *dev;
	unsigned int qps, cqs, mrs;
	long long mr_bytes;
	unsigned int bufs;	/* nrdma's, added by who joins them */
};

struct ress {
	unsigned int nr, room;
	struct res *v;
};

struct res *ress_of(struct ress *ress, unsigned int pid, const struct dev *dev);
int ress_read(struct ress *ress, struct dev **match);
void ress_free(struct ress *ress);

#endif /* NRDMACTL_RES_H */
