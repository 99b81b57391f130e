/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_DEV_PUT_H
#define NRDMACTL_DEV_PUT_H

#include "dev.h"
#include "out.h"

/* Parts of a device that status and dev show both print */
void dev_put_port(struct out *o, const struct dev_port *port);
void dev_put_place(struct out *o, const struct dev *dev);
void dev_put_pcie(struct out *o, const struct dev *dev);
void dev_put_buffers(struct out *o, const struct dev *dev);
void dev_put_policy(struct out *o, const struct dev_policy *policy);

#endif /* NRDMACTL_DEV_PUT_H */
