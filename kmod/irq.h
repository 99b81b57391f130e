/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_IRQ_H
#define NRDMA_IRQ_H

struct net;
struct nrdma_dev;
struct pci_dev;
struct sk_buff;

int nrdma_irq_init(void);
void nrdma_irq_exit(void);

int nrdma_irq_attach(struct nrdma_dev *dev);
void nrdma_irq_detach(struct nrdma_dev *dev);
void nrdma_irq_node_changed(struct nrdma_dev *dev);
void nrdma_irq_kick(struct nrdma_dev *dev);
void nrdma_irq_check_start(void);
void nrdma_irq_check_stop(void);

bool nrdma_irq_begin(struct nrdma_dev *dev, struct net *net, struct pci_dev **still);
void nrdma_irq_end(struct nrdma_dev *dev, struct pci_dev *still);
struct pci_dev *nrdma_irq_still(struct nrdma_dev *dev);
void nrdma_irq_let_go(struct pci_dev *still);

/* nl_irq.c */
int nrdma_irq_put_policy(struct sk_buff *skb, int attrtype, struct nrdma_dev *dev);

#endif /* NRDMA_IRQ_H */
