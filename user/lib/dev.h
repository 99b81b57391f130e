/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef NRDMA_DEV_H
#define NRDMA_DEV_H

#include <stdatomic.h>

#include "nrdma.h"

/**
 * struct nrdma_dev - an open device
 * @refs: of the caller and of each buffer, which is queried through @fd
 * @fd: character device
 * @chunk_max: largest chunk, bytes
 */
struct nrdma_dev {
	atomic_uint	refs;
	int		fd;
	uint64_t	chunk_max;
};

void nrdma_dev_get(struct nrdma_dev *dev);
void nrdma_dev_name(const struct nrdma_dev *dev, char name[NRDMA_NAME_MAX]);

#endif /* NRDMA_DEV_H */
