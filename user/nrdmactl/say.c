// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "say.h"

static char say_what[256];

void say_about(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(say_what, sizeof(say_what), fmt, ap);
	va_end(ap);
}

/* Words of the user come back to his terminal, and each message is one line */
static void say_plainly(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

void say(const char *fmt, ...)
{
	char *text = NULL, *line = NULL;
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && asprintf(&line, "%s%s%s", say_what, *say_what ? ": " : "", text) < 0)
		line = NULL;
	if (line)
		say_plainly(line);
	fprintf(stderr, "nrdmactl: %s\n", line ? line : "out of memory");
	free(line);
	free(text);
}
