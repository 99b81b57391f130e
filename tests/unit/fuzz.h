/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* What the tool would tell its user goes nowhere. */
#define FUZZ_SAY_NOTHING						\
	void say_about(const char *fmt, ...) { (void)fmt; }		\
	void say(const char *fmt, ...) { (void)fmt; }

/* A property that held for every input until now */
#define FUZZ_MUST(what)	do { if (!(what)) abort(); } while (0)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* FUZZ_H */
