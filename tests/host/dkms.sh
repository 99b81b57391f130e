#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# scripts/install and DKMS for real: install for a kernel that is not running,
# a newer kernel, a newer version, kernels that cannot have the module, removal.
# All of it in an overlay over this system's root, which is thrown away.
#
#   dkms.sh [SERIES]

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ -z "${NRDMA_OVERLAY:-}" ]; then
	[ "$(id -u)" = 0 ] || skip_all "an overlay and chroot take root"
	series=${1:-6.1}
	cd "$top"
	scripts/setup install >&2
	release=$(scripts/kernel release "$series")
	second=${release/%-amd64/-cloud-amd64}
	kdir=$(scripts/kernel kdir "$release")
	kdir2=$(scripts/kernel kdir "$second")
	git ls-files -co --exclude-standard | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done >"$tmp/files"
	cat >"$tmp/in-overlay" <<-'SH'
	set -e
	# In memory: an overlay cannot lie on an overlay's upper side.
	mount -t tmpfs nrdma "$tmp/mnt"
	mkdir "$tmp/mnt/upper" "$tmp/mnt/work" "$tmp/mnt/root"
	root=$tmp/mnt/root
	mount -t overlay nrdma -o "lowerdir=/,upperdir=$tmp/mnt/upper,workdir=$tmp/mnt/work" "$root"
	mount --rbind /dev "$root/dev"
	mount -t proc proc "$root/proc"
	mount -t tmpfs nrdma "$root/tmp"
	mkdir "$root/tmp/nrdma"
	xargs cp --parents -t "$root/tmp/nrdma" <"$tmp/files"
	for k in 1 2; do
		src=kdir$k rel=rel$k
		mkdir -p "$root/tmp/headers$k" "$root/lib/modules/${!rel}"
		mount --bind "$(dirname "${!src}")" "$root/tmp/headers$k"
		ln -sfn "/tmp/headers$k/$(basename "${!src}")" "$root/lib/modules/${!rel}/build"
	done
	NRDMA_OVERLAY=1 exec chroot "$root" /tmp/nrdma/tests/host/dkms.sh "$rel1" "$rel2"
	SH
	mkdir "$tmp/mnt"
	export tmp kdir1=$kdir kdir2 rel1=$release rel2=$second
	rc=0
	unshare -m bash "$tmp/in-overlay" || rc=$?
	exit $rc
fi

# ---- from here on in the overlay

rel=$1 second=$2
running=$(uname -r)
cd "$top"
version=$(cat VERSION)
export DEBIAN_FRONTEND=noninteractive

modules_of() { find "/lib/modules/$1" -name 'nrdma.ko*'; }
module_version() { modinfo -F version "$(modules_of "$1")"; }

# A kernel of our own making: the headers of the first, with something changed.
fake_kernel() {
	mkdir -p "/lib/modules/$1"
	cp -a "$(readlink "/lib/modules/$rel/build")" "/tmp/headers-$1"
	# Its makefile finds the common part beside it.
	sed -i "s|^include .*\.\./|include /tmp/headers1/|" "/tmp/headers-$1/Makefile"
	ln -s "/tmp/headers-$1" "/lib/modules/$1/build"
}
fake_kernel none
sed -i '/^CONFIG_INFINIBAND=/d' /tmp/headers-none/.config /tmp/headers-none/include/config/auto.conf
sed -i '/define CONFIG_INFINIBAND_\?\(MODULE\)\? /d' /tmp/headers-none/include/generated/autoconf.h
fake_kernel broken
echo '#error broken on purpose' >>/tmp/headers-broken/include/generated/utsrelease.h

# dkms makes itself a signing key once; it is dkms's. Caches come and go.
everything() {
	find /boot /etc /lib /opt /root /usr /var -xdev \
		! -path '/root/.*' ! -path '/var/cache/*' ! -path '/var/log/*' \
		! -path '/var/lib/dkms/mok.*' ! -path '/lib/modules/*/modules.*' 2>/dev/null | sort
}
everything >"$tmp/before"

# ---- install for a kernel that is not running

ok "the kernel is not the running one" test "$rel" != "$running"
ok "scripts/install --kernel" scripts/install --kernel "$rel" --no-load
is "the module is of this version" "$(module_version "$rel")" "$version"
is "and of that kernel" "$(modinfo -F vermagic "$(modules_of "$rel")" | cut -d' ' -f1)" "$rel"
is "modprobe would find it" "$(modprobe -S "$rel" -nR nrdma)" nrdma
ok "no other kernel got one" test ! -e "/lib/modules/$running/updates"
ok "dkms says installed" grep -q "nrdma/$version, $rel, .*: installed" <(dkms status)
is "the tool is of this version" "$(nrdmactl -V | grep -o "$version")" "$version"
ok "the udev rule is there" test -e /usr/lib/udev/rules.d/60-nrdma.rules
ok "no file of the tests is" fails find /usr/src/nrdma-"$version" -name '*.o' -o -name tests -o -name user
ok "the same once more" scripts/install --kernel "$rel" --no-load

# ---- a kernel that comes later

ok "dkms autoinstall for a second kernel" dkms autoinstall -k "$second"
is "it got the module" "$(module_version "$second")" "$version"

# ---- kernels that cannot have it

ok "autoinstall for a kernel without RDMA does not fail" dkms autoinstall -k none
is "and it has no module" "$(modules_of none)" ""
ok "scripts/install for it says so" \
	grep -q 'none lacks what nrdma needs.*skipped' <(scripts/install --kernel none --no-load)
ok "scripts/install for one that it cannot build for fails" \
	fails scripts/install --kernel broken --no-load
is "and takes the module from no other" "$(module_version "$rel")" "$version"
ok "scripts/install for one without headers fails" \
	fails scripts/install --kernel 0.0.1-none --no-load

# ---- upgrade

newer=$version.1
echo "$newer" >VERSION
ok "a newer version that does not build" fails scripts/install --kernel broken --no-load
is "leaves the older one alone" "$(module_version "$rel")" "$version"
ok "scripts/install of a newer version" scripts/install --kernel "$rel" --no-load
is "the newer module" "$(module_version "$rel")" "$newer"
is "also where the older one was" "$(module_version "$second")" "$newer"
is "one version in dkms" "$(dkms status nrdma | grep -oE '^nrdma/[^,]*' | sort -u)" "nrdma/$newer"
is "one in /usr/src" "$(cd /usr/src && echo nrdma-*)" "nrdma-$newer"
is "the newer tool" "$(nrdmactl -V | grep -o "$newer")" "$newer"

# ---- removal

ok "a kernel is removed" dkms remove "nrdma/$newer" -k "$second"
is "its module went" "$(modules_of "$second")" ""
ok "scripts/install --uninstall" scripts/install --uninstall
everything >"$tmp/after"
ok "nothing is left" diff "$tmp/before" "$tmp/after"
ok "and uninstalling nothing is no error" scripts/install --uninstall

done_testing
