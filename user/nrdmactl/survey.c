// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "mod_dev.h"
#include "mod_irq.h"
#include "say.h"
#include "survey.h"
#include "verbs.h"

/* What went on although a part failed */
static void survey_part(struct survey *survey, int status)
{
	if (status != EXIT_DONE)
		survey->status = EXIT_PARTIAL;
}

/**
 * survey_read() - read it all, one dump of each kind
 * @survey: out, for survey_free() whatever is returned
 * @args: its first word is a device or missing, for all
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int survey_read(struct survey *survey, const struct args *args)
{
	struct picked *picked = &survey->picked;
	struct mod mod;
	unsigned int i;
	int err;

	memset(survey, 0, sizeof(*survey));
	err = pick(picked, args);
	if (err)
		return err;
	if (mod_open(&mod)) {
		survey_part(survey, mod_dev_dump(&mod, &picked->devs));
		survey_part(survey, mod_irq_dump(&mod, &survey->vecs, NULL, NULL));
		survey_part(survey, mod_buf_dump(&mod, &survey->bufs, NULL));
	} else {
		survey_part(survey, mod_status(&mod));
		for (i = 0; picked->match[i]; i++)
			vecs_read(&survey->vecs, picked->match[i]);
	}
	survey->mod_error = mod.error;
	survey->mod_abi = mod.abi;
	survey->mod_version = mod.version;
	mod_close(&mod);
	verbs_read(picked->match);
	if (!picked->devs.nr)
		say("no RDMA device on this host");
	return 0;
}

void survey_free(struct survey *survey)
{
	vecs_free(&survey->vecs);
	bufs_free(&survey->bufs);
	pick_free(&survey->picked);
}
