// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "say.h"

/* The first word, wherever options stand: an object, NULL for none */
static const char *main_first_word(char **argv)
{
	while (*++argv && **argv == '-')
		;
	return *argv;
}

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
		/* "-1" is a value, though hardly a good one */
		if (argv[in][0] != '-' || (argv[in][1] >= '0' && argv[in][1] <= '9')) {
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
			*status = cmd_usage_status(main_first_word(argv));
			return -1;
		}
	}
	while (in < *argc)
		argv[out++] = argv[in++];
	argv[out] = NULL;
	*argc = out;
	return 0;
}

/* One that is closed would be the next file's, a socket say: it fails instead */
static void main_standard_files(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

static int main_close(int status)
{
	if (fflush(stdout))
		say("standard output: %s", strerror(errno));
	else if (ferror(stdout))
		say("standard output: not all of it could be written");
	else
		return status;
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	int status;

	main_standard_files();
	if (!main_options(&argc, argv, &status))
		status = cmd_main(argc - 1, argv + 1);
	return main_close(status);
}
