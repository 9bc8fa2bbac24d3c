// SPDX-License-Identifier: Apache-2.0
// VirtualProgram: a program of somebody else's as a function of what reaches it. A state of it is the history of its
// inputs; each step is executed once, and looked up from then on. The simulated world sees nothing but this interface;
// the folder programs/ implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"

namespace lockproof::harness {

struct Scenario;
struct ExecutedPrograms;  // harness/program/program_effort.hpp

/// Fed the same inputs again, the program did something else; in words, with both outputs.
class NotAFunction : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One input. Whatever it is, it sets the program's clocks.
struct ProgramInput {
  enum class Kind : std::uint8_t {
    time,   // nothing but time has come
    line,   // on standard input
    reply,  // on a connection, to the oldest command there that has none
    push,   // on a connection, from the server by itself
    reset,  // the connection is broken
  };
  Kind kind = Kind::time;
  Readings clocks{};
  int connection = 0;  // as the program counts them
  std::string line{};  // without its end
  std::optional<Reply> reply{};
};

/// Something that left the program.
struct ProgramAct {
  enum class Kind : std::uint8_t { connects, sends, closes, says };
  Kind kind = Kind::says;
  int connection = 0;
  std::size_t server = 0;            // of connects: its place in the scenario
  std::optional<Command> command{};  // of sends, named as in histories
  std::string line{};                // of says
};

/// What the program does in one step: from an input until it waits again.
struct ProgramStep {
  std::vector<ProgramAct> acts{};
  std::optional<std::int64_t> until_us{};  // it waits until its monotonic clock shows this, or for an input
  std::string ended{};                     // how, if it has
};

class VirtualProgram : public PinnedObject {
 public:
  using State = std::uint32_t;

  virtual ~VirtualProgram() = default;
  /// The state in which it has said that it is ready.
  [[nodiscard]] virtual State ready() = 0;
  /// The step that led to a state; the reference stays good.
  [[nodiscard]] virtual const ProgramStep& step(State state) = 0;
  /// Throws NotAFunction.
  [[nodiscard]] virtual State after(State state, const ProgramInput& input) = 0;
  /// Equal for equal histories and for no others, in every run.
  [[nodiscard]] virtual const std::string& digest(State state) = 0;
};

/// How many processes of each client are kept where they stopped, unless somebody says so. A search of two clients and
/// one fault goes on from some ten states of a client at a time on one server, and from many more on three.
inline constexpr std::size_t live_processes = 32;
/// More are refused: a program that has many more processes is ended (real/program/keeper.hpp).
inline constexpr std::size_t live_processes_most = 48;

/// The programs of a scenario, one for each client.
class VirtualPrograms : public PinnedObject {
 public:
  virtual ~VirtualPrograms() = default;
  /// Of a form of the scenario that they were made for, in which clients may be missing or have other plans. It lives
  /// as long as this object. `round`: 1, unless each round has a program of its own.
  [[nodiscard]] virtual VirtualProgram& program_of(const Scenario& scenario, std::size_t client, int round) = 0;
  /// So far.
  [[nodiscard]] virtual ExecutedPrograms executed() = 0;
  /// `words`: what of a real server the program asked a simulated one for, which lacks it: "calls TIME in a script, …".
  virtual void add_lack(const std::string& words) = 0;
};

/// No part of what a scenario says.
struct InVirtualTime {
  std::shared_ptr<VirtualPrograms> programs{};  // null: they cannot be simulated here
  bool operator==(const InVirtualTime&) const { return true; }
};

}  // namespace lockproof::harness
