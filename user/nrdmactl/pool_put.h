/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_POOL_PUT_H
#define NRDMACTL_POOL_PUT_H

#include "mod_pool.h"

int pool_print(const struct pool *pools, unsigned int nr);

#endif /* NRDMACTL_POOL_PUT_H */
