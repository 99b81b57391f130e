/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_OUT_H
#define NRDMACTL_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "value.h"

/*
 * Records, printed as JSON or as text from the same calls. A command declares
 * its fields once and then says each value once; whether that ends up as a
 * JSON member, a table's cell or a labelled line is decided here.
 */

enum out_form {
	OUT_TABLE,	/* a row per record, a column per field */
	OUT_BLOCK,	/* a block per record, a labelled line per field */
	OUT_LINE,	/* a line per record */
	OUT_STREAM,	/* as it comes: text and JSON, a line per record at once */
};

#define OUT_RIGHT	(1U << 0)	/* right-aligned column */
#define OUT_DETAIL	(1U << 1)	/* in text only with -d */
#define OUT_QUIET	(1U << 2)	/* in text nothing when not known */
#define OUT_TEXT	(1U << 3)	/* not in JSON */
#define OUT_ROWS	(1U << 4)	/* array whose elements get a row each */

/**
 * struct out_field - a field
 * @path: JSON key; within an object or array, after that one's path and "."
 * @head: column heading or label. NULL with @join: text goes into the last
 *	head's cell; NULL without: not in text
 * @join: what stands before it in the cell
 * @flags: OUT_*
 */
struct out_field {
	const char *path;
	const char *head;
	const char *join;
	unsigned int flags;
};

#define OUT_DEPTH	4

struct out_row {
	char **cell;
};

struct out {
	enum out_form form;
	bool json, pretty, details;
	const struct out_field *fields;
	unsigned int nr_fields;

	unsigned int depth;
	struct {
		struct json_object *json;
		const char *key;
		bool array;
		unsigned int elems;
	} stack[OUT_DEPTH];
	struct json_object *root;

	unsigned int nr_rows;
	struct out_row *rows;
	struct libscols_table *table;
};

void out_open(struct out *o, enum out_form form, const struct out_field *fields,
	      unsigned int nr_fields);
int out_close(struct out *o);

void out_record(struct out *o);
void out_record_end(struct out *o);
void out_array(struct out *o, const char *key);
void out_array_end(struct out *o);
void out_elem(struct out *o);
void out_elem_end(struct out *o);
void out_object(struct out *o, const char *key);
void out_object_end(struct out *o);

/* In an array of plain values the key is NULL. */
void out_null(struct out *o, const char *key, const char *why);
void out_num(struct out *o, const char *key, struct num num);
void out_int(struct out *o, const char *key, long long v);
void out_real(struct out *o, const char *key, double v, const char *text);
void out_bytes(struct out *o, const char *key, struct num num);
void out_bps(struct out *o, const char *key, struct num num);
void out_bool(struct out *o, const char *key, struct num num);
void out_str(struct out *o, const char *key, struct str str);
void out_text(struct out *o, const char *key, const char *s);
void out_shown(struct out *o, const char *key, struct num num, const char *text);

__attribute__((noreturn))
void out_nomem(void);
__attribute__((format(printf, 1, 2)))
char *out_format(const char *fmt, ...);

#define OUT_FIELDS(fields)	(fields), sizeof(fields) / sizeof(*(fields))

#endif /* NRDMACTL_OUT_H */
