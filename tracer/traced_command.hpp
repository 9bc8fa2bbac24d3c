// SPDX-License-Identifier: Apache-2.0
// A command of lockproof's in virtual time: the program itself is traced, with the servers and programs that it starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/world_report.hpp"

namespace lockproof::tracer {

struct TracedCommand {
  std::vector<std::string> words;              // behind the program's name
  std::vector<std::string> reads;              // folders that it reads, and its programs
  std::map<std::string, std::string> given{};  // see WorldSpec
  std::string out{};                           // the folder that it writes; its files come back in the report
  std::vector<std::string> environment{};      // NAME=value, besides PATH
  std::uint64_t seed = 1;
};

/// It starts in this process's folder. Throws real::BadEnvironment where the machine does not let us trace, or where a
/// program does what is not served.
[[nodiscard]] WorldReport run_command(const TracedCommand& command);

}  // namespace lockproof::tracer
