/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_ERROR_H
#define NRDMACTL_MOD_ERROR_H

#include <stddef.h>

struct nl_msg;
struct nlmsghdr;

void mod_error_say(int error, struct nlmsghdr *nlh, size_t skip, struct nl_msg *request);
const char *mod_error_attr(struct nl_msg *request, unsigned int offset, char *buf, size_t len);

#endif /* NRDMACTL_MOD_ERROR_H */
