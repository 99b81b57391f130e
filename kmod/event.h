/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_EVENT_H
#define NRDMA_EVENT_H

#include <rdma/ib_verbs.h>
#include <uapi/linux/nrdma.h>

struct nrdma_buf;
struct nrdma_dev;
struct nrdma_fail;

/*
 * Notifications to the initial network namespace. None of them fails: what
 * cannot be built or delivered is lost, as netlink has it.
 */

/* nl_dev.c */
void nrdma_event_dev(struct nrdma_dev *dev, enum nrdma_dev_event event);
void nrdma_event_dev_renamed(struct nrdma_dev *dev, const char *old);
void nrdma_event_dev_port(struct nrdma_dev *dev, u32 port, enum ib_port_state state);

/* nl_buf.c; rate-limited by user */
void nrdma_event_buf(struct nrdma_buf *buf, enum nrdma_buf_event event);
void nrdma_event_buf_failed(struct nrdma_dev *dev, const struct nrdma_fail *fail);

#endif /* NRDMA_EVENT_H */
