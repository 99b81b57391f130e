// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that are wider than the terminal. smartcols would break a cell anywhere, and
 * a name or a number in two pieces is another one. Here lines end after a space or a
 * comma.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "fold.h"
#include "out.h"

/* How much of @s is a line of @width; the first word is, however long */
static size_t fold_line(const char *s, size_t width)
{
	size_t n = 0, next;

	while (s[n]) {
		next = n + strspn(s + n, " ");
		next += strcspn(s + next, " ,");
		next += strspn(s + next, ",");
		if (n && next > width)
			break;
		n = next;
	}
	return n;
}

/* The longest of the lines that @s becomes */
static size_t fold_longest(const char *s, size_t width)
{
	size_t n, longest = 0;

	for (; *s; s += n, s += strspn(s, " ")) {
		n = fold_line(s, width);
		if (n > longest)
			longest = n;
	}
	return longest;
}

/* Return: for free() */
static char *fold_text(const char *s, size_t width)
{
	char *text = malloc(2 * strlen(s) + 1), *p = text;
	size_t n;

	if (!text)
		out_nomem();
	while (*s) {
		n = fold_line(s, width);
		p = mempcpy(p, s, n);
		s += n;
		s += strspn(s, " ");
		if (*s)
			*p++ = '\n';
	}
	*p = '\0';
	return text;
}

static struct libscols_iter *fold_iter(void)
{
	struct libscols_iter *iter = scols_new_iter(SCOLS_ITER_FORWARD);

	if (!iter)
		out_nomem();
	return iter;
}

/* How wide a column gets when its lines are to be of @width */
static size_t fold_width(struct libscols_table *table, struct libscols_column *column, size_t width)
{
	const char *text = scols_cell_get_data(scols_column_get_header(column));
	size_t n, widest = text ? strlen(text) : 0;
	struct libscols_iter *iter = fold_iter();
	struct libscols_line *line;

	while (!scols_table_next_line(table, iter, &line)) {
		text = scols_line_get_column_data(line, column);
		n = text ? fold_longest(text, width) : 0;
		if (n > widest)
			widest = n;
	}
	scols_free_iter(iter);
	return widest;
}

static void fold_column(struct libscols_table *table, struct libscols_column *column, size_t width)
{
	struct libscols_iter *iter = fold_iter();
	struct libscols_line *line;
	const char *text;

	while (!scols_table_next_line(table, iter, &line)) {
		text = scols_line_get_column_data(line, column);
		if (text && scols_line_refer_column_data(line, column, fold_text(text, width)))
			out_nomem();
	}
	scols_free_iter(iter);
}

/* Return: the widest of the columns that can be narrower, NULL for none */
static size_t *fold_widest(size_t *width, const size_t *least, size_t nr)
{
	size_t *widest = NULL, i;

	for (i = 0; i < nr; i++)
		if (width[i] > least[i] && (!widest || width[i] > *widest))
			widest = &width[i];
	return widest;
}

/**
 * fold_new_column() - a column of a table
 * @flags: SCOLS_FL_WRAP when fold_table() may fold it; nothing else does
 */
void fold_new_column(struct libscols_table *table, const char *head, int flags)
{
	struct libscols_column *column = scols_table_new_column(table, head, 0, flags);

	if (!column)
		out_nomem();
	if (flags & SCOLS_FL_WRAP) {
		scols_column_set_safechars(column, "\n");
		scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk,
					  NULL);
	}
}

/**
 * fold_table() - make a table as narrow as the terminal
 *
 * The widest column gets narrower first. Where the longest words alone are too wide, a
 * line takes two of the terminal's, or more: words stay whole even then.
 */
void fold_table(struct libscols_table *table)
{
	size_t nr = scols_table_get_ncols(table), room = 0;
	size_t width[nr], least[nr], total = nr - 1, total_least = nr - 1, i, *widest;
	struct libscols_column *column;

	for (i = 0; i < nr; i++) {
		column = scols_table_get_column(table, i);
		width[i] = fold_width(table, column, SIZE_MAX);
		least[i] = scols_column_is_wrap(column) ? fold_width(table, column, 0) : width[i];
		total += width[i];
		total_least += least[i];
	}
	do {
		room += scols_table_get_termwidth(table);
	} while (room < total_least);
	for (; total > room && (widest = fold_widest(width, least, nr)); total--)
		--*widest;
	for (i = 0; i < nr; i++) {
		column = scols_table_get_column(table, i);
		if (scols_column_is_wrap(column))
			fold_column(table, column, width[i]);
	}
}
