// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <libsmartcols.h>

#include "cmd.h"
#include "fold.h"
#include "out.h"
#include "size.h"

#define OUT_PATH_MAX	64

void out_nomem(void)
{
	fputs("nrdmactl: out of memory\n", stderr);
	exit(EXIT_FAILED);
}

static void *out_alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		out_nomem();
	return p;
}

/**
 * out_format() - text of any length
 *
 * Return: for free(); never NULL.
 */
char *out_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		out_nomem();
	va_end(ap);
	return text;
}

/**
 * out_open() - begin to print
 * @o: out
 * @form: what text looks like
 * @fields: every field that will be said, in the order of columns
 * @nr_fields: how many
 */
void out_open(struct out *o, enum out_form form, const struct out_field *fields,
	      unsigned int nr_fields)
{
	memset(o, 0, sizeof(*o));
	o->form = form;
	o->json = opts.json;
	o->pretty = opts.pretty;
	o->details = opts.details;
	o->fields = fields;
	o->nr_fields = nr_fields;
	if (o->json && form != OUT_STREAM)
		o->root = json_object_new_array();
}

static bool out_in_text(const struct out *o, const struct out_field *field)
{
	return !(field->flags & OUT_DETAIL) || o->details;
}

static bool out_is_head(const struct out *o, unsigned int f)
{
	return o->fields[f].head && out_in_text(o, &o->fields[f]);
}

/* Where the field that is about to be said is declared */
static unsigned int out_find(const struct out *o, const char *key)
{
	char path[OUT_PATH_MAX] = "";
	unsigned int i;

	for (i = 1; i < o->depth; i++) {
		if (!o->stack[i].key)
			continue;
		strncat(path, o->stack[i].key, sizeof(path) - strlen(path) - 2);
		strcat(path, ".");
	}
	if (key)
		strncat(path, key, sizeof(path) - strlen(path) - 1);
	else
		path[strlen(path) - 1] = '\0';
	for (i = 0; i < o->nr_fields; i++)
		if (!strcmp(o->fields[i].path, path))
			return i;
	fprintf(stderr, "nrdmactl: field %s is not declared\n", path);
	abort();
}

/* json-c passes on what it is given, and a command's name may be anything. */
static void out_utf8(char *s)
{
	unsigned char *p = (unsigned char *)s;
	unsigned int i, more;

	while (*p) {
		more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 :
		       *p >= 0xe0 && *p < 0xf0 ? 2 : *p >= 0xf0 && *p < 0xf5 ? 3 : 4;
		for (i = 1; more < 4 && i <= more; i++)
			if ((p[i] & 0xc0) != 0x80)
				more = 4;
		/* Too long forms, surrogates, beyond U+10FFFF */
		if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
		    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
			more = 4;
		if (more == 4 || *p < 0x20 || *p == 0x7f) {
			*p++ = '?';
			continue;
		}
		p += more + 1;
	}
}

static void out_json(struct out *o, const char *key, struct json_object *value)
{
	struct json_object *in = o->stack[o->depth - 1].json;

	if (o->stack[o->depth - 1].array)
		json_object_array_add(in, value);
	else
		json_object_object_add(in, key, value);
}

static void out_row(struct out *o)
{
	o->rows = reallocarray(o->rows, o->nr_rows + 1, sizeof(*o->rows));
	if (!o->rows)
		out_nomem();
	o->rows[o->nr_rows++].cell = out_alloc(o->nr_fields, sizeof(char *));
}

static void out_append(char **cell, const char *a, const char *b)
{
	size_t n = *cell ? strlen(*cell) : 0;

	*cell = realloc(*cell, n + strlen(a) + strlen(b) + 1);
	if (!*cell)
		out_nomem();
	strcpy(*cell + n, a);
	strcat(*cell, b);
}

static bool out_ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && !strcmp(s + n - m, with);
}

/*
 * Put text into the cell of its head. Elements of an array that share a cell
 * are set apart by ", ", plain values by ",". What is joined to a cell that
 * already says the same of itself ("n/a (virtual)") is not said again.
 */
static void out_cell(struct out *o, unsigned int f, const char *text, bool na)
{
	const struct out_field *field = &o->fields[f];
	const char *join = field->join ? field->join : "";
	unsigned int head = f;
	char **cell;

	if (!out_in_text(o, field) || (!field->head && !field->join))
		return;
	while (head && !o->fields[head].head)
		head--;
	if (!out_in_text(o, &o->fields[head]))
		return;
	cell = &o->rows[o->nr_rows - 1].cell[head];
	if (field->head && *cell)
		out_append(cell, o->stack[o->depth - 1].array ? "," : ", ", "");
	else if (!field->head && na && *cell && out_ends(*cell, text))
		return;
	/* What a head field's join names is not named when there is nothing */
	if (*cell || field->head)
		out_append(cell, field->head && na ? "" : join, text);
	else
		out_append(cell, text, "");
}

static void out_value(struct out *o, const char *key, struct json_object *value,
		      const char *text)
{
	unsigned int f = out_find(o, key);

	if (o->json && !(o->fields[f].flags & OUT_TEXT))
		out_json(o, key, value);
	else
		json_object_put(value);
	if (!o->json)
		out_cell(o, f, text, false);
}

/**
 * out_null() - a field that is not known
 * @why: a few words, or NULL
 */
void out_null(struct out *o, const char *key, const char *why)
{
	unsigned int f = out_find(o, key);
	char text[128] = "n/a";

	if (o->json) {
		if (!(o->fields[f].flags & OUT_TEXT))
			out_json(o, key, NULL);
		return;
	}
	if (o->fields[f].flags & OUT_QUIET)
		return;
	if (why)
		snprintf(text, sizeof(text), "n/a (%s)", why);
	out_cell(o, f, text, true);
}

/**
 * out_shown() - a number with a text of its own
 */
void out_shown(struct out *o, const char *key, struct num num, const char *text)
{
	if (!num.known)
		out_null(o, key, num.why);
	else
		out_value(o, key, o->json ? json_object_new_int64(num.v) : NULL, text);
}

void out_num(struct out *o, const char *key, struct num num)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", num.v);
	out_shown(o, key, num, text);
}

void out_int(struct out *o, const char *key, long long v)
{
	out_num(o, key, num_of(v));
}

/**
 * out_real() - a number that is not whole, with a text of its own
 */
void out_real(struct out *o, const char *key, double v, const char *text)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%.4g", v);
	out_value(o, key, o->json ? json_object_new_double_s(v, exact) : NULL, text);
}

void out_bytes(struct out *o, const char *key, struct num num)
{
	char text[32];

	size_format(num.v, text, sizeof(text));
	out_shown(o, key, num, text);
}

void out_bps(struct out *o, const char *key, struct num num)
{
	char text[32];

	size_format_bps(num.v, text, sizeof(text));
	out_shown(o, key, num, text);
}

/**
 * out_bool() - true or false, in text "on" or "off"
 */
void out_bool(struct out *o, const char *key, struct num num)
{
	if (!num.known)
		out_null(o, key, num.why);
	else
		out_value(o, key, o->json ? json_object_new_boolean(num.v) : NULL,
			  num.v ? "on" : "off");
}

void out_text(struct out *o, const char *key, const char *s)
{
	char *clean = strdup(s);

	if (!clean)
		out_nomem();
	out_utf8(clean);
	out_value(o, key, o->json ? json_object_new_string(clean) : NULL, clean);
	free(clean);
}

void out_str(struct out *o, const char *key, struct str str)
{
	if (!str.known)
		out_null(o, key, str.why);
	else
		out_text(o, key, str.s);
}

static void out_push(struct out *o, const char *key, struct json_object *json, bool array)
{
	assert(o->depth < OUT_DEPTH);
	o->stack[o->depth].json = json;
	o->stack[o->depth].key = key;
	o->stack[o->depth].array = array;
	o->stack[o->depth].elems = 0;
	o->depth++;
}

static struct json_object *out_json_new(struct out *o, bool array)
{
	struct json_object *json;

	if (!o->json)
		return NULL;
	json = array ? json_object_new_array() : json_object_new_object();
	if (!json)
		out_nomem();
	return json;
}

/**
 * out_record() - begin a record
 */
void out_record(struct out *o)
{
	out_push(o, NULL, out_json_new(o, false), false);
	if (!o->json)
		out_row(o);
}

void out_object(struct out *o, const char *key)
{
	struct json_object *json = out_json_new(o, false);

	if (json)
		out_json(o, key, json);
	out_push(o, key, json, false);
}

void out_object_end(struct out *o)
{
	o->depth--;
}

/**
 * out_array() - begin an array, of plain values or of elements
 */
void out_array(struct out *o, const char *key)
{
	struct json_object *json = out_json_new(o, true);

	if (json)
		out_json(o, key, json);
	out_push(o, key, json, true);
}

void out_array_end(struct out *o)
{
	o->depth--;
}

/**
 * out_elem() - begin an object in an array
 */
void out_elem(struct out *o)
{
	struct json_object *json = out_json_new(o, false);

	if (json)
		out_json(o, NULL, json);
	else if (o->stack[o->depth - 1].elems++ &&
		 o->fields[out_find(o, NULL)].flags & OUT_ROWS)
		out_row(o);
	out_push(o, NULL, json, false);
}

void out_elem_end(struct out *o)
{
	o->depth--;
}

static struct libscols_table *out_table_new(const struct out *o)
{
	struct libscols_table *table = scols_new_table();
	unsigned int f;

	if (!table)
		out_nomem();
	if (o->form == OUT_BLOCK) {
		scols_table_enable_noheadings(table, 1);
		fold_new_column(table, "label", 0);
		fold_new_column(table, "value", SCOLS_FL_WRAP);
		return table;
	}
	for (f = 0; f < o->nr_fields; f++)
		if (out_is_head(o, f))
			fold_new_column(table, o->fields[f].head,
					o->fields[f].flags & OUT_RIGHT ?
					SCOLS_FL_RIGHT : SCOLS_FL_WRAP);
	return table;
}

/* smartcols pads the last column; trailing white space is nobody's friend. */
static void out_table_print(struct libscols_table *table)
{
	char *text = NULL, *line, *end, *next;

	/* Pipes and files get the whole line, so that grep finds it. */
	if (isatty(STDOUT_FILENO))
		fold_table(table);
	if (scols_print_table_to_string(table, &text) || !text)
		out_nomem();
	for (line = text; *line; line = next) {
		end = line + strcspn(line, "\n");
		next = *end ? end + 1 : end;
		while (end > line && end[-1] == ' ')
			end--;
		printf("%.*s\n", (int)(end - line), line);
	}
	free(text);
}

/* Of an element that has nothing to show without details */
static bool out_row_is_empty(const struct out *o, unsigned int r)
{
	unsigned int f;

	for (f = 0; f < o->nr_fields; f++)
		if (o->rows[r].cell[f])
			return false;
	return true;
}

static void out_rows_table(struct out *o)
{
	struct libscols_line *line;
	unsigned int r, f, col;

	if (!o->table)
		o->table = out_table_new(o);
	for (r = 0; r < o->nr_rows; r++) {
		if (out_row_is_empty(o, r))
			continue;
		line = scols_table_new_line(o->table, NULL);
		if (!line)
			out_nomem();
		for (f = 0, col = 0; f < o->nr_fields; f++)
			if (out_is_head(o, f))
				scols_line_set_data(line, col++, o->rows[r].cell[f]);
	}
}

/* Field by field, so that the rows of an array stand together */
static void out_rows_block(struct out *o)
{
	struct libscols_table *table = out_table_new(o);
	unsigned int f, r, first = 0;
	struct libscols_line *line;
	char label[64];

	while (!out_is_head(o, first))
		first++;
	printf("%s\n", o->rows[0].cell[first] ? o->rows[0].cell[first] : "?");
	for (f = first + 1; f < o->nr_fields; f++) {
		for (r = 0; r < o->nr_rows; r++) {
			if (!out_is_head(o, f) || !o->rows[r].cell[f])
				continue;
			line = scols_table_new_line(table, NULL);
			if (!line)
				out_nomem();
			snprintf(label, sizeof(label), "  %s", o->fields[f].head);
			scols_line_set_data(line, 0, label);
			scols_line_set_data(line, 1, o->rows[r].cell[f]);
		}
	}
	if (!scols_table_is_empty(table))
		out_table_print(table);
	scols_unref_table(table);
}

static void out_rows_line(struct out *o)
{
	const char *space = "";
	unsigned int f;

	for (f = 0; f < o->nr_fields; f++) {
		if (!out_is_head(o, f) || !o->rows[0].cell[f])
			continue;
		printf("%s%s", space, o->rows[0].cell[f]);
		space = " ";
	}
	printf("\n");
	fflush(stdout);
}

static void out_rows_free(struct out *o)
{
	unsigned int r, f;

	for (r = 0; r < o->nr_rows; r++) {
		for (f = 0; f < o->nr_fields; f++)
			free(o->rows[r].cell[f]);
		free(o->rows[r].cell);
	}
	free(o->rows);
	o->rows = NULL;
	o->nr_rows = 0;
}

static void out_json_print(const struct out *o, struct json_object *json)
{
	puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE |
					    (o->pretty ? JSON_C_TO_STRING_PRETTY |
					     JSON_C_TO_STRING_SPACED : 0)));
	fflush(stdout);
}

void out_record_end(struct out *o)
{
	struct json_object *json = o->stack[0].json;

	assert(o->depth == 1);
	o->depth = 0;
	if (o->json && o->root) {
		json_object_array_add(o->root, json);
	} else if (o->json) {
		out_json_print(o, json);
		json_object_put(json);
	} else if (o->form == OUT_TABLE) {
		out_rows_table(o);
	} else if (o->form == OUT_BLOCK) {
		out_rows_block(o);
	} else {
		out_rows_line(o);
	}
	out_rows_free(o);
}

/**
 * out_close() - print what is left
 *
 * Return: 0, or a negative errno when standard output took not all of it.
 */
int out_close(struct out *o)
{
	if (o->root) {
		out_json_print(o, o->root);
		json_object_put(o->root);
	}
	if (o->table) {
		out_table_print(o->table);
		scols_unref_table(o->table);
	}
	return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}
