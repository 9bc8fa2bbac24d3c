// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/resp_framing.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <memory>

#include "algorithms/scripts.hpp"
#include "real/services/redis/hiredis_reply.hpp"
#include "real/services/redis/resp.hpp"

namespace lockproof::real {

std::size_t RespFraming::size(std::string_view bytes) const { return resp_size(bytes); }

Reply RespFraming::reply(std::string_view bytes) const {
  constexpr std::string_view known = "+-:$*";
  const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
  void* raw = nullptr;
  if (!bytes.empty() && known.find(bytes.front()) != std::string_view::npos) {
    redisReaderFeed(reader.get(), bytes.data(), bytes.size());
    redisReaderGetReply(reader.get(), &raw);
  }
  if (!raw) return Reply::status(std::string(bytes.substr(0, std::min(bytes.find('\r'), bytes.size()))));
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(static_cast<redisReply*>(raw), &freeReplyObject);
  return reply_from(*reply);
}

Command RespFraming::request(std::string_view bytes) const {
  const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  void* raw = nullptr;
  if (redisReaderGetReply(reader.get(), &raw) != REDIS_OK || !raw) return Command({});
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> words(static_cast<redisReply*>(raw), &freeReplyObject);
  return Command(words_from(*words));
}

std::string RespFraming::name_of(const Command& command) const {
  const bool script = command.verb() == "EVAL" && command.args().size() > 1;
  for (const Script& known : scripts::all) {
    if (script && command.args()[1].bytes() == known.text) return std::string(known.name);
  }
  return std::string(command.verb());
}

}  // namespace lockproof::real
