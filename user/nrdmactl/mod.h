/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_MOD_H
#define NRDMACTL_MOD_H

#include <stdbool.h>
#include <stdint.h>

#include <netlink/genl/genl.h>

#include "value.h"

/**
 * struct mod - a connection to the module
 * @sk: NULL when there is none
 * @family: of "nrdma"
 * @error: why there is none: -ENOENT no module, -EPROTO one of another ABI,
 *	anything else a failure; all but the first were said
 * @abi: the module's
 * @version: the module's
 */
struct mod {
	struct nl_sock *sk;
	int family;
	int error;
	struct num abi;
	struct str version;
};

/**
 * struct mod_reply - what came back
 * @incomplete: a dump that changed underneath, three times
 */
struct mod_reply {
	struct nl_msg **msg;
	unsigned int nr;
	bool incomplete;
};

/* Attributes of a message, for mod_attrs() */
struct mod_attrs {
	int max;
	const struct nla_policy *policy;
};

/* What was set goes with the module, but for what the file says */
#define MOD_RELOAD	"modprobe -r nrdma && modprobe nrdma && nrdmactl apply"

bool mod_open_quietly(struct mod *mod);
bool mod_open(struct mod *mod);
bool mod_must_open(struct mod *mod);
void mod_close(struct mod *mod);
int mod_status(const struct mod *mod);

struct nl_msg *mod_request(const struct mod *mod, uint8_t cmd);
void mod_request_drop(struct nl_msg *msg);
int mod_ask(struct mod *mod, struct nl_msg *msg, struct mod_reply *reply);
int mod_dump(struct mod *mod, struct nl_msg *msg, struct mod_reply *reply);
int mod_stream(struct mod *mod, struct nl_msg *msg,
	       int (*each)(struct nl_msg *msg, void *arg), void *arg);
void mod_reply_free(struct mod_reply *reply);

bool mod_attrs(struct nl_msg *msg, struct nlattr **tb, const struct mod_attrs *attrs);
struct num mod_u8(struct nlattr *attr);
struct num mod_u32(struct nlattr *attr);
struct num mod_s32(struct nlattr *attr);
struct num mod_u64(struct nlattr *attr);
struct str mod_str(struct nlattr *attr);
char *mod_strdup(struct nlattr *attr);

int mod_listen(struct mod *mod, const char *family, const char *group);

#endif /* NRDMACTL_MOD_H */
