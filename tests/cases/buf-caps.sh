#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# timeout: 180
#
# What a user may take is bounded: by RLIMIT_MEMLOCK in a process, by the cap of
# a user over all of them, by the cap of a node over all users. Each refusal says
# which it was.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
reason() { cut -d' ' -f1,2; }

leak_check_begin
ulimit -l unlimited

# ---- RLIMIT_MEMLOCK ----

is "over RLIMIT_MEMLOCK" "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((65 * mib))" | reason)" \
	"alloc=ENOMEM reason=3"
is "at it" "$(word zero "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))")")" 1
is "by mmap too" "$(as_user sh -c "ulimit -l 65536; t-buf map $chardev $((65 * mib))")" "mmap=ENOMEM"
is "what was let go of does not count, 20 times over" \
	"$(as_user sh -c "ulimit -l 65536; t-buf fill $chardev $((64 * mib)) 20")" "dirty=0"
is "CAP_IPC_LOCK goes over it" "$(word zero "$(sh -c "ulimit -l 64; t-buf map $chardev $((64 * mib))")")" 1

# ---- a user ----

ok "cap each user at 96 MiB" nrdmactl pool set node "$node" cap 96M
ok "a process of his holds 64 MiB" hold one as_user sh -c "ulimit -l 65536; exec t-buf hold $chardev $((64 * mib))"
is "a second process of his" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))" | reason)" "alloc=EDQUOT reason=5"
is "gets what is left of it" \
	"$(word zero "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((32 * mib))")")" 1
is "another user is not in his way" \
	"$(word zero "$(setpriv --reuid 1001 --clear-groups sh -c "t-buf alloc $chardev $((4 * mib))")")" 1
taken() { awk '/^pgalloc_/ { n += $2 } END { print n }' /proc/vmstat; }
before=$(taken)
is "root is bounded as well" "$(t-buf alloc "$chardev" $((97 * mib)) | reason)" "alloc=EDQUOT reason=5"
after=$(taken)
ok "before anything was taken: $((after - before)) pages" test $((after - before)) -lt 8192
is "on the other node there is room" "$(word node0 "$(t-buf alloc "$chardev" $((128 * mib)) node 0)")" $((128 << 8))
ok "the first one still has his" drop one

ok "passed on, its maker gone" hold passed as_user t-pass "$chardev" $((64 * mib))
is "a buffer in flight counts" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))" | reason)" "alloc=EDQUOT reason=5"
is "and is listed" "$(buf_json 'map(.bytes) | add')" $((64 * mib))
drop passed >/dev/null
ok "until it is gone" within 10 unused

# Many at once, of whom each alone would be below it
mkfifo "$tmp/never"
exec 6<>"$tmp/never"
procs=()
for i in {1..16}; do
	# Not as_user, whose shell it would be that is killed
	setpriv --reuid 1000 --regid 1000 --clear-groups t-pass "$chardev" $((16 * mib)) \
		<&6 >"$tmp/many.$i" 2>&1 &
	procs+=($!)
done
answered() {
	local i
	for i in "${!procs[@]}"; do
		grep -q ready "$tmp/many.$((i + 1))" || ! kill -0 "${procs[i]}" 2>/dev/null || return
	done
}
ok "16 processes at once that pass 16 MiB on each, or are refused" within 100 answered
got=$(cat "$tmp"/many.* | grep -c ready)
ok "$got of them have it" test "$got" -ge 1 -a "$got" -le 6
# In each other's way they may all be refused; one after the other they are not
while [ "$got" -lt 6 ] && hold "more.$got" as_user t-pass "$chardev" $((16 * mib)); do
	got=$((got + 1))
done
is "together they have the cap" "$got" 6
is "and not more" "$(as_user t-buf alloc "$chardev" 4096 | reason)" "alloc=EDQUOT reason=5"
is "which is what is listed" "$(buf_json 'map(.bytes) | add')" $((96 * mib))
is "all of them his" "$(buf_json 'map(.uid) | unique | join(" ")')" 1000
is "by a user namespace there is no way round it" \
	"$(as_user unshare -Ur t-buf alloc "$chardev" 4096 | reason)" "alloc=EDQUOT reason=5"
mkdir /sys/fs/cgroup/own
# shellcheck disable=SC2016 # expanded by that shell
is "nor by a cgroup" "$(sh -c 'echo $$ >/sys/fs/cgroup/own/cgroup.procs && exec "$@"' sh \
	setpriv --reuid 1000 --regid 1000 --clear-groups t-buf alloc "$chardev" 4096 | reason)" \
	"alloc=EDQUOT reason=5"
rmdir /sys/fs/cgroup/own
kill "${procs[@]}" 2>/dev/null
wait "${procs[@]}" 2>/dev/null
for i in "${!held[@]}"; do
	drop "$i" >/dev/null
done
exec 6>&-
ok "until they are gone" within 10 unused

# ns_of NAME FIRST COMMAND...: a user namespace that COMMAND makes and stays in, with ten
# uids from FIRST on, as newuidmap writes them; in_ns NAME UID COMMAND...
ns_of() {
	local name=$1 first=$2
	shift 2
	hold "$name" "$@" unshare -U sh -c 'echo ready; read -r _ || :' || return
	echo "0 $first 10" >"/proc/${held[$name]}/uid_map"
	echo "0 $first 10" >"/proc/${held[$name]}/gid_map"
}
in_ns() { nsenter -t "${held[$1]}" -U -S "$2" -G "$2" "${@:3}"; }

ok "he has a user namespace with uids of his own" \
	ns_of subuids 100000 setpriv --reuid 1000 --regid 1000 --clear-groups
ok "one of them holds 64 MiB" hold sub in_ns subuids 3 t-buf hold "$chardev" $((64 * mib))
is "which is listed as that one's" "$(buf_json 'map(.uid) | @json')" "[100003]"
is "another of them has what is left" \
	"$(in_ns subuids 4 t-buf alloc "$chardev" $((64 * mib)) | reason)" "alloc=EDQUOT reason=5"
is "as he has himself" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))" | reason)" "alloc=EDQUOT reason=5"
is "below which they may make one" \
	"$(in_ns subuids 4 unshare -Ur t-buf alloc "$chardev" $((64 * mib)) | reason)" "alloc=EDQUOT reason=5"
is "32 MiB are" "$(word zero "$(in_ns subuids 4 t-buf alloc "$chardev" $((32 * mib)))")" 1
ok "root makes one" ns_of container 200000
ok "who is not he" hold there in_ns container 3 t-buf hold "$chardev" $((64 * mib))
is "and whose users have one cap together" \
	"$(in_ns container 4 t-buf alloc "$chardev" $((64 * mib)) | reason)" "alloc=EDQUOT reason=5"
is "but not with root" "$(word zero "$(t-buf alloc "$chardev" $((64 * mib)))")" 1
for i in there container sub subuids; do
	drop $i >/dev/null
done
ok "until it is gone" within 10 unused

# From a pool that he may use
ok "a pool of 160 MiB for his group" nrdmactl pool set node "$node" size 160M group 1000
full() { nrdmactl -j pool show | jq -e ".[] | select(.node == $node).ready_bytes == $((160 * mib))" >/dev/null; }
ok "it fills" within 60 full
ok "he has 64 MiB of it" hold warm as_user sh -c "ulimit -l 65536; exec t-buf hold $chardev $((64 * mib))"
is "warm" "$(buf_json '.[0].warm_bytes')" $((64 * mib))
is "but not more than his cap" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib)) pool" | reason)" "alloc=EDQUOT reason=5"
is "nor than his RLIMIT_MEMLOCK" \
	"$(as_user sh -c "ulimit -l 8192; t-buf alloc $chardev $((16 * mib)) pool" | reason)" "alloc=ENOMEM reason=3"
is "what is left of it he gets" \
	"$(word warm "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((32 * mib)) pool")")" $((32 * mib))
drop warm >/dev/null
nrdmactl pool set node "$node" size 0 group none >/dev/null

# ---- a node ----

ok "cap the node at 128 MiB" nrdmactl pool set node "$node" cap 0 node-cap 128M
ok "somebody has 100 MiB" hold two t-buf hold "$chardev" $((100 * mib))
is "over all users" "$(setpriv --reuid 1001 --clear-groups t-buf alloc "$chardev" $((32 * mib)) | reason)" \
	"alloc=EDQUOT reason=5"
is "the node says what is in buffers" \
	"$(nrdmactl -j pool show | jq ".[] | select(.node == $node).buf_bytes")" $((100 * mib))
ok "it has what it took" drop two
ok "caps as they were" nrdmactl pool set node "$node" node-cap 0

nothing_left
done_testing
