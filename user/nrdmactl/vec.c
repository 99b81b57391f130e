// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/nrdma.h>

#include "cpus.h"
#include "numa.h"
#include "size.h"
#include "sys.h"
#include "vec.h"

#define IRQS_MAX	(1U << 20)

/**
 * vecs_new() - room for one more
 *
 * Return: the new one, all zero, or NULL.
 */
struct vec *vecs_new(struct vecs *vecs)
{
	struct vec *v;

	if (vecs->nr == vecs->room) {
		v = realloc(vecs->v, (2 * vecs->room + 16) * sizeof(*v));
		if (!v)
			return NULL;
		vecs->v = v;
		vecs->room = 2 * vecs->room + 16;
	}
	v = &vecs->v[vecs->nr++];
	memset(v, 0, sizeof(*v));
	return v;
}

void vecs_free(struct vecs *vecs)
{
	unsigned int i;

	for (i = 0; i < vecs->nr; i++) {
		free(vecs->v[i].cpus);
		free(vecs->v[i].effective);
		free(vecs->v[i].wanted);
		free(vecs->v[i].original);
	}
	free(vecs->v);
	memset(vecs, 0, sizeof(*vecs));
}

static char *vec_list(unsigned int irq, const char *file)
{
	char text[CPUS_TEXT];

	if (sys_read(text, sizeof(text), "/proc/irq/%u/%s", irq, file) < 0)
		return NULL;
	return strdup(text);
}

/**
 * vec_settle() - find the node of the CPUs that a vector goes to
 *
 * A vector that was not started yet has no effective CPU: then those count
 * that it may go to.
 */
void vec_settle(struct vec *vec)
{
	const char *list = vec->effective && *vec->effective ? vec->effective : vec->cpus;
	struct cpus cpus;
	int node;

	if (!list || cpus_parse(&cpus, list)) {
		vec->node = num_none("affinity not readable");
		return;
	}
	node = numa_of_cpus(&cpus);
	vec->node = node >= 0 ? num_of(node) : num_none("several");
}

/**
 * vecs_next() - a PCI function's vectors, one after the other
 * @pci: the function's address; one that is not known has none
 * @vec: the one before, NULL for the first
 *
 * Return: the next, or NULL.
 */
const struct vec *vecs_next(const struct vecs *vecs, const struct str *pci, const struct vec *vec)
{
	unsigned int i = vec ? vec - vecs->v + 1 : 0;

	for (; pci->known && i < vecs->nr; i++)
		if (!strcmp(vecs->v[i].pci.s, pci->s))
			return &vecs->v[i];
	return NULL;
}

/**
 * vec_serves() - what a vector is for, as far as its driver's name for it tells
 *
 * Drivers agree on no form, but much on words. A network device's name is part of
 * many, so what stands beside it is looked for first.
 *
 * Return: "queue" (of a network device), "comp vector", "async" (events, commands),
 * or not known.
 */
struct str vec_serves(const struct vec *vec)
{
	static const struct {
		const char *part, *serves;
	} t[] = {
		{ "-txrx-", "queue" }, { "-rxtx-", "queue" }, { "-rx-", "queue" },
		{ "-tx-", "queue" }, { "-input.", "queue" }, { "-output.", "queue" },
		{ "-fp-", "queue" }, { "mana_q", "queue" },
		{ "_comp", "comp vector" }, { "-comp", "comp vector" }, { "ceq", "comp vector" },
		{ "-nq-", "comp vector" }, { "ciq", "comp vector" },
		{ "async", "async" }, { "aeq", "async" }, { "creq", "async" }, { "_cmd", "async" },
		{ "_ctrl", "async" }, { "-config", "async" }, { "mgmnt", "async" },
		{ ":misc", "async" }, { "-event-", "async" }, { "_hwc", "async" },
		{ "-common", "async" },
		/* mlx4-3@... */
		{ "mlx4-", "comp vector" },
	};
	size_t i;

	if (!vec->action.known)
		return vec->action;
	for (i = 0; i < sizeof(t) / sizeof(*t); i++)
		if (strcasestr(vec->action.s, t[i].part))
			return str_of(t[i].serves);
	return str_none("not known");
}

/**
 * vecs_read() - a device's vectors, by sysfs and procfs
 * @vecs: they are added here, unless another device of the function brought them
 * @dev: the device
 *
 * Which vector of the function an interrupt is, and whether the kernel manages
 * it, only the module can tell.
 *
 * Return: 0, or a negative errno.
 */
int vecs_read(struct vecs *vecs, const struct dev *dev)
{
	static const char none[] = "no module";
	struct vec *vec;
	char **names;
	uint32_t irq;
	int i, n;

	if (!dev->place.pci_dir[0] || vecs_next(vecs, &dev->place.pci, NULL))
		return 0;
	n = sys_list(&names, "%s/msi_irqs", dev->place.pci_dir);
	if (n == -ENOENT)
		return 0;
	for (i = 0; i < n; i++) {
		if (size_parse_u32(&irq, names[i]))
			continue;
		vec = vecs_new(vecs);
		if (!vec) {
			sys_list_free(names, n);
			return -ENOMEM;
		}
		vec->pci = dev->place.pci;
		vec->vector = num_none(none);
		vec->irq = num_of(irq);
		vec->action = str_none("free");
		vec->cpus = vec_list(irq, "smp_affinity_list");
		vec->effective = vec_list(irq, "effective_affinity_list");
		vec->state = num_none(none);
		vec->locked = num_none(none);
		vec->error = num_none(none);
		vec->changer = num_none(none);
		vec_settle(vec);
	}
	sys_list_free(names, n);
	return n < 0 ? n : 0;
}

/**
 * vec_local() - whether a vector goes to CPUs of its device's CPU nodes only
 *
 * Return: 1, 0, or not known.
 */
struct num vec_local(const struct vec *vec, const struct dev *dev)
{
	const char *list = vec->effective && *vec->effective ? vec->effective : vec->cpus;
	struct num local = num_none("affinity not readable");
	struct cpus cpus;
	int cpu, node;

	if (!dev->place.node.known)
		return num_none("node unknown");
	if (!list || cpus_parse(&cpus, list))
		return local;
	for (cpu = cpus_next(&cpus, -1); cpu >= 0; cpu = cpus_next(&cpus, cpu)) {
		node = numa_of_cpu(cpu);
		/* An offline CPU takes no interrupts */
		if (node < 0)
			continue;
		if (!cpus_has(&dev->place.cpu_nodes, node))
			return num_of(0);
		local = num_of(1);
	}
	return local;
}

/**
 * vecs_count() - how many of a device's vectors go where
 * @vecs: vectors of this device, or of all
 * @dev: the device
 *
 * A managed vector counts as such, wherever it goes; one whose affinity is not
 * readable counts in the sum alone.
 */
struct vec_count vecs_count(const struct vecs *vecs, const struct dev *dev)
{
	struct vec_count count = { num_of(0), num_of(0), num_of(0), num_of(0) };
	const struct vec *vec = NULL;
	struct num local;

	while ((vec = vecs_next(vecs, &dev->place.pci, vec))) {
		count.all.v++;
		if (!vec->state.known) {
			count.managed = num_none(vec->state.why);
		} else if (vec->state.v == NRDMA_IRQ_STATE_MANAGED) {
			count.managed.v++;
			continue;
		}
		local = vec_local(vec, dev);
		if (local.known && local.v)
			count.local.v++;
		else if (local.known)
			count.remote.v++;
	}
	if (!dev->place.node.known) {
		count.local = num_none("node unknown");
		count.remote = num_none("node unknown");
	}
	if (!count.all.v) {
		const char *why = dev->hidden ? dev->chardev.why :
				  dev->place.pci.known ? "no MSI vectors" : "virtual";

		if (dev->hidden || !dev->place.pci.known)
			count.all = num_none(why);
		count.local = num_none(why);
		count.remote = num_none(why);
		count.managed = num_none(why);
	}
	return count;
}

/*
 * "PCI-MSIX-0000:01:00.0  3-edge  virtio1-input.0", on arm64 "ITS-MSI 524288
 * Edge  eth0": the action is what follows the type.
 */
static struct str vec_counts_action(const char *rest)
{
	static const char *const types[] = { "-edge", "-fasteoi", "Edge", "Level" };
	const char *from = NULL;
	size_t i;

	for (i = 0; !from && i < sizeof(types) / sizeof(*types); i++)
		from = strstr(rest, types[i]);
	from = from ? strpbrk(from, " \t") : NULL;
	if (!from)
		return str_none("free");
	from += strspn(from, " \t");
	return *from ? str_of(from) : str_none("free");
}

static int vec_counts_line(struct vec_counts *counts, unsigned int cpus, char *line)
{
	unsigned long irq;
	long long sum = 0, n;
	struct str *action;
	long long *v;
	unsigned int i;
	char *p, *end;

	irq = strtoul(line, &p, 10);
	if (p == line || *p != ':' || irq >= IRQS_MAX)
		return 0;
	p++;
	for (i = 0; i < cpus; i++, p = end) {
		n = strtoll(p, &end, 10);
		if (end == p)
			break;
		sum += n;
	}
	if (irq >= counts->nr) {
		v = realloc(counts->v, (irq + 1) * sizeof(*v));
		if (!v)
			return -ENOMEM;
		counts->v = v;
		action = realloc(counts->action, (irq + 1) * sizeof(*action));
		if (!action)
			return -ENOMEM;
		counts->action = action;
		for (i = counts->nr; i <= irq; i++) {
			v[i] = -1;
			action[i] = str_none("free");
		}
		counts->nr = irq + 1;
	}
	counts->v[irq] = sum;
	counts->action[irq] = vec_counts_action(p);
	return 0;
}

/**
 * vec_counts_read() - read /proc/interrupts
 * @counts: out, for vec_counts_free()
 */
void vec_counts_read(struct vec_counts *counts)
{
	unsigned int cpus = 0;
	char *line = NULL, *p;
	size_t room = 0;
	int err = 0;
	FILE *f;

	memset(counts, 0, sizeof(*counts));
	f = sys_open("/proc/interrupts");
	if (!f) {
		counts->why = "not readable";
		return;
	}
	if (getline(&line, &room, f) >= 0)
		for (p = line; (p = strstr(p, "CPU")); p += 3)
			cpus++;
	while (!err && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		err = vec_counts_line(counts, cpus, line);
	}
	/* It always has a line of CPUs, but where a container hides it */
	if (err || !cpus || ferror(f)) {
		vec_counts_free(counts);
		counts->why = "not readable";
	}
	free(line);
	fclose(f);
}

void vec_counts_free(struct vec_counts *counts)
{
	free(counts->v);
	free(counts->action);
	memset(counts, 0, sizeof(*counts));
}

struct num vec_counts_of(const struct vec_counts *counts, struct num irq)
{
	if (!irq.known)
		return num_none(irq.why);
	if (counts->why)
		return num_none(counts->why);
	if (irq.v < 0 || irq.v >= counts->nr || counts->v[irq.v] < 0)
		return num_none("free");
	return num_of(counts->v[irq.v]);
}
