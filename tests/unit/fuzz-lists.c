// SPDX-License-Identifier: GPL-2.0
/* Lists of CPUs, sizes, numbers, PCI addresses, rates: text to a value and back. */
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "fuzz.h"
#include "link.h"
#include "pci.h"
#include "rate.h"
#include "size.h"

/* What was read, written and read again is the same set. */
static void fuzz_cpus(const char *text)
{
	struct cpus set, again;
	char *list;
	size_t n;

	if (cpus_parse(&set, text))
		return;
	n = cpus_format(&set, NULL, 0);
	list = malloc(n + 1);
	FUZZ_MUST(cpus_format(&set, list, n + 1) == n);
	FUZZ_MUST(!cpus_parse(&again, list));
	FUZZ_MUST(!memcmp(&set, &again, sizeof(set)));
	/* And one that does not fit is cut, not written beyond */
	cpus_format(&set, list, n);
	free(list);
}

static void fuzz_size(const char *text)
{
	uint64_t bytes, again;
	char buf[32];
	uint32_t n;

	if (!size_parse(&bytes, text)) {
		size_format(bytes, buf, sizeof(buf));
		size_format_bps(bytes, buf, sizeof(buf));
		/* A whole number of units is written as it was meant */
		size_format(bytes, buf, sizeof(buf));
		if (!strchr(buf, '.') && !size_parse(&again, buf))
			FUZZ_MUST(again <= bytes);
	}
	if (!size_parse_u32(&n, text))
		FUZZ_MUST(strspn(text, "0123456789") == strlen(text));
}

static void fuzz_pci(const char *text)
{
	struct pci_addr addr, again;
	struct num bps;
	char buf[32];

	if (pci_parse(&addr, text)) {
		snprintf(buf, sizeof(buf), "%04x:%02x:%02x.%x", addr.domain, addr.bus, addr.slot,
			 addr.function);
		FUZZ_MUST(pci_parse(&again, buf) && pci_equal(&addr, &again));
	}
	bps = pci_bps(text, 16);
	FUZZ_MUST(!bps.known || bps.v >= 0);
}

static void fuzz_rate(const char *text)
{
	struct rate rate = rate_of_text(text);

	FUZZ_MUST(!rate.bps.known || rate.bps.v >= 0);
	FUZZ_MUST(!rate.width.known || rate.width.v > 0);
	rate_of_port(text, strlen(text), text[0]);
}

/* A mask, then the names of modes */
static void fuzz_modes(const uint8_t *data, size_t size)
{
	char (*names)[LINK_MODE_LEN];
	struct num max;
	uint32_t mask;
	size_t nr;

	if (size < sizeof(mask))
		return;
	memcpy(&mask, data, sizeof(mask));
	nr = (size - sizeof(mask)) / LINK_MODE_LEN;
	names = malloc(nr * LINK_MODE_LEN + 1);
	memcpy(names, data + sizeof(mask), nr * LINK_MODE_LEN);
	max = link_modes_max((const char (*)[LINK_MODE_LEN])names, nr, &mask, 1);
	FUZZ_MUST(!max.known || max.v >= 0);
	free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	fuzz_cpus(text);
	fuzz_size(text);
	fuzz_pci(text);
	fuzz_rate(text);
	fuzz_modes(data, size);
	free(text);
	return 0;
}
