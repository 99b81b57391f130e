// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "pool_put.h"

static int pool_show_run(const struct args *args)
{
	struct pool *pools = NULL;
	struct mod mod;
	unsigned int nr;
	int status;

	(void)args;
	if (!mod_must_open(&mod))
		return EXIT_FAILED;
	status = mod_pool_dump(&mod, &pools, &nr);
	mod_close(&mod);
	if (status != EXIT_FAILED && pool_print(pools, nr))
		status = EXIT_FAILED;
	free(pools);
	return status;
}

const struct cmd cmd_pool_show = {
	.object = "pool",
	.name = "show",
	.help = "memory set aside on each node, and the caps on buffers there",
	.run = pool_show_run,
};
