#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_provider
# kernels: 6.1 6.12 7.2 7.3 debug
#
# Ports as soft devices never have them: InfiniBand of any speed and width, down,
# several, ones that change, ones that nothing can be asked of. What is odd about one
# hides none of the others.

# shellcheck source=tests/cases/lib/prov.sh
. "$(dirname "$0")/lib/prov.sh"

prov_begin

# ---- speeds: code, name, Mb/s of a lane ----

while read -r code lane mbps; do
	prov add ib0 link=ib speed="$code" width=2
	is "$lane x4" "$(port ib0 '[.link_layer, .lane, .width, .rate]')" \
		"[\"InfiniBand\",\"$lane\",4,$((mbps * 4 * 1000000))]"
	prov del ib0
done <<-SPEEDS
1 SDR 2500
2 DDR 5000
4 QDR 10000
8 FDR10 10000
16 FDR 14000
32 EDR 25000
64 HDR 50000
128 NDR 100000
256 XDR 200000
SPEEDS


while read -r code width; do
	prov add ib0 link=ib speed=64 width="$code"
	is "width $width" "$(port ib0 '[.width, .rate]')" "[$width,$((width * 50000000000))]"
	prov del ib0
done <<-WIDTHS
1 1
2 4
4 8
8 12
16 2
WIDTHS

# ---- states ----

prov add ib0 link=ib state=1 phys=3
is "down" "$(port ib0 .state)" '"down"'
is "without a rate" "$(port ib0 .rate)" null
prov port ib0 1 state=4 phys=5
is "up" "$(port ib0 .state)" '"active"'
isnt "with one" "$(port ib0 .rate)" null
prov del ib0

# ---- several ports ----

prov add ib0 link=ib ports=8
prov port ib0 3 state=1
is "eight ports" "$(status ib0 '.ports | map(.port)')" "[1,2,3,4,5,6,7,8]"
is "one of them down" "$(status ib0 '.ports | map(select(.state != "active") | .port)')" "[3]"
is "a port by its number" "$(nrdmactl -j status ib0/3 | jq -c '.[0].ports | map(.port)')" "[3]"
nrdmactl -j monitor timeout 30 count 1 >"$tmp/port" 2>&1 &
monitor=$!
within 5 listens
# Another subnet manager (IB_EVENT_SM_CHANGE) is nothing to anybody here.
prov port ib0 6 event=13
prov port ib0 7 state=1
wait $monitor
is "a change is told, and nothing else" "$(jq -c '[.event, .dev_name, .port, .port_state]' "$tmp/port")" \
	'["port","ib0",7,"down"]'
prov del ib0

# ---- an odd one among others ----

prov add ib0 link=ib
prov add ib1 link=ib width=0
prov add ib2 link=ib
prov add ib3 link=roce
prov port ib2 1 broken=1
ok "status of all" nrdmactl status
is "six devices, six rows" "$(nrdmactl -j status | jq -c 'map(.name) | sort')" \
	'["ib0","ib1","ib2","ib3","rxe_eth0","rxe_eth1"]'
is "a width that is none: no rate" "$(port ib1 '[.rate, .state]')" '[null,"active"]'
is "nothing to be asked: no state" "$(port ib2 '[.state, .rate]')" "[null,null]"
is "the others are whole" "$(port ib0 '[.state, .lane, .width]')" '["active","EDR",4]'
is "Ethernet without a netdev" "$(port ib3 '[.link_layer, .netdev]')" '["RoCE",null]'
nrdmactl -j check >"$tmp/check"
isnt "check comes to its end" "$?" 2
is "and tells of each device" "$(jq -c 'map(.dev_name // empty) | unique | length >= 6' "$tmp/check")" true

prov_end
done_testing
