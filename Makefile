# SPDX-License-Identifier: GPL-2.0
#
# nrdma: module, tool and library. The module itself is described in Kbuild.

MAKEFLAGS += --no-print-directory

# To make a blank ends a name, and "rm -rf" would take what is called like its half.
$(if $(word 2,$(CURDIR)),$(error "$(CURDIR)" has a blank in it: build where there is none))

VERSION := $(shell cat $(CURDIR)/VERSION)

# The kernel to build for: KDIR=its build directory, or KVER=its release or series,
# whose headers are fetched where they are not installed, or the running one; without
# its headers, 6.1.
KDIR ?= $(or $(wildcard /lib/modules/$(or $(KVER),$(shell uname -r))/build), \
	$(shell scripts/kernel kdir $(or $(KVER),6.1)))

DESTDIR ?=
PREFIX ?= /usr
UDEVDIR ?= /usr/lib/udev
UNITDIR ?= /usr/lib/systemd/system
INSTALL ?= install

all: module user

help:
	@echo 'make                module, tool and library'
	@echo 'make module         the module     [KDIR=DIR | KVER=RELEASE|SERIES] [W=1] [C=1]'
	@echo 'make user           tool and library'
	@echo 'make testbin        programs for the cases in the VM, into build/testbin'
	@echo 'make check          all that needs no VM, in two minutes'
	@echo 'make lint           the part of it that reads sources'
	@echo 'make vmtest         tests in the VM [KERNEL=SERIES|RELEASE|debug] [CASE="NAME..."]'
	@echo 'make bench          measurements in the VM'
	@echo 'make test           everything, scripts/test'
	@echo 'make install        tool, library, udev rule and unit [DESTDIR=] [PREFIX=/usr]'
	@echo 'make install-dkms   the module'\''s sources, for dkms, into /usr/src'
	@echo 'make uninstall      what install and install-dkms did'
	@echo 'make clean'
	@echo 'scripts/install     all of it on this host, with dkms and modprobe'

module:
	+@kdir="$(KDIR)"; [ -n "$$kdir" ] || \
		{ echo 'no kernel headers: give KDIR= or KVER=' >&2; exit 1; }; \
	$(MAKE) -C "$$kdir" M=$(CURDIR) modules

user:
	+$(MAKE) -C user

# ---- programs for the cases ----

TESTBIN := $(patsubst tests/bin/%.c,build/testbin/%,$(wildcard tests/bin/*.c))
TESTCFLAGS := -O2 -g -Wall -Wextra -Werror -Iinclude/uapi -Iuser/lib -Itests/kmod \
	-isystem /usr/include/libnl3 -pthread

testbin: $(TESTBIN) build/testbin/rdma-write

# What a program links with, it includes.
testlib = $(shell sed -n \
	-e 's,^.include <infiniband/verbs\.h>.*,-libverbs,p' \
	-e 's,^.include <rdma/rdma_cma\.h>.*,-lrdmacm,p' \
	-e 's,^.include <numa\.h>.*,-lnuma,p' \
	-e 's,^.include <netlink/genl/genl\.h>.*,-lnl-genl-3 -lnl-3,p' \
	-e 's,^.include <nrdma\.h>.*,-Luser/build/lib -lnrdma,p' $(1))

build/testbin/%: tests/bin/%.c $(wildcard tests/bin/*.h tests/kmod/*.h include/uapi/linux/*.h user/lib/*.h)
	@mkdir -p $(@D)
	$(CC) $(TESTCFLAGS) $(CFLAGS) -o $@ $< $(LDFLAGS) $(call testlib,$<)

$(filter build/testbin/t-lib%,$(TESTBIN)) build/testbin/rdma-write: | user

build/testbin/rdma-write: $(wildcard user/examples/*.c)
	+@$(MAKE) -C user/examples
	@mkdir -p $(@D)
	cp user/build/examples/rdma-write $@

# ---- tests ----

check:
	scripts/check

lint:
	scripts/check lint

# What the cases need is built on the way.
vmtest:
	tests/vm/suite $(if $(KERNEL),--kernel $(KERNEL)) $(CASE)

bench:
	scripts/bench

test:
	scripts/test

# ---- install ----

# What runs the tool has its path.
define install_at
	@sed 's,/usr/sbin/,$(PREFIX)/sbin/,' $(1) | $(INSTALL) -D -m 0644 /dev/stdin "$(2)"
endef

install:
	+$(MAKE) -C user install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	$(call install_at,user/udev/60-nrdma.rules,$(DESTDIR)$(UDEVDIR)/rules.d/60-nrdma.rules)
	$(call install_at,user/systemd/nrdma.service,$(DESTDIR)$(UNITDIR)/nrdma.service)
	$(INSTALL) -D -m 0644 user/examples/nrdma.conf "$(DESTDIR)$(PREFIX)/share/doc/nrdma/nrdma.conf"

dkmsdir = $(DESTDIR)/usr/src/nrdma-$(VERSION)

install-dkms:
	rm -rf "$(dkmsdir)"
	$(INSTALL) -d "$(dkmsdir)"
	find COPYING Kbuild Makefile VERSION dkms.conf kmod include -type f \
		! -name '*.o' ! -name '*.cmd' ! -name '*.probe' ! -path kmod/compat/config.h \
		-exec $(INSTALL) -D -m 0644 {} "$(dkmsdir)"/{} \;

uninstall:
	+$(MAKE) -C user uninstall DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	rm -f "$(DESTDIR)$(UDEVDIR)/rules.d/60-nrdma.rules" "$(DESTDIR)$(UNITDIR)/nrdma.service"
	rm -rf "$(DESTDIR)$(PREFIX)/share/doc/nrdma" "$(dkmsdir)"

clean:
	rm -rf build Module.symvers modules.order nrdma.* .nrdma.* .*.cmd .tmp_versions
	find kmod \( -name '*.o' -o -name '.*.cmd' -o -name '*.probe' -o -name '*.gcno' \) -delete
	rm -f kmod/compat/config.h
	+$(if $(wildcard user/Makefile),$(MAKE) -C user clean)

.PHONY: all help module user testbin check lint vmtest bench test
.PHONY: install install-dkms uninstall clean
