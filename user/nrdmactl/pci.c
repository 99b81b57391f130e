// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pci.h"
#include "sys.h"

static bool pci_hex(const char **p, unsigned int *v, char stop, unsigned int max)
{
	const char *start = *p;
	unsigned long n;
	char *end;

	if (!strchr("0123456789abcdefABCDEF", **p) || !**p)
		return false;
	errno = 0;
	n = strtoul(start, &end, 16);
	/* strtoul() would swallow "0x" */
	if (errno || *end != stop || n > max || start[1] == 'x')
		return false;
	*v = n;
	*p = end + (stop != '\0');
	return true;
}

/**
 * pci_parse() - read "0000:81:00.0", "81:00.0" or "10000:01:00.0"
 * @addr: out
 *
 * Domains are 32 bits wide: VMD and Hyper-V number theirs from 0x10000.
 */
bool pci_parse(struct pci_addr *addr, const char *text)
{
	const char *first = strchr(text, ':');
	const char *p = text;

	memset(addr, 0, sizeof(*addr));
	if (!first)
		return false;
	if (strchr(first + 1, ':') && !pci_hex(&p, &addr->domain, ':', 0xffffffff))
		return false;
	return pci_hex(&p, &addr->bus, ':', 0xff) && pci_hex(&p, &addr->slot, '.', 0x1f) &&
	       pci_hex(&p, &addr->function, '\0', 7);
}

bool pci_equal(const struct pci_addr *a, const struct pci_addr *b)
{
	return a->domain == b->domain && a->bus == b->bus && a->slot == b->slot &&
	       a->function == b->function;
}

/**
 * pci_bps() - what a link carries
 * @speed: of a lane: "8.0 GT/s PCIe"
 * @width: lanes
 *
 * 8b/10b up to 5 GT/s, 128b/130b up to 32, flits above, as the kernel counts.
 */
struct num pci_bps(const char *speed, long long width)
{
	double gt = strtod(speed, NULL);

	if (!(gt > 0 && gt < 1e4) || width <= 0 || width > 64)
		return num_none("unknown");
	if (gt <= 5)
		gt = gt * 8 / 10;
	else if (gt <= 32)
		gt = gt * 128 / 130;
	return num_of((long long)(gt * width * 1e9));
}

static void pci_link(struct pci_link *link, const char *dir, const char *which)
{
	char *gts;

	link->speed = sys_str("%s/%s_link_speed", dir, which);
	link->width = sys_num("%s/%s_link_width", dir, which);
	/* "Unknown", "Unknown speed": no link, or none that the kernel knows */
	if (link->speed.known && !(strtod(link->speed.s, NULL) > 0))
		link->speed = str_none("unknown");
	gts = link->speed.known ? strstr(link->speed.s, " GT/s") : NULL;
	if (gts)
		gts[5] = '\0';
	/* The kernel says 255 (PCIE_LNK_WIDTH_UNKNOWN) for unknown, 0 for no link */
	if (link->width.known && (link->width.v <= 0 || link->width.v > 64))
		link->width = num_none("unknown");
	if (link->speed.known && link->width.known)
		link->bps = pci_bps(link->speed.s, link->width.v);
	else
		link->bps = num_none(link->speed.known ? link->width.why : link->speed.why);
}

/**
 * pci_read() - a function's link
 * @func: out
 * @dir: its directory as sys_real() gives it
 *
 * A virtual function has no link of its own, but that of its physical one.
 */
void pci_read(struct pci_func *func, const char *dir)
{
	char up[SYS_PATH_MAX], physfn[SYS_PATH_MAX];
	struct pci_addr addr;
	char *slash;

	if (!sys_real(physfn, "%s/physfn", dir))
		dir = physfn;
	pci_link(&func->now, dir, "current");
	pci_link(&func->max, dir, "max");
	snprintf(up, sizeof(up), "%s", dir);
	slash = strrchr(up, '/');
	if (slash)
		*slash = '\0';
	func->upstream = pci_parse(&addr, sys_base(up)) ? str_of(sys_base(up)) : str_none("none");
	pci_link(&func->upstream_now, up, "current");
	pci_link(&func->upstream_max, up, "max");
}
