// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "link.h"
#include "size.h"
#include "sys.h"

#define IB_DIR		"/sys/class/infiniband"
#define NET_DIR		"/sys/class/net"
#define NDEVS_TRIED	8	/* entries of a GID table that are looked at */

/**
 * dev_netdev_fits() - whether a network device may be an RDMA device's
 * @name: RDMA device
 * @netdev: as the kernel calls it for that
 *
 * It does so whatever network namespace has that one, and another may be called so
 * in this. A device that is hardware runs over hardware, or over what is above it.
 */
bool dev_netdev_fits(const char *name, const char *netdev)
{
	bool fits = false;
	char **names;
	int i, n;

	if (!sys_exists(NET_DIR "/%s", netdev))
		return false;
	if (!sys_exists(IB_DIR "/%s/device", name) || sys_exists(NET_DIR "/%s/device", netdev))
		return true;
	n = sys_list(&names, NET_DIR "/%s", netdev);
	for (i = 0; i < n; i++)
		fits |= !strncmp(names[i], "lower_", 6);
	sys_list_free(names, n);
	return fits;
}

static bool dev_netdev_of_gid(struct str *netdev, const char *name, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < NDEVS_TRIED; i++) {
		*netdev = sys_str(IB_DIR "/%s/ports/%u/gid_attrs/ndevs/%u", name, port, i);
		if (netdev->known && dev_netdev_fits(name, netdev->s))
			return true;
	}
	netdev->known = false;
	return false;
}

static bool dev_netdev_of_parent(struct str *netdev, const char *name, unsigned int port)
{
	struct num dev_port;
	char **names;
	int i, n;

	n = sys_list(&names, IB_DIR "/%s/device/net", name);
	netdev->known = false;
	for (i = 0; i < n; i++) {
		dev_port = sys_num(NET_DIR "/%s/dev_port", names[i]);
		if (dev_port.known ? dev_port.v == port - 1 : n == 1) {
			*netdev = str_of(names[i]);
			break;
		}
	}
	sys_list_free(names, n);
	return netdev->known;
}

/*
 * siw tells its network device nowhere in sysfs, but its GID begins with that
 * one's address. VLANs share their parent's address: then it is not known.
 */
static bool dev_netdev_of_address(struct str *netdev, const char *name, unsigned int port)
{
	struct str gid = sys_str(IB_DIR "/%s/ports/%u/gids/0", name, port);
	unsigned int b[6], found = 0;
	struct str address;
	char mac[24];
	char **names;
	int i, n;

	netdev->known = false;
	if (!gid.known || sscanf(gid.s, "%2x%2x:%2x%2x:%2x%2x", b, b + 1, b + 2, b + 3, b + 4,
				 b + 5) != 6 || !(b[0] | b[1] | b[2] | b[3] | b[4] | b[5]))
		return false;
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	n = sys_list(&names, NET_DIR);
	for (i = 0; i < n; i++) {
		address = sys_str(NET_DIR "/%s/address", names[i]);
		if (address.known && !strcasecmp(address.s, mac) && !found++)
			*netdev = str_of(names[i]);
	}
	sys_list_free(names, n);
	netdev->known &= found == 1;
	return netdev->known;
}

static struct str dev_port_netdev(const char *name, unsigned int port, bool iwarp)
{
	struct str netdev;

	if (dev_netdev_of_gid(&netdev, name, port))
		return netdev;
	netdev = sys_str(IB_DIR "/%s/parent", name);	/* rxe */
	if (netdev.known && dev_netdev_fits(name, netdev.s))
		return netdev;
	if (dev_netdev_of_parent(&netdev, name, port))
		return netdev;
	if (iwarp && dev_netdev_of_address(&netdev, name, port))
		return netdev;
	return str_none("none");
}

/* "4: ACTIVE" is "active", "5: LinkUp" is "link_up": words as RDMA netlink's */
static struct str dev_state(struct str raw)
{
	struct str state = { .known = true };
	size_t n = 0;
	char *p;

	if (!raw.known)
		return raw;
	p = strchr(raw.s, ':');
	p = p ? p + 1 : raw.s;
	while (*p == ' ')
		p++;
	for (; *p && n < sizeof(state.s) - 2; p++) {
		if (isupper((unsigned char)*p) && n && islower((unsigned char)p[-1]))
			state.s[n++] = '_';
		state.s[n++] = *p == ' ' ? '_' : tolower((unsigned char)*p);
	}
	state.s[n] = '\0';
	return n ? state : str_none("odd text");
}

/* Then it keeps its last rate, or a made-up one */
static bool dev_port_down(const struct dev_port *port)
{
	return port->state.known && !strcmp(port->state.s, "down");
}

static void dev_port_read(struct dev_port *port, const char *name, bool iwarp, bool software)
{
	struct str layer = sys_str(IB_DIR "/%s/ports/%u/link_layer", name, port->port);
	struct link link;
	struct str text;

	port->link_layer = "unknown";
	if (iwarp)
		port->link_layer = "iWARP";
	else if (layer.known && !strcmp(layer.s, "InfiniBand"))
		port->link_layer = "InfiniBand";
	else if (layer.known && !strcmp(layer.s, "Ethernet"))
		port->link_layer = "RoCE";

	port->state = dev_state(sys_str(IB_DIR "/%s/ports/%u/state", name, port->port));
	port->physical_state = dev_state(sys_str(IB_DIR "/%s/ports/%u/phys_state", name,
						 port->port));
	text = sys_str(IB_DIR "/%s/ports/%u/rate", name, port->port);
	if (text.known)
		port->rate = rate_of_port(text.s, -1, 0);
	else
		port->rate = (struct rate){ num_none(text.why), str_none(text.why),
					    num_none(text.why) };
	if (dev_port_down(port))
		port->rate = (struct rate){ num_none("port down"), str_none("port down"),
					    num_none("port down") };
	port->active_mtu = num_none("no verbs");
	port->max_mtu = num_none("no verbs");
	port->netdev = dev_port_netdev(name, port->port, iwarp);
	port->netdev_mtu = num_none(port->netdev.why);
	if (port->netdev.known)
		port->netdev_mtu = sys_num(NET_DIR "/%s/mtu", port->netdev.s);
	port->max_rate = num_none("not told");
	if (!software && port->netdev.known && strcmp(port->link_layer, "InfiniBand")) {
		link_read(&link, port->netdev.s);
		port->max_rate = link.max_bps;
	}
}

/**
 * dev_port_asked() - add what a port's driver told
 * @port: as sysfs has it
 * @name: the device's
 * @link: what was told
 */
void dev_port_asked(struct dev_port *port, const char *name, const struct dev_link *link)
{
	struct str text;

	port->asked = true;
	port->active_mtu = link->active_mtu;
	port->max_mtu = link->max_mtu;
	if (dev_port_down(port))
		return;
	text = sys_str(IB_DIR "/%s/ports/%u/rate", name, port->port);
	port->rate = rate_of_port(text.known ? text.s : NULL, link->speed, link->width);
}

static void dev_ports_read(struct dev *dev)
{
	struct str type = sys_str(IB_DIR "/%s/node_type", dev->name);
	bool iwarp = type.known && !strncmp(type.s, "4:", 2);
	uint32_t port;
	char **names;
	int i, n;

	n = sys_list(&names, IB_DIR "/%s/ports", dev->name);
	dev->nr_ports = 0;
	dev->ports = n > 0 ? calloc(n, sizeof(*dev->ports)) : NULL;
	for (i = 0; dev->ports && i < n; i++) {
		if (size_parse_u32(&port, names[i]))
			continue;
		dev->ports[dev->nr_ports].port = port;
		dev_port_read(&dev->ports[dev->nr_ports++], dev->name, iwarp, dev_is_software(dev));
	}
	sys_list_free(names, n);
}

static struct str dev_driver(const char *name)
{
	struct str desc;
	char dir[SYS_PATH_MAX];

	if (!sys_real(dir, IB_DIR "/%s/device/driver", name))
		return str_of(sys_base(dir));
	if (sys_exists(IB_DIR "/%s/device", name))
		return str_none("none bound");
	/* Software devices have no parent that could name their driver */
	if (sys_exists(IB_DIR "/%s/parent", name))
		return str_of("rdma_rxe");
	desc = sys_str(IB_DIR "/%s/node_desc", name);
	if (desc.known && strstr(desc.s, "Software iWARP"))
		return str_of("siw");
	return str_none("virtual");
}

/**
 * dev_is_software() - whether it is one of the kernel's soft devices, whose rate
 * is made up
 */
bool dev_is_software(const struct dev *dev)
{
	return dev->driver.known && (!strcmp(dev->driver.s, "rdma_rxe") ||
				     !strcmp(dev->driver.s, "siw"));
}

/**
 * dev_is_here() - whether it is there still
 */
bool dev_is_here(const struct dev *dev)
{
	return sys_exists(IB_DIR "/%s", dev->name);
}

/**
 * dev_netdev() - network device of the first port that has one, or NULL
 */
const char *dev_netdev(const struct dev *dev)
{
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++)
		if (dev->ports[i].netdev.known)
			return dev->ports[i].netdev.s;
	return NULL;
}

/* Devices over one function have the same link, which was read for the first */
static void dev_pci_read(struct dev *dev, const struct devs *before)
{
	const struct pci_link none = { str_none("virtual"), num_none("virtual"),
				       num_none("virtual") };
	const char *dir = dev->place.pci_dir;
	unsigned int i;

	for (i = 0; *dir && i < before->nr; i++) {
		if (!strcmp(before->v[i].place.pci_dir, dir)) {
			dev->pci = before->v[i].pci;
			return;
		}
	}
	if (*dir)
		pci_read(&dev->pci, dir);
	else
		dev->pci = (struct pci_func){ str_none("virtual"), none, none, none, none };
}

/* What only the module tells, and why it does not */
void dev_not_told(struct dev *dev, const char *why)
{
	dev->index = num_none(why);
	dev->chardev = str_none(why);
	dev->error = num_none(why);
	dev->buf_count = num_none(why);
	dev->buf_bytes = num_none(why);
	dev->buf_remote_bytes = num_none(why);
}

static void dev_read(struct dev *dev, const char *name, const struct devs *before)
{
	char dir[SYS_PATH_MAX];
	bool parent;

	memset(dev, 0, sizeof(*dev));
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	dev->firmware = sys_str(IB_DIR "/%s/fw_ver", name);
	dev->driver = dev_driver(name);
	dev_ports_read(dev);
	parent = !sys_real(dir, IB_DIR "/%s/device", name);
	place_resolve(&dev->place, parent ? dir : NULL, dev_netdev(dev));
	dev_pci_read(dev, before);
	dev_not_told(dev, "no module");
}

/**
 * devs_read() - every RDMA device of this network namespace
 * @devs: out, for devs_free()
 *
 * Return: 0 (no device is no error), or a negative errno.
 */
int devs_read(struct devs *devs)
{
	char **names;
	int i, n;

	memset(devs, 0, sizeof(*devs));
	n = sys_list(&names, IB_DIR);
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return n;
	devs->v = calloc(n + 1, sizeof(*devs->v));
	for (i = 0; devs->v && i < n; i++, devs->nr++)
		dev_read(&devs->v[i], names[i], devs);
	sys_list_free(names, n);
	return devs->v ? 0 : -ENOMEM;
}

void dev_policy_free(struct dev_policy *policy)
{
	free(policy->cpus);
	free(policy->exclude);
	memset(policy, 0, sizeof(*policy));
}

void devs_free(struct devs *devs)
{
	unsigned int i;

	for (i = 0; i < devs->nr; i++) {
		free(devs->v[i].ports);
		dev_policy_free(&devs->v[i].policy);
	}
	free(devs->v);
	memset(devs, 0, sizeof(*devs));
}

static bool dev_has_netdev(const struct dev *dev, const char *netdev)
{
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++)
		if (dev->ports[i].netdev.known && !strcmp(dev->ports[i].netdev.s, netdev))
			return true;
	return false;
}

static bool dev_is(const struct dev *dev, const char *word)
{
	struct pci_addr want, have;

	if (dev_has_netdev(dev, word))
		return true;
	return pci_parse(&want, word) && dev->place.pci.known &&
	       pci_parse(&have, dev->place.pci.s) && pci_equal(&want, &have);
}

static struct dev *devs_by_name(struct devs *devs, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < devs->nr; i++)
		if (strlen(devs->v[i].name) == len && !strncmp(devs->v[i].name, name, len))
			return &devs->v[i];
	return NULL;
}

/**
 * devs_match() - the devices that a word names
 * @word: "mlx5_0", "mlx5_0/1", a network device or a PCI address
 * @from: the match before, NULL for the first
 * @port: out, the port that was named, or 0
 *
 * A name of an RDMA device wins over a network device of that name. A network
 * device or a PCI function may carry several.
 *
 * Return: the next match, or NULL.
 */
struct dev *devs_match(struct devs *devs, const char *word, struct dev *from, unsigned int *port)
{
	const char *slash = strchr(word, '/');
	struct dev *dev;
	unsigned int i;
	uint32_t n;

	*port = 0;
	dev = devs_by_name(devs, word, strlen(word));
	if (!dev && slash && slash[1] != '0' && !size_parse_u32(&n, slash + 1)) {
		dev = devs_by_name(devs, word, slash - word);
		if (dev)
			*port = n;
	}
	if (dev)
		return from ? NULL : dev;
	for (i = from ? from - devs->v + 1 : 0; i < devs->nr; i++)
		if (dev_is(&devs->v[i], word))
			return &devs->v[i];
	return NULL;
}
