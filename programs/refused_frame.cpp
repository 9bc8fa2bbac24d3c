// SPDX-License-Identifier: Apache-2.0
#include "programs/refused_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "programs/refusal.hpp"
#include "programs/shim/wire.h"

namespace lockproof::programs {
namespace {

constexpr std::string_view other_process = "starts another process", file_lock = "locks a file";

const Record* find(const Frame& frame, char kind, std::string_view what = {}) {
  const auto found = std::ranges::find_if(frame.records, [&](const Record& record) {
    return record.kind == kind && (what.empty() || record.bytes == what);
  });
  return found == frame.records.end() ? nullptr : &*found;
}

}  // namespace

void refuse_what_is_missing(const Frame& frame, const std::string& client, const std::string& errors) {
  const Record* const refused = find(frame, lockproof_refuses);
  if (!refused) return;
  throw Refusal(fmt::format(
      "the program of {} {}, {}: such a program only lockproof real can judge{}", client, refused->bytes,
      refused->bytes == other_process ? "of which nothing would be in virtual time" : "which virtual time cannot do",
      errors));
}

void refuse_file_lock(const Frame& frame, const std::string& client) {
  if (!find(frame, lockproof_remarks, file_lock)) return;
  throw Refusal(
      fmt::format("the program of {} {} of this machine, which is outside virtual time: all copies of the program "
                  "would share it. Such a program only lockproof real can judge",
                  client, file_lock));
}

}  // namespace lockproof::programs
