// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd.h"
#include "out.h"
#include "pool_put.h"

static const struct out_field pool_fields[] = {
	{ "node", "NODE", NULL, OUT_RIGHT },
	{ "bytes", "POOL", NULL, OUT_RIGHT },
	{ "chunk_bytes", "CHUNK", NULL, OUT_RIGHT },
	{ "ready_bytes", "READY", NULL, OUT_RIGHT },
	{ "dirty_bytes", "DIRTY", NULL, OUT_RIGHT },
	{ "used_bytes", "USED", NULL, OUT_RIGHT },
	{ "gid", "GROUP", NULL, OUT_RIGHT | OUT_QUIET },
	{ "shrink", "SHRINK" },
	{ "buf_bytes", "BUFFERS", NULL, OUT_RIGHT },
	{ "uid_cap", "CAP OF USER", NULL, OUT_RIGHT },
	{ "node_cap", "OF ALL", NULL, OUT_RIGHT },
	{ "free_bytes", "FREE", NULL, OUT_RIGHT },
	{ "total_bytes", "OF", NULL, OUT_RIGHT },
	{ "error", "ERROR", NULL, OUT_QUIET },
};

/**
 * pool_print() - pools and caps, as pool show and set answer
 *
 * Return: EXIT_*
 */
int pool_print(const struct pool *pools, unsigned int nr)
{
	const struct pool *p;
	struct num error;
	struct out o;

	out_open(&o, OUT_TABLE, OUT_FIELDS(pool_fields));
	for (p = pools; p < pools + nr; p++) {
		error = p->error.known && !p->error.v ? num_none("none") : p->error;
		out_record(&o);
		out_num(&o, "node", p->node);
		out_bytes(&o, "bytes", p->bytes);
		out_bytes(&o, "chunk_bytes", p->chunk_bytes);
		out_bytes(&o, "ready_bytes", p->ready_bytes);
		out_bytes(&o, "dirty_bytes", p->dirty_bytes);
		out_bytes(&o, "used_bytes", p->used_bytes);
		out_num(&o, "gid", p->gid);
		out_bool(&o, "shrink", p->shrink);
		out_bytes(&o, "buf_bytes", p->buf_bytes);
		out_bytes(&o, "uid_cap", p->uid_cap);
		out_bytes(&o, "node_cap", p->node_cap);
		out_bytes(&o, "free_bytes", p->free_bytes);
		out_bytes(&o, "total_bytes", p->total_bytes);
		out_shown(&o, "error", error, error.known ? strerror(-error.v) : "");
		out_record_end(&o);
	}
	return out_close(&o) ? EXIT_FAILED : EXIT_DONE;
}
