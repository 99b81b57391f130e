#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: many-vectors
#
# The machine is what the topology says: 65 vectors, of which the driver uses as
# many as there are CPUs until told otherwise.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "eth1 has 65 vectors" "$(virqs "$(pci_of eth1)" | wc -l)" 65
ok "and 32 channels" ethtool -L eth1 combined 32
ok "or 2" ethtool -L eth1 combined 2
done_testing
