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

bool does(const Frame& frame, std::string_view what) {
  return std::ranges::any_of(
      frame.records, [&](const Record& record) { return record.kind == lockproof_remarks && record.bytes == what; });
}

}  // namespace

void refuse_other_process(const Frame& frame, const std::string& client, const std::string& errors) {
  if (!does(frame, other_process)) return;
  throw ProgramRefusal(
      fmt::format("the program of {} {}, of which nothing would be in virtual time: such a "
                  "program only lockproof real can judge{}",
                  client, other_process, errors));
}

void refuse_file_lock(const Frame& frame, const std::string& client) {
  if (!does(frame, file_lock)) return;
  throw ProgramRefusal(
      fmt::format("the program of {} {} of this machine, which is outside virtual time: all copies of the program "
                  "would share it. Such a program only lockproof real can judge",
                  client, file_lock));
}

}  // namespace lockproof::programs
