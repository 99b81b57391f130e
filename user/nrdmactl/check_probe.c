// SPDX-License-Identifier: GPL-2.0
/* What the last probe of a device found. */
#include <stdio.h>
#include <string.h>

#include "checker.h"
#include "probe_last.h"

static void check_probe_dev(struct checker *c, const struct dev *dev)
{
	const struct num *node = &dev->place.mem_node;
	struct probe_last last;
	char seen[128], age[32];

	probe_last_read(&last, dev);
	if (last.never) {
		checker_say(c, VERDICT_NA, NULL, "never measured since boot (nrdmactl probe %s)",
			    dev->name);
		return;
	}
	if (!last.known) {
		checker_say(c, VERDICT_NA, NULL, "the last verdict cannot be read (%s)",
			    last.word.why);
		return;
	}
	probe_last_age(&last, age, sizeof(age));
	if (*probe_last_with(&last, seen, sizeof(seen)))
		strcat(seen, ", ");
	strcat(seen, age);
	if (last.software)
		checker_say(c, VERDICT_INFO, NULL,
			    "%s (%s); on a software device that says nothing about a NIC",
			    last.text, seen);
	else if (last.mem_node.known != node->known || last.mem_node.v != node->v)
		checker_say(c, VERDICT_INFO, NULL, "%s (%s); its node was another one then",
			    last.text, seen);
	else if (!strcmp(last.word.s, probe_words[PROBE_CONTRADICTS]))
		checker_say(c, VERDICT_WARN, last.fix, "%s (%s)", last.text, seen);
	else if (!strcmp(last.word.s, probe_words[PROBE_UNKNOWN]))
		checker_say(c, VERDICT_INFO, *last.fix ? last.fix : NULL, "%s (%s)", last.text, seen);
	else
		checker_say(c, VERDICT_OK, NULL, "%s (%s)", last.text, seen);
}

const struct check check_probe = {
	.id = "probe",
	.expected = "no other node's memory was measured to be faster than the device's own",
	.why = "firmware can be wrong about a slot, and what is measured cannot",
	.dev = check_probe_dev,
};
