// SPDX-License-Identifier: GPL-2.0
/* nrdma.conf: what is read, what is said of a bad one, what is printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/nrdma.h>

#include "conf.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define FILE_NAME	"test.conf"

static char said[4096];

static void write_bytes(const char *text, size_t len)
{
	FILE *f = fopen(FILE_NAME, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void write_conf(const char *text)
{
	write_bytes(text, strlen(text));
}

/* Runs with standard output or error in a file; what was printed is in said */
static int captured(FILE *stream, int (*run)(void *arg), void *arg)
{
	FILE *f = tmpfile();
	int fd, ret;
	size_t n;

	assert_non_null(f);
	fflush(stream);
	fd = dup(fileno(stream));
	dup2(fileno(f), fileno(stream));
	ret = run(arg);
	fflush(stream);
	dup2(fd, fileno(stream));
	close(fd);
	rewind(f);
	n = fread(said, 1, sizeof(said) - 1, f);
	said[n] = '\0';
	fclose(f);
	return ret;
}

static int run_read(void *conf)
{
	return conf_read(conf, FILE_NAME);
}

static void good(void **state)
{
	struct conf conf;

	(void)state;
	write_conf("; a comment\n# and another\n\n"
		   "[node 1]\nsize=4G ; of two\n  group = none\ncap = 512M\n"
		   "[0000:81:00.0]\n"
		   "policy = cpus 0-3,8 ; near\n\t16\t; a = b: c\n\t; between ; them\n"
		   "\t18-19 ;\n  lock: off ; too\n"
		   "[ mlx5_0 ]\nnode = auto\n"
		   "[eth0]\npolicy = node 3\nexclude = none\nisolated = on");
	if (captured(stderr, run_read, &conf))
		fail_msg("%s", said);
	assert_string_equal(said, "");
	assert_int_equal(conf.nr, 4);

	assert_true(conf.section[0].is_node);
	assert_int_equal(conf.section[0].line, 5);
	assert_int_equal(conf.section[0].pool.node.v, 1);
	assert_int_equal(conf.section[0].pool.bytes.v, 4LL << 30);
	assert_int_equal(conf.section[0].pool.gid.v, POOL_GID_NONE);
	assert_int_equal(conf.section[0].pool.uid_cap.v, 512 << 20);
	assert_false(conf.section[0].pool.node_cap.known);
	assert_false(conf.section[0].pool.shrink.known);

	assert_false(conf.section[1].is_node);
	assert_string_equal(conf.section[1].name, "0000:81:00.0");
	assert_int_equal(conf.section[1].policy.mode.v, NRDMA_POLICY_CPUS);
	assert_string_equal(conf.section[1].policy.cpus, "0-3,8,16,18-19");
	assert_int_equal(conf.section[1].policy.lock.v, 0);
	assert_null(conf.section[1].policy.exclude);
	assert_false(conf.section[1].given[0]);

	assert_string_equal(conf.section[2].name, "mlx5_0");
	assert_int_equal(conf.section[2].override.v, -1);
	assert_false(conf.section[2].given[1]);

	assert_int_equal(conf.section[3].policy.mode.v, NRDMA_POLICY_NODE);
	assert_int_equal(conf.section[3].policy.node.v, 3);
	assert_string_equal(conf.section[3].policy.exclude, "");
	assert_int_equal(conf.section[3].policy.isolated.v, 1);
	conf_free(&conf);
}

/* The line, the key, and what is allowed */
static void bad(void **state)
{
	static const struct {
		const char *text, *says;
	} t[] = {
		{ "size = 4G\n", "line 1: a key before any section: [node N], or" },
		{ "[node x]\nsize = 4G\n", "line 2: [node x]: must be a node like [node 0]" },
		{ "[node]\nsize = 4G\n", "line 2: [node]: must be a node like [node 0]" },
		{ "[node 1]\n\nsize = big\n", "line 3: size \"big\": must be a size like 64k, 2M or 4G" },
		{ "[node 1]\nnode = 1\n",
		  "line 2: no key \"node\" in [node 1]: there is size, chunk, group, shrink, cap, node-cap" },
		{ "[node 1]\nshrink = 1\n", "line 2: shrink \"1\": must be one of on, off" },
		{ "[node 1]\ngroup = rdma\n", "line 2: group \"rdma\": must be a whole number" },
		{ "[a]\nlokc = on\n",
		  "line 2: no key \"lokc\" in [a]: there is node, policy, lock, exclude, isolated" },
		{ "[a]\ndry-run = on\n", "line 2: no key \"dry-run\"" },
		{ "[a]\nloc = on\n", "line 2: no key \"loc\"" },
		{ "[a]\nlock = maybe\n", "line 2: lock \"maybe\": must be one of on, off" },
		{ "[a]\nlock =\n", "line 2: lock: on|off is missing" },
		{ "[a]\nlock = on off\n", "line 2: lock \"on off\": \"off\" is too much" },
		{ "[a]\nlock = on\nlock = on\n", "line 3: lock is given twice: in line 2, too" },
		{ "[a]\nlock = on\n[b]\nlock = on\n[a]\nnode = 1\n",
		  "line 6: [a] was there before: its keys begin in line 2" },
		{ "[a]\nlock = on\n[a]\nnode = 1\n",
		  "line 4: [a] was there before: its keys begin in line 2" },
		{ "[a]\nlock\n", "line 2: is neither [SECTION] nor KEY = VALUE nor a comment" },
		{ "[node 1]\nsize = 1G\n[node 0]\nsize = 2G\n[node  1]\nsize = 2G\n",
		  "line 6: [node  1]: is about node 1, and so is [node 1] in line 2: write one section" },
		{ "[node 1]\nsize = 1G\n[node 01]\ncap = 1G\n",
		  "line 4: [node 01]: is about node 1, and so is [node 1] in line 2" },
		{ "[a\nlock = on\n", "line 1: [SECTION] has no end" },
		{ "[a/1]\nlock = on\n", "line 2: [a/1]: must be a device, not a port of one" },
		{ "[a]\npolicy = best\n",
		  "line 2: policy \"best\": must be one of local, spread, off, node N, cpus LIST" },
		{ "[a]\npolicy = node\n", "line 2: policy node: N is missing" },
		{ "[a]\npolicy = node x\n", "line 2: policy node \"x\"" },
		{ "[a]\npolicy = cpus 0-\n", "line 2: policy cpus \"0-\": must be a list of CPUs like 0-3,8" },
		{ "[a]\npolicy = cpus 1\n\tx\n", "line 2: policy cpus \"1,x\"" },
		{ "[a]\npolicy = cpus 1\n\tx ; y\n", "line 2: policy cpus \"1,x\"" },
		{ "[a]\nexclude = 1\n\t4;5\n", "line 2: exclude \"1,4;5\"" },
		{ "[a]\nexclude = 4;5\n", "line 2: exclude \"4;5\"" },
		{ "[a]\nnode = -1\n", "line 2: node \"-1\": must be a node's number, or auto" },
		/* The last key has no line after it */
		{ "[a]\nlock = on\nnode = x", "line 3: node \"x\"" },
		{ "[0123456789012345678901234567890123456789012345678]\nlock = on\n",
		  "has 48 characters at most" },
		{ "[a]\nexclude = 0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,"
		  "0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,"
		  "0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0\n",
		  "line 2: longer than 198 characters" },
	};
	struct conf conf;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		write_conf(t[i].text);
		if (!captured(stderr, run_read, &conf))
			fail_msg("taken for good:\n%s", t[i].text);
		if (!strstr(said, t[i].says) || !strstr(said, FILE_NAME))
			fail_msg("%s\nsays: %s", t[i].text, said);
		if (strchr(said, '\n') != said + strlen(said) - 1)
			fail_msg("more than a line: %s", said);
		conf_free(&conf);
	}
	write_bytes("[a]\nlock = \0on\n", 15);
	assert_int_equal(captured(stderr, run_read, &conf), -EINVAL);
	assert_non_null(strstr(said, "line 2: has a zero byte"));
	conf_free(&conf);
	unlink(FILE_NAME);
	assert_int_equal(mkdir(FILE_NAME, 0700), 0);
	assert_int_equal(captured(stderr, run_read, &conf), -EINVAL);
	assert_non_null(strstr(said, "cannot be read: Is a directory"));
	conf_free(&conf);
	rmdir(FILE_NAME);
	assert_int_equal(captured(stderr, run_read, &conf), -ENOENT);
	conf_free(&conf);
}

struct to_print {
	const struct pool *pools;
	unsigned int nr;
	struct dev **match;
};

static int run_print(void *arg)
{
	struct to_print *p = arg;

	return conf_print(p->pools, p->nr, p->match);
}

/* What is printed says the same when it is read. */
static void printed(void **state)
{
	static char odd[] = "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,"
			    "51,53,55,57,59,61,63,65,67,69,71,73,75,77,79,81,83,85,87,89,91,93,95,97,"
			    "99,101,103,105,107,109,111,113,115,117,119,121,123,125,127";
	static char none[] = "";
	const struct pool pools[] = {
		{ .node = num_of(0), .bytes = num_of(0), .chunk_bytes = num_of(2 << 20) },
		{ .node = num_of(2), .bytes = num_of(3LL << 29), .chunk_bytes = num_of(2 << 20),
		  .gid = num_of(100), .shrink = num_of(1), .uid_cap = num_of(4096 * 3) },
	};
	struct dev plain = { .name = "plain" }, virt = { .name = "virt" };
	struct dev a = { .name = "a" }, b = { .name = "b" }, near = { .name = "near" };
	struct dev *match[] = { &plain, &a, &b, &virt, &near, NULL };
	struct to_print all = { pools, 2, match };
	struct conf conf;

	(void)state;
	a.place.pci = b.place.pci = str_of("0000:81:00.0");
	a.policy = (struct dev_policy){ .known = true, .mode = num_of(NRDMA_POLICY_CPUS),
		.cpus = odd, .exclude = odd, .lock = num_of(0), .isolated = num_of(1) };
	b.policy = a.policy;
	plain.policy = (struct dev_policy){ .known = true, .mode = num_of(NRDMA_POLICY_OFF),
		.exclude = none, .lock = num_of(1), .isolated = num_of(0) };
	virt.place.override = num_of(1);
	near.policy = plain.policy;
	near.policy.mode = num_of(NRDMA_POLICY_LOCAL);

	assert_int_equal(captured(stdout, run_print, &all), 0);
	write_conf(said);
	if (captured(stderr, run_read, &conf))
		fail_msg("%s", said);
	assert_int_equal(conf.nr, 4);
	assert_string_equal(conf.section[0].name, "node 2");
	assert_int_equal(conf.section[0].pool.bytes.v, 3LL << 29);
	assert_int_equal(conf.section[0].pool.chunk_bytes.v, 2 << 20);
	assert_int_equal(conf.section[0].pool.gid.v, 100);
	assert_int_equal(conf.section[0].pool.shrink.v, 1);
	assert_int_equal(conf.section[0].pool.uid_cap.v, 4096 * 3);
	assert_string_equal(conf.section[1].name, "0000:81:00.0");
	assert_int_equal(conf.section[1].policy.mode.v, NRDMA_POLICY_CPUS);
	assert_string_equal(conf.section[1].policy.cpus, odd);
	assert_string_equal(conf.section[1].policy.exclude, odd);
	assert_int_equal(conf.section[1].policy.lock.v, 0);
	assert_int_equal(conf.section[1].policy.isolated.v, 1);
	assert_string_equal(conf.section[2].name, "virt");
	assert_int_equal(conf.section[2].override.v, 1);
	assert_false(conf.section[2].given[1]);
	assert_string_equal(conf.section[3].name, "near");
	assert_int_equal(conf.section[3].policy.mode.v, NRDMA_POLICY_LOCAL);
	assert_int_equal(conf.section[3].policy.lock.v, 1);
	conf_free(&conf);
	unlink(FILE_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(printed),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
