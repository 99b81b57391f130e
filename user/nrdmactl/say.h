/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NRDMACTL_SAY_H
#define NRDMACTL_SAY_H

/*
 * One line on standard error: "nrdmactl: dev set mlx5_0: what is wrong". The
 * part in the middle is what the user asked for.
 */
__attribute__((format(printf, 1, 2)))
void say(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
void say_about(const char *fmt, ...);

#endif /* NRDMACTL_SAY_H */
