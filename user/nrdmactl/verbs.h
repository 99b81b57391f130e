/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_VERBS_H
#define NRDMACTL_VERBS_H

#include "dev.h"

void verbs_read(struct dev **match);

#endif /* NRDMACTL_VERBS_H */
