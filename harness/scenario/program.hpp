// SPDX-License-Identifier: Apache-2.0
// ProgramSpec: a lock under test that is a program of its own, in any language, as a scenario states it. It is
// started once for each client and talked to in lines: see docs/reference/line-protocol.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program/program_key.hpp"
#include "harness/program/virtual_program.hpp"
#include "harness/scenario/plan.hpp"

namespace lockproof::harness {

/// By which clock the program lives.
enum class ProgramClock : std::uint8_t {
  machine,  // the machine's own: the scenario's times are the machine's
  scaled,   // as fast as the scenario, which is `speedup` times as fast as the machine
};

/// What goes from one round to the next, in virtual time.
enum class ProgramRounds : std::uint8_t {
  same_program,  // each client has one program, which does all its rounds
  fresh,         // each round is done by a program of its own, which has been ready since the scenario's start
};

/// Where it can be paused, in virtual time.
enum class ProgramPauses : std::uint8_t {
  waits,  // where it waits: what it does in between takes no time
  sends,  // and behind each send: what it reads from a clock after that, it reads after the pause
};

struct ProgramSpec {
  std::vector<std::string> command;  // the program and its arguments; a word that names a file beside the scenario is
                                     // the path of that file
  int permits = 1;                   // so many clients may be inside at once
  std::map<std::string, std::string> environment;
  std::string folder;               // where it runs; empty: in a folder of the run's own
  std::vector<std::string> claims;  // the properties that it is judged by
  bool renews = false;              // it prolongs its lease by itself
  ProgramClock clock = ProgramClock::machine;
  ProgramRounds rounds = ProgramRounds::same_program;
  ProgramPauses pauses = ProgramPauses::waits;
  std::string key;  // a pattern of the key that the lock is on its servers; empty: it is learned
  InVirtualTime in_virtual_time{};
  ProgramKey known_key{};  // the key, once it is known
  bool operator==(const ProgramSpec&) const = default;
};

/// "my_lock.py": what reports call the program.
[[nodiscard]] std::string name_of(const ProgramSpec& program);
/// Divides a command line into words as a shell does, without expanding anything. Nothing: a quote is not closed.
[[nodiscard]] std::vector<std::string> words_of_command(std::string_view line);

}  // namespace lockproof::harness
