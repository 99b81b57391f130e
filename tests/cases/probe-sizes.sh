#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 400
#
# Every operation moves what it is given, from the least to the most that a probe takes.

# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

leak_check_begin
before=$(resources)
moves_data 8 64 4096 65536 1048576 4194304
nothing_of_probe "$before"
nothing_left
done_testing
