#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A probe's three answers, and that nothing else passes for one of them.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

probe=$top/kmod/compat/probe.sh

cat >"$tmp/source.c" <<'C'
struct thing { int old; };
#ifdef PROBE_X
#if PROBE_X
int probe(struct thing *t) { return t->WANTED; }
#else
int probe(struct thing *t) { return t->old; }
#endif
#endif
C

# answer WANTED CC...: what the probe says where the new form uses member WANTED
answer() {
	local wanted=$1
	shift
	rm -f "$tmp/out"
	"$probe" X "$tmp/out" "$tmp/source.c" "$@" "-DWANTED=$wanted" 2>"$tmp/err" || return
	cat "$tmp/out"
}

is "the new form compiles: yes" "$(answer old gcc)" "#define HAVE_X 1"
is "only the old form compiles: no" "$(answer new gcc)" "/* no HAVE_X */"
is "warnings that are errors decide nothing" \
	"$(answer old gcc -Wall -Werror -Wmissing-prototypes)" "#define HAVE_X 1"
is "clang says the same: yes" "$(answer old clang)" "#define HAVE_X 1"
is "clang says the same: no" "$(answer new clang)" "/* no HAVE_X */"

ok "no compiler: broken" fails answer old "$tmp/no-such-cc"
ok "no answer was left" test ! -e "$tmp/out"
ok "a compiler that crashes: broken" fails answer old false
ok "an unknown flag: broken" fails answer old gcc --no-such-flag
ok "and the compiler's words are shown" grep -q no-such-flag "$tmp/err"
sed -i 's/struct thing {/#include <no-such-header.h>\n&/' "$tmp/source.c"
ok "a header that is not there: broken" fails answer old gcc
ok "and it is named" grep -q no-such-header.h "$tmp/err"
is "no log is left" "$(cd "$tmp" && ls out.log.* 2>/dev/null)" ""

# Every probe of the table has its user, and every user its probe.
probes=$(sed -n 's/^#ifdef PROBE_//p' "$top/kmod/compat/probes.c" | sort)
is "each HAVE_ in compat.h has its probe" \
	"$(grep -ohE '\bHAVE_[A-Z0-9_]+' "$top/kmod/compat.h" | sort -u |
		sed -n 's/^HAVE_//p' | grep -vx X)" "$probes"
cd "$top"
ok "versions are compared nowhere" \
	fails grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' -r kmod
is "HAVE_ is asked for in compat.h only" "$(grep -lE '\bHAVE_[A-Z]' kmod/*.[ch])" kmod/compat.h

done_testing
