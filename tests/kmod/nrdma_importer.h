/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/nrdma_importer: a driver that takes a dma-buf as a NIC's driver does, by the
 * wish of a test. One attachment for each open file.
 */
#ifndef NRDMA_IMPORTER_H
#define NRDMA_IMPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Attach as importers do that let the exporter move the memory (mlx5 is one) */
#define NRDMA_IMPORTER_DYNAMIC	0x1

/**
 * struct nrdma_importer_attach - attach to a dma-buf
 * @fd: the dma-buf
 * @flags: NRDMA_IMPORTER_*
 * @max_segment: most bytes that the device takes in one piece, 0 for 2 GiB
 * @pad: 0
 */
struct nrdma_importer_attach {
	__s32	fd;
	__u32	flags;
	__u32	max_segment;
	__u32	pad;
};

/**
 * struct nrdma_importer_map - map it for DMA
 * @pages: out: entries of the table as the exporter made it
 * @segments: out: entries as the device sees them
 * @bytes: out: bytes in them
 * @largest: out: bytes of the largest one
 * @smallest: out: bytes of the smallest one
 * @adjoining: out: entries that begin where the one before ends
 * @moved: out: how often the exporter said that the memory moves
 */
struct nrdma_importer_map {
	__u32	pages;
	__u32	segments;
	__u64	bytes;
	__u64	largest;
	__u64	smallest;
	__u32	adjoining;
	__u32	moved;
};

/**
 * struct nrdma_importer_move - the device reads or writes
 * @offset: where in the buffer
 * @bytes: how many
 * @data: address in the caller
 */
struct nrdma_importer_move {
	__u64	offset;
	__u64	bytes;
	__u64	data;
};

#define NRDMA_IMPORTER_MAGIC	0xf7
#define NRDMA_IMPORTER_ATTACH	_IOW(NRDMA_IMPORTER_MAGIC, 0, struct nrdma_importer_attach)
#define NRDMA_IMPORTER_MAP	_IOR(NRDMA_IMPORTER_MAGIC, 1, struct nrdma_importer_map)
/* From the caller's memory into the buffer, by the addresses that the device has */
#define NRDMA_IMPORTER_WRITE	_IOW(NRDMA_IMPORTER_MAGIC, 2, struct nrdma_importer_move)
#define NRDMA_IMPORTER_READ	_IOW(NRDMA_IMPORTER_MAGIC, 3, struct nrdma_importer_move)
/* The kernel's own CPU looks into the buffer, between begin and end of it */
#define NRDMA_IMPORTER_CPU	_IO(NRDMA_IMPORTER_MAGIC, 4)
#define NRDMA_IMPORTER_UNMAP	_IO(NRDMA_IMPORTER_MAGIC, 5)
#define NRDMA_IMPORTER_DETACH	_IO(NRDMA_IMPORTER_MAGIC, 6)

#endif /* NRDMA_IMPORTER_H */
