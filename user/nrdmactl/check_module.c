// SPDX-License-Identifier: GPL-2.0
/* Checks of the module itself: is it there, why not, does it speak as the tool does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/nrdma.h>

#include "checker.h"
#include "klog.h"
#include "mod.h"
#include "sys.h"

#define DKMS		"nrdma/" NRDMA_VERSION
#define MODULE_MAX	(64L << 20)

/**
 * struct module_file - the module's file for this kernel
 * @path: "" for none
 * @readable: the rest is known; a compressed one is not looked into
 * @vermagic: the kernel that it was built for, "" for not found
 * @is_signed: something signed it
 * @mtime: when it was written, in seconds
 */
struct module_file {
	char path[512];
	bool readable;
	char vermagic[128];
	bool is_signed;
	double mtime;
};

static double seconds_of(const struct timespec *ts)
{
	return ts->tv_sec + ts->tv_nsec / 1e9;
}

/* As depmod has it */
static void module_file_find(struct module_file *file, const char *release)
{
	char *line = NULL, *colon;
	size_t room = 0;
	FILE *f;

	f = sys_open("/lib/modules/%s/modules.dep", release);
	while (f && getline(&line, &room, f) >= 0) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		if (strncmp(sys_base(line), "nrdma.ko", 8))
			continue;
		if (*line == '/')
			snprintf(file->path, sizeof(file->path), "%s", line);
		else
			snprintf(file->path, sizeof(file->path), "/lib/modules/%s/%s", release,
				 line);
	}
	free(line);
	if (f)
		fclose(f);
}

static void module_file_look(struct module_file *file, const char *data, size_t len)
{
	static const char magic[] = "~Module signature appended~\n", key[] = "\0vermagic=";
	const char *at = memmem(data, len, key, sizeof(key) - 1);

	file->readable = true;
	file->is_signed = len >= sizeof(magic) - 1 &&
			  !memcmp(data + len - (sizeof(magic) - 1), magic, sizeof(magic) - 1);
	if (at)
		snprintf(file->vermagic, sizeof(file->vermagic), "%.*s",
			 (int)strnlen(at + sizeof(key) - 1, data + len - (at + sizeof(key) - 1)),
			 at + sizeof(key) - 1);
}

static void module_file_read(struct module_file *file, const char *release)
{
	struct stat st;
	char *data;
	FILE *f;

	memset(file, 0, sizeof(*file));
	module_file_find(file, release);
	if (!*file->path || strcmp(file->path + strlen(file->path) - 3, ".ko"))
		return;
	f = sys_open("%s", file->path);
	if (!f)
		return;
	if (!fstat(fileno(f), &st) && st.st_size > 0 && st.st_size <= MODULE_MAX) {
		file->mtime = seconds_of(&st.st_mtim);
		data = malloc(st.st_size);
		if (data && fread(data, 1, st.st_size, f) == (size_t)st.st_size)
			module_file_look(file, data, st.st_size);
		free(data);
	}
	fclose(f);
}

/* What the kernel said when it refused the module last */
enum refusal {
	REFUSAL_NONE,
	REFUSAL_SYMBOLS,
	REFUSAL_MAGIC,
	REFUSAL_UNSIGNED,
	REFUSAL_KEY,
};

static enum refusal module_refusal_of(const char *text)
{
	static const struct {
		const char *words;
		enum refusal refusal;
	} known[] = {
		{ "disagrees about version of symbol", REFUSAL_SYMBOLS },
		{ "no symbol version for", REFUSAL_SYMBOLS },
		{ "Unknown symbol", REFUSAL_SYMBOLS },
		{ "version magic", REFUSAL_MAGIC },
		{ "unsigned module", REFUSAL_UNSIGNED },
		{ "unavailable key", REFUSAL_KEY },
		{ "unsupported crypto", REFUSAL_KEY },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(text, known[i].words))
			return known[i].refusal;
	return REFUSAL_NONE;
}

/*
 * The log has a clock of its own, which nobody corrects as CLOCK_MONOTONIC is
 * (local_clock() in the kernel's kernel/sched/clock.c): one second in so many, 100 ppm
 */
#define KLOG_DRIFT	10000

/*
 * One that came before the file was written is about another file; one that may have,
 * by the log's clock, is not.
 */
static enum refusal module_refusal(const struct module_file *file, char *text, size_t len)
{
	char *log = klog_read(), *p = log;
	enum refusal refusal = REFUSAL_NONE, one;
	struct timespec real, boot;
	struct klog_line line;
	double up, slack;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &boot);
	up = seconds_of(&boot);
	slack = 1 + up / KLOG_DRIFT;
	while (klog_next(&p, &line)) {
		if (strncmp(line.text, "nrdma: ", 7))
			continue;
		if (seconds_of(&real) - up + line.usec / 1e6 + slack < file->mtime)
			continue;
		one = module_refusal_of(line.text + 7);
		/* Of many symbols the first will do; it comes as "disagrees" and "Unknown" */
		if (!one || one == refusal)
			continue;
		refusal = one;
		snprintf(text, len, "%s", line.text + 7);
	}
	free(log);
	return refusal;
}

/* Secure Boot's lockdown asks for signatures, and so does a parameter */
static bool module_must_be_signed(void)
{
	struct str enforce = sys_str("/sys/module/module/parameters/sig_enforce");
	struct str lockdown = sys_str("/sys/kernel/security/lockdown");

	return (enforce.known && !strcmp(enforce.s, "Y")) ||
	       (lockdown.known && (strstr(lockdown.s, "[integrity]") ||
				   strstr(lockdown.s, "[confidentiality]")));
}

/*
 * The certificate of dkms's key: of its configuration, else its own, or the one that
 * Ubuntu's dkms shares with shim-signed.
 */
static void module_certificate(char *path, size_t len)
{
	static const char shim[] = "/var/lib/shim-signed/mok/MOK.der";
	static const char own[] = "/var/lib/dkms/mok.pub";
	FILE *f = sys_open("/etc/dkms/framework.conf");
	char *line = NULL, *value;
	size_t room = 0;

	snprintf(path, len, "%s", !sys_exists(own) && sys_exists(shim) ? shim : own);
	while (f && getline(&line, &room, f) >= 0) {
		if (strncmp(line, "mok_certificate=", 16))
			continue;
		value = line + 16 + strspn(line + 16, "\"'");
		value[strcspn(value, "\"' \t\n")] = '\0';
		/* More than a path, the shell's matter */
		if (*value == '/' && !strchr(value, '$'))
			snprintf(path, len, "%s", value);
	}
	free(line);
	if (f)
		fclose(f);
}

static void check_module_absent(struct checker *c)
{
	struct str release = sys_str("/proc/sys/kernel/osrelease");
	char build[320], text[256] = "", certificate[256], import[300];
	struct module_file file;
	enum refusal refusal;

	module_file_read(&file, release.s);
	snprintf(build, sizeof(build), "dkms install --force " DKMS " -k %s && modprobe nrdma",
		 release.s);
	if (!*file.path) {
		checker_say(c, VERDICT_FAIL, build,
			    "not loaded, and not built for this kernel, %s", release.s);
		return;
	}
	refusal = module_refusal(&file, text, sizeof(text));
	if (*file.vermagic && (strncmp(file.vermagic, release.s, strlen(release.s)) ||
			       file.vermagic[strlen(release.s)] != ' ')) {
		file.vermagic[strcspn(file.vermagic, " ")] = '\0';
		checker_say(c, VERDICT_FAIL, build,
			    "not loaded, and built for another kernel, %s; this one is %s",
			    file.vermagic, release.s);
	} else if (refusal == REFUSAL_SYMBOLS || refusal == REFUSAL_MAGIC) {
		checker_say(c, VERDICT_FAIL, build,
			    "not loaded, and built against other symbols than this kernel's: %s",
			    text);
	} else if (refusal == REFUSAL_KEY) {
		module_certificate(certificate, sizeof(certificate));
		snprintf(import, sizeof(import), "mokutil --import %s", certificate);
		checker_say(c, VERDICT_FAIL, import,
			    "not loaded, and signed with a key that is not enrolled (it is at the next reboot, once imported): %s",
			    text);
	} else if (refusal == REFUSAL_UNSIGNED ||
		   (module_must_be_signed() && file.readable && !file.is_signed)) {
		checker_say(c, VERDICT_FAIL, build,
			    "not loaded, and not signed, which this kernel asks for: %s", file.path);
	} else {
		checker_say(c, VERDICT_FAIL, "modprobe nrdma", "not loaded");
	}
}

static void check_module_host(struct checker *c)
{
	if (c->survey.mod_error == -ENOENT)
		check_module_absent(c);
	else
		checker_say(c, VERDICT_OK, NULL, "loaded%s%s",
			    c->survey.mod_version.known ? ", version " : "",
			    c->survey.mod_version.s);
}

const struct check check_module = {
	.id = "module",
	.expected = "nrdma is loaded",
	.why = "without it no buffers on the device's node and no steering that stays",
	.host = check_module_host,
};

static void check_abi_host(struct checker *c)
{
	if (!c->survey.mod_error)
		checker_say(c, VERDICT_OK, NULL, "both have ABI %d", NRDMA_ABI_VERSION);
	else if (c->survey.mod_error == -ENOENT)
		checker_say(c, VERDICT_NA, NULL, "no module");
	else if (c->survey.mod_error == -EPROTO && c->survey.mod_abi.v > NRDMA_ABI_VERSION)
		checker_say(c, VERDICT_FAIL, NULL,
			    "module %s has ABI %lld, nrdmactl " NRDMA_VERSION " knows %d: install the nrdmactl that belongs to the module",
			    c->survey.mod_version.s, c->survey.mod_abi.v, NRDMA_ABI_VERSION);
	else if (c->survey.mod_error == -EPROTO)
		checker_say(c, VERDICT_FAIL, MOD_RELOAD,
			    "module %s has ABI %lld, nrdmactl " NRDMA_VERSION " needs %d",
			    c->survey.mod_version.s, c->survey.mod_abi.v, NRDMA_ABI_VERSION);
	else
		checker_say(c, VERDICT_WARN, NULL, "the module does not answer: %s",
			    strerror(-c->survey.mod_error));
}

const struct check check_abi = {
	.id = "abi",
	.expected = "module and tool speak the same",
	.why = "they cannot talk to each other otherwise",
	.host = check_abi_host,
};
