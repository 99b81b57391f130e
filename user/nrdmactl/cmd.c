// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cpus.h"
#include "say.h"
#include "size.h"

struct opts opts;

bool cmd_abbreviates(const char *word, const char *whole)
{
	return *word && !strncmp(word, whole, strlen(word));
}

/**
 * cmd_of_object() - the first command of the object that a word means: exactly,
 * or the first that it abbreviates
 */
const struct cmd *cmd_of_object(const char *word)
{
	unsigned int i;

	for (i = 0; cmd_table[i]; i++)
		if (!strcmp(word, cmd_table[i]->object))
			return cmd_table[i];
	for (i = 0; cmd_table[i]; i++)
		if (cmd_abbreviates(word, cmd_table[i]->object))
			return cmd_table[i];
	return NULL;
}

static void cmd_say_names(const char *object, const char *word)
{
	char names[256] = "";
	unsigned int i;

	for (i = 0; cmd_table[i]; i++) {
		if (strcmp(cmd_table[i]->object, object) || !cmd_table[i]->name)
			continue;
		if (*names)
			strncat(names, ", ", sizeof(names) - strlen(names) - 1);
		strncat(names, cmd_table[i]->name, sizeof(names) - strlen(names) - 1);
	}
	say("%s: no command \"%s\": there is %s (nrdmactl help %s)", object, word, names, object);
}

/**
 * cmd_find() - the command that words mean
 * @argc: how many words
 * @argv: the words
 * @used: out, how many of them name the command
 *
 * Return: the command, or NULL after saying what is wrong.
 */
const struct cmd *cmd_find(int argc, char **argv, int *used)
{
	const struct cmd *alone, *abbreviated = NULL;
	unsigned int i;

	*used = 0;
	if (!argc)
		return cmd_table[0];
	alone = cmd_of_object(argv[0]);
	if (!alone) {
		say("no object \"%s\": see nrdmactl help", argv[0]);
		return NULL;
	}
	*used = 1;
	for (i = 0; cmd_table[i]; i++) {
		const struct cmd *cmd = cmd_table[i];

		if (strcmp(cmd->object, alone->object))
			continue;
		if (argc < 2 || !cmd->name)
			continue;
		if (!strcmp(argv[1], cmd->name)) {
			*used = 2;
			return cmd;
		}
		/* After an object that is a command itself, a word may be a device */
		if (!abbreviated && alone->name && cmd_abbreviates(argv[1], cmd->name))
			abbreviated = cmd;
	}
	if (abbreviated) {
		*used = 2;
		return abbreviated;
	}
	if (argc > 1 && alone->name) {
		cmd_say_names(alone->object, argv[1]);
		return NULL;
	}
	return alone;
}

/**
 * cmd_key() - the key of a command that a word means
 * @exactly: abbreviations do not count
 *
 * Return: its index, or -1.
 */
int cmd_key(const struct cmd *cmd, const char *word, bool exactly)
{
	int i;

	for (i = 0; cmd->keys && cmd->keys[i].name; i++)
		if (!strcmp(word, cmd->keys[i].name))
			return i;
	for (i = 0; !exactly && cmd->keys && cmd->keys[i].name; i++)
		if (cmd_abbreviates(word, cmd->keys[i].name))
			return i;
	return -1;
}

static int cmd_say_keys(const struct cmd *cmd, const char *word)
{
	char names[256] = "";
	int i;

	if (cmd->rest) {
		say("\"%s\" is no key: %s comes after \"--\"", word, cmd->rest);
		return -EINVAL;
	}
	for (i = 0; cmd->keys && cmd->keys[i].name; i++) {
		if (i)
			strncat(names, ", ", sizeof(names) - strlen(names) - 1);
		strncat(names, cmd->keys[i].name, sizeof(names) - strlen(names) - 1);
	}
	if (*names)
		say("no key \"%s\": there is %s", word, names);
	else
		say("\"%s\" is too much: no keys here", word);
	return -EINVAL;
}

/**
 * cmd_value() - read the value of a key, and what follows it where it is a word
 *	like "node N"
 * @args: the value is kept here
 * @key: index of the key
 *
 * Return: how many words, or -EINVAL after saying what is wrong.
 */
int cmd_value(struct args *args, int key, int argc, char **argv)
{
	const struct cmd_key *k = &args->cmd->keys[key];
	char allowed[256] = "";
	size_t len;
	int i;

	if (!k->arg) {
		args->value[key] = "";
		return 0;
	}
	if (!argc) {
		say("%s: %s is missing", k->name, k->arg);
		return -EINVAL;
	}
	args->value[key] = argv[0];
	if (!k->values)
		return 1;
	for (i = 0; k->values[i]; i++) {
		len = strcspn(k->values[i], " ");
		if (i)
			strncat(allowed, ", ", sizeof(allowed) - strlen(allowed) - 1);
		strncat(allowed, k->values[i], sizeof(allowed) - strlen(allowed) - 1);
		if (strlen(argv[0]) != len || strncmp(argv[0], k->values[i], len))
			continue;
		if (!k->values[i][len])
			return 1;
		if (argc < 2) {
			say("%s %s: %s is missing", k->name, argv[0], k->values[i] + len + 1);
			return -EINVAL;
		}
		args->more[key] = argv[1];
		return 2;
	}
	say("%s \"%s\": must be one of %s", k->name, argv[0], allowed);
	return -EINVAL;
}

/**
 * cmd_dev_word() - whether the first word is the "dev" of "dev NAME"
 *
 * As for ip(8) and rdma(8) it may stand before a device's name, and has to where the
 * name is also a key's or a command's. A device "dev" is "dev dev".
 */
bool cmd_dev_word(const struct cmd *cmd, int argc, char **argv)
{
	return cmd->pos && strstr(cmd->pos, "DEV") && argc > 1 && !strcmp(argv[0], "dev") &&
	       strcmp(argv[1], "--");
}

/**
 * cmd_args() - read what follows a command
 * @args: out
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int cmd_args(struct args *args, const struct cmd *cmd, int argc, char **argv)
{
	const char *pos = cmd->pos;
	int i = 0, key, n;

	memset(args, 0, sizeof(*args));
	args->cmd = cmd;
	say_about("%s%s%s", cmd->object, cmd->name ? " " : "", cmd->name ? cmd->name : "");
	/* A word that may be missing is not taken for a device when it is a key */
	if (cmd_dev_word(cmd, argc, argv)) {
		args->pos = argv[1];
		i = 2;
	} else if (pos && argc && strcmp(argv[0], "--") &&
		   (pos[0] != '[' || cmd_key(cmd, argv[0], true) < 0)) {
		args->pos = argv[i++];
	}
	if (pos && pos[0] != '[' && !args->pos) {
		say("%s is missing (nrdmactl help %s)", pos, cmd->object);
		return -EINVAL;
	}
	if (args->pos)
		say_about("%s%s%s %s", cmd->object, cmd->name ? " " : "",
			  cmd->name ? cmd->name : "", args->pos);
	while (i < argc) {
		if (!strcmp(argv[i], "--") && cmd->rest) {
			args->rest = argv + i + 1;
			break;
		}
		key = cmd_key(cmd, argv[i], false);
		if (key < 0)
			return cmd_say_keys(cmd, argv[i]);
		if (args->value[key]) {
			say("%s is given twice", cmd->keys[key].name);
			return -EINVAL;
		}
		i++;
		n = cmd_value(args, key, argc - i, argv + i);
		if (n < 0)
			return n;
		i += n;
	}
	for (i = 0; cmd->keys && cmd->keys[i].name; i++)
		if (cmd->keys[i].required && !args->value[i]) {
			say("%s %s is missing", cmd->keys[i].name, cmd->keys[i].arg);
			return -EINVAL;
		}
	if (cmd->rest && (!args->rest || !args->rest[0])) {
		say("%s is missing after \"--\"", cmd->rest);
		return -EINVAL;
	}
	return 0;
}

static int args_index(const struct args *args, const char *key)
{
	int i = cmd_key(args->cmd, key, true);

	if (i < 0)
		abort();
	return i;
}

/**
 * args_get() - the value of a key
 *
 * Return: the word, "" for a key that has none, NULL when it was not given.
 */
const char *args_get(const struct args *args, const char *key)
{
	return args->value[args_index(args, key)];
}

const char *args_more(const struct args *args, const char *key)
{
	return args->more[args_index(args, key)];
}

/**
 * args_u32() - a key's value as a whole number
 * @num: out, not known when the key was not given
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int args_u32(const struct args *args, const char *key, struct num *num)
{
	const char *text = args_get(args, key);
	uint32_t n;

	*num = num_none(NULL);
	if (!text)
		return 0;
	if (size_parse_u32(&n, text)) {
		say("%s \"%s\": must be a whole number, up to %u", key, text, UINT32_MAX);
		return -EINVAL;
	}
	*num = num_of(n);
	return 0;
}

/**
 * args_above_0() - as args_u32(), and 0 is refused
 */
int args_above_0(const struct args *args, const char *key, struct num *num)
{
	if (args_u32(args, key, num))
		return -EINVAL;
	if (!num->known || num->v)
		return 0;
	say("%s 0: must be above 0", key);
	return -EINVAL;
}

/**
 * args_size() - a key's value as a size in bytes
 * @num: out, not known when the key was not given
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int args_size(const struct args *args, const char *key, struct num *num)
{
	const char *text = args_get(args, key);
	uint64_t bytes;
	int err;

	*num = num_none(NULL);
	if (!text)
		return 0;
	err = size_parse(&bytes, text);
	if (err == -ERANGE || (!err && bytes > INT64_MAX)) {
		say("%s \"%s\": is too large, must be below 8388608T", key, text);
		return -EINVAL;
	}
	if (err) {
		say("%s \"%s\": must be a size like 64k, 2M or 4G", key, text);
		return -EINVAL;
	}
	*num = num_of(bytes);
	return 0;
}

/**
 * args_cpus() - check that a key's value is a list of CPUs
 *
 * Which CPUs there can be, the module knows.
 *
 * Return: 0, or -EINVAL after saying what is wrong.
 */
int args_cpus(const char *key, const char *text)
{
	struct cpus cpus;

	if (cpus_parse(&cpus, text) != -EINVAL)
		return 0;
	say("%s \"%s\": must be a list of CPUs like 0-3,8", key, text);
	return -EINVAL;
}

/**
 * args_switch() - a key that is on or off
 *
 * Return: 1, 0, or not known when the key was not given.
 */
struct num args_switch(const struct args *args, const char *key)
{
	const char *text = args_get(args, key);

	return text ? num_of(!strcmp(text, "on")) : num_none(NULL);
}

/**
 * cmd_usage_status() - exit status of bad usage
 * @word: the first word, NULL for none
 */
int cmd_usage_status(const char *word)
{
	const struct cmd *cmd = word ? cmd_of_object(word) : NULL;

	return cmd && cmd->usage_status ? cmd->usage_status : EXIT_USAGE;
}

/**
 * cmd_main() - find the command and do it
 *
 * Return: exit status.
 */
int cmd_main(int argc, char **argv)
{
	const struct cmd *cmd;
	struct args args;
	int used, i;

	if (argc && cmd_abbreviates(argv[0], "help"))
		return help_run(argc - 1, argv + 1);
	if (argc && !strcmp(argv[0], "complete"))
		return help_complete(argc - 1, argv + 1);
	/* "help" is a command at each level, and a device's name after "dev" */
	for (i = 1; i < argc && i < 3 && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "help") && (i == 1 || strcmp(argv[1], "dev")))
			return help_run(i, argv) ? cmd_usage_status(argv[0]) : EXIT_DONE;
	cmd = cmd_find(argc, argv, &used);
	if (!cmd)
		return EXIT_USAGE;
	if (cmd_args(&args, cmd, argc - used, argv + used))
		return cmd_usage_status(cmd->object);
	return cmd->run(&args);
}
