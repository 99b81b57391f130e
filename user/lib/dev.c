// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Devices: names, nodes, and the character device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dev.h"
#include "fail.h"
#include "place.h"
#include "sysfs.h"

const char *nrdma_version(void)
{
	return NRDMA_VERSION;
}

void nrdma_dev_get(struct nrdma_dev *dev)
{
	atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
}

void nrdma_close(struct nrdma_dev *dev)
{
	if (!dev || atomic_fetch_sub_explicit(&dev->refs, 1, memory_order_acq_rel) != 1)
		return;
	close(dev->fd);
	free(dev);
}

int nrdma_dev_fd(const struct nrdma_dev *dev)
{
	return dev->fd;
}

int nrdma_dev_info(const struct nrdma_dev *dev, struct nrdma_info *info, size_t size)
{
	struct nrdma_info known = { 0 };

	if (!size || size > 4096)
		return nrdma_fail(-EINVAL, "%zu is no size of struct nrdma_info", size);
	/* Not the caller's size: a module that is older than he would refuse it */
	if (ioctl(dev->fd, NRDMA_IOC_INFO, &known))
		return nrdma_fail(-errno, "NRDMA_IOC_INFO: %m");
	memset(info, 0, size);
	memcpy(info, &known, size < sizeof(known) ? size : sizeof(known));
	return 0;
}

/* The name that a device has now, for messages */
void nrdma_dev_name(const struct nrdma_dev *dev, char name[NRDMA_NAME_MAX])
{
	struct nrdma_info info = { 0 };

	if (ioctl(dev->fd, NRDMA_IOC_INFO, &info))
		snprintf(info.name, sizeof(info.name), "the device");
	snprintf(name, NRDMA_NAME_MAX, "%.*s", NRDMA_NAME_MAX - 1, info.name);
}

/*
 * Opens /dev/nrdma/@file where that is @ib's.
 *
 * Return: a descriptor; -ENODEV it is another device's; -EPROTONOSUPPORT the module
 * is of another ABI, see @info; -ENOTTY it is no device of the module; or another
 * negative errno of open(2). Who asks records it, if it fails for that.
 */
static int nrdma_dev_try(const char *file, const char *ib, struct nrdma_info *info)
{
	char path[PATH_MAX];
	int fd, ret;

	ret = nrdma_sysfs_path(path, NRDMA_DEV_DIR "/%s", file);
	if (ret)
		return ret;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		/* A minor number without a device: removed since */
		return errno == ENXIO ? -ENODEV : -errno;

	memset(info, 0, sizeof(*info));
	if (ioctl(fd, NRDMA_IOC_INFO, info))
		ret = -errno;
	else if (info->abi_version != NRDMA_ABI_VERSION)
		ret = -EPROTONOSUPPORT;
	else if (strncmp(info->name, ib, sizeof(info->name)))
		ret = -ENODEV;
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

/*
 * Device names are unique per network namespace only, /dev/nrdma is one: of
 * several devices of a name all but the first are called "name@index". Another
 * namespace's cannot be opened (ENODEV).
 */
static int nrdma_dev_try_all(const char *ib, struct nrdma_info *info)
{
	size_t len = strlen(ib);
	char **names;
	int fd, i, n;

	fd = nrdma_dev_try(ib, ib, info);
	if (fd != -ENODEV && fd != -ENOENT)
		return fd;
	n = nrdma_sysfs_list(&names, NRDMA_DEV_DIR);
	for (i = 0; i < n; i++) {
		if (strncmp(names[i], ib, len) || names[i][len] != '@')
			continue;
		fd = nrdma_dev_try(names[i], ib, info);
		if (fd != -ENODEV && fd != -ENOENT)
			break;
	}
	nrdma_sysfs_list_free(names, n);
	return fd;
}

int nrdma_open(struct nrdma_dev **dev, const char *name)
{
	char ib[NRDMA_NAME_MAX];
	struct nrdma_info info;
	int before = errno;
	int fd, ret;

	*dev = NULL;
	ret = nrdma_place_find(name, ib);
	if (ret)
		return ret;
	fd = nrdma_dev_try_all(ib, &info);
	switch (fd) {
	case -EPROTONOSUPPORT:
		return nrdma_fail(fd, "the module nrdma (%.*s) speaks version %u of its interface, "
				  "libnrdma (" NRDMA_VERSION ") version %d: install both from one "
				  "release, and load the module anew",
				  (int)sizeof(info.version), info.version, info.abi_version,
				  NRDMA_ABI_VERSION);
	case -ENOTTY:
		return nrdma_fail(-EPROTONOSUPPORT, NRDMA_DEV_DIR "/%s is no device of the module "
				  "nrdma", ib);
	case -ENOENT:
		if (!nrdma_sysfs_exists("/sys/class/nrdma"))
			return nrdma_fail(fd, "the module nrdma is not loaded: modprobe nrdma");
		return nrdma_fail(fd, "there is no " NRDMA_DEV_DIR "/%s here; a container is given "
				  "it with --device " NRDMA_DEV_DIR "/%s", ib, ib);
	case -ENODEV:
		return nrdma_fail(fd, "the RDMA device %s was removed", ib);
	case -EACCES:
	case -EPERM:
		return nrdma_fail(fd, NRDMA_DEV_DIR "/%s may not be opened by this user or in this "
				  "container: look at its mode, and at the udev rules or the "
				  "container's devices", ib);
	}
	if (fd < 0)
		return nrdma_fail(fd, NRDMA_DEV_DIR "/%s: %s", ib, strerror(-fd));

	*dev = malloc(sizeof(**dev));
	if (!*dev) {
		close(fd);
		return nrdma_fail(-ENOMEM, "%s: no memory for a handle", ib);
	}
	atomic_init(&(*dev)->refs, 1);
	(*dev)->fd = fd;
	(*dev)->chunk_max = info.chunk_max;
	errno = before;
	return 0;
}

static int nrdma_dev_node(const char *ib)
{
	struct nrdma_info info = { .node = -1 };
	struct nrdma_place place;
	int fd;

	fd = nrdma_dev_try_all(ib, &info);
	if (fd >= 0) {
		close(fd);
		return info.node;
	}
	nrdma_place_resolve(&place, ib);
	return place.node;
}

int nrdma_node_of_device(const char *name, int *node)
{
	char ib[NRDMA_NAME_MAX];
	int before = errno;
	int ret;

	*node = -1;
	ret = nrdma_place_find(name, ib);
	if (ret)
		return ret;
	*node = nrdma_dev_node(ib);
	errno = before;
	return 0;
}

int nrdma_device_of_node(int node, unsigned int nth, char *name, size_t size)
{
	unsigned int hits = 0;
	int before = errno;
	int ret = -ENOENT;
	char **names;
	int i, n;

	if (node < -1)
		return nrdma_fail(-EINVAL, "%d is no node", node);
	n = nrdma_sysfs_list(&names, NRDMA_IB_DIR);
	if (n == -ENOMEM)
		return nrdma_fail(n, "no memory to list devices");
	for (i = 0; i < n; i++) {
		if (nrdma_dev_node(names[i]) != node || hits++ != nth)
			continue;
		ret = (size_t)snprintf(name, size, "%s", names[i]) < size ? 0 : -ERANGE;
		break;
	}
	nrdma_sysfs_list_free(names, n);
	if (ret == -ERANGE)
		return nrdma_fail(ret, "no room for the name in %zu bytes", size);
	if (ret && node < 0)
		return nrdma_fail(ret, "%u RDMA devices are of unknown node, not %u", hits,
				  nth + 1);
	if (ret)
		return nrdma_fail(ret, "node %d has %u RDMA devices, not %u", node, hits, nth + 1);
	errno = before;
	return 0;
}
