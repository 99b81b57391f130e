/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef NRDMA_FAIL_H
#define NRDMA_FAIL_H

#include "dev.h"

__attribute__((format(printf, 2, 3)))
int nrdma_fail(int error, const char *fmt, ...);
int nrdma_fail_alloc(int error, const struct nrdma_dev *dev, uint64_t wanted,
		     const struct nrdma_buf_options *options, const struct nrdma_alloc *answer);

#endif /* NRDMA_FAIL_H */
