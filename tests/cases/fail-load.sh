#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: debug
# timeout: 1500
#
# The module is loaded while each of its allocations fails in turn. See
# tests/bin/t-fail.c.

# shellcheck source=tests/cases/lib/fail.sh
. "$(dirname "$0")/lib/fail.sh"

leak_check_begin
ok "it unloads" rmmod nrdma
each load "/lib/modules/$(uname -r)/updates/nrdma.ko"
ok "and loads in the end" modprobe nrdma
nothing_left
done_testing
