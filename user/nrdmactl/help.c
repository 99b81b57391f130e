// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "say.h"

#define HELP_WIDTH	90

/* A key as help writes it: "[lock on|off]" */
static void help_key(const struct cmd_key *key, char *text, size_t len)
{
	unsigned int i;
	size_t n;

	n = snprintf(text, len, key->required ? " %s" : " [%s", key->name);
	for (i = 0; key->values && key->values[i] && n < len; i++)
		n += snprintf(text + n, len - n, "%s%s", i ? "|" : " ", key->values[i]);
	if (!key->values && key->arg && n < len)
		n += snprintf(text + n, len - n, " %s", key->arg);
	if (n < len && !key->required)
		snprintf(text + n, len - n, "]");
}

/**
 * help_cmd() - how a command is written, and what it does
 */
void help_cmd(const struct cmd *cmd)
{
	char text[128];
	unsigned int i;
	int n;

	n = printf("  nrdmactl %s", cmd->object);
	if (cmd->name)
		n += printf(" %s", cmd->name);
	if (cmd->pos)
		n += printf(" %s", cmd->pos);
	for (i = 0; cmd->keys && cmd->keys[i].name; i++) {
		help_key(&cmd->keys[i], text, sizeof(text));
		if (n + strlen(text) > HELP_WIDTH)
			n = printf("\n                ") - 1;
		n += printf("%s", text);
	}
	if (cmd->rest)
		printf(" -- %s", cmd->rest);
	printf("\n        %s\n", cmd->help);
}

static void help_all(void)
{
	unsigned int i;

	puts("nrdmactl [-j] [-p] [-d] OBJECT COMMAND [DEV] [KEY VALUE]...");
	puts("  -j JSON  -p pretty JSON  -d details  -V version");
	puts("  Words may be abbreviated. DEV is a device (mlx5_0), one of its ports (mlx5_0/1),");
	puts("  its network device or its PCI address; \"dev DEV\" where a key has that name.");
	puts("  Without words: status.\n");
	for (i = 0; cmd_table[i]; i++)
		help_cmd(cmd_table[i]);
	puts("  nrdmactl help [OBJECT [COMMAND]]\n        this, or what it says of one");
	puts("\nExit status: 0 done, 1 bad usage, 2 refused or failed, 3 a check failed, 4 the answer may\n"
	     "be incomplete. More in nrdmactl(8).");
}

/**
 * help_run() - nrdmactl help [OBJECT [COMMAND]]
 */
int help_run(int argc, char **argv)
{
	const struct cmd *cmd;
	unsigned int i;
	int used;

	if (!argc) {
		help_all();
		return EXIT_DONE;
	}
	if (cmd_abbreviates(argv[0], "help")) {
		help_all();
		return EXIT_DONE;
	}
	cmd = cmd_find(argc, argv, &used);
	if (!cmd)
		return EXIT_USAGE;
	if (argc > used) {
		say("help: \"%s\" is too much after \"%s\"", argv[used], argv[used - 1]);
		return EXIT_USAGE;
	}
	if (argc > 1) {
		help_cmd(cmd);
		return EXIT_DONE;
	}
	for (i = 0; cmd_table[i]; i++)
		if (!strcmp(cmd_table[i]->object, cmd->object))
			help_cmd(cmd_table[i]);
	return EXIT_DONE;
}

static void help_offer(const char *word, const char *candidate, size_t len)
{
	if (!strncmp(word, candidate, strlen(word)) && strlen(word) <= len)
		printf("%.*s\n", (int)len, candidate);
}

static void help_offer_devices(const char *word)
{
	struct devs devs;
	unsigned int i, p;

	if (devs_read(&devs))
		return;
	for (i = 0; i < devs.nr; i++) {
		help_offer(word, devs.v[i].name, strlen(devs.v[i].name));
		for (p = 0; *word && p < devs.v[i].nr_ports; p++)
			if (devs.v[i].ports[p].netdev.known)
				help_offer(word, devs.v[i].ports[p].netdev.s,
					   strlen(devs.v[i].ports[p].netdev.s));
	}
	devs_free(&devs);
}

static void help_offer_keys(const struct cmd *cmd, int argc, char **argv, const char *word)
{
	const struct cmd_key *key;
	unsigned int i, v;
	int a;

	for (i = 0; cmd->keys && cmd->keys[i].name; i++) {
		key = &cmd->keys[i];
		if (argc && !strcmp(argv[argc - 1], key->name) && key->arg) {
			for (v = 0; key->values && key->values[v]; v++)
				help_offer(word, key->values[v], strcspn(key->values[v], " "));
			if (!strcmp(key->arg, "DEV"))
				help_offer_devices(word);
			return;
		}
	}
	for (i = 0; cmd->keys && cmd->keys[i].name; i++) {
		for (a = 0; a < argc && strcmp(argv[a], cmd->keys[i].name); a++)
			;
		if (a == argc)
			help_offer(word, cmd->keys[i].name, strlen(cmd->keys[i].name));
	}
}

/**
 * help_complete() - what the last of the words could become, a line each
 *
 * For the shell's completion: from the same table as everything else.
 */
int help_complete(int argc, char **argv)
{
	const char *word = argc ? argv[argc - 1] : "";
	const struct cmd *cmd = NULL;
	unsigned int i;
	int used = 0;

	if (argc > 1) {
		cmd = cmd_of_object(argv[0]);
		if (!cmd)
			return EXIT_DONE;
		if (cmd->name && argc > 2) {
			cmd = cmd_find(argc - 1, argv, &used);
			if (!cmd)
				return EXIT_DONE;
		}
		used = cmd->name ? 2 : 1;
	}
	if (!cmd) {
		for (i = 0; cmd_table[i]; i++)
			if (!i || strcmp(cmd_table[i]->object, cmd_table[i - 1]->object))
				help_offer(word, cmd_table[i]->object,
					   strlen(cmd_table[i]->object));
		help_offer(word, "help", 4);
	} else if (argc == used) {
		for (i = 0; cmd_table[i]; i++)
			if (!strcmp(cmd_table[i]->object, cmd->object))
				help_offer(word, cmd_table[i]->name,
					   strlen(cmd_table[i]->name));
	} else {
		if (cmd_dev_word(cmd, argc - used, argv + used))
			used++;
		if (cmd->pos && argc == used + 1 && strstr(cmd->pos, "DEV"))
			help_offer_devices(word);
		if (cmd->rest && argc == used + 2)
			help_offer(word, "--", 2);
		if (argc > used + 1 || !cmd->pos || cmd->pos[0] == '[')
			help_offer_keys(cmd, argc - 1 - used, argv + used, word);
	}
	return EXIT_DONE;
}
