#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_importer
# kernels: debug
# timeout: 900
#
# For each thing that can be asked of the module, each of its allocations fails in
# turn: the error is the right one, nothing is half done, nothing is left, and the
# next try succeeds. See tests/bin/t-fail.c; for devices, fail-device, for loading,
# fail-load.

# shellcheck source=tests/cases/lib/fail.sh
. "$(dirname "$0")/lib/fail.sh"

leak_check_begin
listen
modprobe nrdma_importer || bail "no nrdma_importer"
each "$dev" - '!device'
rmmod nrdma_importer
listen_no_more
nothing_left
done_testing
