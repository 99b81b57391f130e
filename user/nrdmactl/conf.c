// SPDX-License-Identifier: GPL-2.0
/*
 * Reading nrdma.conf. Its keys are those of the commands that set, from their own
 * tables, and so is what is said of a bad one.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "commands.h"
#include "conf.h"
#include "say.h"
#include "set.h"
#include "size.h"

/* inih cuts names of sections at 49 */
#define CONF_SECTION_MAX	48
/* A value is one or two words; one more shows that there are too many. */
#define CONF_WORDS		3

/**
 * struct conf_reader - a file on its way in
 * @line: the line that was read last
 * @section: it, or one before it that no key followed yet, begins a section
 * @continued: it goes on with the value of the key before
 * @key: the key before, whose value may go on; NULL for none
 * @value: its value so far
 * @key_line: its line
 * @failed: something was said to be wrong
 * @error: errno of a read that failed
 */
struct conf_reader {
	struct conf *conf;
	FILE *file;
	unsigned int line;
	bool section, continued;
	char *key, *value;
	unsigned int key_line;
	bool failed;
	int error;
};

static const struct cmd *const conf_node_cmds[CONF_CMDS] = { &cmd_pool_set };
static const struct cmd *const conf_dev_cmds[CONF_CMDS] = { &cmd_dev_set, &cmd_irq_set };

static void conf_say_where(const struct conf_reader *reader, unsigned int line)
{
	say_about("%s: line %u", reader->conf->path, line);
}

static void *conf_need(void *p)
{
	if (!p) {
		say("out of memory");
		exit(EXIT_FAILED);
	}
	return p;
}

/* ---- sections ---- */

/* A key of a command may stand in a file when it has a value, and says no more
 * than the section does.
 */
static bool conf_may_stand(const struct cmd *cmd, int key)
{
	return cmd->keys[key].arg && (cmd != &cmd_pool_set || strcmp(cmd->keys[key].name, "node"));
}

/* @section: the last one, a node's */
static int conf_section_node(const struct conf *conf, struct conf_section *section)
{
	const char *text = section->name + 4;
	int key = cmd_key(&cmd_pool_set, "node", true);
	const struct conf_section *other;
	uint32_t node;

	section->is_node = true;
	text += strspn(text, " \t");
	if (size_parse_u32(&node, text)) {
		say("[%s]: must be a node like [node 0], or a device by PCI address, network device or name",
		    section->name);
		return -EINVAL;
	}
	/* Written in another way, but the same: as for a device, neither is more right */
	for (other = conf->section; other < section; other++) {
		if (!other->is_node || other->pool.node.v != node)
			continue;
		say("[%s]: is about node %u, and so is [%s] in line %u: write one section",
		    section->name, node, other->name, other->line);
		return -EINVAL;
	}
	section->args[0].value[key] = conf_need(strdup(text));
	return 0;
}

static struct conf_section *conf_section_new(struct conf_reader *reader, const char *name)
{
	struct conf *conf = reader->conf;
	struct conf_section *section;
	unsigned int i;

	if (!*name) {
		say("a key before any section: [node N], or a device by PCI address, network device or name");
		return NULL;
	}
	if (strlen(name) > CONF_SECTION_MAX) {
		say("[%s...: has %d characters at most", name, CONF_SECTION_MAX);
		return NULL;
	}
	for (i = 0; i < conf->nr; i++) {
		if (!strcmp(conf->section[i].name, name)) {
			say("[%s] was there before: its keys begin in line %u", name,
			    conf->section[i].line);
			return NULL;
		}
	}
	conf->section = conf_need(reallocarray(conf->section, conf->nr + 1,
					       sizeof(*conf->section)));
	section = &conf->section[conf->nr++];
	memset(section, 0, sizeof(*section));
	section->name = conf_need(strdup(name));
	section->line = reader->line;
	section->override = num_none("not given");
	if (!strncmp(name, "node", 4) && (!name[4] || isspace((unsigned char)name[4]))) {
		section->args[0].cmd = conf_node_cmds[0];
		return conf_section_node(conf, section) ? NULL : section;
	}
	if (strchr(name, '/')) {
		say("[%s]: must be a device, not a port of one", name);
		return NULL;
	}
	for (i = 0; i < CONF_CMDS; i++)
		section->args[i].cmd = conf_dev_cmds[i];
	return section;
}

/* ---- keys ---- */

static void conf_say_keys(const struct conf_section *section, const char *word)
{
	char names[256] = "";
	unsigned int c;
	int i;

	for (c = 0; c < CONF_CMDS && section->args[c].cmd; c++) {
		const struct cmd *cmd = section->args[c].cmd;

		for (i = 0; cmd->keys[i].name; i++) {
			if (!conf_may_stand(cmd, i))
				continue;
			if (*names)
				strncat(names, ", ", sizeof(names) - strlen(names) - 1);
			strncat(names, cmd->keys[i].name, sizeof(names) - strlen(names) - 1);
		}
	}
	say("no key \"%s\" in [%s]: there is %s", word, section->name, names);
}

/* All that is given so far, so what is wrong is wrong with the last key. */
static int conf_section_parse(struct conf_section *section, unsigned int c)
{
	const struct args *args = &section->args[c];

	if (args->cmd == &cmd_pool_set)
		return pool_set_want(args, &section->pool);
	if (args->cmd == &cmd_dev_set)
		return dev_set_node(args, &section->override);
	return irq_set_policy(args, &section->policy);
}

static int conf_key_value(struct conf_section *section, unsigned int c, int key,
			  const char *value, unsigned int line)
{
	struct args *args = &section->args[c];
	const char *name = args->cmd->keys[key].name;
	char *words[CONF_WORDS], *copy, *save, *word;
	int nr = 0, used;

	if (args->value[key]) {
		say("%s is given twice: in line %u, too", name, section->line_of[c][key]);
		return -EINVAL;
	}
	copy = conf_need(strdup(value));
	for (word = strtok_r(copy, " \t", &save); word && nr < CONF_WORDS;
	     word = strtok_r(NULL, " \t", &save))
		words[nr++] = word;
	used = cmd_value(args, key, nr, words);
	if (used >= 0 && used < nr) {
		say("%s \"%s\": \"%s\" is too much", name, value, words[used]);
		used = -EINVAL;
	}
	/* They outlive the copy */
	args->value[key] = used > 0 ? conf_need(strdup(args->value[key])) : NULL;
	args->more[key] = used > 1 ? conf_need(strdup(args->more[key])) : NULL;
	free(copy);
	if (used < 0)
		return used;
	section->given[c] = true;
	section->line_of[c][key] = line;
	return conf_section_parse(section, c);
}

/* The key that was read before is complete. */
static void conf_key_end(struct conf_reader *reader)
{
	struct conf_section *section;
	unsigned int c;
	int key = -1;

	if (!reader->key)
		return;
	section = &reader->conf->section[reader->conf->nr - 1];
	conf_say_where(reader, reader->key_line);
	for (c = 0; c < CONF_CMDS && section->args[c].cmd; c++) {
		key = cmd_key(section->args[c].cmd, reader->key, true);
		if (key >= 0 && conf_may_stand(section->args[c].cmd, key))
			break;
		key = -1;
	}
	if (key < 0) {
		conf_say_keys(section, reader->key);
		reader->failed = true;
	} else if (conf_key_value(section, c, key, reader->value, reader->key_line)) {
		reader->failed = true;
	}
	free(reader->key);
	free(reader->value);
	reader->key = NULL;
	reader->value = NULL;
}

/* A list of CPUs may go on in the next line: that is a comma. */
static void conf_key_go_on(struct conf_reader *reader, const char *more)
{
	char *value;

	if (asprintf(&value, "%s,%s", reader->value, more) < 0)
		value = NULL;
	free(reader->value);
	reader->value = conf_need(value);
}

static int conf_handle(void *arg, const char *section, const char *key, const char *value)
{
	struct conf_reader *reader = arg;
	struct conf *conf = reader->conf;
	char name[CONF_SECTION_MAX + 2];
	size_t len;

	if (reader->failed)
		return 1;
	if (reader->continued && reader->key) {
		conf_key_go_on(reader, value);
		return 1;
	}
	conf_key_end(reader);
	if (reader->failed)
		return 1;
	conf_say_where(reader, reader->line);
	len = snprintf(name, sizeof(name), "%s", section + strspn(section, " \t"));
	while (len && len < sizeof(name) && strchr(" \t", name[len - 1]))
		name[--len] = '\0';
	if (!conf->nr || reader->section)
		reader->failed = !conf_section_new(reader, name);
	reader->section = false;
	if (reader->failed)
		return 1;
	reader->key = conf_need(strdup(key));
	reader->value = conf_need(strdup(value));
	reader->key_line = reader->line;
	return 1;
}

/* ---- lines ---- */

/* inih cuts it off a key's line, but not off one that goes on with the key before. */
static void conf_cut_comment(char *text)
{
	for (; *text; text++) {
		if (isspace((unsigned char)*text) && text[1] == ';') {
			*text = '\0';
			return;
		}
	}
}

/*
 * For inih, which counts lines and does not tell. To it a line that begins with a
 * space goes on with the one before; here only one that is no key, section or
 * comment itself does, so that keys may be indented.
 */
static char *conf_line(char *buf, int len, void *arg)
{
	struct conf_reader *reader = arg;
	char *text;

	if (!fgets(buf, len, reader->file)) {
		if (ferror(reader->file))
			reader->error = errno;
		return NULL;
	}
	reader->line++;
	if (!strchr(buf, '\n') && !feof(reader->file)) {
		if (!reader->failed) {
			conf_say_where(reader, reader->line);
			if (strlen(buf) < (size_t)len - 1)
				say("has a zero byte: this is no text");
			else
				say("longer than %d characters: a list of CPUs may go on in the next line, indented",
				    len - 2);
		}
		reader->failed = true;
		return NULL;
	}
	text = buf + strspn(buf, " \t");
	conf_cut_comment(text);
	if (*text == '[' && !strchr(text, ']') && !reader->failed) {
		conf_say_where(reader, reader->line);
		say("[SECTION] has no end");
		reader->failed = true;
		return NULL;
	}
	reader->section |= *text == '[';
	reader->continued = text > buf && *text && !strchr("[;#\r\n", *text) &&
			    !strpbrk(text, "=:");
	if (text > buf && !reader->continued)
		memmove(buf, text, strlen(text) + 1);
	return buf;
}

/**
 * conf_read() - read a configuration file
 * @conf: out, for conf_free() whatever is returned
 * @path: the file
 *
 * Nothing of it is done yet, and what only the kernel knows is not checked.
 *
 * Return: 0, or a negative errno after saying what is wrong and where.
 */
int conf_read(struct conf *conf, const char *path)
{
	struct conf_reader reader = { .conf = conf };
	int err;

	memset(conf, 0, sizeof(*conf));
	conf->path = path;
	say_about("%s", path);
	reader.file = fopen(path, "r");
	if (!reader.file) {
		err = -errno;
		say("%s", strerror(errno));
		return err;
	}
	err = ini_parse_stream(conf_line, &reader, conf_handle, &reader);
	if (!reader.failed)
		conf_key_end(&reader);
	if (!reader.failed && reader.error) {
		say_about("%s", path);
		say("cannot be read: %s", strerror(reader.error));
		reader.failed = true;
	}
	if (!reader.failed && err) {
		conf_say_where(&reader, err);
		say("is neither [SECTION] nor KEY = VALUE nor a comment");
		reader.failed = true;
	}
	free(reader.key);
	free(reader.value);
	fclose(reader.file);
	return reader.failed ? -EINVAL : 0;
}

void conf_free(struct conf *conf)
{
	unsigned int i, c, k;

	for (i = 0; i < conf->nr; i++) {
		for (c = 0; c < CONF_CMDS; c++) {
			for (k = 0; k < CMD_KEYS_MAX; k++) {
				free((char *)conf->section[i].args[c].value[k]);
				free((char *)conf->section[i].args[c].more[k]);
			}
		}
		free(conf->section[i].name);
	}
	free(conf->section);
	memset(conf, 0, sizeof(*conf));
}
