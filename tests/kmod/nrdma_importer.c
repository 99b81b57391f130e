// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that takes dma-bufs: attach, map, move data, unmap, detach, each when a
 * test says so, where no NIC of the VM can do it.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nrdma_importer.h"

static struct platform_device *nrdma_importer_pdev;

/**
 * struct nrdma_importer - an open file
 * @lock: protects all below; an ioctl has it from begin to end
 * @dmabuf: what it is attached to, referenced, or NULL
 * @attach: its attachment
 * @sgt: it is mapped, or NULL
 * @max_segment: bytes that a segment may have
 * @moved: how often the exporter said that the memory moves
 */
struct nrdma_importer {
	struct mutex			lock;	/* of all below */
	struct dma_buf			*dmabuf;
	struct dma_buf_attachment	*attach;
	struct sg_table			*sgt;
	unsigned int			max_segment;
	atomic_t			moved;
};

static void nrdma_importer_invalidate(struct dma_buf_attachment *attach)
{
	struct nrdma_importer *imp = attach->importer_priv;

	atomic_inc(&imp->moved);
}

/* The second member has another name in newer kernels, and is all there is */
static const struct dma_buf_attach_ops nrdma_importer_attach_ops = {
	.allow_peer2peer = false,
	nrdma_importer_invalidate,
};

static int nrdma_importer_attach(struct nrdma_importer *imp, void __user *arg)
{
	struct device *dev = &nrdma_importer_pdev->dev;
	struct nrdma_importer_attach req;
	struct dma_buf_attachment *attach;
	struct dma_buf *dmabuf;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (req.flags & ~NRDMA_IMPORTER_DYNAMIC || req.pad)
		return -EINVAL;
	if (imp->dmabuf)
		return -EBUSY;

	dmabuf = dma_buf_get(req.fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	imp->max_segment = req.max_segment ?: 1U << 31;
	dma_set_max_seg_size(dev, imp->max_segment);
	if (req.flags & NRDMA_IMPORTER_DYNAMIC)
		attach = dma_buf_dynamic_attach(dmabuf, dev, &nrdma_importer_attach_ops, imp);
	else
		attach = dma_buf_attach(dmabuf, dev);
	if (IS_ERR(attach)) {
		dma_buf_put(dmabuf);
		return PTR_ERR(attach);
	}
	imp->dmabuf = dmabuf;
	imp->attach = attach;
	return 0;
}

static int nrdma_importer_map(struct nrdma_importer *imp, void __user *arg)
{
	struct nrdma_importer_map map = { };
	struct scatterlist *sg;
	struct sg_table *sgt;
	dma_addr_t end = 0;
	int i;

	if (!imp->dmabuf)
		return -ENOTCONN;
	if (imp->sgt)
		return -EBUSY;
	/* All are one device: the debugging of DMA compares with what it takes now */
	dma_set_max_seg_size(&nrdma_importer_pdev->dev, imp->max_segment);
	/* Newer kernels want the lock of everybody, all of the dynamic ones */
	dma_resv_lock(imp->dmabuf->resv, NULL);
	sgt = dma_buf_map_attachment(imp->attach, DMA_BIDIRECTIONAL);
	dma_resv_unlock(imp->dmabuf->resv);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	imp->sgt = sgt;

	map.pages = sgt->orig_nents;
	map.segments = sgt->nents;
	map.smallest = U64_MAX;
	map.moved = atomic_read(&imp->moved);
	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 bytes = sg_dma_len(sg);

		map.bytes += bytes;
		map.largest = max(map.largest, bytes);
		map.smallest = min(map.smallest, bytes);
		if (i && sg_dma_address(sg) == end)
			map.adjoining++;
		end = sg_dma_address(sg) + bytes;
	}
	return copy_to_user(arg, &map, sizeof(map)) ? -EFAULT : 0;
}

static void nrdma_importer_unmap(struct nrdma_importer *imp)
{
	dma_resv_lock(imp->dmabuf->resv, NULL);
	dma_buf_unmap_attachment(imp->attach, imp->sgt, DMA_BIDIRECTIONAL);
	dma_resv_unlock(imp->dmabuf->resv);
	imp->sgt = NULL;
}

static void nrdma_importer_detach(struct nrdma_importer *imp)
{
	dma_buf_detach(imp->dmabuf, imp->attach);
	dma_buf_put(imp->dmabuf);
	imp->dmabuf = NULL;
	imp->attach = NULL;
}

/* One page at most, as the device would: by nothing but the address that it has */
static int nrdma_importer_move_page(dma_addr_t addr, void __user *data, size_t bytes,
				    bool write)
{
	void *to = page_address(pfn_to_page(PHYS_PFN(addr))) + offset_in_page(addr);
	unsigned long left;

	left = write ? copy_from_user(to, data, bytes) : copy_to_user(data, to, bytes);
	return left ? -EFAULT : 0;
}

static int nrdma_importer_move(struct nrdma_importer *imp, void __user *arg, bool write)
{
	struct nrdma_importer_move req;
	struct scatterlist *sg;
	u64 at = 0;
	int i, ret;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (!imp->sgt)
		return -ENOTCONN;
	if (req.offset > imp->dmabuf->size || req.bytes > imp->dmabuf->size - req.offset)
		return -EINVAL;

	for_each_sgtable_dma_sg(imp->sgt, sg, i) {
		while (req.bytes && req.offset < at + sg_dma_len(sg)) {
			dma_addr_t addr = sg_dma_address(sg) + (req.offset - at);
			u64 bytes = min3(req.bytes, at + sg_dma_len(sg) - req.offset,
					 (u64)PAGE_SIZE - offset_in_page(addr));

			ret = nrdma_importer_move_page(addr, u64_to_user_ptr(req.data), bytes,
						       write);
			if (ret)
				return ret;
			req.offset += bytes;
			req.data += bytes;
			req.bytes -= bytes;
			cond_resched();
		}
		at += sg_dma_len(sg);
	}
	return req.bytes ? -EIO : 0;
}

static int nrdma_importer_cpu(struct nrdma_importer *imp)
{
	int ret;

	if (!imp->dmabuf)
		return -ENOTCONN;
	ret = dma_buf_begin_cpu_access(imp->dmabuf, DMA_BIDIRECTIONAL);
	return ret ?: dma_buf_end_cpu_access(imp->dmabuf, DMA_BIDIRECTIONAL);
}

static long nrdma_importer_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct nrdma_importer *imp = filp->private_data;
	void __user *uarg = (void __user *)arg;
	long ret = 0;

	mutex_lock(&imp->lock);
	switch (cmd) {
	case NRDMA_IMPORTER_ATTACH:
		ret = nrdma_importer_attach(imp, uarg);
		break;
	case NRDMA_IMPORTER_MAP:
		ret = nrdma_importer_map(imp, uarg);
		break;
	case NRDMA_IMPORTER_WRITE:
	case NRDMA_IMPORTER_READ:
		ret = nrdma_importer_move(imp, uarg, cmd == NRDMA_IMPORTER_WRITE);
		break;
	case NRDMA_IMPORTER_CPU:
		ret = nrdma_importer_cpu(imp);
		break;
	case NRDMA_IMPORTER_UNMAP:
		if (imp->sgt)
			nrdma_importer_unmap(imp);
		else
			ret = -ENOTCONN;
		break;
	case NRDMA_IMPORTER_DETACH:
		if (imp->sgt)
			ret = -EBUSY;
		else if (imp->dmabuf)
			nrdma_importer_detach(imp);
		else
			ret = -ENOTCONN;
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&imp->lock);
	return ret;
}

static int nrdma_importer_open(struct inode *inode, struct file *filp)
{
	struct nrdma_importer *imp = kzalloc(sizeof(*imp), GFP_KERNEL);

	if (!imp)
		return -ENOMEM;
	mutex_init(&imp->lock);
	filp->private_data = imp;
	return nonseekable_open(inode, filp);
}

static int nrdma_importer_release(struct inode *inode, struct file *filp)
{
	struct nrdma_importer *imp = filp->private_data;

	if (imp->sgt)
		nrdma_importer_unmap(imp);
	if (imp->dmabuf)
		nrdma_importer_detach(imp);
	mutex_destroy(&imp->lock);
	kfree(imp);
	return 0;
}

static const struct file_operations nrdma_importer_fops = {
	.owner		= THIS_MODULE,
	.open		= nrdma_importer_open,
	.release	= nrdma_importer_release,
	.unlocked_ioctl	= nrdma_importer_ioctl,
};

static struct miscdevice nrdma_importer_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "nrdma_importer",
	.fops	= &nrdma_importer_fops,
	.mode	= 0600,
};

static int __init nrdma_importer_init(void)
{
	int ret;

	nrdma_importer_pdev = platform_device_register_simple("nrdma_importer",
							      PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(nrdma_importer_pdev))
		return PTR_ERR(nrdma_importer_pdev);
	ret = dma_set_mask_and_coherent(&nrdma_importer_pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		goto unregister_pdev;
	ret = misc_register(&nrdma_importer_misc);
	if (ret)
		goto unregister_pdev;
	return 0;

unregister_pdev:
	platform_device_unregister(nrdma_importer_pdev);
	return ret;
}

static void __exit nrdma_importer_exit(void)
{
	misc_deregister(&nrdma_importer_misc);
	platform_device_unregister(nrdma_importer_pdev);
}

module_init(nrdma_importer_init);
module_exit(nrdma_importer_exit);

MODULE_DESCRIPTION("nrdma's tests: a driver that takes dma-bufs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("DMA_BUF");
