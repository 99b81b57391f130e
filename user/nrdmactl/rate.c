// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rate.h"

#define MBPS	1000000LL

/* enum ib_port_speed; rates as the kernel gives them, for one lane */
static const struct rate_lane {
	unsigned int code;
	const char *name;
	long long bps;
} rate_lanes[] = {
	{ 1,	"SDR",	  2500 * MBPS },
	{ 2,	"DDR",	  5000 * MBPS },
	{ 4,	"QDR",	 10000 * MBPS },
	{ 8,	"FDR10", 10000 * MBPS },
	{ 16,	"FDR",	 14000 * MBPS },
	{ 32,	"EDR",	 25000 * MBPS },
	{ 64,	"HDR",	 50000 * MBPS },
	{ 128,	"NDR",	100000 * MBPS },
	{ 256,	"XDR",	200000 * MBPS },
};

#define RATE_LANES	(sizeof(rate_lanes) / sizeof(*rate_lanes))

/* enum ib_port_width */
static struct num rate_width(unsigned int code)
{
	switch (code) {
	case 1:
		return num_of(1);
	case 2:
		return num_of(4);
	case 4:
		return num_of(8);
	case 8:
		return num_of(12);
	case 16:
		return num_of(2);
	default:
		return num_none("unknown width");
	}
}

/**
 * rate_of_code() - decode what verbs tell
 * @code: speed of a lane, enum ib_port_speed
 * @width_code: enum ib_port_width
 */
struct rate rate_of_code(unsigned int code, unsigned int width_code)
{
	struct rate rate = { .width = rate_width(width_code) };
	size_t i;

	for (i = 0; i < RATE_LANES; i++) {
		if (rate_lanes[i].code != code)
			continue;
		rate.lane = str_of(rate_lanes[i].name);
		if (rate.width.known)
			rate.bps = num_of(rate_lanes[i].bps * rate.width.v);
		else
			rate.bps = num_none(rate.width.why);
		return rate;
	}
	rate.lane = str_of("unknown");
	if (code)
		snprintf(rate.lane.s, sizeof(rate.lane.s), "unknown (0x%x)", code);
	rate.bps = num_none("unknown speed");
	return rate;
}

/**
 * rate_of_text() - read a port's rate file
 * @text: "100 Gb/sec (4X EDR)"; SDR goes without name: "2.5 Gb/sec (1X)"
 *
 * The product of lane and width is what counts: the sum in the text loses
 * the half of 2.5 on some kernels. A name newer than this table keeps the sum.
 */
struct rate rate_of_text(const char *text)
{
	struct rate rate = { 0 };
	char name[32] = "SDR";
	unsigned int width;
	double gbps;
	size_t i;
	int n;

	n = sscanf(text, "%lf Gb/sec (%uX %31[A-Za-z0-9])", &gbps, &width, name);
	if (n < 2 || !width || width > 64 || !(gbps >= 0 && gbps < 1e6)) {
		rate.bps = num_none("odd text");
		rate.lane = str_none("odd text");
		rate.width = num_none("odd text");
		return rate;
	}
	rate.width = num_of(width);
	rate.lane = str_of(name);
	rate.bps = num_of((long long)(gbps * 1000 + 0.5) * MBPS);
	for (i = 0; i < RATE_LANES; i++)
		if (!strcmp(rate_lanes[i].name, name))
			rate.bps = num_of(rate_lanes[i].bps * width);
	return rate;
}

/**
 * rate_of_port() - the best of both sources
 * @text: the port's rate file, or NULL
 * @code: lane speed by verbs, or -1
 * @width_code: width by verbs
 *
 * Verbs cut the code to eight bits (XDR reads 0), and the kernel's text calls
 * SDR whatever it does not know: believe the text where verbs say 0, unless it
 * says SDR.
 */
struct rate rate_of_port(const char *text, int code, int width_code)
{
	struct rate rate = { 0 };

	if (text)
		rate = rate_of_text(text);
	if (code < 0)
		return rate;
	if (!code && rate.lane.known && strcmp(rate.lane.s, "SDR"))
		return rate;
	return rate_of_code(code, width_code);
}
