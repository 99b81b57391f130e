// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"
#include "commands.h"
#include "irq_put.h"
#include "mod_irq.h"

static int irq_restore_run(const struct args *args)
{
	struct dev_policy result;
	struct picked picked;
	struct dev *dev;
	struct mod mod;
	int status = EXIT_FAILED;

	dev = pick_one(&picked, args, true);
	if (dev && mod_must_open(&mod)) {
		if (!mod_irq_restore(&mod, dev, &result))
			status = irq_put_result(dev, &result);
		dev_policy_free(&result);
		mod_close(&mod);
	}
	pick_free(&picked);
	return status;
}

const struct cmd cmd_irq_restore = {
	.object = "irq",
	.name = "restore",
	.pos = "DEV",
	.help = "policy off, and every vector back where it was before",
	.run = irq_restore_run,
};
