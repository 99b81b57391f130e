// SPDX-License-Identifier: GPL-2.0
/* What comes as text: lists, sizes, addresses, rates, files of sysfs. */
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
#include "cpus.h"
#include "link.h"
#include "dev.h"
#include "numa.h"
#include "pci.h"
#include "rate.h"
#include "size.h"
#include "sys.h"
#include "vec.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

static void cpus_lists(void **state)
{
	static const struct {
		const char *in;
		int err;
		const char *out;
	} t[] = {
		{ "", 0, "" },
		{ "0", 0, "0" },
		{ "0-3,8", 0, "0-3,8" },
		{ "3,2,1,0", 0, "0-3" },
		{ "0-1,64-127,8191", 0, "0-1,64-127,8191" },
		{ "63-64", 0, "63-64" },
		{ "5-5", 0, "5" },
		{ "8192", -ERANGE },
		{ "0-99999999999999999999", -ERANGE },
		{ "3-1", -EINVAL },
		{ "-1", -EINVAL },
		{ "0,", -EINVAL },
		{ ",0", -EINVAL },
		{ "0-", -EINVAL },
		{ "0--1", -EINVAL },
		{ " 0", -EINVAL },
		{ "+1", -EINVAL },
		{ "0x1", -EINVAL },
		{ "a", -EINVAL },
		{ "1 2", -EINVAL },
	};
	struct cpus set;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (cpus_parse(&set, t[i].in) != t[i].err)
			fail_msg("\"%s\" gives %d", t[i].in, cpus_parse(&set, t[i].in));
		if (t[i].err)
			continue;
		assert_int_equal(cpus_format(&set, text, sizeof(text)), strlen(t[i].out));
		assert_string_equal(text, t[i].out);
	}
	cpus_parse(&set, "0,10,20,30");
	assert_int_equal(cpus_format(&set, text, 6), strlen("0,10,20,30"));
	assert_string_equal(text, "0,10,");
}

/* Every other CPU of a large host: no list is cut */
static void cpus_long_lists(void **state)
{
	struct cpus set = { 0 }, back;
	unsigned int cpu;
	char *list;

	(void)state;
	for (cpu = 0; cpu < CPUS_MAX; cpu += 2)
		cpus_add(&set, cpu);
	list = cpus_list(&set);
	assert_int_equal(cpus_parse(&back, list), 0);
	assert_memory_equal(&back, &set, sizeof(set));
	free(list);

	/* What takes most room for its CPUs */
	memset(&set, 0, sizeof(set));
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpu % 3)
			cpus_add(&set, cpu);
	assert_true(cpus_format(&set, NULL, 0) < CPUS_TEXT);
}

/* The kernel asks for room for all the CPUs that there could be */
static void cpus_of_thread(void **state)
{
	struct cpus before, one = { 0 }, now;

	(void)state;
	assert_int_equal(cpus_allowed(&before), 0);
	assert_false(cpus_empty(&before));
	cpus_add(&one, cpus_next(&before, -1));
	assert_int_equal(cpus_bind(&one), 0);
	assert_int_equal(cpus_allowed(&now), 0);
	assert_memory_equal(&now, &one, sizeof(now));
	assert_int_equal(cpus_bind(&before), 0);
	assert_int_equal(cpus_allowed(&now), 0);
	assert_memory_equal(&now, &before, sizeof(now));
}

static void cpus_sets(void **state)
{
	struct cpus a, b;

	(void)state;
	cpus_parse(&a, "1-2,70");
	cpus_parse(&b, "0-70");
	assert_true(cpus_within(&a, &b));
	assert_false(cpus_within(&b, &a));
	assert_int_equal(cpus_next(&a, -1), 1);
	assert_int_equal(cpus_next(&a, 2), 70);
	assert_int_equal(cpus_next(&a, 70), -1);
	assert_false(cpus_has(&a, 100000));
	cpus_and(&b, &a);
	assert_true(cpus_within(&b, &a));
}

static void sizes(void **state)
{
	static const struct {
		const char *in;
		int err;
		uint64_t bytes;
		const char *out;
	} t[] = {
		{ "0", 0, 0, "0" },
		{ "4096", 0, 4096, "4K" },
		{ "64k", 0, 65536, "64K" },
		{ "2M", 0, 2 << 20, "2M" },
		{ "4G", 0, 4ULL << 30, "4G" },
		{ "4GiB", 0, 4ULL << 30, "4G" },
		{ "1536m", 0, 1536ULL << 20, "1.5G" },
		{ "1T", 0, 1ULL << 40, "1T" },
		{ "16777215T", 0, 16777215ULL << 40, "15.9E" },
		{ "16777216T", -ERANGE },
		{ "99999999999999999999", -ERANGE },
		{ "", -EINVAL },
		{ "-1", -EINVAL },
		{ " 1", -EINVAL },
		{ "1.5G", -EINVAL },
		{ "1Q", -EINVAL },
		{ "1GB", -EINVAL },
		{ "G", -EINVAL },
		{ "0x10", -EINVAL },
	};
	uint64_t bytes;
	char text[32];
	uint32_t n;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (size_parse(&bytes, t[i].in) != t[i].err)
			fail_msg("\"%s\" gives %d", t[i].in, size_parse(&bytes, t[i].in));
		if (t[i].err)
			continue;
		assert_int_equal(bytes, t[i].bytes);
		size_format(bytes, text, sizeof(text));
		assert_string_equal(text, t[i].out);
	}
	assert_int_equal(size_parse_u32(&n, "4294967295"), 0);
	assert_int_equal(n, UINT32_MAX);
	assert_int_equal(size_parse_u32(&n, "4294967296"), -ERANGE);
	assert_int_equal(size_parse_u32(&n, "-1"), -EINVAL);
	assert_int_equal(size_parse_u32(&n, "1a"), -EINVAL);
	assert_int_equal(size_parse_u32(&n, ""), -EINVAL);

	size_format_exactly(0, text, sizeof(text));
	assert_string_equal(text, "0");
	size_format_exactly(4097, text, sizeof(text));
	assert_string_equal(text, "4097");
	size_format_exactly(3ULL << 29, text, sizeof(text));
	assert_string_equal(text, "1536M");
	size_format_exactly(1ULL << 52, text, sizeof(text));
	assert_string_equal(text, "4096T");

	size_format_bps(2500000000, text, sizeof(text));
	assert_string_equal(text, "2.5 Gb/s");
	size_format_bps(400000000000, text, sizeof(text));
	assert_string_equal(text, "400 Gb/s");
}

static void serves(void **state)
{
	static const struct {
		const char *action, *serves;	/* NULL: not known */
	} t[] = {
		{ "mlx5_comp10@pci:0000:81:00.0", "comp vector" },
		{ "mlx5_async0@pci:0000:81:00.0", "async" },
		{ "mlx4-async@pci:0000:04:00.0", "async" },
		{ "mlx4-7@0000:04:00.0", "comp vector" },
		{ "irdma-ens1f0-CEQ-1", "comp vector" },
		{ "irdma-ens1f0-AEQ", "async" },
		{ "bnxt_re-nq-3@pci:0000:3b:00.0", "comp vector" },
		{ "bnxt_re-creq@pci:0000:3b:00.0", "async" },
		{ "efa-comp1@pci:0000:00:06.0", "comp vector" },
		{ "efa-mgmnt@pci:0000:00:06.0", "async" },
		{ "ice-ens1f0-TxRx-0", "queue" },
		{ "i40e-0000:3d:00.0:misc", "async" },
		{ "virtio3-input.0", "queue" },
		{ "virtio3-config", "async" },
		{ "eth0-rx-0", "queue" },
		{ "comp0-TxRx-0", "queue" },
		{ "eth0", NULL },
		{ "nvme0q1", NULL },
	};
	struct vec vec = { 0 };
	struct str serves;
	size_t i;

	(void)state;
	assert_false(vec_serves(&vec).known);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		vec.action = str_of(t[i].action);
		serves = vec_serves(&vec);
		if (serves.known != !!t[i].serves ||
		    (serves.known && strcmp(serves.s, t[i].serves)))
			fail_msg("%s: %s", t[i].action, serves.known ? serves.s : "not known");
	}
}

static void rates_of_verbs(void **state)
{
	static const struct {
		unsigned int code, width;
		long long gbps10;	/* -1: not known */
		const char *lane;
		long long lanes;
	} t[] = {
		{ 1, 1, 25, "SDR", 1 },
		{ 1, 2, 100, "SDR", 4 },
		{ 2, 2, 200, "DDR", 4 },
		{ 4, 2, 400, "QDR", 4 },
		{ 8, 2, 400, "FDR10", 4 },
		{ 16, 2, 560, "FDR", 4 },
		{ 32, 2, 1000, "EDR", 4 },
		{ 32, 16, 500, "EDR", 2 },
		{ 64, 2, 2000, "HDR", 4 },
		{ 128, 2, 4000, "NDR", 4 },
		{ 256, 2, 8000, "XDR", 4 },
		{ 256, 8, 24000, "XDR", 12 },
		{ 256, 4, 16000, "XDR", 8 },
		{ 0x200, 2, -1, "unknown (0x200)", 4 },
		{ 3, 2, -1, "unknown (0x3)", 4 },
		{ 0, 2, -1, "unknown", 4 },
	};
	struct rate rate;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		rate = rate_of_code(t[i].code, t[i].width);
		assert_string_equal(rate.lane.s, t[i].lane);
		assert_int_equal(rate.width.v, t[i].lanes);
		assert_int_equal(rate.bps.known, t[i].gbps10 >= 0);
		if (rate.bps.known)
			assert_int_equal(rate.bps.v, t[i].gbps10 * 100000000);
	}
	rate = rate_of_code(32, 99);
	assert_false(rate.bps.known);
	assert_false(rate.width.known);
	assert_string_equal(rate.lane.s, "EDR");
}

static void rates_of_sysfs(void **state)
{
	struct rate rate;
	size_t i;
	static const struct {
		const char *text;
		long long gbps10;
		const char *lane;
		long long lanes;
	} t[] = {
		{ "2.5 Gb/sec (1X)", 25, "SDR", 1 },
		{ "2 Gb/sec (1X SDR)", 25, "SDR", 1 },
		{ "10 Gb/sec (4X)", 100, "SDR", 4 },
		{ "56 Gb/sec (4X FDR)", 560, "FDR", 4 },
		{ "100 Gb/sec (4X EDR)", 1000, "EDR", 4 },
		{ "400 Gb/sec (4X NDR)", 4000, "NDR", 4 },
		{ "800 Gb/sec (4X XDR)", 8000, "XDR", 4 },
		{ "1600 Gb/sec (4X YDR)", 16000, "YDR", 4 },
	};
	static const char *const odd[] = {
		"", "N/A (no PMA)", "100", "100 Gb/sec", "100 Gb/sec (0X EDR)",
		"-1 Gb/sec (4X EDR)", "1e99 Gb/sec (4X EDR)", "nan Gb/sec (4X EDR)",
		"100 Gb/sec (4294967295X EDR)",
	};

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		rate = rate_of_text(t[i].text);
		assert_true(rate.bps.known);
		assert_int_equal(rate.bps.v, t[i].gbps10 * 100000000);
		assert_string_equal(rate.lane.s, t[i].lane);
		assert_int_equal(rate.width.v, t[i].lanes);
	}
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		rate = rate_of_text(odd[i]);
		assert_false(rate.bps.known);
		assert_false(rate.lane.known);
		assert_false(rate.width.known);
	}
}

/* Eight bits of verbs against a text that calls SDR what it does not know */
static void rates_of_both(void **state)
{
	struct rate rate;

	(void)state;
	rate = rate_of_port("800 Gb/sec (4X XDR)", 256 & 0xff, 2);
	assert_string_equal(rate.lane.s, "XDR");
	assert_int_equal(rate.bps.v, 800000000000);
	rate = rate_of_port("10 Gb/sec (4X SDR)", 0x200 & 0xff, 2);
	assert_string_equal(rate.lane.s, "unknown");
	assert_false(rate.bps.known);
	rate = rate_of_port("10 Gb/sec (4X)", 128, 2);
	assert_string_equal(rate.lane.s, "NDR");
	assert_int_equal(rate.bps.v, 400000000000);
	rate = rate_of_port(NULL, 64, 2);
	assert_string_equal(rate.lane.s, "HDR");
	rate = rate_of_port("25 Gb/sec (1X EDR)", -1, 0);
	assert_int_equal(rate.bps.v, 25000000000);
}

static void pci_addresses(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		struct pci_addr addr;
	} t[] = {
		{ "0000:81:00.0", true, { 0, 0x81, 0, 0 } },
		{ "81:00.0", true, { 0, 0x81, 0, 0 } },
		{ "0:81:0.0", true, { 0, 0x81, 0, 0 } },
		{ "10000:01:1f.7", true, { 0x10000, 1, 0x1f, 7 } },
		{ "ffffffff:ff:1F.7", true, { 0xffffffff, 0xff, 0x1f, 7 } },
		{ "100000000:00:00.0", false },
		{ "0000:100:00.0", false },
		{ "0000:81:20.0", false },
		{ "0000:81:00.8", false },
		{ "0000:81:00", false },
		{ "0000:81:00.", false },
		{ "0000:81:00.0 ", false },
		{ " 0000:81:00.0", false },
		{ "0000:0000:81:00.0", false },
		{ "0x1:81:00.0", false },
		{ ":81:00.0", false },
		{ "81.0", false },
		{ "-1:81:00.0", false },
		{ "", false },
		{ "eth0", false },
	};
	struct pci_addr addr;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (pci_parse(&addr, t[i].text) != t[i].ok)
			fail_msg("\"%s\"", t[i].text);
		if (t[i].ok)
			assert_true(pci_equal(&addr, &t[i].addr));
	}
}

static void pci_bandwidths(void **state)
{
	(void)state;
	assert_int_equal(pci_bps("2.5 GT/s", 1).v, 2000000000);
	assert_int_equal(pci_bps("5.0 GT/s PCIe", 8).v, 32000000000);
	assert_int_equal(pci_bps("8.0 GT/s", 8).v / 1000000000, 63);
	assert_int_equal(pci_bps("16.0 GT/s", 16).v / 1000000000, 252);
	assert_int_equal(pci_bps("32.0 GT/s", 16).v / 1000000000, 504);
	assert_int_equal(pci_bps("64.0 GT/s", 16).v / 1000000000, 1024);
	assert_false(pci_bps("Unknown", 16).known);
	assert_false(pci_bps("", 16).known);
	assert_false(pci_bps("16.0 GT/s", 0).known);
	assert_false(pci_bps("16.0 GT/s", 255).known);
	assert_false(pci_bps("1e300 GT/s", 16).known);
}

/* The kernel's own names say how fast a mode is, those of 2030 as well */
static void link_modes(void **state)
{
	static const char names[][LINK_MODE_LEN] = {
		"10baseT/Half", "Autoneg", "100000baseCR4/Full", "TP", "1600000baseDR8/Full",
		"2500baseX/Full", "12345", "99999999999999999999base",
		/* No zero at its end */
		"100000baseCR4/FullFullFullFullFu",
	};
	const uint32_t none = 0, slow = 0x21, words = 0x0a, fast = 0x14, odd = 0x1c0;

	(void)state;
	assert_false(link_modes_max(names, 9, &none, 1).known);
	assert_int_equal(link_modes_max(names, 9, &slow, 1).v, 2500000000);
	assert_false(link_modes_max(names, 9, &words, 1).known);
	assert_int_equal(link_modes_max(names, 9, &fast, 1).v, 1600000000000);
	assert_int_equal(link_modes_max(names, 4, &fast, 1).v, 100000000000);
	assert_false(link_modes_max(names, 9, &odd, 1).known);
	assert_false(link_modes_max(names, 9, &fast, 0).known);
}

static void sysfs_values(void **state)
{
	char real[SYS_PATH_MAX];
	char buf[4];

	(void)state;
	assert_int_equal(sys_num("/sys/class/net/eth10/mtu").v, 9000);
	assert_true(sys_num("/sys/devices/pci0000:00/0000:00:06.0/numa_node").known);
	assert_int_equal(sys_num("/sys/devices/pci0000:00/0000:00:06.0/numa_node").v, -1);
	assert_false(sys_num("/sys/class/net/none/mtu").known);
	assert_string_equal(sys_num("/sys/class/net/none/mtu").why, "absent");
	assert_false(sys_num("/sys/class/infiniband/odd0/ports/1/rate").known);
	assert_false(sys_num("/sys/class/infiniband/odd0/ports/1/link_layer").known);
	assert_string_equal(sys_num("/sys/class/infiniband/odd0/ports/1/link_layer").why,
			    "not a number");
	assert_false(sys_str("/sys/devices/system/node/node2/cpulist").known);
	assert_int_equal(sys_read(buf, sizeof(buf), "/sys/class/net/eth10/address"), 3);
	assert_string_equal(buf, "02:");
	assert_int_equal(sys_real(real, "/sys/class/net/eth1/device"), 0);
	assert_string_equal(real, "/sys/devices/pci0000:00/0000:00:05.0/virtio3");
	assert_int_equal(sys_real(real, "/sys/class/net/eth10/device"), -ENOENT);
	assert_int_equal(sys_real(real, "/.."), -EXDEV);
}

static void nodes(void **state)
{
	struct cpus among, nearest;

	(void)state;
	assert_int_equal(numa_of_cpu(2), 0);
	assert_int_equal(numa_of_cpu(128), 1);
	assert_int_equal(numa_of_cpu(63), -1);
	assert_int_equal(numa_of_cpu(-1), -1);
	assert_int_equal(numa_of_cpu(CPUS_MAX), -1);

	cpus_parse(&among, "0,2");
	numa_nearest(1, &among, &nearest);
	assert_true(cpus_has(&nearest, 0));
	assert_false(cpus_has(&nearest, 2));
	numa_nearest(2, &among, &nearest);
	assert_int_equal(cpus_next(&nearest, -1), 2);
	cpus_parse(&among, "");
	numa_nearest(1, &among, &nearest);
	assert_true(cpus_empty(&nearest));
	cpus_parse(&among, "0");
	numa_nearest(77, &among, &nearest);
	assert_true(cpus_empty(&nearest));
}

static void interrupts(void **state)
{
	struct vec_counts counts;

	(void)state;
	vec_counts_read(&counts);
	assert_null(counts.why);
	assert_int_equal(vec_counts_of(&counts, num_of(101)).v, 41);
	assert_string_equal(counts.action[101].s, "mlx5_comp0@pci:0000:81:00.0");
	assert_false(vec_counts_of(&counts, num_of(99)).known);
	assert_false(vec_counts_of(&counts, num_of(-1)).known);
	assert_false(vec_counts_of(&counts, num_of(1LL << 40)).known);
	assert_false(vec_counts_of(&counts, num_none(NULL)).known);
	vec_counts_free(&counts);
}

static void devices(void **state)
{
	struct devs devs;
	unsigned int port;
	struct dev *dev;

	(void)state;
	assert_int_equal(devs_read(&devs), 0);
	assert_int_equal(devs.nr, 8);

	dev = devs_match(&devs, "mlx4_0/2", NULL, &port);
	assert_non_null(dev);
	assert_int_equal(port, 2);
	assert_false(dev->ports[1].rate.bps.known);
	assert_string_equal(dev->ports[1].physical_state.s, "disabled");
	assert_string_equal(dev->ports[0].physical_state.s, "link_up");
	/* The function's one network device is that of port 1, and eth10 is no hardware */
	assert_string_equal(dev->ports[0].netdev.s, "ens2");
	assert_null(devs_match(&devs, "eth10", NULL, &port));
	assert_false(dev->ports[1].netdev.known);
	assert_null(devs_match(&devs, "mlx4_0/2", dev, &port));
	assert_ptr_equal(devs_match(&devs, "10000:00:02.0", NULL, &port), dev);
	assert_ptr_equal(devs_match(&devs, "ens2", NULL, &port), dev);
	assert_null(devs_match(&devs, "eth", NULL, &port));
	assert_null(devs_match(&devs, "mlx4_0/", NULL, &port));
	assert_null(devs_match(&devs, "mlx4_0/x", NULL, &port));

	dev = devs_match(&devs, "eth1", NULL, &port);
	assert_string_equal(dev->name, "rxe_eth1");
	assert_string_equal(dev->place.pci.s, "0000:00:05.0");
	assert_int_equal(dev->place.node.v, 0);
	dev = devs_match(&devs, "eth1", dev, &port);
	assert_string_equal(dev->name, "siw_eth1");
	assert_string_equal(dev->ports[0].link_layer, "iWARP");
	assert_int_equal(dev->place.node.v, 0);
	assert_null(devs_match(&devs, "eth1", dev, &port));

	dev = devs_match(&devs, "81:00.0", NULL, &port);
	assert_string_equal(dev->name, "mlx5_0");
	assert_int_equal(dev->place.node.v, 1);
	assert_int_equal(dev->place.mem_node.v, 0);

	dev = devs_match(&devs, "rxe_bond0", NULL, &port);
	assert_false(dev->place.node.known);
	assert_false(dev->place.mem_node.known);
	assert_true(cpus_empty(&dev->place.cpu_nodes));

	dev = devs_match(&devs, "irdma0", NULL, &port);
	assert_false(dev->place.node.known);
	assert_true(dev->place.pci.known);
	devs_free(&devs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_lists),
		cmocka_unit_test(cpus_long_lists),
		cmocka_unit_test(cpus_of_thread),
		cmocka_unit_test(cpus_sets),
		cmocka_unit_test(sizes),
		cmocka_unit_test(serves),
		cmocka_unit_test(rates_of_verbs),
		cmocka_unit_test(rates_of_sysfs),
		cmocka_unit_test(rates_of_both),
		cmocka_unit_test(pci_addresses),
		cmocka_unit_test(pci_bandwidths),
		cmocka_unit_test(link_modes),
		cmocka_unit_test(sysfs_values),
		cmocka_unit_test(nodes),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(devices),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
