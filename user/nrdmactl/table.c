// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "cmd.h"
#include "commands.h"

/*
 * Every command. An abbreviation means the first that it fits, so what is
 * typed most stands first; the first of an object is what it does alone.
 */
const struct cmd *const cmd_table[] = {
	&cmd_status,
	&cmd_dev_show,
	&cmd_dev_set,
	&cmd_irq_show,
	&cmd_irq_set,
	&cmd_irq_restore,
	&cmd_buf_show,
	&cmd_pool_show,
	&cmd_pool_set,
	&cmd_check,
	&cmd_check_list,
	&cmd_ps,
	&cmd_stat,
	&cmd_probe,
	&cmd_run,
	&cmd_monitor,
	&cmd_export,
	&cmd_apply,
	NULL
};
