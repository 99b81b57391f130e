#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# probe.sh NAME OUT SOURCE CC [FLAG]...
#
# Asks the compiler which of two interfaces a kernel has, and writes the answer
# to OUT. Yes: the new form compiles. No: it does not, and the old one does.
# Neither: something else is wrong, so stop and show what, instead of taking a
# broken compiler, missing headers or a third form for a "no".

set -eu

name=$1 out=$2 source=$3
shift 3

log=$out.log
trap 'rm -f "$log.1" "$log.0"' EXIT

compiles() {
	# Warnings decide nothing, whatever the kernel or the user turned on,
	# but those that mean another interface.
	"$@" -Wno-error -Werror=implicit-function-declaration \
		-Werror=incompatible-pointer-types -Werror=int-conversion \
		-fsyntax-only "-DPROBE_$name=$form" "$source" >"$log.$form" 2>&1
}

form=1
if compiles "$@"; then
	echo "#define HAVE_$name 1" >"$out"
	exit 0
fi
form=0
if compiles "$@"; then
	echo "/* no HAVE_$name */" >"$out"
	exit 0
fi

cat >&2 <<END
nrdma: probe $name is broken: this kernel has neither form of the interface,
or nothing compiles for it. The compiler about the new form:
$(cat "$log.1")
and about the old one:
$(cat "$log.0")
END
exit 1
