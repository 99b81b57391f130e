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
	tree_files >"$tmp/files"
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
		mount -o bind,ro "${!src%/usr/src/*}" "$root/tmp/headers$k"
		ln -sfn "/tmp/headers$k/usr/src/${!src##*/}" "$root/lib/modules/${!rel}/build"
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

# fake_kernel NAME: the headers of the first kernel, to be changed. They lead to
# their other parts by ../ and ../../.
fake_kernel() {
	local src=/tmp/headers1/usr/src copy=/tmp/headers-$1/usr/src
	mkdir -p "$copy" "/lib/modules/$1"
	ln -s /tmp/headers1/usr/lib "$copy/../lib"
	ln -s "$src"/linux-headers-*-common* "$copy/"
	cp -a "$src/linux-headers-$rel" "$copy/headers"
	ln -s "$copy/headers" "/lib/modules/$1/build"
}
fake_kernel none
sed -i '/^CONFIG_INFINIBAND=/d' /lib/modules/none/build/{.config,include/config/auto.conf}
fake_kernel broken
echo '#error broken on purpose' >>/lib/modules/broken/build/include/generated/autoconf.h

# dkms makes itself a signing key once; it is dkms's. Caches come and go.
everything() {
	find /boot /etc /lib /opt /usr /var -xdev ! -path '/var/cache/*' ! -path '/var/log/*' \
		! -path '/var/lib/dkms/mok.*' ! -path '*/lib/modules/*/modules.*' 2>/dev/null | sort
}
everything >"$tmp/before"

# ---- install for a kernel that is not running

ok "the kernel is not the running one" test "$rel" != "$running"
ok "scripts/install --kernel" scripts/install --kernel "$rel" --no-load
is "the module is of this version" "$(module_version "$rel")" "$version"
is "and of that kernel" "$(modinfo -F vermagic "$(modules_of "$rel")" | cut -d' ' -f1)" "$rel"
ok "it is signed" test -n "$(modinfo -F signer "$(modules_of "$rel")")"
is "modprobe would find it" "$(modprobe -S "$rel" -nR nrdma)" nrdma
ok "no other kernel got one" test ! -e "/lib/modules/$running/updates"
ok "dkms says installed" grep -q "nrdma/$version, $rel, .*: installed" <(dkms status)
is "the tool is of this version" "$(nrdmactl -V | grep -o "$version")" "$version"
ok "the udev rule is there" test -e /usr/lib/udev/rules.d/60-nrdma.rules
ok "and a configuration, which has no effect yet" test -e /etc/nrdma/nrdma.conf
ok "which is applied at boot" test -e /etc/systemd/system/sysinit.target.wants/nrdma.service
ok "the sources are the module's alone" fails \
	grep -E '\.o$|/(tests|user|scripts)$' <(find "/usr/src/nrdma-$version")

# ---- the same version once more, other sources

echo '#error not built on purpose' >>kmod/main.c
ok "sources that do not build" fails eval 'scripts/install --kernel "$rel" --no-load >"$tmp/same" 2>&1'
ok "the compiler's words" grep -q 'not built on purpose' "$tmp/same"
ok "are the last but one" grep -q '^install: all is as it was before' "$tmp/same"
is "and it is" "$(module_version "$rel")" "$version"
sed -i '$d' kmod/main.c

# ---- loading it: of the running kernel this one has the name, and nothing is loaded

mkdir "$tmp/stub"
cat >"$tmp/stub/uname" <<-SH
	#!/bin/sh
	[ "\$*" = -r ] && echo $rel || exec /usr/bin/uname "\$@"
SH
cat >"$tmp/stub/modprobe" <<-SH
	#!/bin/sh
	echo "\$@" >>$tmp/modprobe
	[ ! -e $tmp/refuse ]
SH
chmod +x "$tmp"/stub/*
install_and_load() { PATH=$tmp/stub:$PATH scripts/install; }
ok "scripts/install" install_and_load
is "loads it" "$(cat "$tmp/modprobe")" nrdma
touch "$tmp/refuse"
ok "where the kernel refuses it" fails eval 'install_and_load >"$tmp/load" 2>&1'
ok "that is said, with who knows why" grep -q 'cannot be loaded: nrdmactl check only module' "$tmp/load"
mkdir -p /sys/module/nrdma
echo "$version" >/sys/module/nrdma/version
echo 0123456789ABCDEF >/sys/module/nrdma/srcversion
ok "where another build is loaded" eval 'install_and_load >"$tmp/load"'
ok "that is said, with what to do" grep -q 'is still loaded: modprobe -r nrdma && modprobe nrdma && nrdmactl apply' "$tmp/load"
modinfo -F srcversion "$(modules_of "$rel")" >/sys/module/nrdma/srcversion
ok "where this one is loaded" eval 'install_and_load >"$tmp/load"'
ok "nothing is said" fails grep -q 'still loaded' "$tmp/load"
rm -r /sys/module

# ---- kernels that cannot have it

scripts/install --kernel none --no-load >"$tmp/none" 2>&1 || echo "status $?" >>"$tmp/none"
ok "scripts/install for a kernel without RDMA says so, and is content" \
	grep -q 'none lacks what nrdma needs.*skipped' "$tmp/none"
ok "it ends well" fails grep '^status' "$tmp/none"
is "that one has no module" "$(modules_of none)" ""
is "the other keeps its own" "$(module_version "$rel")" "$version"
ok "the installation of such a kernel does not fail" /etc/kernel/postinst.d/dkms none
ok "scripts/install for one that it cannot build for fails" fails \
	eval 'scripts/install --kernel broken --no-load >"$tmp/broken" 2>&1'
ok "and shows what the compiler said" grep -q 'broken on purpose' "$tmp/broken"
is "and takes the module from no other" "$(module_version "$rel")" "$version"
ok "scripts/install for one without headers fails" \
	fails scripts/install --kernel 0.0.1-none --no-load

# ---- a kernel that comes later

ok "a second kernel is installed" /etc/kernel/postinst.d/dkms "$second"
is "it got the module" "$(module_version "$second")" "$version"

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
echo '[node 0]' >>/etc/nrdma/nrdma.conf
ok "scripts/install --uninstall" scripts/install --uninstall
ok "a configuration that was changed stays" rm /etc/nrdma/nrdma.conf
rmdir /etc/nrdma
everything >"$tmp/after"
ok "nothing is left" diff "$tmp/before" "$tmp/after"
ok "and uninstalling nothing is no error" scripts/install --uninstall

done_testing
