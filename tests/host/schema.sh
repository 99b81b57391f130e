#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What nrdmactl -j prints fits user/schema/nrdmactl.schema.json: over the fixture of
# the unit tests, and, when a kernel's series is given, in a VM with something of
# each kind to show.
#
# Usage: tests/host/schema.sh [SERIES]

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

schema=$top/user/schema/nrdmactl.schema.json
make -s -C "$top/user" "$top/user/build/nrdmactl/nrdmactl" >/dev/null
nrdmactl=$top/user/build/nrdmactl/nrdmactl

fits() { /usr/bin/python3 "$top/tests/host/schema.py" "$schema"; }

# Those that print no JSON of their own
without="export_prometheus run"
for name in $("$nrdmactl" help |
	awk '/^  nrdmactl [a-z]/ && $2 != "help" { print $2 ($3 ~ /^[a-z]+$/ ? "_" $3 : "") }'); do
	case " $without " in
	*" $name "*) ;;
	*) ok "$name is in the schema" jq -e --arg n "$name" '."$defs" | has($n)' "$schema" ;;
	esac
done

if [ $# -gt 0 ]; then
	"$top/tests/vm/run" --kernel "$1" --file "$top/tests/host/schema-guest" -- \
		bash /vm/schema-guest >"$tmp/lines" || ok "the guest shows it all" false
	for name in $(jq -r '."$defs" | keys[] | select(test("^(status|check|ps|stat|probe|apply|monitor|(dev|irq|buf|pool|check)_.*)$"))' "$schema"); do
		ok "$name was shown" grep -q "^$name	" "$tmp/lines"
	done
	ok "all that a VM shows fits" fits <"$tmp/lines"
	done_testing
	exit
fi

"$top/tests/unit/mkroot" "$tmp/root"
export NRDMA_SYSROOT=$tmp/root
show() {
	local status=0
	"$nrdmactl" -j "${@:2}" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status = 0 ] || [ $status = 3 ] || cat "$tmp/err"
	printf '%s\t%s\n' "$1" "$(cat "$tmp/out")"
}
for words in status "dev show" "irq show" check "check list" stat ps; do
	# shellcheck disable=SC2086 # words
	show "${words// /_}" $words >"$tmp/line"
	ok "$words fits" fits <"$tmp/line"
done
show status status >"$tmp/line"
NRDMA_SYSROOT=/nonexistent show status status >"$tmp/none"
ok "and on a host without devices" fits <"$tmp/none"

# A schema that takes anything would show nothing.
changed() { sed "s/^\(status\t\)//" "$tmp/line" | jq -c "$1" | sed 's/^/status\t/' | fails fits; }
ok "a key that is missing does not" changed 'del(.[0].node)'
ok "nor one that is new" changed '.[0].new = 1'
ok "nor a key of a port" changed 'del(.[0].ports[0].lane)'
ok "nor a node of -1" changed '.[0].node = -1'
ok "nor text for a number" changed '.[0].vectors = "4"'
ok "nor a word that is none" changed '.[0].node_source = "guess"'

done_testing
