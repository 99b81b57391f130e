/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMA_DEVICE_H
#define NRDMA_DEVICE_H

#include <linux/kref.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/nrdma.h>

#include "node.h"

struct device;
struct net;
struct nrdma_func;
struct nrdma_probe;

/**
 * struct nrdma_dev - an RDMA device as nrdma sees it
 *
 * Made by the client's add(), withdrawn by its remove(). Open files, buffers
 * and requests under way hold references, so the structure may outlive the
 * RDMA device; @ib is then NULL. A device that comes back is a new instance.
 *
 * @ref: references; add() has the first
 * @id: key in the table of devices and in that of @func, and minor number of the
 *	character device; nobody else's until remove() is through with all of them
 * @index: the RDMA device's index
 * @ib_sem: protects @ib. Whoever uses @ib holds it for read and waits for
 *	neither hardware nor rtnl under it, for remove() takes it for write; see
 *	nrdma_dev_get_ib() for those who have to.
 *	Under it may be taken: the function's lock, the MSI descriptors' lock.
 * @ib: the RDMA device, NULL once it is gone
 * @lock: protects @name, @chardev, @place, @probe; a leaf
 * @name: the RDMA device's name, or the last that it had
 * @chardev: the class device, NULL when it could not be made
 * @error: why, a negative errno
 * @place: where the device is
 * @func: steering of its PCI function, NULL without one; set once in add(),
 *	valid until remove() returns: use it under @ib_sem with @ib not NULL
 * @probe: the run that measures the device, NULL without one; it lives
 *	until its reader lets go, which ends it first
 * @probe_lock: held while a measurement uses the RDMA device, which may take a
 *	second and waits for hardware; remove() takes it after @ib is NULL, which
 *	ends the measurement. Under it: @ib_sem, and all that verbs take.
 * @of_driver: the RDMA device belongs to its PCI function's driver, which is bound
 *	and keeps its vectors while we are in add() or remove(); set once in add()
 * @event_handler: port events
 * @gone_wait: pollers, woken by remove()
 * @nr_bufs: live buffers that were made through the device
 * @buf_bytes: their size
 * @buf_remote_bytes: those of them that lie off the buffer's node
 */
struct nrdma_dev {
	struct kref			ref;
	u32				id;
	u32				index;
	struct rw_semaphore		ib_sem;
	struct ib_device		*ib;
	struct mutex			lock;	/* of name, chardev, place, probe */
	char				name[NRDMA_NAME_MAX];
	struct device			*chardev;
	int				error;
	struct nrdma_place		place;
	struct nrdma_func		*func;
	struct nrdma_probe		*probe;
	struct mutex			probe_lock; /* a measurement is under way */
	bool				of_driver;
	struct ib_event_handler		event_handler;
	wait_queue_head_t		gone_wait;
	atomic_t			nr_bufs;
	atomic64_t			buf_bytes;
	atomic64_t			buf_remote_bytes;
};

int nrdma_device_init(void);
void nrdma_device_exit(void);

struct nrdma_dev *nrdma_dev_get_by_id(u32 id);
struct nrdma_dev *nrdma_dev_get_by_index(struct net *net, u32 index);
struct nrdma_dev *nrdma_dev_get_by_name(struct net *net, const char *name);
struct nrdma_dev *nrdma_dev_get_next(unsigned long *id);
void nrdma_dev_put(struct nrdma_dev *dev);

bool nrdma_dev_begin(struct nrdma_dev *dev, struct net *net);
void nrdma_dev_end(struct nrdma_dev *dev);
struct ib_device *nrdma_dev_get_ib(struct nrdma_dev *dev, struct net *net);

void nrdma_dev_name(struct nrdma_dev *dev, char name[NRDMA_NAME_MAX]);
int nrdma_dev_mem_node(struct nrdma_dev *dev);
bool nrdma_dev_gone(struct nrdma_dev *dev);
unsigned int nrdma_dev_generation(void);
int nrdma_dev_set_override(struct nrdma_dev *dev, int node);

#endif /* NRDMA_DEVICE_H */
