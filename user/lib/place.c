// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where RDMA devices are, and what else they are called: as the module finds
 * out in the kernel, from sysfs.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fail.h"
#include "place.h"
#include "sysfs.h"

#define NET_DIR		"/sys/class/net"
#define NETDEV_DEPTH	8	/* of network devices over network devices */

/* ---- where ---- */

static int nrdma_place_numa_node(const char *dir)
{
	long long node;

	if (nrdma_sysfs_number(&node, "%s/numa_node", dir) || node < 0 || node > INT_MAX ||
	    !nrdma_sysfs_exists("/sys/devices/system/node/node%lld", node))
		return -1;
	return node;
}

/*
 * From @dir upwards until both are known: a virtio or auxiliary device has its
 * PCI function above it.
 */
static void nrdma_place_climb(struct nrdma_place *place, char *dir)
{
	char bus[PATH_MAX], *slash;

	place->node = -1;
	place->pci[0] = '\0';
	while (!strncmp(dir, "/sys/devices/", 13) && (place->node < 0 || !place->pci[0])) {
		slash = strrchr(dir, '/');
		if (place->node < 0)
			place->node = nrdma_place_numa_node(dir);
		if (!place->pci[0] && !nrdma_sysfs_real(bus, "%s/subsystem", dir) &&
		    !strcmp(strrchr(bus, '/'), "/pci"))
			snprintf(place->pci, sizeof(place->pci), "%s", slash + 1);
		*slash = '\0';
	}
}

static void nrdma_place_of_netdev(struct nrdma_place *place, const char *netdev,
				  unsigned int depth)
{
	struct nrdma_place lower;
	unsigned int found = 0;
	char dir[PATH_MAX];
	char **names;
	int i, n;

	*place = (struct nrdma_place){ .node = -1 };
	if (!nrdma_sysfs_real(dir, NET_DIR "/%s/device", netdev)) {
		nrdma_place_climb(place, dir);
		return;
	}
	if (!depth)
		return;
	n = nrdma_sysfs_list(&names, NET_DIR "/%s", netdev);
	for (i = 0; i < n; i++) {
		if (strncmp(names[i], "lower_", 6))
			continue;
		nrdma_place_of_netdev(&lower, names[i] + 6, depth - 1);
		if (!found++)
			*place = lower;
		if (lower.node != place->node)
			place->node = -1;
		if (strcmp(lower.pci, place->pci))
			place->pci[0] = '\0';
	}
	nrdma_sysfs_list_free(names, n);
}

/* ---- network devices ---- */

/* Is @name the one that is looked for (any, when @want is NULL)? */
static bool nrdma_netdev_is(const char *name, const char *want, char found[IFNAMSIZ])
{
	if (want && strcmp(name, want))
		return false;
	snprintf(found, IFNAMSIZ, "%.*s", IFNAMSIZ - 1, name);
	return true;
}

/*
 * The kernel names a network device whatever network namespace has it, and another
 * may be called so in this. A device that is hardware runs over hardware, or over
 * what is above it.
 */
static bool nrdma_netdev_fits(const char *ib, const char *netdev)
{
	bool fits = false;
	char **names;
	int i, n;

	if (!nrdma_sysfs_exists(NET_DIR "/%s", netdev))
		return false;
	if (!nrdma_sysfs_exists(NRDMA_IB_DIR "/%s/device", ib) ||
	    nrdma_sysfs_exists(NET_DIR "/%s/device", netdev))
		return true;
	n = nrdma_sysfs_list(&names, NET_DIR "/%s", netdev);
	for (i = 0; i < n; i++)
		fits |= !strncmp(names[i], "lower_", 6);
	nrdma_sysfs_list_free(names, n);
	return fits;
}

static bool nrdma_netdev_of_gids(const char *ib, const char *port, const char *want,
				 char found[IFNAMSIZ])
{
	char name[IFNAMSIZ + 1];
	bool is = false;
	char **gids;
	int i, n;

	n = nrdma_sysfs_list(&gids, NRDMA_IB_DIR "/%s/ports/%s/gid_attrs/ndevs", ib, port);
	for (i = 0; i < n && !is; i++)
		is = nrdma_sysfs_read(name, sizeof(name), NRDMA_IB_DIR
				      "/%s/ports/%s/gid_attrs/ndevs/%s", ib, port, gids[i]) > 0 &&
		     nrdma_netdev_fits(ib, name) && nrdma_netdev_is(name, want, found);
	nrdma_sysfs_list_free(gids, n);
	return is;
}

/*
 * siw tells its network device nowhere in sysfs, but its GID begins with that
 * one's address. Where several have that address it is not known.
 */
static bool nrdma_netdev_of_address(const char *ib, const char *want, char found[IFNAMSIZ])
{
	char gid[64], mac[32], address[32], only[IFNAMSIZ];
	unsigned int b[6], hits = 0;
	char **names;
	int i, n;

	if (nrdma_sysfs_read(gid, sizeof(gid), NRDMA_IB_DIR "/%s/node_type", ib) <= 0 ||
	    strncmp(gid, "4:", 2) ||
	    nrdma_sysfs_read(gid, sizeof(gid), NRDMA_IB_DIR "/%s/ports/1/gids/0", ib) <= 0 ||
	    sscanf(gid, "%2x%2x:%2x%2x:%2x%2x", b, b + 1, b + 2, b + 3, b + 4, b + 5) != 6 ||
	    !(b[0] | b[1] | b[2] | b[3] | b[4] | b[5]))
		return false;
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	n = nrdma_sysfs_list(&names, NET_DIR);
	for (i = 0; i < n; i++)
		if (nrdma_sysfs_read(address, sizeof(address), NET_DIR "/%s/address",
				     names[i]) > 0 && !strcasecmp(address, mac) && !hits++)
			snprintf(only, sizeof(only), "%.*s", IFNAMSIZ - 1, names[i]);
	nrdma_sysfs_list_free(names, n);
	return hits == 1 && nrdma_netdev_is(only, want, found);
}

static bool nrdma_netdev_find(const char *ib, const char *want, char found[IFNAMSIZ])
{
	char name[IFNAMSIZ + 1];
	bool is = false;
	char **names;
	int i, n;

	n = nrdma_sysfs_list(&names, NRDMA_IB_DIR "/%s/ports", ib);
	for (i = 0; i < n && !is; i++)
		is = nrdma_netdev_of_gids(ib, names[i], want, found);
	nrdma_sysfs_list_free(names, n);
	if (is)
		return true;

	/* rxe */
	if (nrdma_sysfs_read(name, sizeof(name), NRDMA_IB_DIR "/%s/parent", ib) > 0 &&
	    nrdma_netdev_fits(ib, name) && nrdma_netdev_is(name, want, found))
		return true;

	n = nrdma_sysfs_list(&names, NRDMA_IB_DIR "/%s/device/net", ib);
	for (i = 0; i < n && !is; i++)
		is = nrdma_netdev_is(names[i], want, found);
	nrdma_sysfs_list_free(names, n);
	return is || nrdma_netdev_of_address(ib, want, found);
}

/*
 * nrdma_place_resolve() - where an RDMA device is
 * @place: out
 * @ib: name of an RDMA device
 */
void nrdma_place_resolve(struct nrdma_place *place, const char *ib)
{
	char dir[PATH_MAX], netdev[IFNAMSIZ];

	*place = (struct nrdma_place){ .node = -1 };
	if (!nrdma_sysfs_real(dir, NRDMA_IB_DIR "/%s/device", ib))
		nrdma_place_climb(place, dir);
	else if (nrdma_netdev_find(ib, NULL, netdev))
		nrdma_place_of_netdev(place, netdev, NETDEV_DEPTH);
}

/* ---- names ---- */

struct nrdma_pci {
	unsigned int	domain, bus, slot, function;
};

/* "0000:81:00.0", "81:00.0", "10000:01:00.0": a domain may have 32 bits */
static bool nrdma_pci_parse(struct nrdma_pci *pci, const char *text)
{
	int end = -1;

	*pci = (struct nrdma_pci){ 0 };
	if (strspn(text, "0123456789abcdefABCDEF:.") != strlen(text))
		return false;
	sscanf(text, "%8x:%2x:%2x.%1x%n", &pci->domain, &pci->bus, &pci->slot, &pci->function,
	       &end);
	if (end < 0) {
		pci->domain = 0;
		sscanf(text, "%2x:%2x.%1x%n", &pci->bus, &pci->slot, &pci->function, &end);
	}
	return end > 0 && !text[end] && pci->slot < 32 && pci->function < 8;
}

static bool nrdma_pci_is(const char *text, const struct nrdma_pci *want)
{
	struct nrdma_pci pci;

	return nrdma_pci_parse(&pci, text) && pci.domain == want->domain &&
	       pci.bus == want->bus && pci.slot == want->slot && pci.function == want->function;
}

static bool nrdma_place_is(const char *ib, const char *name)
{
	struct nrdma_place place;
	char netdev[IFNAMSIZ];
	struct nrdma_pci pci;

	if (!nrdma_pci_parse(&pci, name))
		return nrdma_netdev_find(ib, name, netdev);
	nrdma_place_resolve(&place, ib);
	return nrdma_pci_is(place.pci, &pci);
}

/*
 * nrdma_place_find() - which RDMA device has a name
 * @name: RDMA device, network device or PCI address
 * @ib: out, the RDMA device's name
 *
 * Return: 0 or nrdma_fail().
 */
int nrdma_place_find(const char *name, char ib[NRDMA_NAME_MAX])
{
	char several[256] = "";
	unsigned int hits = 0;
	char **names;
	int i, n;

	if (!*name || strlen(name) >= NRDMA_NAME_MAX || strchr(name, '/') || *name == '.')
		return nrdma_fail(-EINVAL, "\"%.*s\" names no device", NRDMA_NAME_MAX, name);
	snprintf(ib, NRDMA_NAME_MAX, "%s", name);
	if (nrdma_sysfs_exists(NRDMA_IB_DIR "/%s", name))
		return 0;

	n = nrdma_sysfs_list(&names, NRDMA_IB_DIR);
	if (n == -ENOMEM)
		return nrdma_fail(n, "%s: no memory to look for it", name);
	for (i = 0; i < n; i++) {
		size_t len = strlen(several);

		if (strlen(names[i]) >= NRDMA_NAME_MAX || !nrdma_place_is(names[i], name))
			continue;
		snprintf(ib, NRDMA_NAME_MAX, "%s", names[i]);
		snprintf(several + len, sizeof(several) - len, "%s%s", hits++ ? ", " : "",
			 names[i]);
	}
	nrdma_sysfs_list_free(names, n);
	if (hits > 1)
		return nrdma_fail(-ENOTUNIQ, "%s carries several RDMA devices, so name one of "
				  "them: %s", name, several);
	if (!hits)
		return nrdma_fail(-ENODEV, n <= 0 ? "%s: there is no RDMA device at all" :
				  "%s is no RDMA device, nor a network device or PCI function "
				  "that carries one", name);
	return 0;
}
