// SPDX-License-Identifier: GPL-2.0
/* The tool as its user meets it: arguments, exit status, output. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define OUTPUT_MAX	(256 * 1024)

static char out[OUTPUT_MAX], err[OUTPUT_MAX];

static void slurp(FILE *f, char *buf)
{
	size_t n;

	rewind(f);
	n = fread(buf, 1, OUTPUT_MAX - 1, f);
	buf[n] = '\0';
	fclose(f);
}

/* Runs the tool with words set apart by spaces; out and err are what it printed. */
static int tool(const char *words)
{
	FILE *o = tmpfile(), *e = tmpfile();
	char *argv[32] = { "nrdmactl" };
	char *copy = strdup(words), *save, *word;
	int argc = 1, status;
	pid_t pid;

	assert_non_null(o);
	assert_non_null(e);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(word, "''") ? word : "";
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(o), STDOUT_FILENO);
		dup2(fileno(e), STDERR_FILENO);
		execv(getenv("NRDMACTL"), argv);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	slurp(o, out);
	slurp(e, err);
	free(copy);
	if (!WIFEXITED(status))
		fail_msg("nrdmactl %s: killed\n%s", words, err);
	return WEXITSTATUS(status);
}

/* Runs the tool with standard output at @path, or closed; err is what it says. */
static int tool_to(const char *path, const char *word)
{
	char *argv[] = { "nrdmactl", (char *)word, NULL };
	FILE *e = tmpfile();
	int status;
	pid_t pid;

	assert_non_null(e);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(e), STDERR_FILENO);
		close(STDOUT_FILENO);
		if (path && open(path, O_WRONLY) != STDOUT_FILENO)
			_exit(98);
		execv(getenv("NRDMACTL"), argv);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	slurp(e, err);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Runs the tool on a terminal; out is what it printed there. */
static void tool_on(unsigned short columns, const char *words)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	char command[256], *p = out, *from;
	int terminal, status;
	ssize_t n;
	pid_t pid;

	snprintf(command, sizeof(command), "exec \"$NRDMACTL\" %s 2>/dev/null", words);
	pid = forkpty(&terminal, NULL, NULL, &size);
	assert_true(pid >= 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(99);
	}
	/* An error is how it ends */
	while ((n = read(terminal, p, out + sizeof(out) - 1 - p)) > 0)
		p += n;
	*p = '\0';
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (p = from = out; (*p = *from); from++)
		p += *from != '\r';
}

/* On a terminal a table is folded, but no word of it, and no part of a list */
static void terminal(void **state)
{
	static const struct {
		const char *words;
		unsigned short columns;
		size_t widest;		/* its longest words alone may be wider */
	} t[] = {
		{ "check list", 60, 60 }, { "check list", 80, 80 }, { "check list", 100, 100 },
		{ "check list", 400, 400 },
		{ "status", 80, 160 }, { "status", 100, 100 }, { "-d status", 80, 400 },
		{ "status mlx5_0", 80, 80 }, { "status rxe_eth1", 80, 80 },
		{ "irq show", 80, 160 }, { "irq show", 100, 200 },
		{ "stat", 80, 80 }, { "dev show", 60, 60 }, { "dev show", 80, 80 },
	};
	static char words[OUTPUT_MAX];
	char *word, *save, *p;
	size_t i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		tool(t[i].words);
		strcpy(words, out);
		tool_on(t[i].columns, t[i].words);
		for (p = out; *p; p += n + (p[n] == '\n')) {
			n = strcspn(p, "\n");
			if (n > t[i].widest)
				fail_msg("%s: wider than %u\n%s", t[i].words, t[i].columns, out);
		}
		for (word = strtok_r(words, " ,\n", &save); word;
		     word = strtok_r(NULL, " ,\n", &save)) {
			n = strlen(word);
			for (p = strstr(out, word); p; p = strstr(p + 1, word))
				if ((p == out || strchr(" ,\n", p[-1])) && strchr(" ,\n", p[n]))
					break;
			if (!p)
				fail_msg("%s: no \"%s\"\n%s", t[i].words, word, out);
		}
	}
	tool_on(80, "check list");
	assert_non_null(strstr(out, "\nwriters  nobody else moves interrupts, or    who writes last wins, and"
				    " placement\n         the vectors are locked              is lost\n"));
}

/* Nobody reads a report that was not written */
static void no_output(void **state)
{
	static const char * const words[] = { "status", "dev", "irq", "stat", "check", "export",
					      "help", "-V" };
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(tool_to("/dev/full", words[i]), 2);
		if (!strstr(err, "nrdmactl: ") || !strstr(err, "standard output: "))
			fail_msg("nrdmactl %s >/dev/full says\n%s", words[i], err);
		assert_int_equal(tool_to(NULL, words[i]), 2);
		if (!strstr(err, "standard output: "))
			fail_msg("nrdmactl %s >&- says\n%s", words[i], err);
	}
}

struct line {
	const char *words;
	int status;
	const char *out;	/* part of standard output, NULL: there is none */
	const char *err;	/* part of standard error, NULL: there is none */
};

static void try_lines(const struct line *line, size_t n)
{
	int status;

	for (; n; n--, line++) {
		status = tool(line->words);
		if (status != line->status)
			fail_msg("nrdmactl %s: status %d\n%s%s", line->words, status, out, err);
		if (line->out ? !strstr(out, line->out) : *out)
			fail_msg("nrdmactl %s: prints\n%s", line->words, out);
		if (line->err ? !strstr(err, line->err) : *err)
			fail_msg("nrdmactl %s: says\n%s", line->words, err);
		/* Bad input is one line */
		if (line->status == 1 && strchr(err, '\n') != err + strlen(err) - 1)
			fail_msg("nrdmactl %s: more than a line\n%s", line->words, err);
	}
}

#define NO_MODULE	"module nrdma is not loaded"

static void bad_usage(void **state)
{
	static const struct line lines[] = {
		{ "nonsense", 1, NULL, "no object \"nonsense\": see nrdmactl help" },
		{ "''", 1, NULL, "no object \"\"" },
		{ "dev nonsense", 1, NULL, "there is show, set (nrdmactl help dev)" },
		{ "irq zap mlx5_0", 1, NULL, "there is show, set, restore" },
		{ "status mlx5_0 nonsense", 1, NULL, "\"nonsense\" is too much" },
		{ "dev set", 1, NULL, "DEV is missing" },
		{ "dev set mlx5_0", 1, NULL, "nothing to set: node N or node auto" },
		{ "dev set mlx5_0 nodde 1", 1, NULL, "no key \"nodde\": there is node" },
		{ "dev set mlx5_0 node", 1, NULL, "node: N|auto is missing" },
		{ "dev set mlx5_0 node x", 1, NULL, "node \"x\": must be a node's number, or auto" },
		{ "dev set mlx5_0 node -1", 1, NULL, "node \"-1\": must be" },
		{ "dev set mlx5_0 node 1 node 2", 1, NULL, "node is given twice" },
		{ "dev set mlx5_0 node 99999999999", 1, NULL, "must be a node's number" },
		{ "irq set mlx5_0", 1, NULL, "nothing to set: policy, lock" },
		{ "irq set mlx5_0 dry-run", 1, NULL, "nothing to set" },
		{ "irq set mlx5_0 policy", 1, NULL, "policy: POLICY is missing" },
		{ "irq set mlx5_0 policy best", 1, NULL,
		  "policy \"best\": must be one of local, spread, off, node N, cpus LIST" },
		{ "irq set mlx5_0 policy node", 1, NULL, "policy node: N is missing" },
		{ "irq set mlx5_0 policy node -", 1, NULL, "no option \"-\"" },
		{ "irq set mlx5_0 policy node x", 1, NULL, "policy node \"x\"" },
		{ "irq set mlx5_0 policy cpus 0-", 1, NULL,
		  "policy cpus \"0-\": must be a list of CPUs like 0-3,8" },
		{ "irq set mlx5_0 exclude a", 1, NULL, "exclude \"a\"" },
		{ "irq set mlx5_0 lock maybe", 1, NULL, "lock \"maybe\": must be one of on, off" },
		{ "irq show mlx5_0 watch 0", 1, NULL, "watch 0" },
		{ "irq show watch x", 1, NULL, "watch \"x\"" },
		{ "irq show dev mlx5_0 watch x", 1, NULL, "watch \"x\"" },
		{ "irq set dev mlx5_0 lock maybe", 1, NULL, "irq set mlx5_0: lock \"maybe\"" },
		{ "stat watch 0", 1, NULL, "watch 0" },
		{ "stat mlx5_0 nonsense", 1, NULL, "no key \"nonsense\": there is watch" },
		{ "export nonsense", 1, NULL, "there is prometheus" },
		{ "export prometheus /x y", 1, NULL, "\"y\" is too much" },
		{ "-j export prometheus", 1, NULL, "Prometheus' own format" },
		{ "monitor count 0", 1, NULL, "count 0" },
		{ "apply /dev/null dev", 1, NULL, "dev: DEV is missing" },
		{ "monitor mlx5_0", 1, NULL, "no key \"mlx5_0\": there is count, timeout" },
		{ "probe", 1, NULL, "DEV is missing" },
		{ "probe mlx5_0 op atomic", 1, NULL, "op \"atomic\": must be one of write, read, send, pingpong" },
		{ "probe mlx5_0 size x", 1, NULL, "size \"x\": must be a size like" },
		{ "probe mlx5_0 size 4G", 1, NULL, "size \"4G\": must be at most 4M" },
		{ "probe mlx5_0 svg /dev/null time 0", 1, NULL, "time \"0\": must be 1 to 480" },
		{ "probe mlx5_0 svg /dev/null time 481", 1, NULL, "time \"481\": must be 1 to 480" },
		{ "probe mlx5_0 compare tcp size 64 time 61", 1, NULL, "time \"61\": must be 1 to 60" },
		{ "probe mlx5_0 rounds -1", 1, NULL, "rounds \"-1\": must be a whole number" },
		{ "pool set", 1, NULL, "node N is missing" },
		{ "pool set node 0", 1, NULL, "nothing to set: size" },
		{ "pool set node x size 1G", 1, NULL, "node \"x\"" },
		{ "pool set node 0 size 1.5G", 1, NULL, "size \"1.5G\": must be a size like" },
		{ "pool set node 0 size 16777216T", 1, NULL, "size \"16777216T\": is too large" },
		{ "pool set node 0 size 8388608T", 1, NULL, "must be below 8388608T" },
		{ "pool set node 0 size 18446744073709551616", 1, NULL, "is too large" },
		{ "pool set node 0 group 4294967295", 1, NULL, "is nobody's number" },
		{ "dev set mlx5_0 node 2147483648", 1, NULL, "must be a node's number, or auto" },
		{ "dev set mlx5_0 node 4294967295", 1, NULL, "must be a node's number, or auto" },
		{ "pool set node 0 group -1", 1, NULL,
		  "group \"-1\": must be a whole number, up to 4294967295" },
		{ "pool set node 0 size -1", 1, NULL, "size \"-1\": must be a size like" },
		{ "check only nonsense", 1, NULL, "no check \"nonsense\" (nrdmactl check list)" },
		{ "check skip node,", 1, NULL, "no check \"\"" },
		{ "check only node skip node", 1, NULL, "leave no check" },
		{ "check pid x", 1, NULL, "pid \"x\"" },
		{ "-x status", 1, NULL, "no option \"-x\": there are -j -p -d -V" },
		{ "status --json", 1, NULL, "no option \"--json\"" },
		{ "run mlx5_0", 125, NULL, "COMMAND [ARG]... is missing after \"--\"" },
		{ "run mlx5_0 --", 125, NULL, "is missing" },
		{ "run -- true", 125, NULL, "DEV is missing" },
		{ "run mlx5_0 true", 125, NULL, "\"true\" is no key: COMMAND [ARG]... comes after \"--\"" },
		{ "run mlx5_0 ls -l", 125, NULL, "no option \"-l\"" },
		{ "-j -x ru mlx5_0 -- true", 125, NULL, "no option \"-x\"" },
		{ "run -- help", 125, NULL, "run: DEV is missing" },
		{ "run mlx5_0 help", 125, NULL, "help: \"mlx5_0\" is too much" },
		{ "-x", 1, NULL, "no option \"-x\"" },
		{ "status -- run", 1, NULL, "status: \"--\" is too much" },
		{ "help run mlx5_0", 1, NULL, "\"mlx5_0\" is too much" },
		{ "help nonsense", 1, NULL, "no object" },
		{ "help irq set nonsense", 1, NULL, "\"nonsense\" is too much" },
		{ "no\nsense\033[31m", 1, NULL, "no object \"no?sense?[31m\"" },
	};

	(void)state;
	try_lines(lines, ARRAY_SIZE(lines));
}

static void refused(void **state)
{
	static const struct line lines[] = {
		{ "status nosuch", 2, NULL, "no RDMA device \"nosuch\": there is irdma0 (" },
		{ "irq show dev watch", 2, NULL, "irq show watch: no RDMA device \"watch\"" },
		{ "check dev list", 2, NULL, "no RDMA device \"list\"" },
		{ "status dev help", 2, NULL, "no RDMA device \"help\"" },
		{ "stat dev", 2, NULL, "no RDMA device \"dev\"" },
		{ "stat dev dev", 2, NULL, "no RDMA device \"dev\"" },
		{ "dev show mlx4_0/3", 2, NULL, "mlx4_0 has no port 3: there is 1, 2" },
		{ "dev show mlx4_0/0", 2, NULL, "no RDMA device \"mlx4_0/0\"" },
		{ "check pid 0", 2, NULL, "no process 0" },
		{ "dev show 0000:ff:00.0", 2, NULL, "no RDMA device" },
		{ "dev set eth1 node 1", 2, NULL,
		  "\"eth1\" is more than one device: rxe_eth1 and siw_eth1" },
		{ "dev set mlx5_0 node 1", 2, NULL, NO_MODULE },
		{ "irq set eth1 policy local", 2, NULL, NO_MODULE },
		{ "irq restore mlx5_0", 2, NULL, NO_MODULE },
		{ "buf show", 2, NULL, NO_MODULE },
		{ "buf", 2, NULL, NO_MODULE },
		{ "check pid 1", 2, NULL, "no process 1" },
		{ "export prometheus /dev/null", 2, NULL, "no regular file" },
		{ "export prometheus /nonexistent/x", 2, NULL, "No such file" },
		{ "pool show", 2, NULL, NO_MODULE },
		{ "probe mlx5_0 svg /nonexistent/x.svg", 2, NULL,
		  "probe mlx5_0: /nonexistent/x.svg: No such file" },
		{ "probe mlx5_0 svg /", 2, NULL, "/: Is a directory" },
		{ "probe mlx5_0 svg /dev/null", 2, NULL, NO_MODULE },
		{ "probe mlx5_0", 2, NULL, "probe mlx5_0: " NO_MODULE },
		{ "pool set node 0 size 1G", 2, NULL, "pool set node 0: " NO_MODULE },
		{ "monitor timeout 1", 2, NULL, NO_MODULE },
		{ "dev show config", 2, NULL, NO_MODULE },
		{ "apply root/etc/nrdma/nrdma.conf", 2, NULL, "apply: " NO_MODULE },
		{ "apply root/etc/nrdma/nrdma.conf dev mlx5_0", 2, NULL, NO_MODULE },
		{ "apply /dev/null", 0, NULL, NULL },
		{ "apply /dev/null dev mlx5_0", 0, NULL, NULL },
		{ "-j apply /dev/null dry-run", 0, "[]", NULL },
		{ "apply /nonexistent", 2, NULL, "/nonexistent: No such file" },
		{ "run nosuch -- true", 125, NULL, "no RDMA device" },
		{ "run odd0 -- true", 125, NULL, "node is not known (no netdev)" },
		{ "run irdma0 -- true", 125, NULL, "node is not known (not in firmware)" },
		{ "run rxe_bond0 -- true", 125, NULL, "node is not known (lower devices differ)" },
	};

	(void)state;
	try_lines(lines, ARRAY_SIZE(lines));
}

static void text(void **state)
{
	static const struct line lines[] = {
		{ "-V", 0, "nrdmactl " NRDMA_VERSION "\n", NULL },
		{ "help", 0, "nrdmactl irq set DEV [policy local|spread|off|node N|cpus LIST]", NULL },
		{ "status mlx4_0", 0, " days ago: memory on node 2 is 1.9x faster although firmware says node 0\n", NO_MODULE },
		{ "-d status mlx4_0", 0, "contradicts ", NO_MODULE },
		{ "check mlx4_0 only probe", 0, "firmware says node 0 (", NO_MODULE },
		{ "check irdma0 only probe", 0,
		  "n/a   probe     irdma0: the last verdict cannot be read (damaged)\n", NO_MODULE },
		{ "-d status irdma0", 0, "n/a (damaged)", NO_MODULE },
		{ "check rxe_eth1 only probe", 0, "on a software device that says nothing about a NIC",
		  NO_MODULE },
		{ "check siw_eth1 only probe", 0, "siw_eth1: never measured since boot", NO_MODULE },
		{ "check mlx5_0 only probe", 0,
		  "n/a   probe     mlx5_0: never measured since boot (nrdmactl probe mlx5_0)\n", NO_MODULE },
		{ "he dev", 0, "nrdmactl dev set DEV [node N|auto]", NULL },
		{ "dev help", 0, "nrdmactl dev show [DEV]", NULL },
		{ "irq set help", 0, "nrdmactl irq set", NULL },
		{ "help help", 0, "nrdmactl irq set DEV", NULL },
		{ "", 0, "\nmlx5_0/1    InfiniBand active", NO_MODULE },
		{ "status", 0, "200 Gb/s HDR x4", NO_MODULE },
		{ "st mlx5_0", 0, "8.0 GT/s x8 63 Gb/s", NO_MODULE },
		{ "status mlx4_0", 0, "n/a (port down)", NO_MODULE },
		{ "status mlx4_0/2", 0, "mlx4_0/2 RoCE down", NO_MODULE },
		{ "status odd0", 0, "odd0/1 unknown n/a (Is a directory)", NO_MODULE },
		{ "status rxe_bond0", 0, "n/a (lower devices differ)", NO_MODULE },
		{ "status irdma0", 0, "n/a (not in firmware)", NO_MODULE },
		{ "status ens2", 0, "mlx4_0/1", NO_MODULE },
		{ "status 81:00.0", 0, "mlx5_0/1", NO_MODULE },
		{ "-d status siw_eth1", 0, "siw\n", NO_MODULE },
		{ "d", 0, "PCI function     0000:81:00.0", NO_MODULE },
		{ "dev show mlx5_0", 0, "node             1, from pci", NO_MODULE },
		{ "-d de sh eth1", 0, "found by way of  virtio virtio3", NO_MODULE },
		{ "i s mlx5_0", 0, "mlx5_comp0@pci:0000:81:00.0", NO_MODULE },
		{ "irq show 0000:81:00.0", 0, "remote", NO_MODULE },
		{ "irq show rxe_eth1", 0, ",998,1000,1002,1004,1006,1008,1010,1012,1014,1016,1018,1020,1022 2 ",
		  NO_MODULE },
		{ "check mlx5_0 only node", 0, "warn  node      mlx5_0: node 1 has no memory", NO_MODULE },
		{ "check irdma0 only node", 3, "to mend it: nrdmactl dev set irdma0 node N", NO_MODULE },
		{ "check mlx4_0/2 only port", 3, "fail  port      mlx4_0: port 2 is down", NO_MODULE },
		{ "check mlx4_0/1 only port", 0, "ok    port      mlx4_0: port 1 is active", NO_MODULE },
		{ "check mlx5_0 only mtu", 0, "n/a   mtu       mlx5_0: port 1 is InfiniBand\n", NO_MODULE },
		{ "check siw_eth1 only mtu,pfc", 0, "n/a   mtu       siw_eth1: port 1 is iWARP\n", NO_MODULE },
		{ "check mlx5_0 only pcie", 3, "could do 252 Gb/s", NO_MODULE },
		{ "check mlx5_0 only vectors", 3, "1 of 4 go to CPUs that are not near", NO_MODULE },
		{ "check rxe_eth1 only vectors", 0, "2, 2 near", NO_MODULE },
		{ "check only module", 3, "not loaded, and not built for this kernel", NO_MODULE },
		{ "check list", 0, "counters", NULL },
		{ "stat mlx5_0", 0, "port_xmit_data             1000 bytes\n", NULL },
		{ "stat mlx5_0/1", 0, "symbol_error       n/a (not a number)\n", NULL },
		{ "stat 81:00.0", 0, "VL15_dropped     n/a (Is a directory)\n", NULL },
		{ "stat mlx4_0", 0, "n/a (its driver has no counters)", NULL },
		{ "export prometheus", 0,
		  "nrdma_port_xmit_data_bytes_total{device=\"mlx5_0\",port=\"1\"} 1000\n", NO_MODULE },
		{ "e p", 0, "nrdma_port_hw_tcp_in_errs_total{device=\"mlx5_0\",port=\"1\"} 0\n", NO_MODULE },
		{ "ex prom", 0, "nrdma_device_hw_rx_read_bytes_total{device=\"mlx5_0\"} 77\n", NO_MODULE },
		{ "export prometheus", 0, "nrdma_port_rate_bytes_per_second{device=\"mlx5_0\",port=\"1\"} 25000000000\n",
		  NO_MODULE },
		{ "irq show odd0", 0, NULL, "no PCI function" },
	};

	(void)state;
	try_lines(lines, ARRAY_SIZE(lines));
}

static void completion(void **state)
{
	static const struct line lines[] = {
		{ "complete ''", 0, "status\ndev\nirq\nbuf\npool\ncheck\nps\nstat\nprobe\nrun\nmonitor\nexport\napply\nhelp\n", NULL },
		{ "complete s", 0, "status\nstat\n", NULL },
		{ "complete export ''", 0, "prometheus\n", NULL },
		{ "complete probe mlx5_0 op ''", 0, "write\nread\nsend\npingpong\n", NULL },
		{ "complete stat mlx5_0 ''", 0, "watch\n", NULL },
		{ "complete apply ''", 0, "dry-run\ndev\n", NULL },
		{ "complete apply dev mlx", 0, "mlx4_0\nmlx5_0\n", NULL },
		{ "complete irq ''", 0, "show\nset\nrestore\n", NULL },
		{ "complete irq set mlx", 0, "mlx4_0\nmlx5_0\n", NULL },
		{ "complete irq set mlx5_0 ''", 0, "policy\nlock\nexclude\nisolated\ndry-run\n", NULL },
		{ "complete irq set dev mlx", 0, "mlx4_0\nmlx5_0\n", NULL },
		{ "complete irq set dev mlx5_0 lock ''", 0, "on\noff\n", NULL },
		{ "complete irq set mlx5_0 lock ''", 0, "on\noff\n", NULL },
		{ "complete irq set mlx5_0 policy s", 0, "spread\n", NULL },
		{ "complete irq set mlx5_0 lock on ''", 0, "policy\nexclude\n", NULL },
		{ "complete status ens", 0, "ens2\n", NULL },
		{ "complete run mlx5_0 ''", 0, "--\n", NULL },
		{ "complete nonsense x", 0, NULL, NULL },
	};

	(void)state;
	try_lines(lines, ARRAY_SIZE(lines));
}

/* Words, a JSON pointer into what is printed, and what stands there */
static void json(void **state)
{
	static const struct {
		const char *words, *pointer, *value;
	} t[] = {
		{ "-j", "/2/name", "\"mlx5_0\"" },
		{ "-j status mlx5_0", "/0/node", "1" },
		{ "-j status mlx5_0", "/0/node_source", "\"pci\"" },
		{ "-jp status mlx5_0", "/0/cpu_node/0", "1" },
		{ "status mlx5_0 -j", "/0/ports/0/rate", "200000000000" },
		{ "-j status mlx5_0", "/0/ports/0/link_layer", "\"InfiniBand\"" },
		{ "-j status mlx5_0", "/0/pcie_rate", "63015384615" },
		{ "-j status mlx5_0", "/0/pcie_max_width", "16" },
		{ "-j status mlx5_0", "/0/pcie_upstream_max_width", "16" },
		{ "-j status mlx5_0", "/0/vectors", "4" },
		{ "-j status mlx5_0", "/0/vectors_local", "2" },
		{ "-j status mlx5_0", "/0/vectors_remote", "1" },
		{ "-j status mlx5_0", "/0/vectors_managed", "null" },
		{ "-j status mlx5_0", "/0/buf_bytes", "null" },
		{ "-j status irdma0", "/0/node", "null" },
		{ "-j status irdma0", "/0/node_source", "null" },
		{ "-j status irdma0", "/0/pci", "\"0000:00:06.0\"" },
		{ "-j status odd0", "/0/ports/0/rate", "null" },
		{ "-j status odd0", "/0/ports/0/state", "null" },
		{ "-j status odd0", "/0/firmware", "\"???\\\"garbage\"" },
		{ "-j status odd1", "/0/ports", "[]" },
		{ "-j status mlx4_0", "/0/ports/1/rate", "null" },
		{ "-j status mlx4_0", "/0/pci", "\"10000:00:02.0\"" },
		{ "-j status mlx4_0", "/0/ports/0/netdev_mtu", "1500" },
		{ "-j status eth1", "/1/name", "\"siw_eth1\"" },
		{ "-j dev show siw_eth1", "/0/driver", "\"siw\"" },
		{ "-j dev show rxe_eth1", "/0/step/0/bus", "\"net\"" },
		{ "-j dev show rxe_eth1", "/0/step/2/node", "0" },
		{ "-j dev show rxe_eth1", "/0/policy", "null" },
		{ "-j dev show rxe_eth1", "/0/chardev", "null" },
		{ "-j dev show mlx5_0", "/0/tier", "\"node\"" },
		{ "-j irq show mlx5_0", "/1/irq", "101" },
		{ "-j irq show mlx5_0", "/1/vector", "null" },
		{ "-j irq show mlx5_0", "/1/effective", "\"0\"" },
		{ "-j irq show mlx5_0", "/1/node", "0" },
		{ "-j irq show mlx5_0", "/1/local", "false" },
		{ "-j irq show mlx5_0", "/1/count", "41" },
		{ "-j irq show mlx5_0", "/3/action", "null" },
		{ "-j irq show mlx5_0", "/3/cpus", "null" },
		{ "-j irq show odd0", "", "[]" },
		{ "-j stat mlx5_0", "/0/value", "null" },
		{ "-j stat mlx5_0", "/2/value", "1000" },
		{ "-j stat mlx5_0", "/2/unit", "\"bytes\"" },
		{ "-j stat mlx5_0", "/3/counter", "\"symbol_error\"" },
		{ "-j stat mlx5_0", "/3/value", "null" },
		{ "-j stat mlx5_0", "/6/port", "null" },
		{ "-j stat mlx5_0", "/6/counter", "\"rx_read_bytes\"" },
		{ "-j stat odd0", "/0/counter", "null" },
	};
	struct json_object *root, *value;
	const char *text;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (tool(t[i].words))
			fail_msg("nrdmactl %s: %s", t[i].words, err);
		root = json_tokener_parse(out);
		if (!root || !json_object_is_type(root, json_type_array))
			fail_msg("nrdmactl %s: not an array: %s", t[i].words, out);
		if (json_pointer_get(root, t[i].pointer, &value))
			fail_msg("nrdmactl %s: no %s: %s", t[i].words, t[i].pointer, out);
		text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
		if (strcmp(text, t[i].value))
			fail_msg("nrdmactl %s: %s is %s", t[i].words, t[i].pointer, text);
		json_object_put(root);
	}
}

static char man[OUTPUT_MAX];

/* Whether the manual has a key as a word */
static bool in_manual(const char *key)
{
	size_t n = strlen(key);
	const char *p = man;

	for (; (p = strstr(p, key)); p += n)
		if (p > man && strchr(" ,\n", p[-1]) && strchr(" ,:\n", p[n]))
			return true;
	return false;
}

static void keys_in_manual(struct json_object *json)
{
	size_t i;

	if (json_object_is_type(json, json_type_array))
		for (i = 0; i < json_object_array_length(json); i++)
			keys_in_manual(json_object_array_get_idx(json, i));
	if (!json_object_is_type(json, json_type_object))
		return;
	json_object_object_foreach(json, key, value) {
		if (!in_manual(key))
			fail_msg("\"%s\" is not in the manual", key);
		keys_in_manual(value);
	}
}

/* Every key that is printed is documented, and every object has the same ones */
static void json_keys(void **state)
{
	static const char *const words[] = {
		"-j status", "-j dev show", "-j irq show", "-j check", "-j check list", "-j stat",
	};
	struct json_object *root, *first, *other;
	size_t i, n;
	FILE *f = fopen(getenv("MANUAL"), "r");

	(void)state;
	assert_non_null(f);
	slurp(f, man);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		tool(words[i]);
		root = json_tokener_parse(out);
		assert_non_null(root);
		keys_in_manual(root);
		first = json_object_array_get_idx(root, 0);
		for (n = 1; n < json_object_array_length(root); n++) {
			other = json_object_array_get_idx(root, n);
			assert_int_equal(json_object_object_length(other),
					 json_object_object_length(first));
			json_object_object_foreach(first, key, value) {
				(void)value;
				if (!json_object_object_get_ex(other, key, NULL))
					fail_msg("%s: not every object has %s", words[i], key);
			}
		}
		json_object_put(root);
	}
}

/* A device that nothing can be read of has a row like the others */
static void one_odd_device(void **state)
{
	struct json_object *root;

	(void)state;
	assert_int_equal(tool("-j status"), 0);
	root = json_tokener_parse(out);
	assert_int_equal(json_object_array_length(root), 8);
	json_object_put(root);
}

static void no_device(void **state)
{
	static const struct line lines[] = {
		{ "-j status", 0, "[]\n", "no RDMA device on this host" },
		{ "status", 0, NULL, "no RDMA device on this host" },
		{ "status mlx5_0", 2, NULL, "no RDMA device \"mlx5_0\": this host has none" },
		{ "-j dev", 0, "[]\n", "no RDMA device" },
		{ "-j irq", 0, "[]\n", NO_MODULE },
	};
	char *root = strdup(getenv("NRDMA_SYSROOT"));

	(void)state;
	setenv("NRDMA_SYSROOT", "/nonexistent", 1);
	try_lines(lines, ARRAY_SIZE(lines));
	setenv("NRDMA_SYSROOT", root, 1);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_usage),
		cmocka_unit_test(refused),
		cmocka_unit_test(text),
		cmocka_unit_test(terminal),
		cmocka_unit_test(completion),
		cmocka_unit_test(json),
		cmocka_unit_test(json_keys),
		cmocka_unit_test(one_odd_device),
		cmocka_unit_test(no_device),
		cmocka_unit_test(no_output),
	};

	return cmocka_run_group_tests_name("cmdline", tests, NULL, NULL);
}
