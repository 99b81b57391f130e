/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_TCP_H
#define NRDMACTL_PROBE_TCP_H

#include <stddef.h>

struct probe_tcp;

struct probe_tcp *probe_tcp_open(const char *netdev, unsigned int cpu, unsigned int peer_cpu,
				 size_t size);
long long probe_tcp_round(struct probe_tcp *tcp, unsigned int iterations);
void probe_tcp_close(struct probe_tcp *tcp);

#endif /* NRDMACTL_PROBE_TCP_H */
