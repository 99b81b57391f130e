// SPDX-License-Identifier: GPL-2.0
/*
 * nrdma - node-local memory and interrupts for RDMA devices
 */
#include <linux/module.h>

#include "account.h"
#include "buffer.h"
#include "chrdev.h"
#include "device.h"
#include "fill.h"
#include "irq.h"
#include "netlink.h"
#include "pool.h"

/*
 * Devices come last and go first: everything that add() needs is there, and
 * what remove() has to tell, or leaves to be told by work of its own, still finds
 * the netlink family.
 */
static int __init nrdma_init(void)
{
	int ret;

	ret = nrdma_account_init();
	if (ret)
		return ret;
	ret = nrdma_pool_init();
	if (ret)
		goto exit_account;
	ret = nrdma_fill_init();
	if (ret)
		goto exit_pool;
	ret = nrdma_chrdev_init();
	if (ret)
		goto exit_fill;
	ret = nrdma_netlink_init();
	if (ret)
		goto exit_chrdev;
	ret = nrdma_irq_init();
	if (ret)
		goto exit_netlink;
	ret = nrdma_device_init();
	if (ret)
		goto exit_irq;
	return 0;

exit_irq:
	nrdma_irq_exit();
exit_netlink:
	nrdma_netlink_exit();
exit_chrdev:
	nrdma_chrdev_exit();
exit_fill:
	nrdma_fill_exit();
exit_pool:
	nrdma_pool_exit();
exit_account:
	nrdma_account_exit();
	return ret;
}

static void __exit nrdma_exit(void)
{
	nrdma_device_exit();
	nrdma_irq_exit();
	nrdma_netlink_exit();
	nrdma_chrdev_exit();
	nrdma_buffer_exit();
	nrdma_fill_exit();
	nrdma_pool_exit();
	nrdma_account_exit();
}

module_init(nrdma_init);
module_exit(nrdma_exit);

MODULE_DESCRIPTION("Node-local memory and interrupts for RDMA devices");
MODULE_AUTHOR("The nrdma authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(NRDMA_VERSION);
MODULE_IMPORT_NS("DMA_BUF");
/*
 * Clients are removed in the reverse order of their registration, and
 * ib_uverbs may wait for its users there: come after it, go before it.
 */
MODULE_SOFTDEP("pre: ib_uverbs");
