/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CONF_H
#define NRDMACTL_CONF_H

#include <stdbool.h>

#include "cmd.h"
#include "dev.h"
#include "mod_irq.h"
#include "mod_pool.h"

#define CONF_FILE	"/etc/nrdma/nrdma.conf"

/* One for nodes (pool set), two for devices (dev set, irq set) */
#define CONF_CMDS	2

/**
 * struct conf_section - a section of nrdma.conf
 * @name: what stands between the brackets
 * @line: of its first key
 * @is_node: "node N"; a device otherwise
 * @args: what its keys come to, as if given to a command
 * @given: how many of these have a key
 * @line_of: line of each key
 * @pool: with @is_node
 * @override: of a device
 * @policy: of a device; points into @args
 */
struct conf_section {
	char *name;
	unsigned int line;
	bool is_node;
	struct args args[CONF_CMDS];
	bool given[CONF_CMDS];
	unsigned int line_of[CONF_CMDS][CMD_KEYS_MAX];

	struct pool pool;
	struct num override;
	struct irq_policy policy;
};

struct conf {
	const char *path;
	unsigned int nr;
	struct conf_section *section;
};

int conf_read(struct conf *conf, const char *path);
void conf_free(struct conf *conf);

const char *conf_dev_key(const struct dev *dev);
int conf_print(const struct pool *pools, unsigned int nr_pools, struct dev **match);

#endif /* NRDMACTL_CONF_H */
