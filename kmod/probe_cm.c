// SPDX-License-Identifier: GPL-2.0
/*
 * Connecting two queue pairs by the RDMA connection manager, for links that
 * cannot do without: iWARP, where a connection is a TCP connection.
 */
#include <linux/inetdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <rdma/rdma_cm.h>

#include "probe.h"
#include "probe_link.h"

#define NRDMA_CM_TIMEOUT_MS	5000
#define NRDMA_CM_STEP_MS	20
#define NRDMA_CM_SECRET		16
/* Strangers' calls, which are turned away, are not to keep ours waiting */
#define NRDMA_CM_BACKLOG	16

/**
 * struct nrdma_link_cm - a connection in the making
 *
 * The connection manager calls nrdma_link_cm_event() from threads of its own,
 * one at a time for each id. What it tells is read by the slice's thread, which
 * waits for it; @asked is set before @server, which is read for the last time after
 * @listener is destroyed, when no more requests can come.
 *
 * @link: what is connected
 * @secret: random, sent as private data; a peer without it is turned away
 * @wait: woken by every event
 * @listener: takes connections
 * @client: side A
 * @server: side B, made by the connection manager when A asks
 * @asked: a request with the right secret has come; there is one
 * @client_event: last of @client
 * @server_event: last of @server
 * @status: of the event that was an error
 */
struct nrdma_link_cm {
	struct nrdma_link	*link;
	u8			secret[NRDMA_CM_SECRET];
	wait_queue_head_t	wait;
	struct rdma_cm_id	*listener;
	struct rdma_cm_id	*client;
	struct rdma_cm_id	*server;
	atomic_t		asked;
	enum rdma_cm_event_type	client_event;
	enum rdma_cm_event_type	server_event;
	int			status;
};

#define NRDMA_CM_NO_EVENT	((enum rdma_cm_event_type)-1)

static void nrdma_link_cm_param(const struct nrdma_link_cm *cm, struct rdma_conn_param *param)
{
	const struct ib_device_attr *attrs = &cm->link->ib->attrs;

	*param = (struct rdma_conn_param){
		.responder_resources	= clamp_t(u32, attrs->max_qp_rd_atom, 1, 16),
		.initiator_depth	= clamp_t(u32, attrs->max_qp_init_rd_atom, 1, 16),
		.retry_count		= 7,
		.rnr_retry_count	= 7,
	};
}

static bool nrdma_link_cm_knows(const struct nrdma_link_cm *cm, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	return param->private_data && param->private_data_len >= NRDMA_CM_SECRET &&
	       !memcmp(param->private_data, cm->secret, NRDMA_CM_SECRET);
}

/* Anything but 0 makes the connection manager reject the request and destroy @id. */
static int nrdma_link_cm_request(struct nrdma_link_cm *cm, struct rdma_cm_id *id,
				 const struct rdma_cm_event *event)
{
	struct rdma_conn_param param;
	struct ib_qp_init_attr init;
	int ret;

	if (id->device != cm->link->ib || !nrdma_link_cm_knows(cm, event) ||
	    atomic_cmpxchg(&cm->asked, 0, 1))
		return -EACCES;
	nrdma_link_qp_init(cm->link, &init);
	ret = rdma_create_qp(id, cm->link->pd, &init);
	if (ret)
		goto fail;
	nrdma_link_cm_param(cm, &param);
	ret = rdma_accept(id, &param);
	if (ret) {
		rdma_destroy_qp(id);
		goto fail;
	}
	WRITE_ONCE(cm->server, id);
	return 0;

fail:
	WRITE_ONCE(cm->status, ret);
	return ret;
}

static int nrdma_link_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct nrdma_link_cm *cm = id->context;
	int ret = 0;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		ret = nrdma_link_cm_request(cm, id, event);
	} else if (id == cm->client) {
		if (event->status)
			WRITE_ONCE(cm->status, event->status);
		WRITE_ONCE(cm->client_event, event->event);
	} else if (id != cm->listener) {
		WRITE_ONCE(cm->server_event, event->event);
	}
	wake_up(&cm->wait);
	return ret;
}

static bool nrdma_link_cm_over(enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return true;
	default:
		return false;
	}
}

/* Until @wanted has come to @event, which may be either side's */
static int nrdma_link_cm_wait(struct nrdma_link_cm *cm, const enum rdma_cm_event_type *event,
			      enum rdma_cm_event_type wanted, const char *why)
{
	unsigned long end = jiffies + msecs_to_jiffies(NRDMA_CM_TIMEOUT_MS);
	struct nrdma_slice *slice = cm->link->slice;

	while (READ_ONCE(*event) != wanted) {
		if (nrdma_slice_stopped(slice))
			return -ECANCELED;
		if (nrdma_link_cm_over(READ_ONCE(cm->client_event)) || READ_ONCE(cm->status))
			return nrdma_slice_fail(slice, -ECONNREFUSED, why);
		if (time_after(jiffies, end))
			return nrdma_slice_fail(slice, -ETIMEDOUT, why);
		wait_event_timeout(cm->wait, READ_ONCE(*event) == wanted ||
				   nrdma_link_cm_over(READ_ONCE(cm->client_event)) ||
				   READ_ONCE(cm->status),
				   msecs_to_jiffies(NRDMA_CM_STEP_MS));
	}
	return 0;
}

static bool nrdma_link_cm_addr4(struct net_device *ndev, struct sockaddr_in *sin)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		sin->sin_family = AF_INET;
		sin->sin_addr.s_addr = ifa->ifa_local;
		return true;
	}
	return false;
}

static bool nrdma_link_cm_addr6(struct net_device *ndev, struct sockaddr_in6 *sin6)
{
	struct inet6_dev *in6_dev = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;

	if (!in6_dev)
		return false;
	list_for_each_entry_rcu(ifa, &in6_dev->addr_list, if_list) {
		if (ifa->flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED))
			continue;
		sin6->sin6_family = AF_INET6;
		sin6->sin6_addr = ifa->addr;
		sin6->sin6_scope_id = ndev->ifindex;
		return true;
	}
	return false;
}

/* An address of the port's network device, and the namespace that it is in */
static int nrdma_link_cm_addr(struct nrdma_link *link, struct sockaddr_storage *addr,
			      struct net **net)
{
	struct net_device *ndev = ib_device_get_netdev(link->ib, link->port);
	bool found;

	if (!ndev)
		return nrdma_slice_fail(link->slice, -ENODEV, "the port has no network device");
	memset(addr, 0, sizeof(*addr));
	rcu_read_lock();
	found = nrdma_link_cm_addr4(ndev, (struct sockaddr_in *)addr) ||
		nrdma_link_cm_addr6(ndev, (struct sockaddr_in6 *)addr);
	rcu_read_unlock();
	*net = get_net(dev_net(ndev));
	dev_put(ndev);
	if (found)
		return 0;
	put_net(*net);
	return nrdma_slice_fail(link->slice, -EADDRNOTAVAIL,
				"the port's network device has no address");
}

static struct rdma_cm_id *nrdma_link_cm_id(struct nrdma_link_cm *cm, struct net *net)
{
	struct rdma_cm_id *id;

	id = rdma_create_id(net, nrdma_link_cm_event, cm, RDMA_PS_TCP, IB_QPT_RC);
	/* Where RoCE runs over the same network device, it is not meant */
	if (!IS_ERR(id))
		rdma_restrict_node_type(id, RDMA_NODE_RNIC);
	return id;
}

static int nrdma_link_cm_listen(struct nrdma_link_cm *cm, struct net *net,
				struct sockaddr_storage *addr)
{
	struct nrdma_link *link = cm->link;
	struct rdma_cm_id *id = nrdma_link_cm_id(cm, net);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	cm->listener = id;
	/* Without a port it takes an ephemeral one */
	ret = rdma_bind_addr(id, (struct sockaddr *)addr);
	if (ret)
		return nrdma_slice_fail(link->slice, ret,
					"the connection manager cannot use the port's address");
	if (id->device != link->ib)
		return nrdma_slice_fail(link->slice, -EADDRINUSE,
					"another RDMA device has the port's address");
	ret = rdma_listen(id, NRDMA_CM_BACKLOG);
	if (ret)
		return nrdma_slice_fail(link->slice, ret, "the connection manager does not listen");
	*addr = id->route.addr.src_addr;
	return 0;
}

static int nrdma_link_cm_ask(struct nrdma_link_cm *cm, struct net *net,
			     struct sockaddr_storage *addr)
{
	struct nrdma_link *link = cm->link;
	struct rdma_cm_id *id = nrdma_link_cm_id(cm, net);
	struct sockaddr_storage from = *addr;
	struct rdma_conn_param param;
	struct ib_qp_init_attr init;
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	cm->client = id;
	if (from.ss_family == AF_INET)
		((struct sockaddr_in *)&from)->sin_port = 0;
	else
		((struct sockaddr_in6 *)&from)->sin6_port = 0;
	ret = rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)addr,
				NRDMA_CM_TIMEOUT_MS) ?:
	      nrdma_link_cm_wait(cm, &cm->client_event, RDMA_CM_EVENT_ADDR_RESOLVED,
				 "the port's own address cannot be resolved");
	if (ret)
		return ret;
	if (id->device != link->ib)
		return nrdma_slice_fail(link->slice, -EADDRINUSE,
					"another RDMA device has the port's address");
	ret = rdma_resolve_route(id, NRDMA_CM_TIMEOUT_MS) ?:
	      nrdma_link_cm_wait(cm, &cm->client_event, RDMA_CM_EVENT_ROUTE_RESOLVED,
				 "there is no route to the port's own address");
	if (ret)
		return ret;
	nrdma_link_qp_init(link, &init);
	ret = rdma_create_qp(id, link->pd, &init);
	if (ret)
		return nrdma_slice_fail(link->slice, ret, "no queue pair can be made");
	link->qp[NRDMA_SIDE_A] = id->qp;

	nrdma_link_cm_param(cm, &param);
	param.private_data = cm->secret;
	param.private_data_len = sizeof(cm->secret);
	ret = rdma_connect(id, &param) ?:
	      nrdma_link_cm_wait(cm, &cm->client_event, RDMA_CM_EVENT_ESTABLISHED,
				 "the port does not connect with itself") ?:
	      nrdma_link_cm_wait(cm, &cm->server_event, RDMA_CM_EVENT_ESTABLISHED,
				 "the port does not connect with itself");
	if (!ret)
		link->qp[NRDMA_SIDE_B] = READ_ONCE(cm->server)->qp;
	return ret;
}

/**
 * nrdma_link_cm_connect() - make and connect a link's queue pairs
 * @link: with protection domain and completion queue
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; then too, nrdma_link_cm_disconnect() undoes it.
 */
int nrdma_link_cm_connect(struct nrdma_link *link)
{
	struct sockaddr_storage addr;
	struct nrdma_link_cm *cm;
	struct net *net = NULL;
	int ret;

	cm = kzalloc(sizeof(*cm), GFP_KERNEL);
	if (!cm)
		return -ENOMEM;
	cm->link = link;
	init_waitqueue_head(&cm->wait);
	get_random_bytes(cm->secret, sizeof(cm->secret));
	cm->client_event = NRDMA_CM_NO_EVENT;
	cm->server_event = NRDMA_CM_NO_EVENT;
	link->cm = cm;

	ret = nrdma_link_cm_addr(link, &addr, &net);
	if (ret)
		return ret;
	ret = nrdma_link_cm_listen(cm, net, &addr) ?: nrdma_link_cm_ask(cm, net, &addr);
	put_net(net);
	return ret;
}

static void nrdma_link_cm_drop(struct rdma_cm_id *id)
{
	if (!id)
		return;
	rdma_disconnect(id);
	if (id->qp)
		rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

/**
 * nrdma_link_cm_disconnect() - undo nrdma_link_cm_connect()
 * @link: link
 *
 * The client first: rdma_disconnect() waits until its request is answered. One that is
 * queued when its listener goes is dropped by the kernel's iWARP core without a word to
 * the driver (drivers/infiniband/core/iwcm.c, IWCM_F_DROP_EVENTS), which keeps an
 * endpoint for good: a stranger's call may come to that.
 *
 * Context: may sleep; waits for the connection manager's calls to return.
 */
void nrdma_link_cm_disconnect(struct nrdma_link *link)
{
	struct nrdma_link_cm *cm = link->cm;

	nrdma_link_cm_drop(cm->client);
	/* No request comes after this, so there is a server or there is none. */
	if (cm->listener)
		rdma_destroy_id(cm->listener);
	nrdma_link_cm_drop(cm->server);
	kfree(cm);
	link->cm = NULL;
}
