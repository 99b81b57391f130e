/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libnrdma - memory on the NUMA node of an RDMA device
 *
 * Functions return 0, or a negative errno. What the last one that failed in
 * this thread found is in nrdma_last_failure(), with a sentence for people.
 *
 * A device is named as RDMA tools name it ("mlx5_0"), by a network device that
 * it runs over ("eth0"), or by its PCI address ("0000:81:00.0", "81:00.0").
 *
 * A node is a NUMA node as in /sys/devices/system/node/nodeN; -1 is unknown,
 * never 0. Sizes and offsets are bytes.
 *
 * All functions may be called from any thread; handles may be shared between
 * threads, but not be used while another thread lets go of them. After fork()
 * parent and child both own their handles, and free them on their own;
 * mappings are inherited, and shared, as those of any file. Descriptors are
 * close-on-exec.
 */
#ifndef NRDMA_H
#define NRDMA_H

#include <stddef.h>
#include <stdint.h>

#include <linux/nrdma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open device */
struct nrdma_dev;
/* A buffer: zeroed memory that cannot be swapped or moved, and a dma-buf */
struct nrdma_buf;

/**
 * struct nrdma_failure - what a call found that failed
 * @error: negative errno, as the call returned it; 0 when none has failed yet
 * @reason: enum nrdma_reason where an allocation failed for one of these
 * @node: the node that it is about, or -1
 * @wanted: bytes that were asked for, or 0
 * @available: bytes that were free on @node then, in its pool for
 *	NRDMA_REASON_POOL, or 0
 * @limit: for NRDMA_REASON_MEMLOCK, the caller's RLIMIT_MEMLOCK in bytes, else 0
 * @text: one sentence in English that names all of that, and the remedy
 *	where there is one; never NULL
 *
 * Fields may be added at the end.
 */
struct nrdma_failure {
	int		error;
	unsigned int	reason;
	int		node;
	uint64_t	wanted;
	uint64_t	available;
	uint64_t	limit;
	const char	*text;
};

/**
 * nrdma_last_failure() - the last call that failed in this thread
 *
 * A call that succeeds leaves it alone, as it does errno.
 *
 * Return: this thread's record, valid until its next call that fails.
 */
const struct nrdma_failure *nrdma_last_failure(void);

/**
 * nrdma_strreason() - a reason in a few words
 * @reason: enum nrdma_reason, from a failure, NRDMA_IOC_INFO or netlink
 *
 * Return: text that lives for ever; "unknown reason" for a value that is newer
 * than this library.
 */
const char *nrdma_strreason(unsigned int reason);

/**
 * nrdma_version() - version of this library
 *
 * Return: as in the module, the tool and the package: "0.1.0"
 */
const char *nrdma_version(void);

/**
 * nrdma_open() - open a device
 * @dev: out, a handle for nrdma_close(); NULL on failure
 * @name: RDMA device, network device or PCI address
 *
 * The name of an RDMA device wins over a network device of that name.
 *
 * Return: 0, or -EINVAL @name is empty or too long; -ENODEV no such device, or it was
 * just removed; -ENOTUNIQ several RDMA devices run over that network device or
 * PCI function; -ENOENT the RDMA device is there but the module nrdma is not
 * loaded; -EACCES no permission for the character device; -EPROTONOSUPPORT
 * module and library are of different ABI versions; -EMFILE, -ENFILE, -ENOMEM.
 */
int nrdma_open(struct nrdma_dev **dev, const char *name);

/**
 * nrdma_close() - let go of a device
 * @dev: handle, or NULL
 *
 * Buffers that were made through it stay.
 */
void nrdma_close(struct nrdma_dev *dev);

/**
 * nrdma_dev_fd() - the open character device
 * @dev: handle
 *
 * To poll: POLLHUP is reported when the RDMA device is removed.
 *
 * Return: a descriptor that belongs to @dev.
 */
int nrdma_dev_fd(const struct nrdma_dev *dev);

/**
 * nrdma_dev_info() - what the module says of a device now
 * @dev: handle
 * @info: out, see <linux/nrdma.h>: name (it may have been renamed), node,
 *	memory node, whether it is gone, chunk sizes
 * @size: sizeof(*info)
 *
 * What an older module does not tell is 0.
 *
 * Return: 0, or -EINVAL @size is 0 or more than a page.
 */
int nrdma_dev_info(const struct nrdma_dev *dev, struct nrdma_info *info, size_t size);

/**
 * nrdma_node_of_device() - the node of a device
 * @name: RDMA device, network device or PCI address
 * @node: out, the node, or -1 when it is not known
 *
 * With the module: what it says, an administrator's override included. Without
 * it, with one of another ABI, or without permission to open the device: what sysfs
 * says.
 *
 * Return: 0, or -EINVAL, -ENODEV, -ENOTUNIQ as nrdma_open(); -ENOMEM.
 */
int nrdma_node_of_device(const char *name, int *node);

/**
 * nrdma_device_of_node() - the devices of a node
 * @node: node, 0 or above, or -1 for those whose node is not known
 * @nth: which of them, from 0, in order of their names
 * @name: out, the RDMA device's name
 * @size: room in @name; NRDMA_NAME_MAX is enough
 *
 * Return: 0, or -ENOENT the node has not more than @nth devices; -EINVAL @node is
 * less than -1; -ERANGE @size is too small; -ENOMEM.
 */
int nrdma_device_of_node(int node, unsigned int nth, char *name, size_t size);

/**
 * nrdma_bind_thread() - let the calling thread run on a device's node only
 * @dev: handle
 * @node: out, the node whose CPUs were taken, or NULL not to know
 *
 * Its affinity becomes those of the node's CPUs that it may use now: what
 * taskset, numactl or a cpuset have left, so it never gets wider. Where the
 * node has no CPUs, the nearest node that has. Threads that it makes later
 * inherit this.
 *
 * Return: 0, or -ENXIO the device's node is not known; -EPERM the thread may use no
 * CPU of that node; -ENODATA no node has CPUs, or sysfs does not say; -ENOMEM.
 * Then the affinity is as it was.
 */
int nrdma_bind_thread(const struct nrdma_dev *dev, int *node);

/**
 * struct nrdma_buf_options - how to allocate
 * @size: sizeof(struct nrdma_buf_options)
 * @node: a node, or NRDMA_NODE_DEVICE (-1) for the device's memory node
 * @flags: NRDMA_ALLOC_REMOTE: other nodes may help out when that one is full,
 *	nearest first; without it the buffer is wholly on its node.
 *	NRDMA_ALLOC_POOL_ONLY: from the pool that an administrator set aside on
 *	that node, or not at all; without it a pool is used as far as it goes
 * @min_chunk: no physically contiguous piece is smaller than this: 0 for any,
 *	else a power of two between the device's chunk_min and chunk_max
 *
 * Begin with NRDMA_BUF_OPTIONS_INIT: all zero would mean node 0, and is refused.
 */
struct nrdma_buf_options {
	size_t		size;
	int		node;
	uint32_t	flags;
	uint64_t	min_chunk;
};

#define NRDMA_BUF_OPTIONS_INIT \
	{ sizeof(struct nrdma_buf_options), NRDMA_NODE_DEVICE, 0, 0 }

/**
 * nrdma_buf_alloc() - allocate a buffer
 * @dev: handle
 * @size: bytes, above 0; rounded up to a page, to @options->min_chunk, or to the
 *	chunk of the pool that it must come from
 * @options: or NULL for a buffer wholly on the device's memory node
 * @buf: out, a handle for nrdma_buf_free(); NULL on failure
 *
 * Return: 0, or the errno of an enum nrdma_reason in <linux/nrdma.h>, with numbers in
 * nrdma_last_failure(): -ENOMEM the node is full or fragmented, RLIMIT_MEMLOCK,
 * memory cgroup, cpuset, pool; -EDQUOT a cap of the module; -ENXIO the device's node
 * is not known and none was named; -ENODEV the device was removed; -EINTR.
 * Also -EINVAL @size 0 or malformed @options, of which the text names the field, or a
 * node that has no memory; -E2BIG @size, or options that this library is too old for;
 * -EMFILE, -ENFILE.
 */
int nrdma_buf_alloc(struct nrdma_dev *dev, uint64_t size,
		    const struct nrdma_buf_options *options, struct nrdma_buf **buf);

/**
 * nrdma_buf_import() - a buffer from a descriptor
 * @dev: handle, of any device
 * @fd: dma-buf of an nrdma buffer; stays the caller's
 * @buf: out, a handle for nrdma_buf_free(); NULL on failure
 *
 * Return: 0, or -EBADF; -EINVAL @fd is not an nrdma buffer; -EMFILE, -ENOMEM.
 */
int nrdma_buf_import(struct nrdma_dev *dev, int fd, struct nrdma_buf **buf);

/**
 * nrdma_buf_free() - let go of a buffer
 * @buf: handle, or NULL
 *
 * Mappings, registrations and descriptors elsewhere stay valid. The memory is
 * freed when the last of them is gone.
 */
void nrdma_buf_free(struct nrdma_buf *buf);

/**
 * nrdma_buf_map() - map a buffer
 * @buf: handle
 * @offset: where to begin, a multiple of the page size
 * @length: bytes; 0 for all from @offset on
 * @prot: PROT_READ, PROT_WRITE; ibv_reg_mr() wants both
 * @addr: out, the address; MAP_FAILED on failure
 *
 * At an address such that the kernel can use large page table entries, which
 * plain mmap() of the descriptor does not see to. A mapping outlives @buf:
 * munmap() ends it, or any part of it. Several mappings share the memory.
 *
 * Return: 0, or -EINVAL @offset or @length do not fit the buffer; -ENOMEM.
 */
int nrdma_buf_map(const struct nrdma_buf *buf, uint64_t offset, size_t length, int prot,
		  void **addr);

/**
 * nrdma_buf_size() - real size of a buffer
 * @buf: handle
 *
 * Return: bytes, a multiple of the page size.
 */
uint64_t nrdma_buf_size(const struct nrdma_buf *buf);

/**
 * nrdma_buf_node() - the node that was wanted for a buffer
 * @buf: handle
 *
 * Where its memory really lies is told by nrdma_buf_bytes_on().
 *
 * Return: node.
 */
int nrdma_buf_node(const struct nrdma_buf *buf);

/**
 * nrdma_buf_id() - a buffer's number
 * @buf: handle
 *
 * Return: the number under which "nrdmactl buf show" lists it.
 */
uint32_t nrdma_buf_id(const struct nrdma_buf *buf);

/**
 * nrdma_buf_warm() - how much of a buffer was zeroed beforehand
 * @buf: handle
 *
 * Return: bytes that came from a pool, for the handle of nrdma_buf_alloc(); 0
 * for an imported one.
 */
uint64_t nrdma_buf_warm(const struct nrdma_buf *buf);

/**
 * nrdma_buf_fd() - a buffer's dma-buf
 * @buf: handle
 *
 * For ibv_reg_dmabuf_mr(), mmap(), another driver, or another process.
 *
 * Return: a descriptor that belongs to @buf; dup() it to keep it.
 */
int nrdma_buf_fd(const struct nrdma_buf *buf);

/**
 * nrdma_buf_bytes_on() - how much of a buffer lies on a node
 * @buf: handle
 * @node: node
 * @bytes: out
 *
 * Return: 0, or -EINVAL @node is less than 0; -ENOMEM.
 */
int nrdma_buf_bytes_on(const struct nrdma_buf *buf, int node, uint64_t *bytes);

/**
 * nrdma_buf_runs() - where a buffer lies
 * @buf: handle
 * @runs: out, in order of their offset; may be NULL with *@nr 0
 * @nr: in, room in @runs; out, how many runs there are. When that is more
 *	than there was room, the first ones were written.
 *
 * Return: 0, -EFAULT @runs is NULL and *@nr is not 0, or -ENOMEM.
 */
int nrdma_buf_runs(const struct nrdma_buf *buf, struct nrdma_run *runs, unsigned int *nr);

/**
 * nrdma_buf_send() - give a buffer to another process
 * @buf: handle; stays the caller's
 * @sock: connected Unix socket of any type
 *
 * One message of eight bytes and the descriptor (SCM_RIGHTS).
 *
 * Return: 0, or what sendmsg(2) says, such as -EPIPE (without a signal), -EAGAIN.
 */
int nrdma_buf_send(const struct nrdma_buf *buf, int sock);

/**
 * nrdma_buf_recv() - take a buffer from another process
 * @dev: handle, of any device
 * @sock: connected Unix socket
 * @buf: out, a handle for nrdma_buf_free(); NULL on failure
 *
 * Waits for a message of nrdma_buf_send(), unless @sock is non-blocking. The
 * kernel is asked whether it really is an nrdma buffer.
 *
 * Return: 0, or -ECONNRESET the other side is gone, or has sent a message of no bytes
 * and no descriptor, which looks the same; -EBADMSG something else was sent; -EINVAL
 * what came is no nrdma buffer; -EAGAIN; -EMFILE; -ENOMEM. What came is closed then.
 */
int nrdma_buf_recv(struct nrdma_dev *dev, int sock, struct nrdma_buf **buf);

#ifdef __cplusplus
}
#endif

#endif /* NRDMA_H */
