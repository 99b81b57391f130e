// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "say.h"

/*
 * Options may stand anywhere before "--"; what is left is the command.
 *
 * Return: 0, or -1 when there is nothing more to do, with @status set.
 */
static int main_options(int *argc, char **argv, int *status)
{
	int in, out = 1;
	const char *p;

	for (in = 1; in < *argc && strcmp(argv[in], "--"); in++) {
		if (argv[in][0] != '-') {
			argv[out++] = argv[in];
			continue;
		}
		for (p = argv[in] + 1; *p && strchr("jpd", *p); p++) {
			opts.json |= *p == 'j';
			opts.pretty |= *p == 'p';
			opts.details |= *p == 'd';
		}
		if (!strcmp(p, "V")) {
			puts("nrdmactl " NRDMA_VERSION);
			*status = EXIT_DONE;
			return -1;
		}
		if (*p || p == argv[in] + 1) {
			say("no option \"%s\": there are -j -p -d -V; keys go without dash (nrdmactl help)",
			    argv[in]);
			*status = EXIT_USAGE;
			return -1;
		}
	}
	while (in < *argc)
		argv[out++] = argv[in++];
	argv[out] = NULL;
	*argc = out;
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	if (main_options(&argc, argv, &status))
		return status;
	return cmd_main(argc - 1, argv + 1);
}
