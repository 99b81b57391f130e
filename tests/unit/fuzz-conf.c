// SPDX-License-Identifier: GPL-2.0
/* nrdma.conf: whatever stands there is read or refused. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf.h"
#include "fuzz.h"

FUZZ_SAY_NOTHING

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	struct conf conf, again;

	if (fd < 0) {
		fd = memfd_create("nrdma.conf", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	FUZZ_MUST(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	/* And what was read once is read again the same */
	if (!conf_read(&conf, path)) {
		FUZZ_MUST(!conf_read(&again, path));
		FUZZ_MUST(conf.nr == again.nr);
		conf_free(&again);
	}
	conf_free(&conf);
	return 0;
}
