/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_NL_IRQ_H
#define NRDMA_NL_IRQ_H

#include <net/netlink.h>
#include <uapi/linux/nrdma.h>

struct nrdma_dev;
struct nrdma_func;
struct nrdma_irq_policy;
struct nrdma_refusal;
struct pci_dev;

/* What nl_irq.c and nl_vector.c share */

extern const struct nla_policy nrdma_nl_policy_policy[NRDMA_A_POLICY_LOCK + 1];

struct nrdma_func *nrdma_nl_func_begin(struct nrdma_dev *dev, struct net *net,
				       struct netlink_ext_ack *extack, struct pci_dev **still);
void nrdma_nl_func_end(struct nrdma_dev *dev, struct nrdma_func *func, struct pci_dev *still);

int nrdma_nl_parse_policy(struct nlattr *nest, struct nlattr **tb,
			  struct nrdma_irq_policy *policy, struct netlink_ext_ack *extack);
void nrdma_nl_refuse(struct netlink_ext_ack *extack, struct nlattr *nest, struct nlattr **tb,
		     const struct nrdma_refusal *refusal);

int nrdma_nl_put_cpulist(struct sk_buff *skb, int attr, const struct cpumask *mask);
int nrdma_nl_put_func(struct sk_buff *skb, struct nrdma_dev *dev,
		      const struct nrdma_func *func);

#endif /* NRDMA_NL_IRQ_H */
