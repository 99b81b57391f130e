#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# rdma: siw
# append: slub_debug=U
# timeout: 600
# parallel: yes
#
# The same with the connection manager under way.

export NRDMA_DEV=${NRDMA_DEV:-siw_eth1}
# shellcheck source=tests/cases/probe-cuts.sh
. "$(dirname "$0")/probe-cuts.sh"
