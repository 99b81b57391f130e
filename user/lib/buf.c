// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers. A handle is a descriptor and what never changes about it, so that
 * threads share it without a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev.h"
#include "fail.h"

/**
 * struct nrdma_buf - a buffer
 * @dev: referenced; to query through
 * @fd: dma-buf
 * @size: bytes
 * @node: the node that was wanted
 * @id: as in netlink
 * @warm: bytes that came from a pool
 */
struct nrdma_buf {
	struct nrdma_dev	*dev;
	int			fd;
	uint64_t		size;
	int			node;
	uint32_t		id;
	uint64_t		warm;
};

/* Takes @fd over in any case. @warm: bytes that came from a pool */
static int nrdma_buf_adopt(struct nrdma_dev *dev, int fd, uint64_t warm, struct nrdma_buf **buf)
{
	struct nrdma_query query = { .fd = fd };
	int ret;

	if (ioctl(dev->fd, NRDMA_IOC_QUERY, &query)) {
		ret = errno == EINVAL ?
			nrdma_fail(-EINVAL, "descriptor %d is not an nrdma buffer", fd) :
			nrdma_fail(-errno, "NRDMA_IOC_QUERY of descriptor %d: %m", fd);
		close(fd);
		return ret;
	}
	*buf = malloc(sizeof(**buf));
	if (!*buf) {
		close(fd);
		return nrdma_fail(-ENOMEM, "no memory for a handle");
	}
	nrdma_dev_get(dev);
	**buf = (struct nrdma_buf){
		.dev = dev,
		.fd = fd,
		.size = query.size,
		.node = query.node,
		.id = query.id,
		.warm = warm,
	};
	return 0;
}

/* Older and newer callers: what they have no room for is as by default. */
static int nrdma_buf_options_read(struct nrdma_buf_options *options,
				  const struct nrdma_buf_options *from)
{
	const unsigned char *more;
	size_t i;

	*options = (struct nrdma_buf_options)NRDMA_BUF_OPTIONS_INIT;
	if (!from)
		return 0;
	if (from->size < offsetof(struct nrdma_buf_options, flags) || from->size > 4096)
		return nrdma_fail(-EINVAL,
				  "struct nrdma_buf_options does not begin with its size, as "
				  "NRDMA_BUF_OPTIONS_INIT gives it");
	more = (const unsigned char *)from;
	for (i = sizeof(*options); i < from->size; i++)
		if (more[i])
			return nrdma_fail(-E2BIG, "libnrdma " NRDMA_VERSION
					  " is too old for an option that is set");
	memcpy(options, from, from->size < sizeof(*options) ? from->size : sizeof(*options));
	return 0;
}

int nrdma_buf_alloc(struct nrdma_dev *dev, uint64_t size,
		    const struct nrdma_buf_options *from, struct nrdma_buf **buf)
{
	struct nrdma_buf_options options;
	struct nrdma_alloc alloc;
	int ret;

	*buf = NULL;
	ret = nrdma_buf_options_read(&options, from);
	if (ret)
		return ret;
	alloc = (struct nrdma_alloc){
		.size = size,
		.min_chunk = options.min_chunk,
		.flags = options.flags,
		.node = options.node,
	};
	if (ioctl(dev->fd, NRDMA_IOC_ALLOC, &alloc))
		return nrdma_fail_alloc(-errno, dev, size, &options, &alloc);
	return nrdma_buf_adopt(dev, alloc.fd, alloc.warm, buf);
}

int nrdma_buf_import(struct nrdma_dev *dev, int fd, struct nrdma_buf **buf)
{
	int mine;

	*buf = NULL;
	mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (mine < 0)
		return nrdma_fail(-errno, "descriptor %d: %m", fd);
	return nrdma_buf_adopt(dev, mine, 0, buf);
}

void nrdma_buf_free(struct nrdma_buf *buf)
{
	if (!buf)
		return;
	close(buf->fd);
	nrdma_close(buf->dev);
	free(buf);
}

/*
 * The kernel aligns a mapping of its own files to what large page table entries
 * need, but not that of a dma-buf. So more is reserved, and the mapping put over
 * the part of it that is aligned as the buffer is.
 */
int nrdma_buf_map(const struct nrdma_buf *buf, uint64_t offset, size_t length, int prot,
		  void **addr)
{
	size_t page = sysconf(_SC_PAGESIZE), align, room, head;
	char *reserved;
	int err;

	*addr = MAP_FAILED;
	if (offset >= buf->size || offset % page || length > buf->size - offset)
		return nrdma_fail(-EINVAL, "%zu bytes at %llu do not lie in a buffer of %llu",
				  length, (unsigned long long)offset,
				  (unsigned long long)buf->size);
	if (!length && buf->size - offset > SIZE_MAX / 2)
		return nrdma_fail(-ENOMEM, "the buffer does not fit the address space");
	length = length ? (length + page - 1) & -page : buf->size - offset;

	for (align = buf->dev->chunk_max; align > length; align >>= 1)
		;
	if (align < page)
		align = page;
	room = length + align - page;
	reserved = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reserved == MAP_FAILED)
		return nrdma_fail(-errno, "%zu bytes of address space: %m", room);

	head = (offset - (uintptr_t)reserved) & (align - 1);
	*addr = mmap(reserved + head, length, prot, MAP_SHARED | MAP_FIXED, buf->fd, offset);
	if (*addr == MAP_FAILED) {
		err = -errno;
		munmap(reserved, room);
		return nrdma_fail(err, "mmap of %zu bytes at %llu: %s", length,
				  (unsigned long long)offset, strerror(-err));
	}
	if (head)
		munmap(reserved, head);
	if (room - head > length)
		munmap(reserved + head + length, room - head - length);
	return 0;
}

uint64_t nrdma_buf_size(const struct nrdma_buf *buf)
{
	return buf->size;
}

int nrdma_buf_node(const struct nrdma_buf *buf)
{
	return buf->node;
}

uint32_t nrdma_buf_id(const struct nrdma_buf *buf)
{
	return buf->id;
}

uint64_t nrdma_buf_warm(const struct nrdma_buf *buf)
{
	return buf->warm;
}

int nrdma_buf_fd(const struct nrdma_buf *buf)
{
	return buf->fd;
}

int nrdma_buf_runs(const struct nrdma_buf *buf, struct nrdma_run *runs, unsigned int *nr)
{
	struct nrdma_query query = {
		.fd = buf->fd,
		.runs = (uintptr_t)runs,
		.nr_runs = *nr,
	};

	if (ioctl(buf->dev->fd, NRDMA_IOC_QUERY, &query))
		return nrdma_fail(-errno, "NRDMA_IOC_QUERY: %m");
	*nr = query.total_runs;
	return 0;
}

int nrdma_buf_bytes_on(const struct nrdma_buf *buf, int node, uint64_t *bytes)
{
	struct nrdma_run *runs;
	unsigned int nr = 0, i;
	int ret;

	*bytes = 0;
	if (node < 0)
		return nrdma_fail(-EINVAL, "%d is no node", node);
	/* A buffer does not change, so the second answer is as long as the first */
	ret = nrdma_buf_runs(buf, NULL, &nr);
	if (ret)
		return ret;
	runs = calloc(nr, sizeof(*runs));
	if (!runs)
		return nrdma_fail(-ENOMEM, "no memory for %u runs", nr);
	ret = nrdma_buf_runs(buf, runs, &nr);
	for (i = 0; !ret && i < nr; i++)
		if (runs[i].node == node)
			*bytes += runs[i].bytes;
	free(runs);
	return ret;
}
