#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nrdmactl export prometheus: Prometheus' own checker has nothing to say, and a
# file is replaced whole or not at all. promtool comes out of Debian's package,
# without installing it, for that would start a server.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cache=${NRDMA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nrdma}/promtool
promtool=$(command -v promtool || echo "$cache/usr/bin/promtool")

fetch() {
	mkdir -p "$tmp/deb" "$cache" || return
	(cd "$tmp/deb" && apt-get -q download prometheus) >&2 2>/dev/null || return
	dpkg-deb -x "$tmp"/deb/prometheus_*.deb "$tmp/deb" && mv "$tmp/deb/usr" "$cache/"
}
[ -x "$promtool" ] || fetch ||
	skip_all "promtool: this system's package prometheus cannot be had (apt-get update may help)"

make -s -C "$top/user" "$top/user/build/nrdmactl/nrdmactl" >&2
nrdmactl=$top/user/build/nrdmactl/nrdmactl
"$top/tests/unit/mkroot" "$tmp/root"
export NRDMA_SYSROOT=$tmp/root

report() { "$nrdmactl" export prometheus "$@" 2>"$tmp/err"; }

report >"$tmp/out"
ok "promtool has nothing to say" sh -c "[ -z \"\$($promtool check metrics <$tmp/out 2>&1)\" ]"
ok "and is able to" fails sh -c "sed 's/_total / /' $tmp/out | $promtool check metrics"
ok "devices, ports and counters are in it" test "$(grep -cE \
	'^nrdma_(device_info|port_info|port_hw_out_of_sequence_total)[{]device="mlx5_0"' "$tmp/out")" = 3
ok "what is not known has no sample" fails grep -E '^nrdma_device_node.*irdma0|symbol_error' "$tmp/out"

dir=$tmp/textfile
mkdir "$dir"
echo old >"$dir/nrdma.prom"
chmod 600 "$dir/nrdma.prom"
ok "into a file" report "$dir/nrdma.prom"
is "which is what it prints" "$(cat "$dir/nrdma.prom")" "$(cat "$tmp/out")"
is "readable to all" "$(stat -c %a "$dir/nrdma.prom")" 644
is "and nothing beside it" "$(ls "$dir")" nrdma.prom

ln -s "$dir/nrdma.prom" "$dir/link.prom"
before=$(cat "$dir/nrdma.prom")
ok "not through a link, which may be another's" fails report "$dir/link.prom"
is "what it leads to is as it was" "$(readlink "$dir/link.prom"; cat "$dir/nrdma.prom")" \
	"$dir/nrdma.prom"$'\n'"$before"
echo old >"$dir/nrdma.prom"
# A disk that is full
ok "one that does not fit" fails sh -c "ulimit -f 1; trap '' XFSZ; '$nrdmactl' export prometheus '$dir/nrdma.prom'"
is "leaves the old one" "$(cat "$dir/nrdma.prom")" old
is "and nothing beside it" "$(cd "$dir" && echo -- *)" "-- link.prom nrdma.prom"

# A reader meets a whole report at each moment.
for _ in $(seq 100); do
	report "$dir/nrdma.prom"
done &
writer=$!
whole=0 reads=0
last=$(tail -n1 "$tmp/out")
while kill -0 $writer 2>/dev/null; do
	case "$(tail -n1 "$dir/nrdma.prom")" in
	"$last"|old) whole=$((whole + 1)) ;;
	esac
	reads=$((reads + 1))
done
wait $writer
is "a reader met a whole one each time" "$whole" "$reads"

done_testing
