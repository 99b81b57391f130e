// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices of a test's choice, for what soft devices cannot show: InfiniBand,
 * any speed, width, state and number of ports, counters that are large or cannot be
 * read, a parent that is a PCI function, an auxiliary or a platform device.
 * No verbs: nothing can be sent through them.
 *
 * One command in each write to /dev/nrdma_provider:
 *
 *   add NAME [KEY=VALUE]...          a device
 *     parent=none|platform|pci:ADDRESS|aux|aux:ADDRESS
 *                                    aux: on an auxiliary device of that function,
 *                                    or of the platform device
 *     link=ib|roce  ports=N
 *     counters=none|zero|grow|large|fail   those of the driver (hw_counters)
 *     pma=none|zero|large|fail             those of the standard (counters)
 *     and those of "port", for all ports
 *   port NAME N [event=N] [KEY=VALUE]...
 *                                    a change, told by that event (enum ib_event_type),
 *                                    else by the one that goes with the state
 *     state=N  phys=N  speed=N  width=N   as in enum ib_port_state...
 *     broken=0|1                     nothing can be asked of the port
 *   del NAME
 *
 * Devices are left alone by the driver core's ways of unbinding: one that has a PCI
 * function as its parent has to go before that function's driver does.
 */
#include <linux/auxiliary_bus.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#define NRDMA_PROVIDER_PORTS	8
#define NRDMA_PROVIDER_LINE	512

enum nrdma_provider_counters {
	NRDMA_COUNTERS_NONE,
	NRDMA_COUNTERS_ZERO,
	NRDMA_COUNTERS_GROW,
	NRDMA_COUNTERS_LARGE,
	NRDMA_COUNTERS_FAIL,
};

static const char * const nrdma_counters_words[] = { "none", "zero", "grow", "large", "fail" };

struct nrdma_provider_port {
	unsigned int	state;
	unsigned int	phys;
	unsigned int	speed;
	unsigned int	width;
	unsigned int	broken;
};

/**
 * struct nrdma_provider - a device
 * @ib: the RDMA device; freed by ib_dealloc_device()
 * @list: in nrdma_providers
 * @parent: referenced, or NULL
 * @aux: made for it, or NULL
 * @ethernet: link layer
 * @live: registered; the core does not register what cannot be read
 * @nr_ports: ports that it has
 * @counters: how those of the driver read
 * @pma: how those of the standard read
 * @port: as it is now, by number from 1. Written with nrdma_providers_lock held,
 *	read without: each is a number by itself.
 */
struct nrdma_provider {
	struct ib_device		ib;
	struct list_head		list;
	struct device			*parent;
	struct auxiliary_device		*aux;
	bool				ethernet;
	bool				live;
	unsigned int			nr_ports;
	enum nrdma_provider_counters	counters;
	enum nrdma_provider_counters	pma;
	struct nrdma_provider_port	port[NRDMA_PROVIDER_PORTS + 1];
};

/* Protects the list; a command has it from begin to end. */
static DEFINE_MUTEX(nrdma_providers_lock);
static LIST_HEAD(nrdma_providers);
static struct platform_device *nrdma_provider_pdev;
static u32 nrdma_provider_aux_id;

static struct nrdma_provider *nrdma_provider_of(const struct ib_device *ib)
{
	return container_of(ib, struct nrdma_provider, ib);
}

/* ---- what the core asks ---- */

static int nrdma_provider_query_device(struct ib_device *ib, struct ib_device_attr *attr,
				       struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_pkeys = 1;
	attr->page_size_cap = PAGE_SIZE;
	attr->fw_ver = 0x100020003ULL;
	attr->sys_image_guid = ib->node_guid;
	return 0;
}

static int nrdma_provider_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	const struct nrdma_provider *p = nrdma_provider_of(ib);

	if (READ_ONCE(p->port[port].broken))
		return -EIO;
	attr->state = READ_ONCE(p->port[port].state);
	attr->phys_state = READ_ONCE(p->port[port].phys);
	attr->active_speed = READ_ONCE(p->port[port].speed);
	attr->active_width = READ_ONCE(p->port[port].width);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = 1;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1U << 31;
	attr->lid = port;
	return 0;
}

static int nrdma_provider_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *im)
{
	im->pkey_tbl_len = 1;
	im->gid_tbl_len = 1;
	im->core_cap_flags = nrdma_provider_of(ib)->ethernet ? RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP :
							       RDMA_CORE_PORT_IBA_IB;
	im->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer nrdma_provider_link(struct ib_device *ib, u32 port)
{
	return nrdma_provider_of(ib)->ethernet ? IB_LINK_LAYER_ETHERNET :
						 IB_LINK_LAYER_INFINIBAND;
}

static int nrdma_provider_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static int nrdma_provider_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = ib->node_guid;
	return 0;
}

static void nrdma_provider_fw(struct ib_device *ib, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "1.2.3");
}

static const struct rdma_stat_desc nrdma_provider_stats[] = {
	{ .name = "out_of_buffer" },
	{ .name = "packet_seq_err" },
	{ .name = "rx_write_requests" },
};

static struct rdma_hw_stats *nrdma_provider_alloc_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(nrdma_provider_stats, ARRAY_SIZE(nrdma_provider_stats),
					  0);
}

static int nrdma_provider_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
				    int index)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nrdma_provider_stats); i++) {
		switch (nrdma_provider_of(ib)->counters) {
		case NRDMA_COUNTERS_FAIL:
			if (READ_ONCE(nrdma_provider_of(ib)->live))
				return -EINVAL;
			break;
		case NRDMA_COUNTERS_LARGE:
			stats->value[i] = U64_MAX - i;
			break;
		case NRDMA_COUNTERS_GROW:
			stats->value[i] += i + 1;
			break;
		default:
			stats->value[i] = 0;
		}
	}
	return ARRAY_SIZE(nrdma_provider_stats);
}

static int nrdma_provider_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *wc,
			      const struct ib_grh *grh, const struct ib_mad *in,
			      struct ib_mad *out, size_t *out_size, u16 *pkey_index)
{
	enum nrdma_provider_counters pma = nrdma_provider_of(ib)->pma;

	if (pma == NRDMA_COUNTERS_FAIL)
		return IB_MAD_RESULT_FAILURE;
	memset(out, pma == NRDMA_COUNTERS_LARGE ? 0xff : 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

/*
 * No process can have anything of it. Of a device without this the core says that it
 * cannot be moved to another network namespace.
 */
static void nrdma_provider_disassociate(struct ib_ucontext *context)
{
}

static const struct ib_device_ops nrdma_provider_ops = {
	.owner			= THIS_MODULE,
	.driver_id		= RDMA_DRIVER_UNKNOWN,
	.query_device		= nrdma_provider_query_device,
	.query_port		= nrdma_provider_query_port,
	.get_port_immutable	= nrdma_provider_immutable,
	.get_link_layer		= nrdma_provider_link,
	.query_pkey		= nrdma_provider_query_pkey,
	.query_gid		= nrdma_provider_query_gid,
	.get_dev_fw_str		= nrdma_provider_fw,
	.disassociate_ucontext	= nrdma_provider_disassociate,
};

static const struct ib_device_ops nrdma_provider_stats_ops = {
	.alloc_hw_port_stats	= nrdma_provider_alloc_stats,
	.get_hw_stats		= nrdma_provider_get_stats,
};

static const struct ib_device_ops nrdma_provider_mad_ops = {
	.process_mad		= nrdma_provider_mad,
};

/* ---- parents ---- */

static void nrdma_provider_aux_release(struct device *dev)
{
	kfree(to_auxiliary_dev(dev));
}

static struct auxiliary_device *nrdma_provider_new_aux(struct device *parent)
{
	struct auxiliary_device *aux;
	int ret;

	aux = kzalloc(sizeof(*aux), GFP_KERNEL);
	if (!aux)
		return ERR_PTR(-ENOMEM);
	aux->name = "rdma";
	aux->id = nrdma_provider_aux_id++;
	aux->dev.parent = parent;
	aux->dev.release = nrdma_provider_aux_release;
	ret = auxiliary_device_init(aux);
	if (ret) {
		kfree(aux);
		return ERR_PTR(ret);
	}
	ret = auxiliary_device_add(aux);
	if (ret) {
		auxiliary_device_uninit(aux);
		return ERR_PTR(ret);
	}
	return aux;
}

static struct device *nrdma_provider_pci(const char *address)
{
	unsigned int domain, bus, slot, func;
	struct pci_dev *pdev;

	if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &func) != 4)
		return ERR_PTR(-EINVAL);
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, func));
	return pdev ? &pdev->dev : ERR_PTR(-ENODEV);
}

/* Sets what ib.dev.parent is to be; p->parent and p->aux are undone by the caller. */
static int nrdma_provider_set_parent(struct nrdma_provider *p, const char *word)
{
	struct device *dev = get_device(&nrdma_provider_pdev->dev);
	struct auxiliary_device *aux;
	bool on_aux = !strncmp(word, "aux", 3);

	if (strchr(word, ':')) {
		put_device(dev);
		dev = nrdma_provider_pci(strchr(word, ':') + 1);
		if (IS_ERR(dev))
			return PTR_ERR(dev);
	} else if (strcmp(word, "aux") && strcmp(word, "platform")) {
		put_device(dev);
		return strcmp(word, "none") ? -EINVAL : 0;
	}
	p->parent = dev;
	if (on_aux) {
		aux = nrdma_provider_new_aux(dev);
		if (IS_ERR(aux))
			return PTR_ERR(aux);
		p->aux = aux;
	}
	p->ib.dev.parent = p->aux ? &p->aux->dev : dev;
	return 0;
}

static void nrdma_provider_put_parent(struct auxiliary_device *aux, struct device *parent)
{
	if (aux) {
		auxiliary_device_delete(aux);
		auxiliary_device_uninit(aux);
	}
	put_device(parent);
}

/* ---- commands ---- */

static int nrdma_provider_set_port(struct nrdma_provider_port *port, const char *key,
				   const char *value)
{
	unsigned int *to, n;
	int ret;

	if (!strcmp(key, "state"))
		to = &port->state;
	else if (!strcmp(key, "phys"))
		to = &port->phys;
	else if (!strcmp(key, "speed"))
		to = &port->speed;
	else if (!strcmp(key, "width"))
		to = &port->width;
	else if (!strcmp(key, "broken"))
		to = &port->broken;
	else
		return -EINVAL;
	ret = kstrtouint(value, 0, &n);
	if (!ret)
		WRITE_ONCE(*to, n);
	return ret;
}

static int nrdma_provider_set_counters(enum nrdma_provider_counters *to, const char *value)
{
	int i = match_string(nrdma_counters_words, ARRAY_SIZE(nrdma_counters_words), value);

	if (i < 0)
		return i;
	*to = i;
	return 0;
}

static int nrdma_provider_set(struct nrdma_provider *p, const char *key, const char *value)
{
	unsigned int i;
	int ret = 0;

	if (!strcmp(key, "parent"))
		return nrdma_provider_set_parent(p, value);
	if (!strcmp(key, "counters"))
		return nrdma_provider_set_counters(&p->counters, value);
	if (!strcmp(key, "pma"))
		return nrdma_provider_set_counters(&p->pma, value);
	if (!strcmp(key, "link")) {
		p->ethernet = !strcmp(value, "roce");
		return p->ethernet || !strcmp(value, "ib") ? 0 : -EINVAL;
	}
	if (!strcmp(key, "ports")) {
		ret = kstrtouint(value, 0, &p->nr_ports);
		return ret ?: p->nr_ports && p->nr_ports <= NRDMA_PROVIDER_PORTS ? 0 : -EINVAL;
	}
	for (i = 1; !ret && i <= NRDMA_PROVIDER_PORTS; i++)
		ret = nrdma_provider_set_port(&p->port[i], key, value);
	return ret;
}

static struct nrdma_provider *nrdma_provider_find(const char *name)
{
	struct nrdma_provider *p;

	list_for_each_entry(p, &nrdma_providers, list)
		if (!strcmp(dev_name(&p->ib.dev), name))
			return p;
	return NULL;
}

/* The rest of the line, word by word; false when there is none or it is no pair */
static bool nrdma_provider_pair(char **line, char **key, char **value, int *ret)
{
	do {
		*key = strsep(line, " \t\n");
	} while (*key && !**key);
	if (!*key)
		return false;
	*value = strchr(*key, '=');
	if (!*value) {
		*ret = -EINVAL;
		return false;
	}
	*(*value)++ = '\0';
	return true;
}

static int nrdma_provider_add(const char *name, char *line)
{
	struct auxiliary_device *aux;
	struct nrdma_provider *p;
	struct device *parent;
	char *key, *value;
	unsigned int i;
	int ret = 0;

	p = ib_alloc_device(nrdma_provider, ib);
	if (!p)
		return -ENOMEM;
	p->nr_ports = 1;
	for (i = 1; i <= NRDMA_PROVIDER_PORTS; i++)
		p->port[i] = (struct nrdma_provider_port){
			.state	= IB_PORT_ACTIVE,
			.phys	= 5,	/* LinkUp */
			.speed	= IB_SPEED_EDR,
			.width	= IB_WIDTH_4X,
		};
	while (!ret && nrdma_provider_pair(&line, &key, &value, &ret))
		ret = nrdma_provider_set(p, key, value);
	if (ret)
		goto dealloc;

	p->ib.node_type = RDMA_NODE_IB_CA;
	p->ib.phys_port_cnt = p->nr_ports;
	p->ib.num_comp_vectors = 1;
	p->ib.node_guid = cpu_to_be64(0x5254000000000000ULL + ++nrdma_provider_aux_id);
	strscpy(p->ib.node_desc, "nrdma test provider", sizeof(p->ib.node_desc));
	ib_set_device_ops(&p->ib, &nrdma_provider_ops);
	if (p->counters)
		ib_set_device_ops(&p->ib, &nrdma_provider_stats_ops);
	if (p->pma)
		ib_set_device_ops(&p->ib, &nrdma_provider_mad_ops);
	ret = ib_register_device(&p->ib, name, NULL);
	if (ret)
		goto dealloc;
	WRITE_ONCE(p->live, true);
	list_add_tail(&p->list, &nrdma_providers);
	return 0;

dealloc:
	aux = p->aux;
	parent = p->parent;
	ib_dealloc_device(&p->ib);
	nrdma_provider_put_parent(aux, parent);
	return ret;
}

static void nrdma_provider_del(struct nrdma_provider *p)
{
	struct auxiliary_device *aux = p->aux;
	struct device *parent = p->parent;

	list_del(&p->list);
	ib_unregister_device(&p->ib);
	ib_dealloc_device(&p->ib);
	nrdma_provider_put_parent(aux, parent);
}

static int nrdma_provider_change(struct nrdma_provider *p, char *line)
{
	char *word = strsep(&line, " \t\n"), *key, *value;
	struct ib_event event = { .device = &p->ib };
	unsigned int port, told = 0;
	int ret;

	ret = word ? kstrtouint(word, 0, &port) : -EINVAL;
	if (!ret && (!port || port > p->nr_ports))
		ret = -EINVAL;
	while (!ret && nrdma_provider_pair(&line, &key, &value, &ret))
		ret = strcmp(key, "event") ? nrdma_provider_set_port(&p->port[port], key, value) :
					     kstrtouint(value, 0, &told);
	if (ret)
		return ret;
	if (!told)
		told = p->port[port].state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
							       IB_EVENT_PORT_ERR;
	event.event = told;
	event.element.port_num = port;
	ib_dispatch_event(&event);
	return 0;
}

static int nrdma_provider_command(char *line)
{
	char *verb = strsep(&line, " \t\n"), *name = strsep(&line, " \t\n");
	struct nrdma_provider *p;

	if (!name || !*name)
		return -EINVAL;
	if (!strcmp(verb, "add"))
		return nrdma_provider_add(name, line);
	p = nrdma_provider_find(name);
	if (!p)
		return -ENODEV;
	if (!strcmp(verb, "port"))
		return nrdma_provider_change(p, line);
	if (strcmp(verb, "del"))
		return -EINVAL;
	nrdma_provider_del(p);
	return 0;
}

static ssize_t nrdma_provider_write(struct file *filp, const char __user *from, size_t bytes,
				    loff_t *pos)
{
	char *line;
	int ret;

	if (bytes > NRDMA_PROVIDER_LINE)
		return -E2BIG;
	line = memdup_user_nul(from, bytes);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&nrdma_providers_lock);
	ret = nrdma_provider_command(line);
	mutex_unlock(&nrdma_providers_lock);
	kfree(line);
	return ret ?: bytes;
}

static const struct file_operations nrdma_provider_fops = {
	.owner	= THIS_MODULE,
	.write	= nrdma_provider_write,
};

static struct miscdevice nrdma_provider_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "nrdma_provider",
	.mode	= 0600,
	.fops	= &nrdma_provider_fops,
};

static int __init nrdma_provider_init(void)
{
	int ret;

	nrdma_provider_pdev = platform_device_register_simple("nrdma_provider", -1, NULL, 0);
	if (IS_ERR(nrdma_provider_pdev))
		return PTR_ERR(nrdma_provider_pdev);
	ret = misc_register(&nrdma_provider_misc);
	if (ret)
		platform_device_unregister(nrdma_provider_pdev);
	return ret;
}

static void __exit nrdma_provider_exit(void)
{
	struct nrdma_provider *p, *next;

	misc_deregister(&nrdma_provider_misc);
	list_for_each_entry_safe(p, next, &nrdma_providers, list)
		nrdma_provider_del(p);
	platform_device_unregister(nrdma_provider_pdev);
}

module_init(nrdma_provider_init);
module_exit(nrdma_provider_exit);

MODULE_DESCRIPTION("RDMA devices of a test's choice");
MODULE_LICENSE("GPL");
