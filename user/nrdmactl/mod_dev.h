/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_DEV_H
#define NRDMACTL_MOD_DEV_H

#include "dev.h"
#include "mod.h"

void mod_policy_parse(struct dev_policy *policy, struct nlattr *nest);
void mod_dev_overlay(struct dev *dev, struct nl_msg *msg);
int mod_dev_dump(struct mod *mod, struct devs *devs);
int mod_dev_set_override(struct mod *mod, const struct dev *dev, long long node);

extern const struct mod_attrs mod_dev_attrs;

#endif /* NRDMACTL_MOD_DEV_H */
