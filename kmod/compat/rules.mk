# SPDX-License-Identifier: GPL-2.0
#
# What this kernel offers is found out by compiling, never from its version: see
# probes.c. Included by a Kbuild with kmod/ below it, which makes its objects
# depend on $(compat-config).

compat := $(obj)/kmod/compat
compat-config := $(compat)/config.h

ccflags-y += -I$(src)/include -include $(compat-config) -include $(src)/kmod/compat.h

probes := $(shell sed -n 's/^\#ifdef PROBE_//p' $(src)/kmod/compat/probes.c)
probe-files := $(probes:%=$(compat)/%.probe)
probe-flags = $(NOSTDINC_FLAGS) $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS) \
	$(KBUILD_CFLAGS_MODULE) -DKBUILD_MODFILE='"nrdma"' -DKBUILD_BASENAME='"probes"' \
	-DKBUILD_MODNAME='"nrdma"' -D__KBUILD_MODNAME=kmod_nrdma

quiet_cmd_nrdma_probe = PROBE   $*
      cmd_nrdma_probe = $(CONFIG_SHELL) $(src)/kmod/compat/probe.sh $* $@ $< $(CC) $(probe-flags)

$(probe-files): $(compat)/%.probe: $(src)/kmod/compat/probes.c $(src)/kmod/compat/probe.sh \
		$(wildcard $(objtree)/include/generated/autoconf.h \
			$(objtree)/include/generated/utsrelease.h) FORCE
	$(call if_changed,nrdma_probe)

quiet_cmd_nrdma_config = GEN     $@
      cmd_nrdma_config = cat $(probe-files) >$@

$(compat-config): $(probe-files) FORCE
	$(call if_changed,nrdma_config)

targets += $(probes:%=kmod/compat/%.probe) kmod/compat/config.h
clean-files := kmod/compat/*.probe kmod/compat/config.h
