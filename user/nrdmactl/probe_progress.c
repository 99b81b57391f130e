// SPDX-License-Identifier: GPL-2.0
/* On a terminal somebody waits: a line that writes over itself. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe_progress.h"
#include "size.h"

static unsigned int progress_width;

/**
 * probe_progress() - say which round is under way
 * @size: of a message
 * @complete: rounds
 * @wanted: rounds
 */
void probe_progress(long long size, unsigned int complete, unsigned int wanted)
{
	char bytes[32];
	int n;

	if (!isatty(STDERR_FILENO))
		return;
	size_format(size, bytes, sizeof(bytes));
	n = fprintf(stderr, "\r%s bytes: round %u of %u", bytes,
		    complete < wanted ? complete + 1 : wanted, wanted) - 1;
	/* What the one before it had more */
	if (n >= 0 && (unsigned int)n < progress_width)
		fprintf(stderr, "%*s", (int)(progress_width - n), "");
	else if (n >= 0)
		progress_width = n;
	fputc('\r', stderr);
}

/**
 * probe_progress_end() - wipe it out, before anything else is printed
 */
void probe_progress_end(void)
{
	if (progress_width)
		fprintf(stderr, "\r%*s\r", (int)progress_width, "");
	progress_width = 0;
}
