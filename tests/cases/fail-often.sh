#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: debug
# timeout: 900
#
# A thousand buffers are refused at each place where memory can be: each says why,
# and nothing is left of them. See tests/bin/t-fail.c.

# shellcheck source=tests/cases/lib/fail.sh
. "$(dirname "$0")/lib/fail.sh"

leak_check_begin
each "$dev" - "mmap of a page" 1000
each "$dev" - "ALLOC of three pages" 1000
nothing_left
done_testing
