// SPDX-License-Identifier: GPL-2.0
/*
 * apply, with a module that has seen some of the host's devices: each of its
 * functions here that would ask the module is this test's own.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd.h"
#include "commands.h"
#include "mod_dev.h"
#include "mod_irq.h"
#include "mod_pool.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define FILE_NAME	"test-apply.conf"

static const char *unseen;	/* a device that the module does not know yet */
static const char *goes = "";	/* one that is gone when it is steered */
static char steered[256];
static int opened;
static struct pool pool = {	/* the only node's */
	.node = { .known = true, .v = 0 },
	.chunk_bytes = { .known = true, .v = 2 << 20 },
	.total_bytes = { .known = true, .v = 1LL << 30 },
};

bool __wrap_mod_must_open(struct mod *mod)
{
	memset(mod, 0, sizeof(*mod));
	mod->sk = (struct nl_sock *)&opened;
	opened++;
	return true;
}

void __wrap_mod_close(struct mod *mod)
{
	mod->sk = NULL;
}

int __wrap_mod_dev_dump(struct mod *mod, struct devs *devs)
{
	unsigned int i;

	assert_non_null(mod->sk);
	for (i = 0; i < devs->nr; i++)
		devs->v[i].by_module = strcmp(devs->v[i].name, unseen);
	return EXIT_DONE;
}

int __wrap_mod_pool_dump(struct mod *mod, struct pool **pools, unsigned int *nr)
{
	(void)mod;
	*pools = malloc(sizeof(pool));
	assert_non_null(*pools);
	**pools = pool;
	*nr = 1;
	return 0;
}

int __wrap_mod_pool_set(struct mod *mod, const struct pool *want, struct pool *result)
{
	(void)mod;
	*result = *want;
	return 0;
}

int __wrap_mod_irq_dump(struct mod *mod, struct vecs *vecs, const struct dev *dev,
			const struct irq_policy *policy)
{
	(void)mod;
	(void)vecs;
	(void)policy;
	return dev->by_module ? EXIT_DONE : EXIT_FAILED;
}

int __wrap_mod_irq_set(struct mod *mod, const struct dev *dev, const struct irq_policy *policy,
		       struct dev_policy *result)
{
	size_t n = strlen(steered);

	(void)mod;
	(void)policy;
	(void)result;
	snprintf(steered + n, sizeof(steered) - n, "%s ", dev->name);
	return dev->by_module && strcmp(dev->name, goes) ? 0 : -ENODEV;
}

/* Applies a file of this text, to all or to one device */
static int applied(const char *text, const char *dev)
{
	struct args args = { .cmd = &cmd_apply, .pos = FILE_NAME };
	FILE *f = fopen(FILE_NAME, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	args.value[cmd_key(&cmd_apply, "dev", true)] = dev;
	*steered = '\0';
	opened = 0;
	return cmd_apply.run(&args);
}

static const char both[] = "[0000:81:00.0]\npolicy = local\n[mlx4_0]\npolicy = local\n";

/* At boot: its udev event, which comes later, does it */
static void not_seen_yet(void **state)
{
	(void)state;
	unseen = "mlx5_0";
	assert_int_equal(applied(both, NULL), EXIT_DONE);
	assert_string_equal(steered, "mlx4_0 ");
	assert_int_equal(applied(both, "mlx5_0"), EXIT_DONE);
	assert_string_equal(steered, "");
	unseen = "";
	assert_int_equal(applied(both, "mlx5_0"), EXIT_DONE);
	assert_string_equal(steered, "mlx5_0 ");
	assert_int_equal(applied(both, NULL), EXIT_DONE);
	assert_string_equal(steered, "mlx5_0 mlx4_0 ");
}

/* What the module would refuse is known before anything is done. */
static void chunks(void **state)
{
	static const char *const wrong[] = { "1k", "3M", "1T", "0" };
	char text[128];
	size_t i;

	(void)state;
	unseen = "";
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(text, sizeof(text), "%s[node 0]\nchunk = %s\n", both, wrong[i]);
		assert_int_equal(applied(text, NULL), EXIT_FAILED);
		assert_string_equal(steered, "");
	}
	snprintf(text, sizeof(text), "%s[node 0]\nchunk = 64k\n", both);
	pool.used_bytes = num_of(2 << 20);
	assert_int_equal(applied(text, NULL), EXIT_FAILED);
	assert_string_equal(steered, "");
	pool.used_bytes = num_of(0);
	assert_int_equal(applied(text, NULL), EXIT_DONE);
	pool.used_bytes = num_of(2 << 20);
	snprintf(text, sizeof(text), "%s[node 0]\nchunk = 2M\n", both);
	assert_int_equal(applied(text, NULL), EXIT_DONE);
}

/* Between the survey and its turn: udev tells when it is here again */
static void went(void **state)
{
	(void)state;
	unseen = "";
	goes = "mlx5_0";
	assert_int_equal(applied(both, NULL), EXIT_DONE);
	assert_string_equal(steered, "mlx5_0 mlx4_0 ");
	goes = "";
}

static void nothing(void **state)
{
	(void)state;
	assert_int_equal(applied("; [node 0]\n;size = 1G\n", NULL), EXIT_DONE);
	assert_int_equal(opened, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_seen_yet),
		cmocka_unit_test(chunks),
		cmocka_unit_test(went),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
