// SPDX-License-Identifier: Apache-2.0
// WorldSpec: what a traced world consists of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracer/nanos.hpp"

namespace lockproof::tracer {

/// A host: one program, and whatever that starts.
struct HostSpec {
  std::string name;                        // also of its folder; letters, digits and '-'
  std::vector<std::string> command;        // found on the PATH, or absolute
  std::vector<std::string> environment{};  // NAME=value, beside what every host gets
  bool server = false;                     // the world ends when every host that is no server has ended
  Nanos start = 0;
  std::vector<std::string> input{};  // its lines: the next one comes after each line that the program writes
  std::string folder{};              // where it starts; empty: in one of its own, new and empty
};

/// Strikes once, when the message with this number is about to be delivered.
struct FaultSpec {
  enum class Kind : std::uint8_t {
    pause,    // the host stands still for `lasts`; its kernel goes on to receive
    kill,     // its processes end; what they have written is still delivered
    crash,    // its processes end, and what is under way from it is lost
    discard,  // this message, and all that follow it in its direction, are lost
  };
  Kind kind = Kind::pause;
  int delivery = 1;  // counted from 1, messages with bytes alone
  int host = 0;      // index in WorldSpec::hosts; for `discard` it does not matter
  Nanos lasts = 0;
};

struct WorldSpec {
  std::vector<HostSpec> hosts;
  Nanos latency = 100 * microsecond;  // of each message, to every host
  Nanos limit = 3600 * second;
  std::uint64_t seed = 1;  // of all random numbers
  std::optional<FaultSpec> fault{};
  std::vector<std::string> folders{};          // folders that programs see though they are below /tmp
  std::map<std::string, std::string> given{};  // files that are in the world alone, by their absolute paths below /run
  std::string kept{};       // a folder whose files are in the report; relative: to that of the first host
  bool logs_calls = false;  // each served call is a line of the log; else it is in the digest alone
};

}  // namespace lockproof::tracer
