// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that only read, over a /sys and /proc of which every file's text
 * comes from the input: file after file, with a zero byte between. The first byte
 * says which command.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "fuzz.h"

/* With what they keep between calls, and what only a process that uses RDMA reaches */
#include "numa.c"
#include "ps.c"

FUZZ_SAY_NOTHING

#define PCI	"sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"
#define IB	"sys/class/infiniband/fuzz_0"

static const char *const files[] = {
	IB "/ports/1/rate",
	IB "/ports/1/state",
	IB "/ports/1/phys_state",
	IB "/ports/1/link_layer",
	IB "/ports/1/gids/0",
	IB "/ports/1/gid_attrs/ndevs/0",
	IB "/ports/1/counters/port_xmit_data",
	IB "/ports/1/hw_counters/out_of_sequence",
	IB "/node_type",
	IB "/node_desc",
	IB "/fw_ver",
	PCI "/numa_node",
	PCI "/current_link_speed",
	PCI "/current_link_width",
	PCI "/max_link_speed",
	PCI "/max_link_width",
	PCI "/../max_link_speed",
	PCI "/../max_link_width",
	"sys/devices/system/node/online",
	"sys/devices/system/node/has_cpu",
	"sys/devices/system/node/has_memory",
	"sys/devices/system/node/node0/cpulist",
	"sys/devices/system/node/node0/distance",
	"sys/class/net/eth0/mtu",
	"sys/class/net/eth0/address",
	"sys/class/net/eth0/dev_port",
	"sys/class/net/eth0/flags",
	"sys/class/net/eth0/carrier",
	"proc/irq/5/smp_affinity_list",
	"proc/irq/5/effective_affinity_list",
	"proc/interrupts",
	"proc/1/comm",
	"proc/1/status",
	"proc/1/limits",
	"proc/1/numa_maps",
	"proc/1/task/1/stat",
	"proc/1/cgroup",
	"proc/sys/kernel/osrelease",
	"lib/modules/fuzz/modules.dep",
	"lib/modules/fuzz/nrdma.ko",
	"dev/kmsg",
	"sys/fs/cgroup/cpuset.cpus.effective",
	"sys/fs/cgroup/a/cpuset.cpus.effective",
	"sys/kernel/security/lockdown",
	"etc/systemd/network/a.link",
	"sys/module/ib_core/parameters/netns_mode",
	"sys/module/module/parameters/sig_enforce",
};

#define FILES	(sizeof(files) / sizeof(*files))

static char root[] = "/dev/shm/nrdma-fuzz.XXXXXX";
static int fds[FILES];

static void fuzz_mkdirs(const char *path)
{
	char dir[512], *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	for (slash = strchr(dir, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(dir, 0777);
		*slash = '/';
	}
}

static void fuzz_link(const char *to, const char *path)
{
	fuzz_mkdirs(path);
	FUZZ_MUST(!symlink(to, path));
}

static int fuzz_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void fuzz_end(void)
{
	nftw(root, fuzz_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int here = open(".", O_PATH | O_CLOEXEC);
	size_t i;

	(void)argc;
	(void)argv;
	FUZZ_MUST(here >= 0 && mkdtemp(root) && !chdir(root));
	atexit(fuzz_end);
	setenv("NRDMA_SYSROOT", root, 1);
	mkdir("sys", 0777);
	fuzz_mkdirs(PCI "/msi_irqs/");
	FUZZ_MUST(creat(PCI "/msi_irqs/5", 0666) >= 0);
	fuzz_mkdirs("sys/bus/pci/");
	fuzz_link("../../../../bus/pci", PCI "/subsystem");
	fuzz_link("../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0", IB "/device");
	fuzz_link("../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0",
		  "sys/class/net/eth0/device");
	for (i = 0; i < FILES; i++) {
		fuzz_mkdirs(files[i]);
		fds[i] = open(files[i], O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		FUZZ_MUST(fds[i] >= 0);
	}
	FUZZ_MUST(!fchdir(here) && !close(here));
	FUZZ_MUST(freopen("/dev/null", "w", stdout));
	return 0;
}

static void fuzz_command(bool json, bool details, char *words)
{
	char *argv[8], *word, *save;
	int argc = 0;

	opts = (struct opts){ .json = json, .details = details };
	numa_map.read = false;
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	cmd_main(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const commands[] = {
		"status", "dev show", "irq show", "stat", "check pid 1 skip counters",
		"export prometheus",
	};
	static struct ps_nodes nodes;
	unsigned int command;
	char words[64];
	const uint8_t *end;
	size_t i, n;

	if (!size)
		return 0;
	command = *data++;
	size--;
	for (i = 0; i < FILES; i++) {
		end = memchr(data, 0, size);
		n = end ? (size_t)(end - data) : size;
		FUZZ_MUST(!ftruncate(fds[i], 0) && pwrite(fds[i], data, n, 0) == (ssize_t)n);
		data += n;
		size -= n;
		if (size) {
			data++;
			size--;
		}
	}
	if (command % 7 < 6) {
		snprintf(words, sizeof(words), "%s", commands[command % 7]);
		fuzz_command(command & 64, command & 128, words);
		return 0;
	}
	memset(&nodes, 0, sizeof(nodes));
	ps_memory(&nodes, 1);
	ps_threads(&nodes, 1);
	return 0;
}
