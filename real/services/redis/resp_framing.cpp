// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/resp_framing.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <memory>

#include "algorithms/scripts.hpp"
#include "real/services/redis/hiredis_reply.hpp"
#include "real/services/redis/resp.hpp"

namespace lockproof::real {

namespace {

std::size_t without_words(std::string_view bytes) {
  std::size_t size = 0;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view nothing : {"*0\r\n", "*-1\r\n", "\r\n"}) {
      if (!bytes.substr(size).starts_with(nothing)) continue;
      size += nothing.size();
      more = true;
    }
  }
  return size;
}

}  // namespace

std::size_t RespFraming::size(std::string_view bytes) const {
  const std::size_t skipped = without_words(bytes), rest = resp_size(bytes.substr(skipped));
  return rest == 0 ? 0 : skipped + rest;
}

std::size_t RespFraming::reply_size(std::string_view bytes, const Command* /*to*/) const { return resp_size(bytes); }

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
  bytes.remove_prefix(without_words(bytes));
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
