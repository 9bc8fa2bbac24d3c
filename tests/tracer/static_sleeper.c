/* SPDX-License-Identifier: Apache-2.0 */
/* Linked statically: says how long a sleep of 100 s was. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  const time_t before = time(NULL);
  sleep(100);
  printf("%ld s\n", (long)(time(NULL) - before));
  return 0;
}
