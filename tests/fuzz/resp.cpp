// SPDX-License-Identifier: Apache-2.0
// Any bytes from a server: as replies, as messages that the proxy cuts apart, and as lines of MONITOR. What is taken
// for a message is one for hiredis, too, unless it is more than is allowed.
#include <hiredis/hiredis.h>

#include <memory>
#include <string_view>

#include "real/services/redis/bounded_reader.hpp"
#include "real/services/redis/hiredis_reply.hpp"
#include "real/services/redis/monitor_line.hpp"
#include "real/services/redis/resp.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace real = lockproof::real;

namespace {

void as_replies(std::string_view bytes) {
  const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
  real::bound(*reader);
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  for (void* one = nullptr; redisReaderGetReply(reader.get(), &one) == REDIS_OK && one;) {
    const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(static_cast<redisReply*>(one),
                                                                        &freeReplyObject);
    (void)real::reply_from(*reply);
    (void)real::words_from(*reply);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  as_replies(bytes);
  if (const auto line = real::monitor_line_from(bytes)) (void)real::ttl_in(line->words);
  while (const std::size_t message = real::resp_size(bytes)) bytes.remove_prefix(message);
  return 0;
}
