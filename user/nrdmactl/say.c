// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "say.h"

static char say_what[256];

void say_about(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(say_what, sizeof(say_what), fmt, ap);
	va_end(ap);
}

void say(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "nrdmactl: %s%s", say_what, *say_what ? ": " : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
