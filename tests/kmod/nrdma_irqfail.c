// SPDX-License-Identifier: GPL-2.0
/*
 * Lets one move of an interrupt fail as no kernel is known to: what has been done
 * until then has to be undone. The move itself takes place, which is the harder case.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

static int nth;
module_param(nth, int, 0644);
MODULE_PARM_DESC(nth, "call that fails, from 1, counted since it was set; 0 for none");

static int error = EFAULT;
module_param(error, int, 0644);
MODULE_PARM_DESC(error, "errno that it gives");

static int failed;
module_param(failed, int, 0444);
MODULE_PARM_DESC(failed, "how many were made to");

static int irqfail_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	/* One request at a time makes them */
	if (nth && !--nth) {
		regs_set_return_value(regs, -error);
		failed++;
	}
	return 0;
}

static struct kretprobe irqfail_probe = {
	.kp.symbol_name	= "irq_set_affinity",
	.handler	= irqfail_return,
	.maxactive	= 16,
};

static int __init irqfail_init(void)
{
	return register_kretprobe(&irqfail_probe);
}

static void __exit irqfail_exit(void)
{
	unregister_kretprobe(&irqfail_probe);
}

module_init(irqfail_init);
module_exit(irqfail_exit);

MODULE_DESCRIPTION("A move of an interrupt that fails");
MODULE_LICENSE("GPL");
