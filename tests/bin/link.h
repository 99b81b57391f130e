/* SPDX-License-Identifier: GPL-2.0 */
/* RDMA devices that come, go and are renamed, as the rdma command does it. */
#ifndef TESTS_LINK_H
#define TESTS_LINK_H

#include <rdma/rdma_netlink.h>

#include "nl.h"

struct link_found {
	const char	*name;
	uint32_t	index;
	bool		there;
};

static inline void link_see(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *a, *name = NULL, *index = NULL;
	struct link_found *found = arg;

	nl_for_each(a, (const char *)nlh + NLMSG_HDRLEN, (const char *)nlh + nlh->nlmsg_len) {
		if (nl_type(a) == RDMA_NLDEV_ATTR_DEV_NAME)
			name = a;
		if (nl_type(a) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = a;
	}
	if (!name || !index || strcmp((const char *)(name + 1), found->name))
		return;
	memcpy(&found->index, index + 1, sizeof(found->index));
	found->there = true;
}

/* Begins a request about a device that is there; false where there is none */
static inline bool link_begin(struct nl *nl, int cmd, const char *name)
{
	struct link_found found = { .name = name };

	nl_begin_plain(nl, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLM_F_DUMP);
	nl_ask_each(nl, link_see, &found);
	nl_begin_plain(nl, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), NLM_F_ACK);
	nl_put_u32(nl, RDMA_NLDEV_ATTR_DEV_INDEX, found.index);
	return found.there;
}

/* Each returns 0 or an errno. */

static inline int link_add(struct nl *nl, const char *name, const char *type, const char *netdev)
{
	nl_begin_plain(nl, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK), NLM_F_ACK);
	nl_put_string(nl, RDMA_NLDEV_ATTR_DEV_NAME, name);
	nl_put_string(nl, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	nl_put_string(nl, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return -nl_ask(nl).err;
}

static inline int link_new(struct nl *nl, const char *name, const char *netdev)
{
	return link_add(nl, name, "rxe", netdev);
}

static inline int link_delete(struct nl *nl, const char *name)
{
	if (!link_begin(nl, RDMA_NLDEV_CMD_DELLINK, name))
		return ENODEV;
	return -nl_ask(nl).err;
}

static inline int link_rename(struct nl *nl, const char *name, const char *to)
{
	if (!link_begin(nl, RDMA_NLDEV_CMD_SET, name))
		return ENODEV;
	nl_put_string(nl, RDMA_NLDEV_ATTR_DEV_NAME, to);
	return -nl_ask(nl).err;
}

#endif
