// SPDX-License-Identifier: GPL-2.0
/*
 * The last verdict on each device, kept in /run until the next boot: cards are
 * moved to other slots, and firmware is updated, with the power off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "file.h"
#include "probe_last.h"
#include "say.h"
#include "size.h"
#include "sys.h"

#define PROBE_LAST_DIR	"/run/nrdma"

/*
 * A device is known by where it is, not by its name: all hardware on a PCI function is
 * in one slot, and what is measured through one of them holds for the others. Of a
 * software device over that function nothing holds for them: it has its driver's name, too.
 */
static void probe_last_path(char *path, size_t len, const struct dev *dev)
{
	const char *netdev = dev_netdev(dev);
	bool software = dev_is_software(dev);

	snprintf(path, len, "%s" PROBE_LAST_DIR "/probe-%s%s%s.json", sys_root(),
		 dev->place.pci.known ? dev->place.pci.s : netdev ? netdev : dev->name,
		 software ? "-" : "", software ? dev->driver.s : "");
}

static void probe_last_add(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static struct json_object *probe_last_json(const struct dev *dev, const struct probe *probe,
					   const struct probe_verdict *verdict)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	probe_last_add(o, "dev_name", json_object_new_string(dev->name));
	probe_last_add(o, "driver", dev->driver.known ?
		       json_object_new_string(dev->driver.s) : NULL);
	probe_last_add(o, "time", json_object_new_int64(time(NULL)));
	probe_last_add(o, "op", json_object_new_string(probe_ops[probe->op]));
	probe_last_add(o, "size", json_object_new_int64(probe->size));
	probe_last_add(o, "software", json_object_new_boolean(probe->software));
	probe_last_add(o, "word", json_object_new_string(probe_words[verdict->word]));
	probe_last_add(o, "text", json_object_new_string(verdict->text));
	probe_last_add(o, "fix", json_object_new_string(verdict->fix));
	probe_last_add(o, "mem_node", verdict->node.known ?
		       json_object_new_int64(verdict->node.v) : NULL);
	return o;
}

/**
 * probe_last_save() - keep a verdict
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int probe_last_save(const struct dev *dev, const struct probe *probe,
		    const struct probe_verdict *verdict)
{
	struct json_object *json = probe_last_json(dev, probe, verdict);
	char path[SYS_PATH_MAX];
	const char *text;
	int err = 0;

	if (!json)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s" PROBE_LAST_DIR, sys_root());
	/* Whatever root's umask is: other users' status and check read there */
	if ((mkdir(path, 0755) && errno != EEXIST) || chmod(path, 0755))
		err = -errno;
	probe_last_path(path, sizeof(path), dev);
	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
	if (!err)
		err = text ? file_replace(path, text, strlen(text)) : -ENOMEM;
	if (err)
		say("the verdict cannot be kept in %s: %s", path, strerror(-err));
	json_object_put(json);
	return err;
}

static const char *probe_last_str(struct json_object *json, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

/* An older nrdmactl kept that of a software device in the place of the hardware's. */
static bool probe_last_is_of(struct json_object *json, const struct dev *dev)
{
	struct json_object *value;

	if (json_object_object_get_ex(json, "driver", &value))
		return !strcmp(probe_last_str(json, "driver"),
			       dev->driver.known ? dev->driver.s : "");
	return !json_object_object_get_ex(json, "software", &value) ||
	       !json_object_get_boolean(value);
}

static void probe_last_none(struct probe_last *last, const char *why)
{
	last->word = str_none(why);
	last->age = num_none(why);
}

/**
 * probe_last_read() - the last verdict on a device
 * @last: out, known is false where there is none or it cannot be read
 */
void probe_last_read(struct probe_last *last, const struct dev *dev)
{
	struct json_object *json, *value;
	char path[SYS_PATH_MAX];
	int fd;

	memset(last, 0, sizeof(*last));
	probe_last_path(path, sizeof(path), dev);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		last->never = errno == ENOENT;
		probe_last_none(last, last->never ? "never" : sys_why(-errno));
		return;
	}
	json = json_object_from_fd(fd);
	close(fd);
	if (!json_object_is_type(json, json_type_object) || !*probe_last_str(json, "word")) {
		probe_last_none(last, "damaged");
		json_object_put(json);
		return;
	}
	if (!probe_last_is_of(json, dev)) {
		last->never = true;
		probe_last_none(last, "never");
		json_object_put(json);
		return;
	}
	last->known = true;
	last->word = str_of(probe_last_str(json, "word"));
	snprintf(last->text, sizeof(last->text), "%s", probe_last_str(json, "text"));
	snprintf(last->fix, sizeof(last->fix), "%s", probe_last_str(json, "fix"));
	last->op = *probe_last_str(json, "op") ? str_of(probe_last_str(json, "op")) :
		   str_none(NULL);
	if (json_object_object_get_ex(json, "size", &value))
		last->size = num_of(json_object_get_int64(value));
	if (json_object_object_get_ex(json, "time", &value))
		last->age = num_of(time(NULL) - json_object_get_int64(value));
	if (json_object_object_get_ex(json, "mem_node", &value) && value)
		last->mem_node = num_of(json_object_get_int64(value));
	if (json_object_object_get_ex(json, "software", &value))
		last->software = json_object_get_boolean(value);
	json_object_put(json);
}

/**
 * probe_last_with() - what it was seen with, for people: "write of 64 bytes"
 *
 * Return: @buf, "" where that is not known.
 */
const char *probe_last_with(const struct probe_last *last, char *buf, size_t len)
{
	char size[32];

	*buf = '\0';
	if (last->op.known && last->size.known) {
		size_format(last->size.v, size, sizeof(size));
		snprintf(buf, len, "%s of %s bytes", last->op.s, size);
	}
	return buf;
}

/**
 * probe_last_age() - for people: "12 s ago", "3 h ago"
 *
 * Return: @buf.
 */
const char *probe_last_age(const struct probe_last *last, char *buf, size_t len)
{
	long long s = last->age.v;

	if (s < 120)
		snprintf(buf, len, "%lld s ago", s < 0 ? 0 : s);
	else if (s < 2 * 3600)
		snprintf(buf, len, "%lld min ago", s / 60);
	else if (s < 2 * 86400)
		snprintf(buf, len, "%lld h ago", s / 3600);
	else
		snprintf(buf, len, "%lld days ago", s / 86400);
	return buf;
}
