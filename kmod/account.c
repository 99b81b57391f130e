// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for buffers: the process, in locked_vm against RLIMIT_MEMLOCK; and
 * since a descriptor may be passed on and its maker exit, the user, against a
 * cap per node that holds until the pages are free.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "account.h"

static unsigned int uid_cap = 50;
module_param(uid_cap, uint, 0644);
MODULE_PARM_DESC(uid_cap, "Most that the buffers of one user may take of a node, percent");

static unsigned int node_cap = 90;
module_param(node_cap, uint, 0644);
MODULE_PARM_DESC(node_cap, "Most that all buffers together may take of a node, percent");

/*
 * Charges to be given back. A buffer may go away in a context where its
 * payer's mmap_lock cannot be had, so a work item does it, and whoever
 * charges the same process first: a process that unmaps and maps again is
 * never refused for what it has already let go.
 *
 * A process can keep its mmap_lock for as long as it likes (a page fault on a
 * file system of its own), so the work never waits for one: it comes again.
 *
 * nrdma_memlock_lock is a leaf, taken under mmap_lock.
 */
static DEFINE_SPINLOCK(nrdma_memlock_lock);
static LIST_HEAD(nrdma_memlock_pending);

#define NRDMA_MEMLOCK_RETRY	msecs_to_jiffies(50)

/* How often the module's end comes again: 5 s */
#define NRDMA_MEMLOCK_LAST	100

/* mmap_lock of @mm is held for write. */
static void nrdma_memlock_settle(struct mm_struct *mm)
{
	struct nrdma_memlock *charge, *next;
	LIST_HEAD(mine);

	lockdep_assert_held_write(&mm->mmap_lock);

	spin_lock(&nrdma_memlock_lock);
	list_for_each_entry_safe(charge, next, &nrdma_memlock_pending, list)
		if (charge->mm == mm)
			list_move(&charge->list, &mine);
	spin_unlock(&nrdma_memlock_lock);

	list_for_each_entry_safe(charge, next, &mine, list) {
		__account_locked_vm(mm, charge->pages, false, current, true);
		/* Never the last: the caller has one */
		mmdrop(mm);
		kfree(charge);
	}
}

/* The payer of the first charge, which becomes the last. */
static struct mm_struct *nrdma_memlock_grab_first(void)
{
	struct nrdma_memlock *charge;
	struct mm_struct *mm = NULL;

	spin_lock(&nrdma_memlock_lock);
	charge = list_first_entry_or_null(&nrdma_memlock_pending, struct nrdma_memlock,
					  list);
	if (charge) {
		list_move_tail(&charge->list, &nrdma_memlock_pending);
		mm = charge->mm;
		mmgrab(mm);
	}
	spin_unlock(&nrdma_memlock_lock);
	return mm;
}

/*
 * False when some payer's mmap_lock was not to be had. Taken as what it is: newer
 * kernels have no function to try it, and no area changes under it.
 */
static bool nrdma_memlock_settle_all(void)
{
	struct nrdma_memlock *charge;
	struct mm_struct *mm;
	unsigned long nr = 0;
	bool all = true;

	spin_lock(&nrdma_memlock_lock);
	list_for_each_entry(charge, &nrdma_memlock_pending, list)
		nr++;
	spin_unlock(&nrdma_memlock_lock);

	while (nr-- && (mm = nrdma_memlock_grab_first())) {
		if (down_write_trylock(&mm->mmap_lock)) {
			nrdma_memlock_settle(mm);
			up_write(&mm->mmap_lock);
		} else {
			all = false;
		}
		mmdrop(mm);
		cond_resched();
	}
	return all;
}

/* Nobody charges any more. */
static void nrdma_memlock_forget(void)
{
	struct nrdma_memlock *charge, *next;

	list_for_each_entry_safe(charge, next, &nrdma_memlock_pending, list) {
		pr_warn_once("nrdma: %lu pages stay locked memory of a process that keeps its mmap_lock\n",
			     charge->pages);
		list_del(&charge->list);
		mmdrop(charge->mm);
		kfree(charge);
	}
}

static void nrdma_memlock_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(nrdma_memlock_work, nrdma_memlock_work_fn);

static void nrdma_memlock_work_fn(struct work_struct *work)
{
	if (!nrdma_memlock_settle_all())
		queue_delayed_work(system_dfl_wq, &nrdma_memlock_work, NRDMA_MEMLOCK_RETRY);
}

/**
 * nrdma_memlock_charge() - charge the current process
 * @pages: how many
 * @mmap_locked: its mmap_lock is held for write
 *
 * CAP_IPC_LOCK goes over the limit, as for mlock(2).
 *
 * Context: may sleep; takes mmap_lock unless it is held.
 * Return: the charge, or ERR_PTR: -EPERM over RLIMIT_MEMLOCK, -ENOMEM no
 * memory for the record, -EINTR a fatal signal is pending.
 */
struct nrdma_memlock *nrdma_memlock_charge(unsigned long pages, bool mmap_locked)
{
	struct mm_struct *mm = current->mm;
	struct nrdma_memlock *charge;
	int ret;

	charge = kmalloc(sizeof(*charge), NRDMA_GFP_RECORD);
	if (!charge)
		return ERR_PTR(-ENOMEM);
	charge->mm = mm;
	charge->pages = pages;

	if (!mmap_locked && mmap_write_lock_killable(mm)) {
		kfree(charge);
		return ERR_PTR(-EINTR);
	}
	nrdma_memlock_settle(mm);
	ret = __account_locked_vm(mm, pages, true, current, capable(CAP_IPC_LOCK));
	if (!mmap_locked)
		mmap_write_unlock(mm);
	if (ret) {
		kfree(charge);
		return ERR_PTR(-EPERM);
	}
	mmgrab(mm);
	return charge;
}

/**
 * nrdma_memlock_undo() - undo nrdma_memlock_charge(), at once
 * @charge: from there, by the current process; not to be used any more
 * @mmap_locked: its mmap_lock is held for write
 *
 * So that a call that failed has left nothing in locked_vm.
 *
 * Context: may sleep; takes mmap_lock unless it is held.
 */
void nrdma_memlock_undo(struct nrdma_memlock *charge, bool mmap_locked)
{
	struct mm_struct *mm = charge->mm;

	/* A process that is being killed locks nothing any more */
	if (!mmap_locked && mmap_write_lock_killable(mm)) {
		nrdma_memlock_uncharge(charge);
		return;
	}
	__account_locked_vm(mm, charge->pages, false, current, true);
	if (!mmap_locked)
		mmap_write_unlock(mm);
	mmdrop(mm);
	kfree(charge);
}

/**
 * nrdma_memlock_uncharge() - give a charge back, soon
 * @charge: from nrdma_memlock_charge(); not to be used any more
 *
 * Context: any process context, whatever mmap_lock is held.
 */
void nrdma_memlock_uncharge(struct nrdma_memlock *charge)
{
	spin_lock(&nrdma_memlock_lock);
	list_add_tail(&charge->list, &nrdma_memlock_pending);
	spin_unlock(&nrdma_memlock_lock);
	mod_delayed_work(system_dfl_wq, &nrdma_memlock_work, 0);
}

/*
 * Users that have buffers. nrdma_users_lock protects the table; a leaf.
 */
static DEFINE_SPINLOCK(nrdma_users_lock);
static DEFINE_HASHTABLE(nrdma_users, 6);

/**
 * struct nrdma_node_account - buffers on a node
 * @pages: in buffers, of all users
 * @uid_cap: most pages of one user, 0 for uid_cap percent
 * @node_cap: most pages of all users, 0 for node_cap percent
 */
struct nrdma_node_account {
	atomic_long_t	pages;
	unsigned long	uid_cap;
	unsigned long	node_cap;
};

static struct nrdma_node_account *nrdma_node_accounts;

static struct nrdma_user *nrdma_user_find(kuid_t uid)
{
	struct nrdma_user *user;

	hash_for_each_possible(nrdma_users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid)) {
			refcount_inc(&user->ref);
			return user;
		}
	return NULL;
}

static struct nrdma_user *nrdma_user_get(kuid_t uid)
{
	struct nrdma_user *user, *fresh;

	fresh = kzalloc(struct_size(fresh, pages, nr_node_ids), GFP_KERNEL);
	if (!fresh)
		return NULL;
	refcount_set(&fresh->ref, 1);
	fresh->uid = uid;

	spin_lock(&nrdma_users_lock);
	user = nrdma_user_find(uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		hash_add(nrdma_users, &user->node, __kuid_val(uid));
	}
	spin_unlock(&nrdma_users_lock);
	kfree(fresh);
	return user;
}

static void nrdma_user_put(struct nrdma_user *user)
{
	bool last;

	spin_lock(&nrdma_users_lock);
	last = refcount_dec_and_test(&user->ref);
	if (last)
		hash_del(&user->node);
	spin_unlock(&nrdma_users_lock);
	if (last)
		kfree(user);
}

static bool nrdma_payers_add(struct nrdma_payers *payers, kuid_t uid)
{
	struct nrdma_user *user;
	unsigned int i;

	for (i = 0; i < payers->nr; i++)
		if (uid_eq(payers->user[i]->uid, uid))
			return true;
	user = nrdma_user_get(uid);
	if (!user)
		return false;
	payers->user[payers->nr++] = user;
	return true;
}

/*
 * A user may have many uids below him, by /etc/subuid and a user namespace: who
 * made one pays for all in it, as for his other limits. In one that the host's
 * root made, a container, it is the container's own root. INVALID_UID for nobody:
 * there, all users are the host's.
 */
static kuid_t nrdma_userns_payer(struct user_namespace *ns)
{
	kuid_t uid = ns->owner;

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		uid = make_kuid(ns, 0);
	return uid_eq(uid, GLOBAL_ROOT_UID) ? INVALID_UID : uid;
}

/**
 * nrdma_payers_get() - who pays for what the current process makes
 *
 * No namespace is referenced: the users are the kernel's own.
 *
 * Context: may sleep.
 * Return: the users, or NULL without memory for their records.
 */
struct nrdma_payers *nrdma_payers_get(void)
{
	struct user_namespace *ns = current_user_ns();
	struct nrdma_payers *payers;
	kuid_t uid = current_uid();

	payers = kzalloc(struct_size(payers, user, ns->level + 1), GFP_KERNEL);
	if (!payers)
		return NULL;
	do {
		if (uid_valid(uid) && !nrdma_payers_add(payers, uid)) {
			nrdma_payers_put(payers);
			return NULL;
		}
		uid = nrdma_userns_payer(ns);
		ns = ns->parent;
	} while (ns);
	return payers;
}

/**
 * nrdma_payers_put() - they pay no more
 * @payers: from nrdma_payers_get()
 */
void nrdma_payers_put(struct nrdma_payers *payers)
{
	while (payers->nr)
		nrdma_user_put(payers->user[--payers->nr]);
	kfree(payers);
}

static unsigned long nrdma_cap(int node, unsigned long set, unsigned int percent)
{
	return set ?: mult_frac(node_present_pages(node), (unsigned long)min(percent, 100U),
				100UL);
}

/**
 * nrdma_caps_get() - the caps of a node
 * @node: node
 * @caps: filled in
 */
void nrdma_caps_get(int node, struct nrdma_caps *caps)
{
	const struct nrdma_node_account *account = &nrdma_node_accounts[node];

	caps->uid = nrdma_cap(node, READ_ONCE(account->uid_cap), READ_ONCE(uid_cap));
	caps->node = nrdma_cap(node, READ_ONCE(account->node_cap), READ_ONCE(node_cap));
	caps->used = atomic_long_read(&account->pages);
}

/**
 * nrdma_caps_set() - change the caps of a node
 * @node: node
 * @uid: most pages of one user, 0 for the default; NULL leaves it
 * @all: most pages of all users, likewise
 *
 * Who has more already keeps it.
 */
void nrdma_caps_set(int node, const unsigned long *uid, const unsigned long *all)
{
	if (uid)
		WRITE_ONCE(nrdma_node_accounts[node].uid_cap, *uid);
	if (all)
		WRITE_ONCE(nrdma_node_accounts[node].node_cap, *all);
}

/* Never beyond the cap, not even for a moment: others would be refused for it. */
static bool nrdma_pages_charge(atomic_long_t *counter, unsigned long pages, unsigned long cap)
{
	long old = atomic_long_read(counter);

	do {
		if (pages > cap || old > cap - pages)
			return false;
	} while (!atomic_long_try_cmpxchg(counter, &old, old + pages));
	return true;
}

/**
 * nrdma_payers_charge() - may a buffer take pages of a node?
 * @payers: who pays
 * @node: which
 * @pages: how many
 *
 * Return: true and they are charged, or false when that would go over the cap
 * of one of the users or of the node.
 */
bool nrdma_payers_charge(struct nrdma_payers *payers, int node, unsigned long pages)
{
	struct nrdma_caps caps;
	unsigned int i;

	nrdma_caps_get(node, &caps);
	for (i = 0; i < payers->nr; i++)
		if (!nrdma_pages_charge(&payers->user[i]->pages[node], pages, caps.uid))
			goto uncharge;
	/* Everybody's last: what a user may not have is nothing to the others */
	if (nrdma_pages_charge(&nrdma_node_accounts[node].pages, pages, caps.node))
		return true;

uncharge:
	while (i--)
		atomic_long_sub(pages, &payers->user[i]->pages[node]);
	return false;
}

/**
 * nrdma_payers_uncharge() - undo nrdma_payers_charge()
 * @payers: who paid
 * @node: which
 * @pages: how many
 */
void nrdma_payers_uncharge(struct nrdma_payers *payers, int node, unsigned long pages)
{
	unsigned int i;

	for (i = 0; i < payers->nr; i++)
		atomic_long_sub(pages, &payers->user[i]->pages[node]);
	atomic_long_sub(pages, &nrdma_node_accounts[node].pages);
}

/**
 * nrdma_account_init() - make the counters
 *
 * Return: 0 or -ENOMEM.
 */
int __init nrdma_account_init(void)
{
	nrdma_node_accounts = kcalloc(nr_node_ids, sizeof(*nrdma_node_accounts), GFP_KERNEL);
	return nrdma_node_accounts ? 0 : -ENOMEM;
}

/**
 * nrdma_account_exit() - give back what is still charged
 *
 * No buffer is left: the module stays for those in use, and what lingered was
 * given up. A process cannot keep the module, only what it has locked.
 */
void nrdma_account_exit(void)
{
	unsigned int tries = NRDMA_MEMLOCK_LAST;

	cancel_delayed_work_sync(&nrdma_memlock_work);
	while (!nrdma_memlock_settle_all() && tries--)
		schedule_timeout_uninterruptible(NRDMA_MEMLOCK_RETRY);
	nrdma_memlock_forget();
	WARN_ON(!hash_empty(nrdma_users));
	kfree(nrdma_node_accounts);
}
