// SPDX-License-Identifier: Apache-2.0
// What the compiler's C++ library asks of a newer C library than that of Debian 11: LOCKPROOF_OLD_C_LIBRARY.

// "This process has one thread": an optimisation. Never true is always right.
char __libc_single_threaded = 0;
