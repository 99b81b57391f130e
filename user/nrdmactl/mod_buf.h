/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_BUF_H
#define NRDMACTL_MOD_BUF_H

#include "dev.h"
#include "mod.h"

struct buf_run {
	struct num offset, bytes, chunk_bytes, node;
};

struct buf_node_bytes {
	long long node, bytes;
};

/**
 * struct buf - a buffer
 * @nr_node_bytes: entries in @node_bytes: how much of it lies where
 * @nr_runs: entries in @runs: the same, piece by piece
 */
struct buf {
	struct num id, dev_index, orphan, bytes, node, uid, pid, uncharged_bytes;
	struct num warm_bytes, lingering;
	struct str dev_name, comm;
	unsigned int nr_node_bytes;
	struct buf_node_bytes *node_bytes;
	unsigned int nr_runs;
	struct buf_run *runs;
};

struct bufs {
	unsigned int nr, room;
	struct buf *v;
};

int mod_buf_dump(struct mod *mod, struct bufs *bufs, const struct dev *dev);
int bufs_add(struct bufs *bufs, struct nl_msg *msg);
void bufs_free(struct bufs *bufs);

extern const struct mod_attrs mod_buf_attrs;

#endif /* NRDMACTL_MOD_BUF_H */
