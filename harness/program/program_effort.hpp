// SPDX-License-Identifier: Apache-2.0
// What was done to know the steps of programs in virtual time: what a verdict of theirs rests on.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/program/program_key.hpp"

namespace lockproof::harness {

/// What was noticed of a program, or of the simulated server that it needs.
struct Remark {
  enum class Kind : std::uint8_t {
    habit,  // something that it does
    lack,   // it needs what the simulated server does not have, and a Redis has
  };
  std::string words;  // "waits by …": of the program
  Kind kind = Kind::habit;
  auto operator<=>(const Remark&) const = default;
};

/// For one program.
struct ProgramEffort {
  std::string library;                 // as the program names itself when it is ready; empty: it does not
  std::uint64_t steps = 0, again = 0;  // again: fed to another process, which did the same
  std::uint64_t started = 0, copied = 0;
  std::set<Remark> noticed;
};

/// For all programs of a scenario together. No client: none was executed.
struct ExecutedPrograms : ProgramEffort {
  std::string runtime;                         // its name and version; empty: it is none that is known
  std::vector<std::string> flags;              // for it
  std::map<std::string, std::uint64_t> seeds;  // of its random numbers, by client, and round if that has its own
  bool fresh_rounds = false;                   // see ProgramRounds
  bool pauses_at_sends = false;                // see ProgramPauses
  ProgramKey key;                              // that the lock is on servers
  std::string followed;                        // once its client is done: so long while nobody sees it; empty: always
};

}  // namespace lockproof::harness
