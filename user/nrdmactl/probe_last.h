/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_PROBE_LAST_H
#define NRDMACTL_PROBE_LAST_H

#include "probe_stat.h"

/**
 * struct probe_last - the last verdict on a device
 * @known: there is one
 * @never: there is none; otherwise, where it is not known, it could not be read
 * @word: enum probe_word as a word
 * @text: in a sentence
 * @fix: command, "" for none
 * @op: that it was seen with, and
 * @size: of messages; neither is known where an older nrdmactl kept it
 * @age: seconds
 * @mem_node: where the device's buffers went then
 * @software: the device was a software device
 */
struct probe_last {
	bool known, never;
	struct str word;
	char text[512];
	char fix[128];
	struct str op;
	struct num size;
	struct num age;
	struct num mem_node;
	bool software;
};

int probe_last_save(const struct dev *dev, const struct probe *probe,
		    const struct probe_verdict *verdict);
void probe_last_read(struct probe_last *last, const struct dev *dev);
const char *probe_last_with(const struct probe_last *last, char *buf, size_t len);
const char *probe_last_age(const struct probe_last *last, char *buf, size_t len);

#endif /* NRDMACTL_PROBE_LAST_H */
