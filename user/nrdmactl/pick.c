// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "say.h"

static void pick_say_unknown(const struct devs *devs, const char *word)
{
	char list[512] = "", one[256];
	const char *netdev;
	unsigned int i;

	if (!devs->nr) {
		say("no RDMA device \"%s\": this host has none (rdma dev)", word);
		return;
	}
	for (i = 0; i < devs->nr; i++) {
		const struct dev *dev = &devs->v[i];

		netdev = dev_netdev(dev);
		snprintf(one, sizeof(one), "%s%s%s%s%s%s%s", i ? ", " : "", dev->name,
			 netdev || dev->place.pci.known ? " (" : "", netdev ? netdev : "",
			 netdev && dev->place.pci.known ? ", " : "",
			 dev->place.pci.known ? dev->place.pci.s : "",
			 netdev || dev->place.pci.known ? ")" : "");
		if (strlen(list) + strlen(one) + 6 > sizeof(list)) {
			strcat(list, ", ...");
			break;
		}
		strcat(list, one);
	}
	say("no RDMA device \"%s\": there is %s", word, list);
}

static int pick_port(const struct dev *dev, unsigned int port)
{
	char list[256] = "", one[16];
	unsigned int i;

	for (i = 0; i < dev->nr_ports; i++) {
		if (dev->ports[i].port == port)
			return 0;
		snprintf(one, sizeof(one), "%s%u", i ? ", " : "", dev->ports[i].port);
		strncat(list, one, sizeof(list) - strlen(list) - 1);
	}
	say("%s has no port %u: there is %s", dev->name, port, *list ? list : "none");
	return -ENOENT;
}

/**
 * pick() - read the host's devices and find those that are meant
 * @picked: out, for pick_free() whatever is returned
 * @args: its first word is a device or missing, for all
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int pick(struct picked *picked, const struct args *args)
{
	struct dev *dev = NULL;
	unsigned int i, n = 0;
	int err;

	memset(picked, 0, sizeof(*picked));
	err = devs_read(&picked->devs);
	if (err) {
		say("the RDMA devices cannot be read: %s", strerror(-err));
		return err;
	}
	picked->match = calloc(picked->devs.nr + 1, sizeof(*picked->match));
	if (!picked->match)
		return -ENOMEM;
	if (!args->pos) {
		for (i = 0; i < picked->devs.nr; i++)
			picked->match[i] = &picked->devs.v[i];
		return 0;
	}
	while ((dev = devs_match(&picked->devs, args->pos, dev, &picked->port)))
		picked->match[n++] = dev;
	if (!n) {
		pick_say_unknown(&picked->devs, args->pos);
		return -ENODEV;
	}
	return picked->port ? pick_port(picked->match[0], picked->port) : 0;
}

/**
 * pick_one() - as pick(), for commands that change one device
 * @by_function: any device of the PCI function will do
 *
 * Return: the device, or NULL after saying what is wrong.
 */
struct dev *pick_one(struct picked *picked, const struct args *args, bool by_function)
{
	struct dev **match;

	if (pick(picked, args))
		return NULL;
	match = picked->match;
	if (match[1] && !(by_function && match[0]->place.pci_dir[0] &&
			  !strcmp(match[0]->place.pci_dir, match[1]->place.pci_dir))) {
		say("\"%s\" is more than one device: %s and %s; name one", args->pos,
		    match[0]->name, match[1]->name);
		return NULL;
	}
	return match[0];
}

void pick_free(struct picked *picked)
{
	free(picked->match);
	devs_free(&picked->devs);
}
