#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/suite from its caller's side: what it makes of cases that fail in one way
# each, and that the next case is none the worse for it.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cases=$tmp/cases
mkdir "$cases"
cp -r "$top/tests/cases/lib" "$cases/"

# make_case NAME: its body is the input, what it takes the lines that begin with #
make_case() { { printf '#!/bin/bash\n# SPDX-License-Identifier: GPL-2.0\n'; cat; } >"$cases/$1.sh"; }

# good after each: what is left of one must not hurt the next
good() {
	make_case "$1" <<-'CASE'
	. "$(dirname "$0")/lib/tap.sh"
	ok "the module is there" test -e /sys/module/nrdma
	ok "both devices are there" ls /dev/nrdma/rxe_eth0 /dev/nrdma/rxe_eth1
	done_testing
	CASE
}

make_case 01-failing <<'CASE'
echo "ok 1 - one"
echo "not ok 2 - two"
echo "1..2"
CASE
make_case 02-no-plan <<'CASE'
echo "ok 1 - one"
CASE
make_case 03-other-plan <<'CASE'
echo "ok 1 - one"
echo "1..2"
CASE
make_case 04-status <<'CASE'
echo "ok 1 - one"
echo "1..1"
exit 3
CASE
make_case 05-silent </dev/null
make_case 06-skipped <<'CASE'
echo "1..0 # SKIP there is no such hardware"
CASE
make_case 07-hung <<'CASE'
# timeout: 3
echo "ok 1 - one"
echo "1..1"
trap '' TERM
while :; do sleep 1000; done
CASE
good 08-good
make_case 09-holding <<'CASE'
setsid sleep 1000 </dev/nrdma/rxe_eth0 >/dev/null 2>&1 &
echo "ok 1 - one"
echo "1..1"
CASE
good 10-good
make_case 11-steering <<'CASE'
nrdmactl irq set rxe_eth1 policy local
echo "ok 1 - one"
echo "1..1"
CASE
make_case 12-device <<'CASE'
rdma link delete rxe_eth1
echo "ok 1 - one"
echo "1..1"
CASE
good 13-good
make_case 14-warning <<'CASE'
echo "WARNING: CPU: 0 PID: 1 at made/up.c:1 here" >/dev/kmsg
echo "ok 1 - one"
echo "1..1"
CASE
make_case 15-mtu <<'CASE'
ip link set eth0 mtu 1400
echo "ok 1 - one"
echo "1..1"
CASE
good 16-good
make_case 17-dying <<'CASE'
echo "ok 1 - one"
echo b >/proc/sysrq-trigger
sleep 100
CASE
good 18-good
make_case 19-elsewhere <<'CASE'
# kernels: 0.1
CASE
good 20-asleep
sed -i '2a # sleeps: yes' "$cases/20-asleep.sh"

status() { local rc=0; "$@" >"$tmp/out" 2>&1 || rc=$?; echo $rc; }
is "a kernel that there is not is bad usage" \
	"$(status "$top/tests/vm/suite" --list --kernel 9.9); $(cat "$tmp/out")" \
	"2; suite: no kernel 9.9: there is $(sed -n 's/^\([0-9.]*\).*/\1/p' "$top/tests/kernels" | xargs), a release of these, debug"

rc=0
"$top/tests/vm/suite" --cases "$cases" >"$tmp/out" 2>&1 || rc=$?
is "exit status" "$rc" 1
is "the last line" "$(tail -n1 "$tmp/out")" "6 passed, 12 failed, 2 skipped"

# says NAME WORDS: a case failed, and why
says() {
	ok "$1: $2" grep -qE "^# failed: $1: .*$2" "$tmp/out"
}
says 01-failing "1 of 2 checks failed"
says 02-no-plan "no plan for 1 checks"
says 03-other-plan "1\.\.2 for 1 checks"
says 04-status "exit status 3"
says 05-silent "it checks nothing"
says 07-hung "longer than 3 s"
says 09-holding "nrdma is in use"
says 11-steering "still steered: rxe_eth1 local"
says 12-device "was: RDMA devices rxe_eth0 rxe_eth1"
says 14-warning "the kernel complained"
ok "which is printed" grep -qF "made/up.c:1" "$tmp/out"
says 15-mtu "is: eth0 .* mtu 1400"
says 17-dying "the guest ended"
ok "skipped with its reason" grep -qE '^ok [0-9]+ - 06-skipped # SKIP there is no such hardware$' "$tmp/out"
ok "skipped on this kernel" grep -qE '^ok [0-9]+ - 19-elsewhere # SKIP it runs on 0\.1$' "$tmp/out"
for n in 08 10 13 16 18; do
	ok "$n-good, after a bad one" grep -qE "^ok [0-9]+ - $n-good$" "$tmp/out"
done
ok "asleep, in no slot" grep -qE '^# boot: .* --beside ' "$tmp/out"
ok "it passes" grep -qE '^ok [0-9]+ - 20-asleep$' "$tmp/out"
is "boots: twelve cases, and six; after the held module, the MTU, the death; the sleeper's" \
	"$(grep -c '^# boot:' "$tmp/out")" 6
[ "$tap_failed" = 0 ] || sed 's/^/# /' "$tmp/out"

done_testing
