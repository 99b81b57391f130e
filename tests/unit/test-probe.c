// SPDX-License-Identifier: GPL-2.0
/* What figures of a probe are taken to say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe_clock.h"
#include "probe_last.h"
#include "probe_stat.h"
#include "probe_svg.h"

#define ROUNDS	9

static void intervals(void **state)
{
	/* By hand, from the binomial distribution: what is left out at each end */
	static const struct { unsigned int n, out; } t[] = {
		{ 1, 0 }, { 5, 0 }, { 6, 0 }, { 8, 0 }, { 9, 1 }, { 11, 1 }, { 12, 2 }, { 15, 3 },
		{ 20, 5 }, { 100, 39 },
	};
	struct probe_stat stat;
	long long v[100];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		for (k = 0; k < t[i].n; k++)
			v[k] = t[i].n - k;
		stat = probe_stat_of(v, t[i].n);
		assert_int_equal(stat.low, 1 + t[i].out);
		assert_int_equal(stat.high, t[i].n - t[i].out);
		assert_int_equal(stat.median, (t[i].n + 1) / 2);
	}
	assert_int_equal(probe_stat_of(v, 0).n, 0);
}

/* Latency of memory on node 0 and 1; the spread is what it varies by */
static void measure(struct probe *probe, long long ns0, long long ns1, long long spread,
		    unsigned int rounds)
{
	struct probe_sample sample = { 0 };
	unsigned int mem, cpu, r;

	memset(probe, 0, sizeof(*probe));
	probe->rounds = rounds;
	for (r = 1; r <= rounds; r++)
		for (mem = 0; mem < 2; mem++)
			for (cpu = 0; cpu < 2; cpu++) {
				sample.round = r;
				sample.median = (mem ? ns1 : ns0) +
					spread * (int)((r * 7 + mem * 3) % 5 - 2);
				assert_int_equal(probe_cell_add(probe_cell_of(probe, mem, cpu),
								&sample), 0);
			}
	probe_settle(probe);
}

/* The verdict on such a measurement */
static struct probe_verdict judged(const struct dev *dev, long long ns0, long long ns1,
				   long long spread, unsigned int rounds)
{
	struct probe_verdict verdict;
	struct probe probe;

	measure(&probe, ns0, ns1, spread, rounds);
	probe_judge(&verdict, &probe, dev);
	probe_free(&probe);
	return verdict;
}

static void verdicts(void **state)
{
	static const struct {
		long long ns0, ns1, spread;
		unsigned int rounds;
		int node;		/* the device's, -1 for unknown */
		bool override;
		enum probe_word word;
		const char *text, *fix;
	} t[] = {
		{ 1000, 1900, 20, ROUNDS, 0, false, PROBE_AGREES, "firmware says node 0", "" },
		{ 1900, 1000, 20, ROUNDS, 0, false, PROBE_CONTRADICTS,
		  "memory on node 1 is 1.9x faster although firmware says node 0",
		  "nrdmactl dev set mlx5_0 node 1" },
		{ 1900, 1000, 20, ROUNDS, 0, true, PROBE_CONTRADICTS,
		  "although an administrator says node 0", "nrdmactl dev set mlx5_0 node 1" },
		{ 1900, 1000, 20, ROUNDS, -1, false, PROBE_UNKNOWN,
		  "nobody says where the device is", "nrdmactl dev set mlx5_0 node 1" },
		{ 1900, 1000, 20, ROUNDS, 2, false, PROBE_UNKNOWN,
		  "the device's own was not measured", "" },
		{ 1900, 1000, 900, ROUNDS, 0, false, PROBE_SAME, "no difference", "" },
		{ 1000, 1010, 0, ROUNDS, 1, false, PROBE_SAME, "no difference", "" },
		{ 1900, 1000, 20, 5, 0, false, PROBE_FEW, "too few rounds to compare", "" },
		{ 1900, 1000, 20, 0, 0, false, PROBE_FEW, "too few rounds to compare", "" },
	};
	struct dev dev = { .name = "mlx5_0" };
	struct probe_verdict verdict;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		dev.place.mem_node = t[i].node < 0 ? num_none("virtual") : num_of(t[i].node);
		dev.place.override = t[i].override ? num_of(0) : num_none(NULL);
		verdict = judged(&dev, t[i].ns0, t[i].ns1, t[i].spread, t[i].rounds);
		if (verdict.word != t[i].word || !strstr(verdict.text, t[i].text) ||
		    strcmp(verdict.fix, t[i].fix))
			fail_msg("%zu: %d \"%s\" \"%s\"", i, verdict.word, verdict.text,
				 verdict.fix);
	}
}

/* Of three nodes, one that varies hides nothing that is beyond doubt about the others. */
static void three_nodes(void **state)
{
	static const struct {
		long long ns[3], spread[3];
		int node;		/* the device's, -1 for unknown */
		enum probe_word word;
		unsigned int best;
		const char *text;
	} t[] = {
		{ { 1900, 1000, 2100 }, { 20, 20, 1500 }, 0, PROBE_CONTRADICTS, 1,
		  "memory on node 1 is 1.9x faster although firmware says node 0" },
		{ { 1900, 1000, 900 }, { 20, 20, 2000 }, 0, PROBE_CONTRADICTS, 1,
		  "memory on node 1 is 1.9x faster although firmware says node 0" },
		{ { 1000, 1900, 2100 }, { 20, 20, 1500 }, 0, PROBE_AGREES, 0,
		  "no memory is faster: that of node 1 is 1.9x slower" },
		{ { 1000, 1900, 2100 }, { 20, 20, 1500 }, -1, PROBE_UNKNOWN, 0,
		  "memory on node 0 is 1.9x faster than on node 1" },
		{ { 1000, 1900, 1400 }, { 20, 20, 20 }, 2, PROBE_CONTRADICTS, 0,
		  "memory on node 0 is 1.4x faster although firmware says node 2" },
		{ { 1000, 1005, 2100 }, { 20, 20, 1500 }, 0, PROBE_SAME, 0, "no difference" },
	};
	struct probe_sample sample = { 0 };
	struct dev dev = { .name = "mlx5_0" };
	struct probe_verdict verdict;
	struct probe probe;
	unsigned int mem;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		probe = (struct probe){ .rounds = ROUNDS };
		for (sample.round = 1; sample.round <= ROUNDS; sample.round++)
			for (mem = 0; mem < 3; mem++) {
				sample.median = t[i].ns[mem] + t[i].spread[mem] *
					(int)((sample.round * 7 + mem * 3) % 5 - 2) / 2;
				assert_int_equal(probe_cell_add(probe_cell_of(&probe, mem, 0),
								&sample), 0);
			}
		probe_settle(&probe);
		dev.place.mem_node = t[i].node < 0 ? num_none("virtual") : num_of(t[i].node);
		probe_judge(&verdict, &probe, &dev);
		if (verdict.word != t[i].word || verdict.best.v != t[i].best ||
		    !strstr(verdict.text, t[i].text))
			fail_msg("%zu: %d best %lld \"%s\"", i, verdict.word, verdict.best.v,
				 verdict.text);
		probe_free(&probe);
	}
}

/* What firmware says is the device's node, with memory or without. */
static void places(void **state)
{
	static const struct {
		long long ns0, ns1;
		int node, mem_node;
		const char *text;
	} t[] = {
		{ 1900, 1000, 2, 0, "memory on node 1 is 1.9x faster although firmware says node 2, whose nearest memory is on node 0" },
		{ 1000, 1900, 2, 0, "firmware says node 2, whose nearest memory is on node 0, and no memory is faster: that of node 1 is 1.9x slower" },
		{ 1030, 1000, 0, 0, "memory on node 1 is 1.03x faster although firmware says node 0" },
		{ 1000, 1099, 0, 0, "firmware says node 0, and no memory is faster: that of node 1 is 1.10x slower" },
		{ 1000, 1100, 0, 0, "firmware says node 0, and no memory is faster: that of node 1 is 1.1x slower" },
	};
	struct dev dev = { .name = "mlx5_0" };
	struct probe_verdict verdict;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		dev.place.node = num_of(t[i].node);
		dev.place.mem_node = num_of(t[i].mem_node);
		verdict = judged(&dev, t[i].ns0, t[i].ns1, 1, ROUNDS);
		assert_string_equal(verdict.text, t[i].text);
		assert_int_equal(verdict.node.v, t[i].mem_node);
	}
}

/* The last round has one node only, and it would decide. */
static void cut_short(void **state)
{
	struct probe_sample sample = { .round = ROUNDS + 1, .median = 1 };
	struct probe probe;

	(void)state;
	measure(&probe, 1000, 1000, 1, ROUNDS);
	probe_cell_add(probe_cell_of(&probe, 1, 0), &sample);
	probe_settle(&probe);
	assert_int_equal(probe.cells[2].nr, ROUNDS);
	assert_int_equal(probe_node_latency(&probe, 1).n, ROUNDS);
	assert_int_equal(probe_best(&probe), 1000);
	probe_free(&probe);
}

/* Of several sizes the one that says most, whichever comes first */
static void strongest(void **state)
{
	static const struct probe_verdict t[] = {
		{ .word = PROBE_FEW },
		{ .word = PROBE_SAME, .ratio = 1.5 },
		{ .word = PROBE_UNKNOWN, .ratio = 3 },
		{ .word = PROBE_AGREES, .ratio = 1.1 },
		{ .word = PROBE_CONTRADICTS, .ratio = 1.1 },
		{ .word = PROBE_CONTRADICTS, .ratio = 1.9 },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++)
		for (k = 0; k < sizeof(t) / sizeof(*t); k++)
			assert_int_equal(probe_stronger(&t[i], &t[k]), i > k);
}

/* What is kept, with what it was seen with; older ones have no such words */
static void kept(void **state)
{
	static const char older[] = "{ \"dev_name\": \"mlx5_0\", \"time\": 1, \"software\": false, "
		"\"word\": \"agrees\", \"text\": \"so it is\", \"fix\": \"\", \"mem_node\": 1 }";
	const struct probe_verdict verdict = {
		.word = PROBE_CONTRADICTS, .node = num_of(0), .text = "so it is not", .fix = "mend it",
	};
	struct dev dev = { .name = "test-probe" };
	struct probe probe = { .op = 1, .size = 4096 };
	const char *root = getenv("NRDMA_SYSROOT");
	struct probe_last last;
	char path[512], text[64];
	FILE *f;

	(void)state;
	assert_non_null(root);
	snprintf(path, sizeof(path), "%s/run", root);
	mkdir(path, 0755);
	probe_last_read(&last, &dev);
	assert_true(last.never && !last.known);
	assert_int_equal(probe_last_save(&dev, &probe, &verdict), 0);
	probe_last_read(&last, &dev);
	assert_true(last.known && last.mem_node.known && last.age.v < 60 && !last.software);
	assert_string_equal(last.word.s, "contradicts");
	assert_string_equal(last.text, "so it is not");
	assert_string_equal(last.fix, "mend it");
	assert_string_equal(probe_last_with(&last, text, sizeof(text)), "read of 4K bytes");
	snprintf(path, sizeof(path), "%s/run/nrdma/probe-test-probe.json", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(older, f);
	fclose(f);
	probe_last_read(&last, &dev);
	assert_true(last.known && !last.software && last.mem_node.v == 1);
	assert_string_equal(last.word.s, "agrees");
	assert_string_equal(probe_last_with(&last, text, sizeof(text)), "");
	unlink(path);
}

/* The word that is kept of a device, "never" where none is */
static const char *word_of(const struct dev *dev)
{
	static struct probe_last last;

	probe_last_read(&last, dev);
	return last.known ? last.word.s : last.word.why;
}

/* A NIC, and what runs in software over it: of each its own, by whatever name. */
static void kept_apart(void **state)
{
	static const char older[] = "{ \"dev_name\": \"rxe\", \"time\": 1, \"software\": true, "
		"\"word\": \"agrees\", \"text\": \"so it is\", \"fix\": \"\", \"mem_node\": 1 }";
	const struct probe_verdict contradicts = { .word = PROBE_CONTRADICTS };
	const struct probe_verdict same = { .word = PROBE_SAME }, agrees = { .word = PROBE_AGREES };
	struct dev nic = { .name = "nic" }, rxe = { .name = "rxe" }, siw = { .name = "siw" };
	struct dev second = { .name = "second" };
	const struct probe hard = { .size = 64 }, soft = { .size = 64, .software = true };
	char path[512];
	FILE *f;

	(void)state;
	nic.driver = second.driver = str_of("mlx5_core");
	rxe.driver = str_of("rdma_rxe");
	siw.driver = str_of("siw");
	nic.place.pci = second.place.pci = rxe.place.pci = siw.place.pci = str_of("0000:99:00.0");

	assert_int_equal(probe_last_save(&rxe, &soft, &same), 0);
	assert_string_equal(word_of(&nic), "never");
	assert_string_equal(word_of(&siw), "never");
	assert_int_equal(probe_last_save(&nic, &hard, &contradicts), 0);
	assert_int_equal(probe_last_save(&siw, &soft, &agrees), 0);
	assert_string_equal(word_of(&nic), "contradicts");
	assert_string_equal(word_of(&rxe), "no_difference");
	assert_string_equal(word_of(&siw), "agrees");
	/* In the same slot; or the same one, after a change of its name */
	assert_string_equal(word_of(&second), "contradicts");
	/* Hardware that has the CPU move the data is no software device */
	assert_int_equal(probe_last_save(&nic, &soft, &same), 0);
	assert_string_equal(word_of(&second), "no_difference");

	snprintf(path, sizeof(path), "%s/run/nrdma/probe-0000:99:00.0.json",
		 getenv("NRDMA_SYSROOT"));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(older, f);
	fclose(f);
	assert_string_equal(word_of(&nic), "never");
	unlink(path);
	sprintf(strrchr(path, '.'), "-siw.json");
	assert_int_equal(unlink(path), 0);
	sprintf(strrchr(path, '-'), "-rdma_rxe.json");
	assert_int_equal(unlink(path), 0);
}

/* That there is one which cannot be read is not that there is none. */
static void kept_unreadably(void **state)
{
	static const char *const damaged[] = { "", "{", "{ \"word\": \"agr", "[]", "{}", "null" };
	struct dev dev = { .name = "test-probe" };
	struct probe_last last;
	char path[512];
	size_t i;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/run/nrdma/probe-test-probe.json", getenv("NRDMA_SYSROOT"));
	for (i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(damaged[i], f);
		fclose(f);
		probe_last_read(&last, &dev);
		assert_false(last.known || last.never || last.word.known || last.age.known);
		assert_string_equal(last.word.why, "damaged");
	}
	unlink(path);
	/* Not even root can open this one */
	assert_int_equal(symlink(path, path), 0);
	probe_last_read(&last, &dev);
	assert_false(last.known || last.never);
	assert_string_equal(last.word.why, strerror(ELOOP));
	unlink(path);
}

/* Whatever root's umask is, all may read it; and it is there whole, or as it was. */
static void kept_for_all(void **state)
{
	struct probe_verdict verdict = { .word = PROBE_AGREES, .text = "so it is" };
	struct dev dev = { .name = "test-probe" };
	struct probe probe = { .size = 64 };
	const char *root = getenv("NRDMA_SYSROOT");
	char dir[512], path[544];
	struct rlimit old, few;
	struct probe_last last;
	struct stat st;
	mode_t mask;
	glob_t all;
	int err;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/run/nrdma", root);
	snprintf(path, sizeof(path), "%s/probe-test-probe.json", dir);
	assert_int_equal(chmod(dir, 0700), 0);
	mask = umask(077);
	assert_int_equal(probe_last_save(&dev, &probe, &verdict), 0);
	umask(mask);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);

	/* No room for another */
	verdict.word = PROBE_CONTRADICTS;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	few = (struct rlimit){ 10, old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	err = probe_last_save(&dev, &probe, &verdict);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(err, -EFBIG);
	probe_last_read(&last, &dev);
	assert_string_equal(last.word.s, "agrees");
	strcat(path, "*");
	assert_int_equal(glob(path, 0, NULL, &all), 0);
	assert_int_equal(all.gl_pathc, 1);
	unlink(all.gl_pathv[0]);
	globfree(&all);
}

/* Sizes that share a time end with it, but for half a second. */
static void shares(void **state)
{
	/* What each is given, where it takes as long, and a part of a second more */
	static const struct {
		unsigned int seconds, nr;
		long long more;		/* ms */
		const char *given;
	} t[] = {
		{ 10, 1, 0, "10" },
		{ 60, 8, 0, "7 7 7 7 8 8 8 8" },
		{ 60, 8, 700, "7 7 7 7 7 7 7 6" },
		{ 10, 8, 0, "1 1 1 1 1 1 2 2" },
		{ 10, 8, 700, "1 1 1 1 1 1" },
		{ 1, 8, 0, "1" },
		{ 1, 8, 700, "1" },
		{ 480, 8, 0, "60 60 60 60 60 60 60 60" },
	};
	char given[64];
	unsigned int n, s;
	long long left;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		given[0] = '\0';
		/* Something is gone by the time that it is asked for */
		left = t[i].seconds * CLOCK_SECOND - 1000;
		for (n = t[i].nr; n; n--) {
			s = probe_clock_share(left > 0 ? left : 0, n);
			if (!s)
				break;
			assert_true(s * CLOCK_SECOND <= left + CLOCK_SECOND / 2);
			sprintf(given + strlen(given), "%s%u", *given ? " " : "", s);
			left -= s * CLOCK_SECOND + t[i].more * (CLOCK_SECOND / 1000);
		}
		assert_string_equal(given, t[i].given);
	}
	assert_int_equal(probe_clock_left(probe_clock_now() - 1), 0);
	assert_true(probe_clock_left(probe_clock_now() + CLOCK_SECOND) > CLOCK_SECOND / 2);
}

static void times(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(probe_time(999, text, sizeof(text)), "999 ns");
	assert_string_equal(probe_time(2310, text, sizeof(text)), "2.31 us");
	assert_string_equal(probe_time(18400000, text, sizeof(text)), "18.40 ms");
}

static unsigned int count(const char *in, const char *what)
{
	unsigned int n = 0;

	for (; (in = strstr(in, what)); in++)
		n++;
	return n;
}

static void draw(const struct probe *probes, unsigned int nr, char *text, size_t len)
{
	char path[] = "/tmp/test-probe.XXXXXX";
	int fd = mkstemp(path);
	ssize_t n;

	assert_true(fd >= 0);
	assert_int_equal(probe_svg(path, "a < b & c", probes, nr), 0);
	n = read(fd, text, len - 1);
	assert_true(n > 0);
	text[n] = '\0';
	close(fd);
	unlink(path);
	assert_int_equal(strncmp(text, "<svg ", 5), 0);
	assert_string_equal(text + n - 7, "</svg>\n");
	assert_int_equal(count(text, "a &lt; b &amp; c"), 1);
	assert_int_equal(count(text, "<text"), count(text, "</text>"));
	assert_int_equal(count(text, "nan") + count(text, "inf"), 0);
}

/* A rectangle for the ground, for each cell, for the plot; a line for each cell */
static void picture(void **state)
{
	struct probe probes[3], none = { 0 };
	char text[32768];
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		measure(&probes[i], 1000 << i, 1900 << i, 20, ROUNDS);
		probes[i].size = 8 << 4 * i;
	}
	draw(probes, 1, text, sizeof(text));
	assert_int_equal(count(text, "<rect"), 5);
	assert_int_equal(count(text, "<polyline"), 0);
	assert_int_equal(count(text, ">1.90x<"), 2);
	draw(probes, 3, text, sizeof(text));
	assert_int_equal(count(text, "<rect"), 6);
	assert_int_equal(count(text, "<polyline"), 4);
	assert_int_equal(count(text, "memory on node"), 2);
	assert_int_equal(count(text, "CPU on node"), 2);
	draw(&none, 1, text, sizeof(text));
	assert_int_equal(probe_svg("/nonexistent/x.svg", "", probes, 1), -2);
	for (i = 0; i < 3; i++)
		probe_free(&probes[i]);
}

/* Asking leaves a file as it was, and none where there was none. */
static void writable(void **state)
{
	char dir[] = "/tmp/test-probe.XXXXXX", path[64], text[8] = "";
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/svg", dir);
	assert_int_equal(probe_svg_check(path), 0);
	assert_int_equal(access(path, F_OK), -1);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("mine", f);
	fclose(f);
	assert_int_equal(probe_svg_check(path), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "mine");
	unlink(path);
	mkfifo(path, 0600);
	assert_int_equal(probe_svg_check(path), 0);
	unlink(path);
	assert_int_equal(probe_svg_check(dir), -EISDIR);
	rmdir(dir);
	assert_int_equal(probe_svg_check(path), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(three_nodes),
		cmocka_unit_test(places),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(times),
		cmocka_unit_test(strongest),
		cmocka_unit_test(kept),
		cmocka_unit_test(kept_apart),
		cmocka_unit_test(kept_unreadably),
		cmocka_unit_test(kept_for_all),
		cmocka_unit_test(shares),
		cmocka_unit_test(picture),
		cmocka_unit_test(writable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
