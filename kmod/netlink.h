/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_NETLINK_H
#define NRDMA_NETLINK_H

#include <net/genetlink.h>
#include <uapi/linux/nrdma.h>

struct nrdma_dev;

/* A device with all its steps, nodes and CPU lists */
#define NRDMA_NL_MSG_SIZE	SZ_8K

extern struct genl_family nrdma_nl_family;

int nrdma_netlink_init(void);
void nrdma_netlink_exit(void);

struct nrdma_dev *nrdma_nl_dev(struct genl_info *info);
struct nrdma_dev *nrdma_nl_dump_dev(struct netlink_callback *cb, int index_attr,
				    int name_attr);

bool nrdma_nl_event_wanted(void);
struct sk_buff *nrdma_nl_reply_new(struct genl_info *info, size_t more, void **hdr);
struct sk_buff *nrdma_nl_event_new(u8 cmd, void **hdr);
void nrdma_nl_event_send(struct sk_buff *skb, void *hdr);

extern const struct nla_policy nrdma_nl_dev_get_policy[NRDMA_A_DEV_NAME + 1];
extern const struct nla_policy nrdma_nl_dev_set_policy[NRDMA_A_DEV_NODE_OVERRIDE + 1];
extern const struct nla_policy nrdma_nl_irq_get_policy[NRDMA_A_IRQ_POLICY + 1];
extern const struct nla_policy nrdma_nl_irq_set_policy[NRDMA_A_IRQ_POLICY + 1];
extern const struct nla_policy nrdma_nl_irq_restore_policy[NRDMA_A_IRQ_DEV_NAME + 1];
extern const struct nla_policy nrdma_nl_buf_get_policy[NRDMA_A_BUF_DEV_NAME + 1];
extern const struct nla_policy nrdma_nl_pool_set_policy[NRDMA_A_POOL_NODE_CAP + 1];
extern const struct nla_policy nrdma_nl_probe_run_policy[NRDMA_A_PROBE_ISOLATED + 1];

/* nl_dev.c */
int nrdma_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int nrdma_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int nrdma_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);

/* nl_vector.c */
int nrdma_nl_irq_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* nl_irq.c */
int nrdma_nl_irq_set_doit(struct sk_buff *skb, struct genl_info *info);
int nrdma_nl_irq_restore_doit(struct sk_buff *skb, struct genl_info *info);

/* nl_buf.c */
void nrdma_nl_buf_init(void);
int nrdma_nl_buf_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* nl_pool.c */
int nrdma_nl_pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int nrdma_nl_pool_set_doit(struct sk_buff *skb, struct genl_info *info);

/* nl_probe.c */
int nrdma_nl_probe_run_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int nrdma_nl_probe_run_done(struct netlink_callback *cb);

#endif /* NRDMA_NETLINK_H */
