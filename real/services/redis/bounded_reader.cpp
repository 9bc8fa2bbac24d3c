// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/bounded_reader.hpp"

#include <hiredis/hiredis.h>

#include <memory>

namespace lockproof::real {
namespace {

/// hiredis's own, which make redisReply objects.
const redisReplyObjectFunctions& plain() {
  static const redisReplyObjectFunctions functions = [] {
    const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
    return *reader->fn;
  }();
  return functions;
}

void* small_array(const redisReadTask* task, int items) {
  return items > items_most ? nullptr : plain().createArray(task, items);
}

}  // namespace

void bound(redisReader& reader) {
  static redisReplyObjectFunctions functions = [] {
    redisReplyObjectFunctions bounded = plain();
    bounded.createArray = small_array;
    return bounded;
  }();
  reader.fn = &functions;
}

bool is_too_large(const redisReader& reader, std::size_t read) {
  return reader.len - reader.pos > answer_most || read > answer_most;
}

}  // namespace lockproof::real
