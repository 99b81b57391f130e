// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/nrdma/<device>: mmap for a buffer, ioctls for more.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/nsproxy.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "account.h"
#include "buffer.h"
#include "chrdev.h"
#include "device.h"

/**
 * struct nrdma_file - an open file
 * @dev: referenced
 * @lock: protects what follows. Taken under mmap_lock, so nothing that may
 *	fault is done with it held. Under it: whatever nrdma_buf_create() takes.
 * @own: the buffer that the first mmap made, referenced, or NULL
 * @fail: the last failure
 */
struct nrdma_file {
	struct nrdma_dev	*dev;
	struct mutex		lock;	/* of own and fail */
	struct dma_buf		*own;
	struct nrdma_fail	fail;
};

static struct class *nrdma_class;
static struct cdev *nrdma_cdev;
static dev_t nrdma_devt;

static int nrdma_chrdev_open(struct inode *inode, struct file *filp)
{
	struct nrdma_file *file;
	struct nrdma_dev *dev;

	dev = nrdma_dev_get_by_id(iminor(inode));
	if (!dev)
		return -ENXIO;
	if (!nrdma_dev_begin(dev, current->nsproxy->net_ns)) {
		nrdma_dev_put(dev);
		return -ENODEV;
	}
	nrdma_dev_end(dev);

	file = kzalloc(sizeof(*file), NRDMA_GFP_RECORD);
	if (!file) {
		nrdma_dev_put(dev);
		return -ENOMEM;
	}
	file->dev = dev;
	mutex_init(&file->lock);
	nrdma_fail_clear(&file->fail);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

static int nrdma_chrdev_release(struct inode *inode, struct file *filp)
{
	struct nrdma_file *file = filp->private_data;

	if (file->own)
		dma_buf_put(file->own);
	nrdma_dev_put(file->dev);
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

/* Bytes from the start of the buffer to the end of what is to be mapped */
static int nrdma_chrdev_mmap_size(struct vm_area_struct *vma, u64 *size)
{
	unsigned long pages;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* Opened for reading: the mapping could never be written, nor pinned */
	if (!(vma->vm_flags & VM_SHARED))
		return -EACCES;
	if (check_add_overflow(vma->vm_pgoff, vma_pages(vma), &pages) ||
	    check_mul_overflow((u64)pages, (u64)PAGE_SIZE, size))
		return -EINVAL;
	return 0;
}

/*
 * The first mmap makes the file's buffer; the mapping is then the buffer's
 * own and outlives the file.
 */
static int nrdma_chrdev_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct nrdma_file *file = filp->private_data;
	struct nrdma_buf_request req = { .node = NRDMA_NODE_DEVICE, .mmap_locked = true };
	struct dma_buf *dmabuf;
	int ret;

	mutex_lock(&file->lock);
	nrdma_fail_clear(&file->fail);
	ret = nrdma_chrdev_mmap_size(vma, &req.size);
	if (ret)
		goto unlock;
	/* Without a buffer, nrdma_buf_create() finds out, and tells of it */
	if (file->own && nrdma_dev_gone(file->dev)) {
		file->fail.wanted = req.size;
		ret = nrdma_fail_set(&file->fail, NRDMA_REASON_DEVICE_GONE, NUMA_NO_NODE);
		goto unlock;
	}
	if (!file->own) {
		dmabuf = nrdma_buf_create(file->dev, &req, &file->fail);
		if (IS_ERR(dmabuf)) {
			/* For mmap(2) a size that overflows is a bad one */
			ret = PTR_ERR(dmabuf) == -E2BIG ? -EINVAL : PTR_ERR(dmabuf);
			goto unlock;
		}
		file->own = dmabuf;
	}
	ret = dma_buf_mmap(file->own, vma, vma->vm_pgoff);
unlock:
	mutex_unlock(&file->lock);
	return ret;
}

/*
 * An address at which a PMD can map a chunk. Not thp_get_unmapped_area(), which
 * does that for DAX only before 5.18.
 */
static unsigned long nrdma_chrdev_get_unmapped_area(struct file *filp, unsigned long addr,
						    unsigned long len, unsigned long pgoff,
						    unsigned long flags)
{
	unsigned long at;

	if (!addr && !(flags & MAP_FIXED) && len >= PMD_SIZE && len + PMD_SIZE > len) {
		at = mm_get_unmapped_area(filp, 0, len + PMD_SIZE, pgoff, flags);
		if (!IS_ERR_VALUE(at))
			return at + (((pgoff << PAGE_SHIFT) - at) & ~PMD_MASK);
	}
	return mm_get_unmapped_area(filp, addr, len, pgoff, flags);
}

static __poll_t nrdma_chrdev_poll(struct file *filp, poll_table *wait)
{
	struct nrdma_file *file = filp->private_data;

	poll_wait(filp, &file->dev->gone_wait, wait);
	return nrdma_dev_gone(file->dev) ? EPOLLHUP | EPOLLERR : 0;
}

/* What the caller's older, shorter structure has no room for is cut. */
static int nrdma_chrdev_answer(void __user *to, const void *from, size_t from_size,
			       size_t to_size)
{
	return copy_to_user(to, from, min(from_size, to_size)) ? -EFAULT : 0;
}

static int nrdma_chrdev_info(struct nrdma_file *file, void __user *arg, size_t size)
{
	struct nrdma_dev *dev = file->dev;
	struct nrdma_info info;
	int ret;

	ret = copy_struct_from_user(&info, sizeof(info), arg, size);
	if (ret)
		return ret;
	if (info.flags)
		return -EINVAL;

	memset(&info, 0, sizeof(info));
	info.abi_version = NRDMA_ABI_VERSION;
	info.index = dev->index;
	info.gone = nrdma_dev_gone(dev);
	info.chunk_max = nrdma_chunk_max();
	info.chunk_min = PAGE_SIZE;
	strscpy(info.version, NRDMA_VERSION, sizeof(info.version));

	mutex_lock(&dev->lock);
	nrdma_place_refresh(&dev->place);
	info.node = dev->place.node;
	info.mem_node = dev->place.mem_node;
	strscpy(info.name, dev->name, sizeof(info.name));
	mutex_unlock(&dev->lock);

	mutex_lock(&file->lock);
	info.last_reason = file->fail.reason;
	info.last_node = file->fail.node;
	info.last_wanted = file->fail.wanted;
	info.last_available = file->fail.available;
	mutex_unlock(&file->lock);

	return nrdma_chrdev_answer(arg, &info, sizeof(info), size);
}

/*
 * The descriptor is installed last: until then nobody else can see the
 * buffer, and a failing copy leaves nothing behind.
 */
static int nrdma_chrdev_try_alloc(struct nrdma_file *file, void __user *arg, size_t size,
				  struct nrdma_fail *fail)
{
	struct nrdma_buf_request req = { };
	struct nrdma_alloc alloc;
	struct dma_buf *dmabuf;
	int fd, ret;

	/* The descriptor would be lost */
	if (size < offsetofend(struct nrdma_alloc, fd))
		return -EINVAL;
	ret = copy_struct_from_user(&alloc, sizeof(alloc), arg, size);
	if (ret)
		return ret;
	if (alloc.flags & ~NRDMA_ALLOC_FLAGS || alloc.node < NRDMA_NODE_DEVICE)
		return -EINVAL;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	req.size = alloc.size;
	req.min_chunk = alloc.min_chunk;
	req.flags = alloc.flags;
	req.node = alloc.node;
	dmabuf = nrdma_buf_create(file->dev, &req, fail);
	if (IS_ERR(dmabuf)) {
		put_unused_fd(fd);
		ret = PTR_ERR(dmabuf);
		alloc.fd = -1;
		if (fail->node != NUMA_NO_NODE)
			alloc.node = fail->node;
		alloc.reason = fail->reason;
		alloc.available = fail->available;
		return nrdma_chrdev_answer(arg, &alloc, sizeof(alloc), size) ?: ret;
	}

	alloc.size = dmabuf->size;
	alloc.min_chunk = nrdma_buf_min_chunk(dmabuf);
	alloc.node = nrdma_buf_node(dmabuf);
	alloc.fd = fd;
	alloc.reason = NRDMA_REASON_NONE;
	alloc.available = 0;
	alloc.warm = nrdma_buf_warm_bytes(dmabuf);
	ret = nrdma_chrdev_answer(arg, &alloc, sizeof(alloc), size);
	if (ret) {
		put_unused_fd(fd);
		dma_buf_put(dmabuf);
		return ret;
	}
	fd_install(fd, dmabuf->file);
	return 0;
}

static int nrdma_chrdev_alloc(struct nrdma_file *file, void __user *arg, size_t size)
{
	struct nrdma_fail fail;
	int ret;

	nrdma_fail_clear(&fail);
	ret = nrdma_chrdev_try_alloc(file, arg, size, &fail);
	mutex_lock(&file->lock);
	file->fail = fail;
	mutex_unlock(&file->lock);
	return ret;
}

static struct dma_buf *nrdma_chrdev_get_buf(struct nrdma_file *file, int fd)
{
	struct dma_buf *dmabuf;

	if (fd != NRDMA_QUERY_OWN) {
		dmabuf = dma_buf_get(fd);
		if (!IS_ERR(dmabuf) && !nrdma_buf_is_ours(dmabuf)) {
			dma_buf_put(dmabuf);
			return ERR_PTR(-EINVAL);
		}
		return dmabuf;
	}

	mutex_lock(&file->lock);
	dmabuf = file->own;
	if (dmabuf)
		get_dma_buf(dmabuf);
	mutex_unlock(&file->lock);
	return dmabuf ?: ERR_PTR(-ENOENT);
}

static int nrdma_chrdev_query(struct nrdma_file *file, void __user *arg, size_t size)
{
	struct nrdma_run *runs = NULL;
	struct nrdma_query query;
	struct dma_buf *dmabuf;
	int ret;

	ret = copy_struct_from_user(&query, sizeof(query), arg, size);
	if (ret)
		return ret;
	if (query.flags)
		return -EINVAL;

	dmabuf = nrdma_chrdev_get_buf(file, query.fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);

	query.size = dmabuf->size;
	query.id = nrdma_buf_id(dmabuf);
	query.node = nrdma_buf_node(dmabuf);
	query.total_runs = nrdma_buf_runs(dmabuf, NULL, 0);
	query.nr_runs = min(query.nr_runs, query.total_runs);
	if (query.nr_runs) {
		runs = kvcalloc(query.nr_runs, sizeof(*runs), NRDMA_GFP_RECORD);
		if (!runs) {
			ret = -ENOMEM;
			goto put;
		}
		nrdma_buf_runs(dmabuf, runs, query.nr_runs);
		if (copy_to_user(u64_to_user_ptr(query.runs), runs,
				 query.nr_runs * sizeof(*runs))) {
			ret = -EFAULT;
			goto put;
		}
	}
	ret = nrdma_chrdev_answer(arg, &query, sizeof(query), size);
put:
	kvfree(runs);
	dma_buf_put(dmabuf);
	return ret;
}

static long nrdma_chrdev_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct nrdma_file *file = filp->private_data;
	void __user *uarg = (void __user *)arg;
	size_t size = _IOC_SIZE(cmd);

	if (_IOC_TYPE(cmd) != NRDMA_IOC_MAGIC ||
	    _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(NRDMA_IOC_INFO):
		return nrdma_chrdev_info(file, uarg, size);
	case _IOC_NR(NRDMA_IOC_ALLOC):
		return nrdma_chrdev_alloc(file, uarg, size);
	case _IOC_NR(NRDMA_IOC_QUERY):
		return nrdma_chrdev_query(file, uarg, size);
	}
	return -ENOTTY;
}

static const struct file_operations nrdma_chrdev_fops = {
	.owner			= THIS_MODULE,
	.open			= nrdma_chrdev_open,
	.release		= nrdma_chrdev_release,
	.mmap			= nrdma_chrdev_mmap,
	.get_unmapped_area	= nrdma_chrdev_get_unmapped_area,
	.poll			= nrdma_chrdev_poll,
	.unlocked_ioctl		= nrdma_chrdev_ioctl,
	.compat_ioctl		= compat_ptr_ioctl,
};

static char *nrdma_class_devnode(NRDMA_DEVNODE_CONST struct device *dev, umode_t *mode)
{
	/* As uverbs: what a user can take is bounded by the caps */
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "nrdma/%s", dev_name(dev));
}

/**
 * nrdma_chrdev_create() - make a device's character device
 * @parent: parent in sysfs, or NULL
 * @minor: minor number
 * @name: name in /dev/nrdma
 *
 * Context: may sleep.
 * Return: the class device, to be given to device_unregister(), or ERR_PTR().
 */
struct device *nrdma_chrdev_create(struct device *parent, u32 minor, const char *name)
{
	return device_create(nrdma_class, parent, MKDEV(MAJOR(nrdma_devt), minor), NULL,
			     "%s", name);
}

/**
 * nrdma_chrdev_init() - register the class and the numbers
 *
 * One cdev serves them all; open() finds the device by its minor number. It has
 * memory of its own, for whoever holds its kobject may do so for longer than the
 * module is there.
 *
 * Return: 0 or a negative errno.
 */
int __init nrdma_chrdev_init(void)
{
	int ret;

	nrdma_class = class_create("nrdma");
	if (IS_ERR(nrdma_class))
		return PTR_ERR(nrdma_class);
	nrdma_class->devnode = nrdma_class_devnode;

	ret = alloc_chrdev_region(&nrdma_devt, 0, NRDMA_CHRDEV_MINORS, "nrdma");
	if (ret)
		goto destroy_class;

	ret = -ENOMEM;
	nrdma_cdev = cdev_alloc();
	if (!nrdma_cdev)
		goto unregister_region;
	nrdma_cdev->ops = &nrdma_chrdev_fops;
	nrdma_cdev->owner = THIS_MODULE;
	ret = cdev_add(nrdma_cdev, nrdma_devt, NRDMA_CHRDEV_MINORS);
	if (ret)
		goto put_cdev;
	return 0;

put_cdev:
	kobject_put(&nrdma_cdev->kobj);
unregister_region:
	unregister_chrdev_region(nrdma_devt, NRDMA_CHRDEV_MINORS);
destroy_class:
	class_destroy(nrdma_class);
	return ret;
}

/**
 * nrdma_chrdev_exit() - undo nrdma_chrdev_init()
 */
void nrdma_chrdev_exit(void)
{
	cdev_del(nrdma_cdev);
	unregister_chrdev_region(nrdma_devt, NRDMA_CHRDEV_MINORS);
	class_destroy(nrdma_class);
}
