#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One version, from one place, wherever it is told. The tool's and the library's are
# looked at where they are installed (install.sh).

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$top"
version=$(cat VERSION)
ok "VERSION is one" grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' VERSION

# shellcheck source=../../dkms.conf
is "dkms" "$(kernel_source_dir=. && . ./dkms.conf && echo "$PACKAGE_VERSION")" "$version"
ko=$(scripts/kernel build 6.1)
is "module" "$(modinfo -F version "$ko")" "$version"
ok "and it is written nowhere else" fails grep -rnE --exclude-dir=build --exclude-dir=.git \
	--exclude=VERSION "VERSION=.*${version//./\\.}" .

done_testing
