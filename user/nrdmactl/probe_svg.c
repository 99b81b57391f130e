// SPDX-License-Identifier: GPL-2.0
/*
 * A probe as a picture: the matrix as a heat map, and where there are several
 * sizes, the latency of each cell over them.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe_svg.h"
#include "say.h"
#include "size.h"

#define SVG_MARGIN	90
#define SVG_CELL_W	130
#define SVG_CELL_H	56
#define SVG_PLOT_W	560
#define SVG_PLOT_H	320
#define SVG_FONT	"font-family=\"sans-serif\" font-size=\"13\""

/* The n-th line, of as many colours as one can tell apart */
static const char *const svg_colours[] = {
	"#1b6ca8", "#c8553d", "#2e8b57", "#8e44ad", "#b8860b", "#16828a", "#a23b72", "#4f4f4f",
};

static void svg_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" " SVG_FONT ">", x, y, anchor);
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		default:
			fputc(*text, f);
		}
	}
	fputs("</text>\n", f);
}

/* Which column the CPU node of a cell is, in the order of the first memory node */
static unsigned int svg_column(const struct probe *probe, unsigned int cpu_node)
{
	unsigned int i, j, n = 0;

	for (i = 0; i < probe->nr_cells; i++) {
		if (probe->cells[i].cpu_node >= cpu_node)
			continue;
		for (j = 0; j < i; j++)
			if (probe->cells[j].cpu_node == probe->cells[i].cpu_node)
				break;
		n += j == i;
	}
	return n;
}

/* From the light of the fastest to the dark of what takes twice as long or more */
static void svg_cell(FILE *f, const struct probe_cell *cell, double x, double y, long long best)
{
	struct probe_stat stat = probe_cell_latency(cell);
	double ratio = stat.n ? (double)stat.median / best : 0, heat;
	char text[64];

	heat = ratio > 2 ? 1 : ratio > 1 ? ratio - 1 : 0;
	if (stat.n)
		fprintf(f, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" stroke=\"white\" fill=\"rgb(%d,%d,%d)\"/>\n",
			x, y, SVG_CELL_W, SVG_CELL_H, 255, (int)(235 - 120 * heat),
			(int)(205 - 155 * heat));
	svg_text(f, x + SVG_CELL_W / 2.0, y + 24, "middle",
		 stat.n ? probe_time(stat.median, text, sizeof(text)) : "n/a");
	if (!stat.n)
		return;
	snprintf(text, sizeof(text), "%.2fx", ratio);
	svg_text(f, x + SVG_CELL_W / 2.0, y + 44, "middle", text);
}

static double svg_matrix(FILE *f, const struct probe *probe, double top)
{
	long long best = probe_best(probe);
	unsigned int i, row = 0;
	char text[64];
	double x, y;

	for (i = 0; i < probe->nr_cells; i++) {
		const struct probe_cell *cell = &probe->cells[i];

		if (i && probe->cells[i - 1].mem_node != cell->mem_node)
			row++;
		x = SVG_MARGIN + 60 + svg_column(probe, cell->cpu_node) * SVG_CELL_W;
		y = top + 24 + row * SVG_CELL_H;
		svg_cell(f, cell, x, y, best);
		if (!row) {
			snprintf(text, sizeof(text), "CPU on node %u", cell->cpu_node);
			svg_text(f, x + SVG_CELL_W / 2.0, top + 14, "middle", text);
		}
		if (!i || probe->cells[i - 1].mem_node != cell->mem_node) {
			snprintf(text, sizeof(text), "memory on node %u", cell->mem_node);
			svg_text(f, SVG_MARGIN + 50, y + SVG_CELL_H / 2.0 + 4, "end", text);
		}
	}
	return top + 24 + (row + 1) * SVG_CELL_H + 20;
}

struct svg_axes {
	double top, lx, hx, ly, hy;	/* logarithms */
};

static double svg_x(const struct svg_axes *a, double size)
{
	return SVG_MARGIN + (log(size) - a->lx) / (a->hx - a->lx) * SVG_PLOT_W;
}

static double svg_y(const struct svg_axes *a, double ns)
{
	return a->top + SVG_PLOT_H - (log(ns) - a->ly) / (a->hy - a->ly) * SVG_PLOT_H;
}

static bool svg_range(struct svg_axes *a, const struct probe *probes, unsigned int nr)
{
	unsigned int p, i, n = 0;
	double low = 0, high = 0;

	for (p = 0; p < nr; p++)
		for (i = 0; i < probes[p].nr_cells; i++) {
			struct probe_stat stat = probe_cell_latency(&probes[p].cells[i]);

			if (!stat.n)
				continue;
			low = !n || stat.low < low ? stat.low : low;
			high = !n || stat.high > high ? stat.high : high;
			n++;
		}
	a->lx = log(probes[0].size);
	a->hx = log(probes[nr - 1].size);
	a->ly = log(low > 0 ? low : 1);
	a->hy = log(high > low && high > 1 ? high : low + 2);
	return n;
}

static void svg_axes(FILE *f, const struct svg_axes *a, const struct probe *probes,
		     unsigned int nr)
{
	unsigned int p, decade;
	char text[32];
	double ns;

	fprintf(f, "<rect x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
		SVG_MARGIN, a->top, SVG_PLOT_W, SVG_PLOT_H);
	for (p = 0; p < nr; p++) {
		size_format(probes[p].size, text, sizeof(text));
		svg_text(f, svg_x(a, probes[p].size), a->top + SVG_PLOT_H + 18, "middle", text);
	}
	for (decade = 0, ns = 1; decade < 11; decade++, ns *= 10) {
		if (log(ns) < a->ly || log(ns) > a->hy)
			continue;
		fprintf(f, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			SVG_MARGIN, svg_y(a, ns), SVG_MARGIN + SVG_PLOT_W, svg_y(a, ns));
		svg_text(f, SVG_MARGIN - 8, svg_y(a, ns) + 4, "end",
			 probe_time(ns, text, sizeof(text)));
	}
	svg_text(f, SVG_MARGIN + SVG_PLOT_W / 2.0, a->top + SVG_PLOT_H + 38, "middle",
		 "bytes of a message");
}

/* A line for each cell of the first size; the others have the same */
static void svg_curve(FILE *f, const struct svg_axes *a, const struct probe *probes,
		      unsigned int nr, unsigned int c)
{
	const char *colour = svg_colours[c % (sizeof(svg_colours) / sizeof(*svg_colours))];
	const struct probe_cell *of = &probes[0].cells[c];
	unsigned int p, i;
	char text[64];

	fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
	for (p = 0; p < nr; p++)
		for (i = 0; i < probes[p].nr_cells; i++) {
			const struct probe_cell *cell = &probes[p].cells[i];
			struct probe_stat stat = probe_cell_latency(cell);

			if (cell->mem_node == of->mem_node && cell->cpu_node == of->cpu_node &&
			    stat.n)
				fprintf(f, "%.1f,%.1f ", svg_x(a, probes[p].size),
					svg_y(a, stat.median));
		}
	fputs("\"/>\n", f);
	fprintf(f, "<line x1=\"%d\" y1=\"%.0f\" x2=\"%d\" y2=\"%.0f\" stroke=\"%s\" stroke-width=\"3\"/>\n",
		SVG_MARGIN + SVG_PLOT_W + 16, a->top + 10 + c * 20.0,
		SVG_MARGIN + SVG_PLOT_W + 36, a->top + 10 + c * 20.0, colour);
	snprintf(text, sizeof(text), "memory %u, CPU %u", of->mem_node, of->cpu_node);
	svg_text(f, SVG_MARGIN + SVG_PLOT_W + 42, a->top + 14 + c * 20.0, "start", text);
}

static double svg_curves(FILE *f, const struct probe *probes, unsigned int nr, double top)
{
	struct svg_axes a = { .top = top };
	unsigned int c;

	if (!svg_range(&a, probes, nr))
		return top;
	svg_axes(f, &a, probes, nr);
	for (c = 0; c < probes[0].nr_cells; c++)
		svg_curve(f, &a, probes, nr, c);
	return top + SVG_PLOT_H + 50;
}

/**
 * probe_svg_check() - can a picture be written there?
 *
 * To be asked before minutes of measuring. Nothing is left of the attempt, however
 * those end, and what is there already is left alone.
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int probe_svg_check(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int err = 0;

	if (fd >= 0)
		unlink(path);
	else if (errno == EEXIST)
		fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* Of a pipe, the reader may be yet to come */
	if (fd < 0 && errno != ENXIO) {
		err = -errno;
		say("%s: %s", path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* A part of a picture is none; what is no file stays. */
static void svg_drop(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

/**
 * probe_svg() - draw runs
 * @path: where to
 * @title: what stands above
 * @probes: by size; the matrix is the first one's
 * @nr: how many, at least one
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int probe_svg(const char *path, const char *title, const struct probe *probes, unsigned int nr)
{
	unsigned int i, rows = 1, columns = 1, height, width;
	FILE *f = fopen(path, "w");
	double y;
	int err;

	if (!f) {
		err = -errno;
		say("%s: %s", path, strerror(errno));
		return err;
	}
	for (i = 0; i < probes->nr_cells; i++) {
		rows += i && probes->cells[i - 1].mem_node != probes->cells[i].mem_node;
		if (svg_column(probes, probes->cells[i].cpu_node) >= columns)
			columns = svg_column(probes, probes->cells[i].cpu_node) + 1;
	}
	width = SVG_MARGIN + 80 + columns * SVG_CELL_W;
	if (nr > 1 && width < SVG_MARGIN + SVG_PLOT_W + 180)
		width = SVG_MARGIN + SVG_PLOT_W + 180;
	height = 40 + 24 + rows * SVG_CELL_H + 20;
	if (nr > 1)
		height += SVG_PLOT_H + 50 > (int)(20 * probes->nr_cells + 20) ? SVG_PLOT_H + 50 :
			  20 * probes->nr_cells + 20;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, height);
	svg_text(f, 20, 24, "start", title);
	y = svg_matrix(f, probes, 40);
	if (nr > 1)
		svg_curves(f, probes, nr, y);
	fputs("</svg>\n", f);
	err = ferror(f) ? -EIO : 0;
	if (fclose(f) || err) {
		err = -EIO;
		say("%s: it could not be written", path);
		svg_drop(path);
	}
	return err;
}
