#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make install puts everything under DESTDIR, make uninstall leaves nothing.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tree=$tmp/tree dest=$tmp/dest
mkdir "$tree" "$dest"
(cd "$top" && tree_files | xargs cp --parents -t "$tree")
cd "$tree"
version=$(cat VERSION)

# applies FILE: it is well formed. There may be no module here.
applies() {
	local status=0
	"$dest/usr/sbin/nrdmactl" apply "$1" dry-run || status=$?
	[ "$status" = 0 ] || [ "$status" = 4 ]
}
installed() { (cd "$dest" && find . ! -type d | sort); }

ok "make install" make install install-dkms DESTDIR="$dest"
for f in sbin/nrdmactl lib/libnrdma.so include/nrdma.h include/linux/nrdma.h \
	lib/udev/rules.d/60-nrdma.rules share/man/man8/nrdmactl.8 \
	lib/systemd/system/nrdma.service share/man/man5/nrdma.conf.5 share/doc/nrdma/nrdma.conf \
	share/bash-completion/completions/nrdmactl share/nrdma/nrdmactl.schema.json \
	"src/nrdma-$version/dkms.conf"; do
	ok "usr/$f" test -e "$dest/usr/$f"
done
is "the tool runs from there, and tells the version" \
	"$("$dest/usr/sbin/nrdmactl" -V | grep -oF "$version")" "$version"
is "and so does the library" \
	"$(sed -n 's/^Version: //p' "$dest/usr/lib/pkgconfig/libnrdma.pc")" "$version"
for object in $("$dest/usr/sbin/nrdmactl" complete '' | grep -vx help); do
	ok "$object has a manual page" test -e "$dest/usr/share/man/man8/nrdmactl-$object.8"
done

ok "the example can be applied" applies "$dest/usr/share/doc/nrdma/nrdma.conf"
ok "its lines, too, once they are no comments" applies \
	<(sed -n 's/^;\([][a-z0-9].*\)/\1/p' "$dest/usr/share/doc/nrdma/nrdma.conf")
ok "and the one of the manual" applies <(sed -n '/^; 4 GiB/,/^```/p' user/man/nrdma.conf.5.scd | grep -v '```')

# completes WORD... -- WANTED...: what bash offers for the last of these words
completes() {
	local wanted
	COMP_WORDS=("$dest/usr/sbin/nrdmactl")
	while [ "$1" != -- ]; do
		COMP_WORDS+=("$1")
		shift
	done
	shift
	wanted=$*
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	_nrdmactl
	[ "${COMPREPLY[*]}" = "$wanted" ]
}
# shellcheck source=user/completion/nrdmactl
. "$dest/usr/share/bash-completion/completions/nrdmactl"
tests/unit/mkroot "$tmp/root"
export NRDMA_SYSROOT=$tmp/root
ok "completion of an object" completes mon -- monitor
ok "of a command, after an option" completes -j irq "" -- show set restore
ok "of a device" completes irq set mlx -- mlx4_0 mlx5_0
ok "of its network device" completes stat ens -- ens2
ok "of a key" completes irq set mlx5_0 lo -- lock
ok "of a value" completes irq set mlx5_0 lock o -- on off
ok "of what cannot be" completes nonsense "" --
unset NRDMA_SYSROOT

# What a program needs: the header, the library, nothing of this tree.
cat >"$tmp/program.c" <<'C'
#include <nrdma.h>
int main(void) { return 0; }
C
ok "a program builds with what pkg-config says" env \
	PKG_CONFIG_SYSROOT_DIR="$dest" PKG_CONFIG_PATH="$dest/usr/lib/pkgconfig" \
	sh -c "gcc -Wall -Werror -o $tmp/program $tmp/program.c -I$dest/usr/include \
		\$(pkg-config --cflags --libs libnrdma)"

is "sources for dkms: those of the module, and no more" \
	"$(cd "$dest/usr/src/nrdma-$version" && find . -type f | sed 's,^\./,,' | sort)" \
	"$(tree_files | grep -E '^(COPYING|Kbuild|Makefile|VERSION|dkms.conf|kmod/.*|include/.*)$' | sort)"
ok "no file outside usr" fails grep -v '^\./usr/' <(installed)
ok "no path of the tree is in what was installed" fails grep -rIl "$tree" "$dest"

files=$(installed)
ok "make uninstall" make uninstall DESTDIR="$dest"
is "nothing is left" "$(installed)" ""
is "no folder of its own either" "$(find "$dest" -mindepth 1 -name "*nrdma*")" ""

dest="$tmp/a blank"
mkdir "$dest"
ok "make install into a directory with a blank" make install install-dkms DESTDIR="$dest"
is "the same files" "$(installed)" "$files"
ok "make uninstall from there" make uninstall DESTDIR="$dest"
is "and nothing is left" "$(installed)" ""

for how in "--kernel" "--kernel=" "--kernel=../x" "--uninstall --kernel=x" "--no-such-option" "argument"; do
	# shellcheck disable=SC2086 # several words
	ok "scripts/install $how: bad usage" test "$(scripts/install $how >/dev/null 2>&1; echo $?)" = 2
done

done_testing
