/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_ACCOUNT_H
#define NRDMA_ACCOUNT_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>

struct mm_struct;

/*
 * Records on behalf of a user. His memory cgroup may be full, of a buffer's own
 * chunks for example: then the call fails, and the OOM killer is not called.
 */
#define NRDMA_GFP_RECORD	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct nrdma_user - what one user holds
 * @node: in the table of users
 * @ref: buffers that he pays for
 * @uid: who
 * @pages: by node
 */
struct nrdma_user {
	struct hlist_node	node;
	refcount_t		ref;
	kuid_t			uid;
	atomic_long_t		pages[];
};

/**
 * struct nrdma_payers - the users who pay for a buffer, each for all of it
 * @nr: entries in @user
 * @user: who made it, then those who made his user namespaces; each once, referenced
 */
struct nrdma_payers {
	unsigned int		nr;
	struct nrdma_user	*user[];
};

/**
 * struct nrdma_memlock - pages charged to a process' locked_vm
 * @list: in the list of those to be given back
 * @mm: who pays, grabbed
 * @pages: how many
 */
struct nrdma_memlock {
	struct list_head	list;
	struct mm_struct	*mm;
	unsigned long		pages;
};

/**
 * struct nrdma_caps - how much of a node buffers may take, pages
 * @uid: of one user
 * @node: of all users together
 * @used: how much they have
 */
struct nrdma_caps {
	unsigned long	uid;
	unsigned long	node;
	unsigned long	used;
};

int nrdma_account_init(void);
void nrdma_account_exit(void);

struct nrdma_memlock *nrdma_memlock_charge(unsigned long pages, bool mmap_locked);
void nrdma_memlock_undo(struct nrdma_memlock *charge, bool mmap_locked);
void nrdma_memlock_uncharge(struct nrdma_memlock *charge);

/* Who made it */
static inline kuid_t nrdma_payers_uid(const struct nrdma_payers *payers)
{
	return payers->user[0]->uid;
}

struct nrdma_payers *nrdma_payers_get(void);
void nrdma_payers_put(struct nrdma_payers *payers);
bool nrdma_payers_charge(struct nrdma_payers *payers, int node, unsigned long pages);
void nrdma_payers_uncharge(struct nrdma_payers *payers, int node, unsigned long pages);

void nrdma_caps_get(int node, struct nrdma_caps *caps);
void nrdma_caps_set(int node, const unsigned long *uid, const unsigned long *all);

#endif /* NRDMA_ACCOUNT_H */
