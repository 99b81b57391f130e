#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nrdmactl check over a host that is all files: one thing at a time is not as it
# should be, and that check says so and no other. What needs a kernel to break it
# is in tests/cases/tool-check.sh.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make -s -C "$top/user" "$top/user/build/nrdmactl/nrdmactl" >/dev/null
nrdmactl=$top/user/build/nrdmactl/nrdmactl
root=$tmp/root
export NRDMA_SYSROOT=$root
release=6.1.0-9-fixture

put() { mkdir -p "$root/$(dirname "$1")"; printf '%s\n' "$2" >"$root/$1"; }

ib=sys/class/infiniband/mlx5_0
pci=sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0

# A host of one InfiniBand card on node 1, where nothing is wrong
make_good() {
	"$top/tests/unit/mkroot" "$root"
	find "$root/sys/class/infiniband" -mindepth 1 -maxdepth 1 ! -name mlx5_0 -exec rm -rf {} +
	put $pci/current_link_speed '16.0 GT/s PCIe'
	put $pci/current_link_width 16
	put sys/devices/system/node/has_memory 0-2
	put proc/irq/101/effective_affinity_list 65
	put $ib/ports/1/hw_counters/out_of_sequence 0
	put sys/module/ib_core/parameters/netns_mode Y
	put proc/sys/kernel/osrelease $release
	# IPoIB over it, switched off: what has nothing to do with the port
	mkdir -p "$root/$pci/net/ib0"
	put sys/class/net/ib0/dev_port 0
	put sys/class/net/ib0/flags 0x1002
	for pid in self 42; do
		put proc/$pid/comm server
		put proc/$pid/uid_map '         0          0 4294967295'
		put proc/$pid/status $'CapEff:\t0000000000000000\nVmLck:\t0 kB\nVmPin:\t0 kB\nMems_allowed_list:\t0-2'
		put proc/$pid/limits 'Max locked memory         unlimited            unlimited            bytes'
		put proc/$pid/cgroup '0::/system.slice/server.service'
		put proc/$pid/task/42/stat "42 (a) b) S$(printf ' 1%.0s' $(seq 35)) 64 0"
	done
	put sys/fs/cgroup/cpuset.cpus.effective 0-3,64-67,128
	put sys/fs/cgroup/system.slice/cpuset.cpus.effective 0-3,64-67,128
	cp -a "$root" "$tmp/good"
}
good() {
	rm -rf "$root"
	cp -a "$tmp/good" "$root"
}

# All but the module, which a fixture has none of
check() { "$nrdmactl" -j check mlx5_0 pid 42 skip module 2>/dev/null || :; }
of() { jq -r --arg c "$1" "map(select(.check == \$c)) | $2" "$tmp/json"; }
wrong() {
	jq -r 'map(select(.verdict == "fail" or .verdict == "warn") | .verdict + " " + .check) | join(", ")' "$tmp/json"
}

# breaks WHAT VERDICT FOUND [FIX]: just that, found like that, and what mends it
breaks() {
	check >"$tmp/json"
	is "$1" "$(wrong)" "$2"
	ok "$1: $3" grep -qF -- "$3" <<<"$(of "${2#* }" '.[0].found')"
	[ $# -lt 4 ] || is "$1: and what mends it" "$(of "${2#* }" '.[0].fix')" "$4"
	good
}

# just WHAT VERDICTS [CHECK FILTER WANTED]: nothing but these, and what a check says
just() {
	check >"$tmp/json"
	is "$1" "$(wrong)" "$2"
	[ $# -lt 3 ] || is "$1: as it is told" "$(of "$3" "$4")" "$5"
	good
}

make_good
just "nothing is wrong with it" ""

put $pci/numa_node -1
just "a node that is not known" "fail node"
put sys/devices/system/node/has_memory 0,2
breaks "a node without memory" "warn node" "node 1 has no memory, buffers go to node 0"

put $ib/ports/1/state '1: DOWN'
put $ib/ports/1/phys_state '3: Disabled'
breaks "a port that is down" "fail port" "physically disabled"
put $ib/ports/1/state '2: INIT'
breaks "no subnet manager" "fail port" "no subnet manager" "systemctl start opensm"
put $ib/ports/1/link_layer Ethernet
put $ib/ports/1/state '1: DOWN'
breaks "RoCE whose network device is off" "fail port" "ib0 is switched off" "ip link set ib0 up"
put $ib/ports/1/rate '50 Gb/sec (1X HDR)'
breaks "one lane of four" "warn rate" "50 Gb/s on 1 lane of four"
put $ib/ports/1/rate '400 Gb/sec (4X NDR)'
breaks "more than PCIe carries" "warn pcie" "252 Gb/s for ports of 400 Gb/s"
put $ib/ports/1/rate '800 Gb/sec (4X XDR)'
is "XDR" "$("$nrdmactl" -j status mlx5_0 2>/dev/null | jq -c '.[0].ports[0] | [.rate, .lane, .width]')" \
	'[800000000000,"XDR",4]'
good

put $pci/current_link_width 8
breaks "half of its lanes" "fail pcie" "card and slot could do 252 Gb/s" \
	"setpci -s 0000:80:01.0 CAP_EXP+10.w=20:20"
put $pci/current_link_speed '5.0 GT/s PCIe'
breaks "half of its speed" "fail pcie" "5.0 GT/s x16, 64 Gb/s; card and slot could do 252 Gb/s"
# A wide and slow slot, a narrow and fast card: neither is to blame
put $pci/current_link_speed '8.0 GT/s PCIe'
put $pci/current_link_width 8
put $pci/max_link_width 8
put ${pci%/*}/max_link_speed '8.0 GT/s PCIe'
put $ib/ports/1/rate '40 Gb/sec (4X QDR)'
breaks "a slower slot" "warn pcie" "63 Gb/s, all that this slot does; the card could do 126 Gb/s"
# A virtual function has no link, but its physical function has
mkdir -p "$root/${pci%.0}.4"
ln -s ../0000:81:00.0 "$root/${pci%.0}.4/physfn"
for f in subsystem numa_node msi_irqs; do
	cp -a "$root/$pci/$f" "$root/${pci%.0}.4/"
done
put ${pci%.0}.4/current_link_speed Unknown
put ${pci%.0}.4/current_link_width 0
ln -sfn "$(realpath --relative-to="$root/$ib" "$root/${pci%.0}.4")" "$root/$ib/device"
is "a virtual function's link" \
	"$("$nrdmactl" -j status mlx5_0 2>/dev/null | jq -c '.[0] | [.pci, .pcie_speed, .pcie_width]')" \
	'["0000:81:00.4","16.0 GT/s",16]'
just "is as good" ""

put proc/irq/101/effective_affinity_list 0
breaks "a vector on the other node" "fail vectors" "1 of 4" \
	"nrdmactl irq set mlx5_0 policy local lock on"
for n in 100 101 102; do
	put proc/irq/$n/effective_affinity_list 64
done
breaks "all on one CPU" "warn vectors" "all 4 go to CPU 64" \
	"nrdmactl irq set mlx5_0 policy local lock on"

for n in 100 101 102; do
	rm -r "$root/proc/irq/$n"
done
just "vectors that nothing is known of" "" vectors '.[0] | .verdict + " " + .found' \
	"n/a where 4 go cannot be read"

put etc/systemd/network/50-nic.link $'[Match]\nDriver=mlx5_core\n[Link]\n IRQAffinityPolicy = spread'
breaks "a .link file" "warn writers" "systemd places interrupts by /etc/systemd/network/50-nic.link" \
	"sed -i '/IRQAffinity/d' /etc/systemd/network/50-nic.link"
put usr/lib/systemd/network/99-default.link.d/irq.conf $'[Link]\nIRQAffinityPolicy=single'
breaks "one dropped in" "warn writers" "99-default.link.d/irq.conf"
put etc/systemd/network/50-nic.link $'[Link]\n#IRQAffinityPolicy=spread\nIRQAffinityPolicy='
just "none that says nothing" ""
put etc/systemd/system/multi-user.target.wants/mlnx-affinity.service ''
breaks "a vendor's service" "warn writers" "mlnx-affinity.service is enabled" \
	"systemctl disable --now mlnx-affinity.service"
put etc/infiniband/openib.conf 'RUN_AFFINITY_TUNER=yes'
breaks "openibd" "warn writers" "openibd"
put proc/77/comm irqbalance
put proc/78/comm tuned
put etc/tuned/active_profile network-latency
just "irqbalance and tuned, where nothing is steered" "" writers 'map(.verdict + " " + .found) | join("; ")' \
	"info irqbalance runs (pid 77); no vectors are steered; info tuned runs (pid 78, profile network-latency) and may place interrupts"

put proc/42/limits 'Max locked memory         65536                65536                bytes'
breaks "64 KiB of locked memory" "fail memlock" "RLIMIT_MEMLOCK is 64K" \
	"sudo prlimit --pid 42 --memlock=unlimited"
put proc/self/status $'CapEff:\t0000000001000000\nMems_allowed_list:\t0-2'
put proc/42/limits 'Max locked memory         65536                65536                bytes'
breaks "told to who may raise it" "fail memlock" "RLIMIT_MEMLOCK is 64K" \
	"prlimit --pid 42 --memlock=unlimited"
put proc/42/limits 'Max locked memory         65536                65536                bytes'
put proc/42/status $'CapEff:\t000001ffffffffff\nMems_allowed_list:\t0-2'
just "CAP_IPC_LOCK" "" memlock '.[0].found' "64K, but CAP_IPC_LOCK goes over it"
put proc/42/limits 'Max locked memory         65536                65536                bytes'
put proc/42/status $'CapEff:\t000001ffffffffff\nMems_allowed_list:\t0-2'
put proc/42/uid_map '         0       1000          1'
breaks "of a user namespace alone" "fail memlock" "RLIMIT_MEMLOCK is 64K"
put proc/42/status $'CapEff:\t0000000000000000\nMems_allowed_list:\t0'
breaks "a cpuset without the memory node" "fail cpuset" "memory node 1 is not among the allowed, 0" \
	"echo 0-1 >/sys/fs/cgroup/cpuset.mems"
put proc/42/status $'CapEff:\t0000000000000000\nMems_allowed_list:\t0'
put sys/fs/cgroup/system.slice/server.service/cpuset.cpus.effective 0-3
put sys/fs/cgroup/system.slice/server.service/cpuset.mems 0
breaks "of a unit" "fail cpuset" "memory node 1 is not among the allowed, 0" \
	"systemctl set-property server.service AllowedMemoryNodes=0-1"
put sys/fs/cgroup/system.slice/cpuset.cpus.effective 0-3
put sys/fs/cgroup/system.slice/cpuset.cpus 0-3
breaks "a cpuset without CPUs of the node" "fail cpuset" "no CPU near the device is among those allowed, 0-3" \
	"systemctl set-property system.slice AllowedCPUs=0-3,64-67,128"
# The unit has CPUs of its own, but what keeps its memory away is said above it
put proc/42/status $'CapEff:\t0000000000000000\nMems_allowed_list:\t0'
put sys/fs/cgroup/system.slice/server.service/cpuset.cpus.effective 64-67
put sys/fs/cgroup/system.slice/server.service/cpuset.cpus 64-67
put sys/fs/cgroup/system.slice/cpuset.mems 0
breaks "said by the slice above" "fail cpuset" "memory node 1 is not among the allowed, 0" \
	"systemctl set-property system.slice AllowedMemoryNodes=0-1"
# Both say so: the upper one first, without taking from its others
put proc/42/status $'CapEff:\t0000000000000000\nMems_allowed_list:\t0'
put sys/fs/cgroup/system.slice/server.service/cpuset.cpus.effective 0-3
put sys/fs/cgroup/system.slice/server.service/cpuset.mems 0
put sys/fs/cgroup/system.slice/cpuset.mems 0,2
put sys/fs/cgroup/system.slice/cpuset.mems.effective 0,2
breaks "said by both" "fail cpuset" "memory node 1 is not among the allowed, 0" \
	"systemctl set-property system.slice AllowedMemoryNodes=0-2"
put proc/42/cgroup '4:cpuset:/batch'
put sys/fs/cgroup/cpuset/batch/cpuset.effective_cpus 0-1
put sys/fs/cgroup/cpuset/batch/cpuset.cpus 0-1
breaks "one of version 1" "fail cpuset" "those allowed, 0-1" \
	"echo 0-1,64-67,128 >/sys/fs/cgroup/cpuset/batch/cpuset.cpus"
put proc/42/task/42/stat "42 (a) b) S$(printf ' 1%.0s' $(seq 35)) 3 0"
breaks "a thread elsewhere" "fail threads" "1 of 1 threads of process 42 ran elsewhere last" \
	"taskset -acp 64-67,128 42"
# Every other CPU of a large host
put sys/devices/system/node/node1/cpulist "$(seq -s, 64 2 512)"
put proc/42/task/42/stat "42 (a) b) S$(printf ' 1%.0s' $(seq 35)) 3 0"
check >"$tmp/json"
is "with however long a list" "$(of threads '.[0].fix')" "taskset -acp $(seq -s, 64 2 512) 42"
good

put $ib/ports/1/hw_counters/out_of_sequence 7
just "a counter that stands" "" counters 'map(.verdict + " " + .found) | .[]' \
	"info not 0, but not growing: out_of_sequence 7"
n=7
while :; do
	n=$((n + 1))
	# At once, as sysfs has it
	echo $n >"$root/new"
	mv "$root/new" "$root/$ib/ports/1/hw_counters/out_of_sequence"
done &
grower=$!
# On a busy host it may not get to run within the second that check waits
for _ in $(seq 10); do
	check >"$tmp/json"
	[ -n "$(wrong)" ] && break
done
is "and one that grows" "$(wrong)" "warn counters"
kill $grower
wait $grower 2>/dev/null || :
good

put sys/module/ib_core/parameters/netns_mode N
just "devices of other namespaces" "" netns '.[0].verdict' info
for n in 1 2 3; do
	cp -a "$root/$ib" "$root/sys/class/infiniband/mlx5_$n"
done
just "every device on one node" "" spread '.[0] | .verdict + " " + .found' \
	"info all 4 devices are on node 1 of several"

# ---- many of them, and one that is odd ----

for n in $(seq 1 63); do
	cp -a "$root/$ib" "$root/sys/class/infiniband/mlx5_$n"
done
rm "$root/sys/class/infiniband/mlx5_7/fw_ver" "$root/sys/class/infiniband/mlx5_7/device"
for f in rate state; do
	rm "$root/sys/class/infiniband/mlx5_7/ports/1/$f"
	mkdir "$root/sys/class/infiniband/mlx5_7/ports/1/$f"
done
ok "64 devices, one of which tells nothing" sh -c "'$nrdmactl' -j status 2>/dev/null >'$tmp/json'"
is "have 64 rows" "$(jq length "$tmp/json")" 64
is "63 of them with all there is" "$(jq -c 'map(select(.ports[0].rate and .pci and .vectors == 4)) | length' "$tmp/json")" 63
is "in the order of their numbers" "$(jq -r '.[10].name' "$tmp/json")" mlx5_10
good

# ---- why the module is not there ----

module() { "$nrdmactl" -j check only module 2>/dev/null | jq -r '.[0] | .verdict + ": " + .found'; }
mends() { "$nrdmactl" -j check only module 2>/dev/null | jq -r '.[0].fix'; }
version=$(cat "$top/VERSION")
build="dkms install --force nrdma/$version -k $release && modprobe nrdma"
ko=lib/modules/$release/updates/dkms/nrdma.ko
built() {
	good
	put lib/modules/$release/modules.dep "updates/dkms/nrdma.ko: kernel/drivers/infiniband/core/ib_core.ko"
	put "$ko" "$(printf 'ELF name=nrdma|vermagic=%s SMP preempt mod_unload modversions |' "${1:-$release}")"
	sed -i 'y/|/\x00/' "$root/$ko"
	touch -d @0 "$root/$ko"
}
# log LINE...: what the kernel said, a second after boot
log() {
	local line
	mkdir -p "$root/dev"
	for line; do
		printf '4,1,1000000,-;%s\n SUBSYSTEM=module\n' "$line"
	done >"$root/dev/kmsg"
}

good
is "not built" "$(module)" "fail: not loaded, and not built for this kernel, $release"
is "and what mends it" "$(mends)" "$build"
built
is "not loaded" "$(module)" "fail: not loaded"
is "and what mends it" "$(mends)" "modprobe nrdma"
built 6.1.0-8-fixture
is "built for another kernel" "$(module)" \
	"fail: not loaded, and built for another kernel, 6.1.0-8-fixture; this one is $release"
is "and what mends it" "$(mends)" "$build"
built
log "nrdma: loading out-of-tree module taints kernel." \
	"nrdma: disagrees about version of symbol ib_register_client" \
	"nrdma: Unknown symbol ib_register_client (err -22)"
is "other symbols" "$(module)" \
	"fail: not loaded, and built against other symbols than this kernel's: disagrees about version of symbol ib_register_client"
is "and what mends it" "$(mends)" "$build"
touch "$root/$ko"
is "but the file is newer than that" "$(module)" "fail: not loaded"
# Of a file that was just written, by a clock that has lost 50 ppm since boot
up=$(cut -d. -f1 /proc/uptime)
sed -i "s/,1000000,/,$((up * 1000000 - up * 50)),/" "$root/dev/kmsg"
touch "$root/$ko"
is "or as new, for all that the log's clock can tell" "$(module)" \
	"fail: not loaded, and built against other symbols than this kernel's: disagrees about version of symbol ib_register_client"
built
put sys/kernel/security/lockdown 'none [integrity] confidentiality'
is "not signed, under Secure Boot" "$(module)" \
	"fail: not loaded, and not signed, which this kernel asks for: /lib/modules/$release/updates/dkms/nrdma.ko"
built
put sys/module/module/parameters/sig_enforce Y
is "not signed, by a parameter" "$(module)" \
	"fail: not loaded, and not signed, which this kernel asks for: /lib/modules/$release/updates/dkms/nrdma.ko"
printf '~Module signature appended~\n' >>"$root/$ko"
touch -d @0 "$root/$ko"
is "signed: who knows" "$(module)" "fail: not loaded"
log "nrdma: Loading of module with unavailable key is rejected"
is "with a key that is not enrolled" "$(module)" \
	"fail: not loaded, and signed with a key that is not enrolled (it is at the next reboot, once imported): Loading of module with unavailable key is rejected"
is "and what mends it" "$(mends)" "mokutil --import /var/lib/dkms/mok.pub"
put var/lib/shim-signed/mok/MOK.der ""
is "where it is Ubuntu's" "$(mends)" "mokutil --import /var/lib/shim-signed/mok/MOK.der"
put var/lib/dkms/mok.pub ""
is "where dkms has its own" "$(mends)" "mokutil --import /var/lib/dkms/mok.pub"
put etc/dkms/framework.conf '# mok_certificate=/no
mok_certificate="/etc/keys/own.der"'
is "where dkms was told another" "$(mends)" "mokutil --import /etc/keys/own.der"

# ---- what nobody can read, what goes ----

rm "$root/proc/interrupts"
why() { "$nrdmactl" irq show mlx5_0 2>/dev/null | awk 'NR == 2' | grep -o 'n/a (not readable)' | wc -l; }
is "no /proc/interrupts: neither actions nor counts" "$(why)" 2
put proc/interrupts ""
is "an empty one" "$(why)" 2
good

# gone OBJECT...: watches the device until it goes; what was said of that, and the status
gone() {
	local watcher status=0
	: >"$tmp/watched"
	"$nrdmactl" "$@" mlx5_0 watch 1 >"$tmp/watched" 2>&1 &
	watcher=$!
	until [ -s "$tmp/watched" ]; do sleep 0.1; done
	mv "$root/$ib" "$tmp/went"
	wait $watcher || status=$?
	echo "$(grep -c gone "$tmp/watched") $status"
	mv "$tmp/went" "$root/$ib"
}
is "irq show: a device that goes while it is watched" "$(gone irq show)" "1 2"
is "stat: so too" "$(gone stat)" "1 2"

# ---- and a host without RDMA ----

if [ -e /sys/class/infiniband ]; then
	skip "this host has RDMA" "ps without RDMA"
else
	is "ps without RDMA: nobody, and all is known" \
		"$(env -u NRDMA_SYSROOT "$nrdmactl" -j ps 2>/dev/null; echo $?)" $'[]\n0'
fi

done_testing
