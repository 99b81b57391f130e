/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_FOLD_H
#define NRDMACTL_FOLD_H

struct libscols_table;

void fold_new_column(struct libscols_table *table, const char *head, int flags);
void fold_table(struct libscols_table *table);

#endif /* NRDMACTL_FOLD_H */
