/* SPDX-License-Identifier: Apache-2.0 */
/* What the file of a program in Go has, and no other. */
__attribute__((section(".go.buildinfo"), used)) static const char build_info[] = "\xff Go buildinf:";

int main(void) { return 0; }
