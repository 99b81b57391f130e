/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_WORDS_H
#define NRDMACTL_WORDS_H

#include "value.h"

/* What the numbers of linux/nrdma.h are called, in text and in JSON */
extern const char *const words_node_source[];
extern const char *const words_tier[];
extern const char *const words_policy[];
extern const char *const words_irq_state[];
extern const char *const words_dev_event[];
extern const char *const words_irq_changer[];
extern const char *const words_irq_event[];
extern const char *const words_buf_event[];
extern const char *const words_reason[];
extern const char *const words_port_state[];

struct str words_of(const char *const *words, struct num n);
const char *words_node_unknown(long long why);

#endif /* NRDMACTL_WORDS_H */
