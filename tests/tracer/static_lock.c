/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for a scenario, in C and linked statically, so that no preloaded library reaches it: SET NX PX, and GET and
 * DEL to give it back, which is wrong. It speaks the line protocol (docs/reference/line-protocol.md). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int wire = -1;
static char answer[4096];

static int ask(const char* const* words) {
  char request[512];
  size_t count_of = 0, size = 0;
  ssize_t count = 0;
  while (words[count_of]) ++count_of;
  size += (size_t)sprintf(request, "*%zu\r\n", count_of);
  for (; *words; ++words) size += (size_t)sprintf(request + size, "$%zu\r\n%s\r\n", strlen(*words), *words);
  if (wire < 0) {
    const char* const port = strchr(getenv("LOCKPROOF_SERVERS"), ':');
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port + 1))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    wire = socket(AF_INET, SOCK_STREAM, 0);
    count = connect(wire, (struct sockaddr*)&address, sizeof address);
  }
  if (count == 0 && send(wire, request, size, MSG_NOSIGNAL) > 0) count = recv(wire, answer, sizeof answer - 1, 0);
  if (count > 0) {
    answer[count] = 0;
    return 1;
  }
  close(wire);
  wire = -1;
  return 0;
}

static void say(const char* text) {
  printf("%s\n", text);
  fflush(stdout);
}

int main(void) {
  const char *const key = getenv("LOCKPROOF_LOCK"), *const me = getenv("LOCKPROOF_CLIENT");
  const char* const set[] = {"SET", key, me, "NX", "PX", getenv("LOCKPROOF_LEASE_MS"), NULL};
  const char *const get[] = {"GET", key, NULL}, *const del[] = {"DEL", key, NULL};
  char line[4096];
  say("{\"say\":\"ready\",\"protocol\":1,\"name\":\"static lock\"}");
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "\"acquire\"")) {
      const struct timespec pause = {0, 20000000};
      int works = 1;
      while ((works = ask(set)) && answer[0] != '+') nanosleep(&pause, NULL);
      say(works ? "{\"say\":\"acquired\"}" : "{\"say\":\"failed\",\"error\":\"no answer\"}");
    } else if (strstr(line, "\"touch\"")) {
      say("{\"say\":\"touch\"}");
    } else if (strstr(line, "\"release\"")) {
      const int works = ask(get) && (!strstr(answer, me) || ask(del));
      say(works ? "{\"say\":\"released\"}" : "{\"say\":\"failed\",\"error\":\"no answer\"}");
    } else {
      break;
    }
  }
  return 0;
}
