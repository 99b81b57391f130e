#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# A program with libnrdma whose device is renamed, then goes away.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin

t-lib gone "$dev" >"$tmp/gone" 2>"$tmp/ready" &
holder=$!
ok "a program holds a buffer" within 20 grep -q ready "$tmp/ready"
ok "the device is renamed" rdma dev set "$dev" name other
ok "it can be opened by its new name" t-lib try other 4096
ok "and by its network device" t-lib try "$netdev" 4096
ok "not by its old one" sh -c "t-lib try $dev 4096 | grep ENODEV"
ok "the program goes on" kill -0 "$holder"
ok "the device goes away" timeout 5 rdma link delete other
wait "$holder"
is "the program finds what it should" "$?" 0
sed 's/^/# /' "$tmp/gone"
is "every check of it holds" "$(grep -c '^ok' "$tmp/gone")" "$(sed -n 's/^1\.\.//p' "$tmp/gone")"
ok "the device comes back" add_rxe

nothing_left
done_testing
