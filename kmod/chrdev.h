/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_CHRDEV_H
#define NRDMA_CHRDEV_H

#include <linux/types.h>

struct device;

/* Devices at one time; an RDMA device with all its sub-functions is rarely 100 */
#define NRDMA_CHRDEV_MINORS	4096

int nrdma_chrdev_init(void);
void nrdma_chrdev_exit(void);

struct device *nrdma_chrdev_create(struct device *parent, u32 minor, const char *name);

#endif /* NRDMA_CHRDEV_H */
