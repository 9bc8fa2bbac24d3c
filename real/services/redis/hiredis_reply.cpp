// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/hiredis_reply.hpp"

#include <hiredis/hiredis.h>

#include <span>

namespace lockproof::real {
namespace {

std::string text_of(const redisReply& reply) { return {reply.str, reply.len}; }
std::span<redisReply* const> items_of(const redisReply& reply) { return {reply.element, reply.elements}; }

}  // namespace

Reply reply_from(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_NIL: return Reply::nil();
    case REDIS_REPLY_INTEGER: return Reply::integer(reply.integer);
    case REDIS_REPLY_STATUS: return Reply::status(text_of(reply));
    case REDIS_REPLY_STRING: return Reply::bulk(Value(text_of(reply)));
    case REDIS_REPLY_ERROR: return Reply::error(text_of(reply));
    default: break;
  }
  std::vector<Reply> items;
  for (const redisReply* item : items_of(reply)) items.push_back(reply_from(*item));
  return Reply::array(std::move(items));
}

std::vector<Value> words_from(const redisReply& array) {
  std::vector<Value> words;
  if (array.type != REDIS_REPLY_ARRAY) return words;
  for (const redisReply* item : items_of(array)) words.emplace_back(text_of(*item));
  return words;
}

}  // namespace lockproof::real
