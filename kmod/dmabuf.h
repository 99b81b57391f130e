/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_DMABUF_H
#define NRDMA_DMABUF_H

struct dma_buf;
struct nrdma_buf;

struct dma_buf *nrdma_dmabuf_export(struct nrdma_buf *buf);
bool nrdma_dmabuf_is_ours(const struct dma_buf *dmabuf);

#endif /* NRDMA_DMABUF_H */
