/* SPDX-License-Identifier: Apache-2.0 */
/* What the file of a program in Go has, and no other. */
#ifndef GO_SECTION
#define GO_SECTION ".go.buildinfo"
#endif
__attribute__((section(GO_SECTION), used)) static const char build_info[] = "\xff Go buildinf:";

int main(void) { return 0; }
