// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/netlink.h>
#include <linux/nrdma.h>
#include <netlink/genl/ctrl.h>

#include "cmd.h"
#include "mod.h"
#include "mod_error.h"
#include "say.h"
#include "sys.h"

#define NL_DUMP_TRIES	3
#define NL_REQUEST_MAX	(64 * 1024)	/* a cpulist of 8192 CPUs fits */
#define NL_BUFFER	(1024 * 1024)

static const struct nla_policy mod_info_policy[NRDMA_A_INFO_MAX + 1] = {
	[NRDMA_A_INFO_ABI_VERSION] = { .type = NLA_U32 },
	[NRDMA_A_INFO_VERSION] = { .type = NLA_NUL_STRING },
};

static const struct mod_attrs mod_info = { NRDMA_A_INFO_MAX, mod_info_policy };

/* One request under way */
struct mod_exchange {
	struct mod_reply *reply;
	int (*each)(struct nl_msg *msg, void *arg);	/* instead of @reply */
	void *arg;
	struct nl_msg *request;
	bool done, interrupted;
	int error;
};

static int mod_on_msg(struct nl_msg *msg, void *arg)
{
	struct mod_exchange *x = arg;
	struct nl_msg **v;

	if (x->each) {
		if (!x->error)
			x->error = x->each(msg, x->arg);
		return NL_OK;
	}
	v = reallocarray(x->reply->msg, x->reply->nr + 1, sizeof(*v));
	if (!v) {
		x->error = -ENOMEM;
		return NL_SKIP;
	}
	nlmsg_get(msg);
	x->reply->msg = v;
	v[x->reply->nr++] = msg;
	return NL_OK;
}

static int mod_on_ack(struct nl_msg *msg, void *arg)
{
	struct mod_exchange *x = arg;

	(void)msg;
	x->done = true;
	return NL_STOP;
}

static int mod_on_interrupted(struct nl_msg *msg, void *arg)
{
	struct mod_exchange *x = arg;

	(void)msg;
	x->interrupted = true;
	return NL_OK;
}

/* A dump that fails midway says so in its last message. */
static int mod_on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct mod_exchange *x = arg;
	int error = 0;

	x->done = true;
	if (nlmsg_datalen(nlh) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(nlh), sizeof(error));
	if (error < 0) {
		x->error = error;
		mod_error_say(error, nlh, NLMSG_HDRLEN + sizeof(error), x->request);
	}
	return NL_STOP;
}

static int mod_on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	struct mod_exchange *x = arg;
	size_t skip = NLMSG_HDRLEN + sizeof(*err);

	(void)from;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(err->msg.nlmsg_len) - sizeof(err->msg);
	x->done = true;
	x->error = err->error;
	mod_error_say(err->error, nlh, skip, x->request);
	return NL_STOP;
}

static int mod_exchange(struct mod *mod, struct nl_msg *msg, struct mod_exchange *x)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, mod_on_msg, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, mod_on_ack, x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, mod_on_finish, x);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, mod_on_interrupted, x);
	nl_cb_err(cb, NL_CB_CUSTOM, mod_on_error, x);

	x->request = msg;
	err = nl_send_auto(mod->sk, msg);
	while (err >= 0 && !x->done) {
		err = nl_recvmsgs(mod->sk, cb);
		if (err == -NLE_INTR || err == -NLE_AGAIN)
			err = 0;
	}
	nl_cb_put(cb);
	if (err < 0 && !x->error) {
		say("the answer cannot be read: %s", nl_geterror(err));
		return -EIO;
	}
	return x->error;
}

/**
 * mod_request() - begin a request
 *
 * Return: a message to put attributes in, or NULL.
 */
struct nl_msg *mod_request(const struct mod *mod, uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(NL_REQUEST_MAX);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, mod->family, 0,
				NLM_F_REQUEST | NLM_F_ACK, cmd, NRDMA_FAMILY_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	if (!msg)
		say("out of memory");
	return msg;
}

/**
 * mod_request_drop() - give up a request that had no room for all that was asked
 * @msg: from mod_request()
 */
void mod_request_drop(struct nl_msg *msg)
{
	say("too long for a request, of %d bytes at most", NL_REQUEST_MAX);
	nlmsg_free(msg);
}

/**
 * mod_ask() - send a request and wait for what comes of it
 * @msg: from mod_request(), freed here; NULL is -ENOMEM
 * @reply: out, for mod_reply_free() whatever is returned
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_ask(struct mod *mod, struct nl_msg *msg, struct mod_reply *reply)
{
	struct mod_exchange x = { .reply = reply };
	int err;

	memset(reply, 0, sizeof(*reply));
	if (!msg)
		return -ENOMEM;
	err = mod_exchange(mod, msg, &x);
	nlmsg_free(msg);
	return err;
}

/**
 * mod_dump() - ask for all there is
 * @msg: as in mod_ask()
 * @reply: out, as in mod_ask(). What changed while it was read is read again;
 *	after the third time it stays, said and marked.
 */
int mod_dump(struct mod *mod, struct nl_msg *msg, struct mod_reply *reply)
{
	struct mod_exchange x;
	int err, try;

	memset(reply, 0, sizeof(*reply));
	if (!msg)
		return -ENOMEM;
	nlmsg_hdr(msg)->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	for (try = 0; try < NL_DUMP_TRIES; try++) {
		mod_reply_free(reply);
		x = (struct mod_exchange){ .reply = reply };
		nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
		err = mod_exchange(mod, msg, &x);
		if (err || !x.interrupted)
			break;
	}
	nlmsg_free(msg);
	if (!err && x.interrupted) {
		say("things changed while they were read, %d times: the answer may be incomplete",
		    NL_DUMP_TRIES);
		reply->incomplete = true;
	}
	return err;
}

/**
 * mod_stream() - ask for all there is, and look at it as it comes
 * @msg: as in mod_ask()
 * @each: called with each message; a negative errno is returned in the end
 * @arg: for @each
 *
 * Return: 0, or a negative errno; what went wrong on the way was said.
 */
int mod_stream(struct mod *mod, struct nl_msg *msg,
	       int (*each)(struct nl_msg *msg, void *arg), void *arg)
{
	struct mod_exchange x = { .each = each, .arg = arg };
	int err;

	if (!msg)
		return -ENOMEM;
	nlmsg_hdr(msg)->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	/* Looking ahead makes the kernel go on as reading does: once is enough */
	nl_socket_disable_msg_peek(mod->sk);
	err = mod_exchange(mod, msg, &x);
	nl_socket_enable_msg_peek(mod->sk);
	nlmsg_free(msg);
	return err;
}

void mod_reply_free(struct mod_reply *reply)
{
	unsigned int i;

	for (i = 0; i < reply->nr; i++)
		nlmsg_free(reply->msg[i]);
	free(reply->msg);
	memset(reply, 0, sizeof(*reply));
}

/* Say what to do about a module of another ABI. */
static int mod_check_abi(struct mod *mod)
{
	struct nlattr *tb[NRDMA_A_INFO_MAX + 1];
	struct mod_reply reply;
	int err;

	err = mod_ask(mod, mod_request(mod, NRDMA_CMD_INFO_GET), &reply);
	if (!err && reply.nr && mod_attrs(reply.msg[0], tb, &mod_info)) {
		mod->abi = mod_u32(tb[NRDMA_A_INFO_ABI_VERSION]);
		mod->version = mod_str(tb[NRDMA_A_INFO_VERSION]);
	}
	mod_reply_free(&reply);
	if (err)
		return err;
	if (mod->abi.known && mod->abi.v == NRDMA_ABI_VERSION)
		return 0;
	if (mod->abi.known && mod->abi.v > NRDMA_ABI_VERSION)
		say("module nrdma %s has ABI %lld, nrdmactl " NRDMA_VERSION
		    " knows %d: install the nrdmactl that belongs to the module",
		    mod->version.s, mod->abi.v, NRDMA_ABI_VERSION);
	else
		say("module nrdma %s has ABI %lld, nrdmactl " NRDMA_VERSION
		    " needs %d: load the module that belongs to nrdmactl (" MOD_RELOAD ")",
		    mod->version.s, mod->abi.v, NRDMA_ABI_VERSION);
	return -EPROTO;
}

static int mod_connect(struct mod *mod)
{
	int fd, one = 1, err;

	/* A fixture has no module */
	if (*sys_root())
		return -ENOENT;
	mod->sk = nl_socket_alloc();
	if (!mod->sk)
		return -ENOMEM;
	err = genl_connect(mod->sk);
	if (err) {
		say("no netlink socket: %s", nl_geterror(err));
		return -EIO;
	}
	nl_socket_enable_msg_peek(mod->sk);
	nl_socket_set_buffer_size(mod->sk, NL_BUFFER, 0);
	fd = nl_socket_get_fd(mod->sk);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	mod->family = genl_ctrl_resolve(mod->sk, NRDMA_FAMILY_NAME);
	if (mod->family == -NLE_OBJ_NOTFOUND)
		return -ENOENT;
	if (mod->family < 0) {
		say("netlink family " NRDMA_FAMILY_NAME " cannot be found: %s",
		    nl_geterror(mod->family));
		return -EIO;
	}
	return mod_check_abi(mod);
}

/**
 * mod_open_quietly() - connect to the module, not a word where there is none
 * @mod: out, for mod_close() whatever is returned
 *
 * Return: whether there is a module that this tool can talk to.
 */
bool mod_open_quietly(struct mod *mod)
{
	memset(mod, 0, sizeof(*mod));
	mod->error = mod_connect(mod);
	if (mod->error)
		mod_close(mod);
	return !mod->error;
}

/**
 * mod_open() - connect to the module, for commands that can do without
 */
bool mod_open(struct mod *mod)
{
	mod_open_quietly(mod);
	if (mod->error == -ENOENT)
		say("module nrdma is not loaded, so there is less to say (modprobe nrdma)");
	return !mod->error;
}

/**
 * mod_must_open() - connect to the module, for commands that cannot do without
 */
bool mod_must_open(struct mod *mod)
{
	mod_open_quietly(mod);
	if (mod->error == -ENOENT)
		say("module nrdma is not loaded (modprobe nrdma)");
	return !mod->error;
}

void mod_close(struct mod *mod)
{
	if (mod->sk)
		nl_socket_free(mod->sk);
	mod->sk = NULL;
}

/**
 * mod_status() - exit status of a report that mod_open() had a part in
 *
 * A host without the module is a host like any other; a module that cannot be
 * talked to leaves the report incomplete.
 */
int mod_status(const struct mod *mod)
{
	return mod->error && mod->error != -ENOENT ? EXIT_PARTIAL : EXIT_DONE;
}

/**
 * mod_listen() - join a multicast group
 * @family: whose, "nrdma" or "nlctrl"
 * @group: its name
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int mod_listen(struct mod *mod, const char *family, const char *group)
{
	int id = genl_ctrl_resolve_grp(mod->sk, family, group);
	int err = id < 0 ? id : nl_socket_add_membership(mod->sk, id);

	if (err)
		say("group %s of %s cannot be joined: %s", group, family, nl_geterror(err));
	return err ? -EIO : 0;
}

/**
 * mod_attrs() - attributes of a message
 * @tb: out, one more than attrs->max
 *
 * Return: whether the message is well formed. Attributes of a newer module are
 * left out.
 */
bool mod_attrs(struct nl_msg *msg, struct nlattr **tb, const struct mod_attrs *attrs)
{
	return genlmsg_valid_hdr(nlmsg_hdr(msg), 0) &&
	       genlmsg_parse(nlmsg_hdr(msg), 0, tb, attrs->max, attrs->policy) >= 0;
}

struct num mod_u8(struct nlattr *attr)
{
	return attr ? num_of(nla_get_u8(attr)) : num_none("not told");
}

struct num mod_u32(struct nlattr *attr)
{
	return attr ? num_of(nla_get_u32(attr)) : num_none("not told");
}

struct num mod_s32(struct nlattr *attr)
{
	return attr ? num_of(nla_get_s32(attr)) : num_none("not told");
}

struct num mod_u64(struct nlattr *attr)
{
	return attr ? num_of(nla_get_u64(attr)) : num_none("not told");
}

struct str mod_str(struct nlattr *attr)
{
	return attr ? str_of(nla_get_string(attr)) : str_none("not told");
}

/* For strings of any length. NULL without an attribute. */
char *mod_strdup(struct nlattr *attr)
{
	return attr ? nla_strdup(attr) : NULL;
}
