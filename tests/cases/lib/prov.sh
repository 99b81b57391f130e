# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2317
#
# For the cases with RDMA devices of their own making; run inside the guest. See
# tests/kmod/nrdma_provider.c.

# shellcheck source=tests/cases/lib/buf.sh
. "${BASH_SOURCE[0]%/*}/buf.sh"

# prov COMMAND...: see there. Each command is one write.
prov() { printf '%s' "$*" >/dev/nrdma_provider; }

prov_begin() { modprobe nrdma_provider || bail "no nrdma_provider"; }

# prov_end: its devices go with it
prov_end() {
	ok "the provider unloads" rmmod nrdma_provider
	is "only soft devices are left" "$(nrdmactl -j dev show | jq -r 'map(.name) | join(" ")')" \
		"rxe_eth0 rxe_eth1"
}

# status DEV FILTER; port DEV FILTER: of nrdmactl status, of its first port
status() { nrdmactl -j status "$1" | jq -c ".[0] | $2"; }
port() { status "$1" ".ports[0] | $2"; }
