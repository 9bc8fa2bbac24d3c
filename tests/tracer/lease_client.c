/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a lease of 10 s on Redis, asks every 500 ms for it, and holds it for as long as its second argument says, in
 * seconds. "die" as the third: it ends without giving it back. "wait": it then reads the next line of its input. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void print(const char *word) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%s %ld.%06ld\n", word, (long)now.tv_sec, now.tv_nsec / 1000);
  fflush(stdout);
}

int main(int count, char **words) {
  if (count < 4) return 64;
  redisContext *redis = redisConnect("127.0.0.1", 6379);
  if (redis->err) return print("refused"), 1;
  for (;;) {
    redisReply *reply = redisCommand(redis, "SET lock %s NX PX 10000", words[1]);
    if (!reply) return print("lost"), 1;
    const int won = reply->type == REDIS_REPLY_STATUS;
    freeReplyObject(reply);
    if (won) break;
    usleep(500000);
  }
  print("acquired");
  sleep((unsigned)atoi(words[2]));
  if (strcmp(words[3], "die") == 0) return 0;
  redisReply *reply = redisCommand(redis, "GET lock");
  if (!reply) return print("lost"), 1;
  print(reply->type == REDIS_REPLY_STRING && strcmp(reply->str, words[1]) == 0 ? "mine" : "not-mine");
  return 0;
}
