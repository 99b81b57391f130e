/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_SVG_H
#define NRDMACTL_PROBE_SVG_H

#include "probe_stat.h"

int probe_svg_check(const char *path);
int probe_svg(const char *path, const char *title, const struct probe *probes, unsigned int nr);

#endif /* NRDMACTL_PROBE_SVG_H */
