/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_CMD_H
#define NRDMACTL_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "dev.h"

/* Exit status */
#define EXIT_DONE	0
#define EXIT_USAGE	1
#define EXIT_FAILED	2	/* or refused */
#define EXIT_CHECK	3	/* a check failed */
#define EXIT_PARTIAL	4	/* the answer may be incomplete */

struct opts {
	bool json, pretty, details;
};

extern struct opts opts;

#define CMD_KEYS_MAX	12

/**
 * struct cmd_key - a key of a command
 * @name: the word; NULL ends a list of keys
 * @arg: what its value is called, NULL for a key without one
 * @values: words that the value may be, NULL for any; a word "node N" is
 *	"node" and takes one more
 * @required: the command does nothing without it
 */
struct cmd_key {
	const char *name;
	const char *arg;
	const char *const *values;
	bool required;
};

struct args;

/**
 * struct cmd - a command; one file each, listed in table.c
 * @object: first word
 * @name: second word, NULL where the object is the command
 * @pos: what comes next without a key: "DEV" is one, "[DEV]" may be one, NULL
 * @rest: what stands after "--", NULL
 * @keys: its keys, NULL for none
 * @help: what it does, in a line
 * @usage_status: exit status of bad usage where it is not EXIT_USAGE
 * @run: does it; returns EXIT_*
 */
struct cmd {
	const char *object;
	const char *name;
	const char *pos;
	const char *rest;
	const struct cmd_key *keys;
	const char *help;
	int usage_status;
	int (*run)(const struct args *args);
};

/* What the user gave to a command */
struct args {
	const struct cmd *cmd;
	const char *pos;			/* NULL when not given */
	const char *value[CMD_KEYS_MAX];	/* by key; "" for one without value */
	const char *more[CMD_KEYS_MAX];		/* what followed "node" or so */
	char **rest;				/* after "--", NULL-terminated */
};

extern const struct cmd *const cmd_table[];

int cmd_main(int argc, char **argv);
int cmd_usage_status(const char *word);
int cmd_args(struct args *args, const struct cmd *cmd, int argc, char **argv);
const struct cmd *cmd_find(int argc, char **argv, int *used);
const struct cmd *cmd_of_object(const char *word);
bool cmd_dev_word(const struct cmd *cmd, int argc, char **argv);
int cmd_key(const struct cmd *cmd, const char *word, bool exactly);
int cmd_value(struct args *args, int key, int argc, char **argv);
bool cmd_abbreviates(const char *word, const char *whole);

const char *args_get(const struct args *args, const char *key);
const char *args_more(const struct args *args, const char *key);
int args_u32(const struct args *args, const char *key, struct num *num);
int args_above_0(const struct args *args, const char *key, struct num *num);
int args_size(const struct args *args, const char *key, struct num *num);
int args_cpus(const char *key, const char *text);
struct num args_switch(const struct args *args, const char *key);

/**
 * struct picked - the devices that a command is about
 * @match: of @devs, those that were named, or all; NULL-terminated
 * @port: the port that was named, or 0
 */
struct picked {
	struct devs devs;
	struct dev **match;
	unsigned int port;
};

int pick(struct picked *picked, const struct args *args);
struct dev *pick_one(struct picked *picked, const struct args *args, bool by_function);
void pick_free(struct picked *picked);

void help_cmd(const struct cmd *cmd);
int help_run(int argc, char **argv);
int help_complete(int argc, char **argv);

#endif /* NRDMACTL_CMD_H */
