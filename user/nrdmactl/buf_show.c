// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "mod_buf.h"
#include "out.h"
#include "say.h"

static const struct out_field buf_show_fields[] = {
	{ "id", "ID", NULL, OUT_RIGHT },
	{ "dev_index" },
	{ "dev_name", "DEVICE" },
	{ "orphan", NULL, " ", OUT_QUIET },
	{ "lingering", NULL, " ", OUT_QUIET },
	{ "pid", "PID", NULL, OUT_RIGHT },
	{ "comm", "COMMAND" },
	{ "uid", "UID", NULL, OUT_RIGHT },
	{ "bytes", "SIZE", NULL, OUT_RIGHT },
	{ "node", "NODE" },
	{ "node_bytes" },
	{ "node_bytes.node", "LIES ON", "node" },
	{ "node_bytes.bytes", NULL, " " },
	{ "remote_bytes", "REMOTE", NULL, OUT_RIGHT },
	{ "warm_bytes", "WARM", NULL, OUT_RIGHT | OUT_DETAIL },
	{ "uncharged_bytes", "UNCHARGED", NULL, OUT_RIGHT | OUT_DETAIL },
	{ "run", NULL, NULL, OUT_ROWS },
	{ "run.offset", "OFFSET", NULL, OUT_RIGHT | OUT_DETAIL },
	{ "run.bytes", "BYTES", NULL, OUT_RIGHT | OUT_DETAIL },
	{ "run.chunk_bytes", "CHUNKS OF", NULL, OUT_RIGHT | OUT_DETAIL },
	{ "run.node", "ON NODE", NULL, OUT_RIGHT | OUT_DETAIL },
};

static void buf_show_runs(struct out *o, const struct buf *buf)
{
	unsigned int i;

	out_array(o, "run");
	for (i = 0; i < buf->nr_runs; i++) {
		out_elem(o);
		out_bytes(o, "offset", buf->runs[i].offset);
		out_bytes(o, "bytes", buf->runs[i].bytes);
		out_bytes(o, "chunk_bytes", buf->runs[i].chunk_bytes);
		out_num(o, "node", buf->runs[i].node);
		out_elem_end(o);
	}
	out_array_end(o);
}

/* What is true of few buffers, in text a mark on those */
static void buf_show_mark(struct out *o, const char *key, struct num on, const char *mark)
{
	if (o->json)
		out_bool(o, key, on);
	else if (on.v)
		out_text(o, key, mark);
}

static void buf_show_buf(struct out *o, const struct buf *buf)
{
	struct num remote = buf->node.known ? num_of(0) : num_none("node unknown");
	unsigned int i;

	out_record(o);
	out_num(o, "id", buf->id);
	out_num(o, "dev_index", buf->dev_index);
	out_str(o, "dev_name", buf->dev_name);
	buf_show_mark(o, "orphan", buf->orphan, "(gone)");
	buf_show_mark(o, "lingering", buf->lingering, "(freed, still pinned)");
	out_num(o, "pid", buf->pid);
	out_str(o, "comm", buf->comm);
	out_num(o, "uid", buf->uid);
	out_bytes(o, "bytes", buf->bytes);
	out_num(o, "node", buf->node);
	out_array(o, "node_bytes");
	for (i = 0; i < buf->nr_node_bytes; i++) {
		out_elem(o);
		out_int(o, "node", buf->node_bytes[i].node);
		out_bytes(o, "bytes", num_of(buf->node_bytes[i].bytes));
		out_elem_end(o);
		if (remote.known && buf->node_bytes[i].node != buf->node.v)
			remote.v += buf->node_bytes[i].bytes;
	}
	out_array_end(o);
	out_bytes(o, "remote_bytes", remote);
	out_bytes(o, "warm_bytes", buf->warm_bytes);
	out_bytes(o, "uncharged_bytes", buf->uncharged_bytes);
	buf_show_runs(o, buf);
	out_record_end(o);
}

static int buf_show_run(const struct args *args)
{
	struct bufs bufs = { 0 };
	struct picked picked;
	unsigned int i, d;
	struct out o;
	struct mod mod;
	int status;

	if (pick(&picked, args) || !mod_must_open(&mod)) {
		pick_free(&picked);
		return EXIT_FAILED;
	}
	status = mod_buf_dump(&mod, &bufs, args->pos && !picked.match[1] ? picked.match[0] : NULL);
	mod_close(&mod);
	out_open(&o, OUT_TABLE, OUT_FIELDS(buf_show_fields));
	for (i = 0; i < bufs.nr; i++) {
		for (d = 0; args->pos && picked.match[d]; d++)
			if (!strcmp(picked.match[d]->name, bufs.v[i].dev_name.s))
				break;
		if (!args->pos || picked.match[d])
			buf_show_buf(&o, &bufs.v[i]);
	}
	if (out_close(&o))
		status = EXIT_FAILED;
	bufs_free(&bufs);
	pick_free(&picked);
	return status;
}

const struct cmd cmd_buf_show = {
	.object = "buf",
	.name = "show",
	.pos = "[DEV]",
	.help = "buffers: whose, how large, on which nodes; with -d piece by piece",
	.run = buf_show_run,
};
