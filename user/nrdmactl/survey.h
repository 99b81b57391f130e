/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_SURVEY_H
#define NRDMACTL_SURVEY_H

#include "cmd.h"
#include "mod.h"
#include "mod_buf.h"
#include "vec.h"

/**
 * struct survey - the host's devices with all that belongs to them
 * @picked: devices, those that the command is about picked
 * @vecs: vectors, of all devices where the module tells
 * @bufs: buffers, of all devices
 * @mod_error: as in struct mod
 * @mod_abi: as in struct mod
 * @mod_version: as in struct mod
 * @status: EXIT_*, where something could not be read
 */
struct survey {
	struct picked picked;
	struct vecs vecs;
	struct bufs bufs;
	int mod_error;
	struct num mod_abi;
	struct str mod_version;
	int status;
};

int survey_read(struct survey *survey, const struct args *args);
void survey_free(struct survey *survey);

#endif /* NRDMACTL_SURVEY_H */
