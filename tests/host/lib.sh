# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for the tests that run on the host. Source it, call ok and is, end with done_testing.

set -euo pipefail

# shellcheck disable=SC2034 # for those who source it
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tap_n=0 tap_failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ok NAME COMMAND...: the command succeeds
ok() {
	local name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@" >"$tmp/tap.out" 2>&1; then
		echo "ok $tap_n - $name"
	else
		echo "not ok $tap_n - $name"
		sed 's/^/# /' "$tmp/tap.out"
		tap_failed=$((tap_failed + 1))
	fi
}

# is NAME GOT WANTED
is() {
	ok "$1" diff <(echo "$3") <(echo "$2")
}

fails() { ! "$@"; }

# skip REASON NAME: a check that cannot be made now
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $2 # SKIP $1"
}

# The files of this tree, new ones too
tree_files() {
	git -C "$top" ls-files -co --exclude-standard | while read -r f; do
		[ ! -f "$top/$f" ] || echo "$f"
	done
}

# skip_all REASON: nothing of this can be tried here
skip_all() {
	echo "1..0 # SKIP $1"
	echo "$1"
	exit 77
}

done_testing() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
}
