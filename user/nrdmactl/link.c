// SPDX-License-Identifier: GPL-2.0
/* What a network device's link could be: its modes, which the kernel itself names. */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "link.h"
#include "sys.h"

#define MBPS		1000000LL
#define LINK_WORDS_MAX	64

/* The names of the kernel's link modes, read once */
static struct link_names {
	bool read;
	unsigned int nr;
	char (*names)[LINK_MODE_LEN];
} link_names;

static int link_ioctl(int fd, const char *netdev, void *cmd)
{
	struct ifreq ifr = { .ifr_data = cmd };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static void link_names_read(int fd, const char *netdev)
{
	union {
		struct ethtool_sset_info info;
		uint32_t words[sizeof(struct ethtool_sset_info) / 4 + 1];
	} count = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_LINK_MODES } };
	struct ethtool_gstrings *strings;
	uint32_t nr;

	link_names.read = true;
	if (link_ioctl(fd, netdev, &count) || !count.info.sset_mask)
		return;
	nr = count.info.data[0];
	if (nr > 32 * LINK_WORDS_MAX)
		return;
	strings = calloc(1, sizeof(*strings) + (size_t)nr * LINK_MODE_LEN);
	link_names.names = calloc(nr + 1, LINK_MODE_LEN);
	if (strings && link_names.names) {
		strings->cmd = ETHTOOL_GSTRINGS;
		strings->string_set = ETH_SS_LINK_MODES;
		strings->len = nr;
		if (!link_ioctl(fd, netdev, strings) && strings->len <= nr) {
			link_names.nr = strings->len;
			memcpy(link_names.names, strings->data,
			       (size_t)link_names.nr * LINK_MODE_LEN);
		}
	}
	free(strings);
}

/**
 * link_modes_max() - the fastest of a device's link modes
 * @names: of all modes there are: "100000baseCR4/Full"; others are no speeds
 * @nr: how many
 * @mask: bit by bit, those that the device supports
 * @words: in @mask
 *
 * Return: bits per second, not known without such a mode.
 */
struct num link_modes_max(const char (*names)[LINK_MODE_LEN], unsigned int nr, const uint32_t *mask,
			  unsigned int words)
{
	struct num max = num_none("no link modes");
	unsigned long mbps;
	unsigned int i;
	char *end;

	for (i = 0; i < nr && i / 32 < words; i++) {
		if (!(mask[i / 32] >> (i % 32) & 1) || names[i][0] < '0' || names[i][0] > '9' ||
		    !memchr(names[i], '\0', LINK_MODE_LEN))
			continue;
		mbps = strtoul(names[i], &end, 10);
		if (!strncmp(end, "base", 4) && mbps < 100000000 &&
		    (!max.known || max.v < (long long)mbps * MBPS))
			max = num_of(mbps * MBPS);
	}
	return max;
}

static void link_settings(struct link *link, int fd, const char *netdev)
{
	union {
		struct ethtool_link_settings s;
		uint32_t words[sizeof(struct ethtool_link_settings) / 4 + 3 * LINK_WORDS_MAX];
	} req = { .s.cmd = ETHTOOL_GLINKSETTINGS };
	int words, err;

	/* The first time the kernel only says how many words its masks have */
	err = link_ioctl(fd, netdev, &req);
	words = -req.s.link_mode_masks_nwords;
	if (!err && (words <= 0 || words > LINK_WORDS_MAX))
		err = -EINVAL;
	if (!err) {
		memset(&req, 0, sizeof(req));
		req.s.cmd = ETHTOOL_GLINKSETTINGS;
		req.s.link_mode_masks_nwords = words;
		err = link_ioctl(fd, netdev, &req);
	}
	if (err) {
		*link = (struct link){ num_none(sys_why(err)), num_none(sys_why(err)),
				       num_none(sys_why(err)) };
		return;
	}
	if (req.s.speed && req.s.speed != (uint32_t)SPEED_UNKNOWN)
		link->bps = num_of(req.s.speed * MBPS);
	else
		link->bps = num_none("not told");
	link->autoneg = num_of(req.s.autoneg == AUTONEG_ENABLE);
	if (!link_names.read)
		link_names_read(fd, netdev);
	link->max_bps = link_modes_max((const char (*)[LINK_MODE_LEN])link_names.names,
				       link_names.nr, req.s.link_mode_masks, words);
}

/**
 * link_read() - a network device's speed, and what it could be
 * @link: out
 */
void link_read(struct link *link, const char *netdev)
{
	int fd;

	*link = (struct link){ num_none("not told"), num_none("not told"), num_none("not told") };
	/* A fixture's devices are not the host's */
	if (*sys_root())
		return;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	link_settings(link, fd, netdev);
	close(fd);
}
