/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_POOL_H
#define NRDMACTL_MOD_POOL_H

#include "mod.h"
#include "value.h"

/* Memory set aside on a node, and the caps on buffers there */
struct pool {
	struct num node, bytes, chunk_bytes, ready_bytes, dirty_bytes, used_bytes;
	struct num error, gid, shrink, uid_cap, node_cap;
	struct num buf_bytes, free_bytes, total_bytes;
};

#define POOL_GID_NONE	0xffffffffLL	/* as a value to set */

int mod_pool_dump(struct mod *mod, struct pool **pools, unsigned int *nr);
int mod_pool_set(struct mod *mod, const struct pool *want, struct pool *result);

#endif /* NRDMACTL_MOD_POOL_H */
