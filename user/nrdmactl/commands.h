/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_COMMANDS_H
#define NRDMACTL_COMMANDS_H

struct cmd;

extern const struct cmd cmd_status;
extern const struct cmd cmd_dev_show;
extern const struct cmd cmd_dev_set;
extern const struct cmd cmd_irq_show;
extern const struct cmd cmd_irq_set;
extern const struct cmd cmd_irq_restore;
extern const struct cmd cmd_buf_show;
extern const struct cmd cmd_pool_show;
extern const struct cmd cmd_pool_set;
extern const struct cmd cmd_check;
extern const struct cmd cmd_check_list;
extern const struct cmd cmd_ps;
extern const struct cmd cmd_stat;
extern const struct cmd cmd_export;
extern const struct cmd cmd_run;
extern const struct cmd cmd_monitor;
extern const struct cmd cmd_apply;
extern const struct cmd cmd_probe;

#endif /* NRDMACTL_COMMANDS_H */
