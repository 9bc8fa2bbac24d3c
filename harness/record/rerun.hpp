// SPDX-License-Identifier: Apache-2.0
// Rerun: runs one client of a recorded history again, by the same code. Its clocks, its draws and the beginnings of its
// steps are the recorded ones; its answers come from the caller. Everything that it does is compared with what was
// recorded.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// The client did something other than what was recorded.
struct Difference : std::exception {
  Difference(std::size_t at, std::string expected, std::string instead)
      : entry(at), recorded(std::move(expected)), came(std::move(instead)) {}
  std::size_t entry;  // number among its port events and notes, from 1; 0: none
  std::string recorded, came;
  [[nodiscard]] const char* what() const noexcept override { return "a client did something else than was recorded"; }
};

/// Whether an event belongs to a process: it crossed its ports or its client noted it. The world makes the others.
[[nodiscard]] constexpr bool of_process(What what) { return what <= What::answer; }

/// An event as a process makes it, without what the world stamps on it.
[[nodiscard]] Event unstamped(Event event);

class Rerun final : public PinnedObject {
 public:
  /// A command that a coroutine waits for: to one server, or to all of them at once.
  struct Call {
    bool gathers;
    HostIndex server;  // no_host if it gathers
    int number;
    Command command;
    /// The message to one of the servers, which the caller delivers.
    struct Message {
      HostIndex server;
      HostIndex to = no_host;  // the server that answers in its place
      int number = 0;          // 0: it has not left
      std::optional<Result<Reply>> result{};
    };
    std::vector<Message> messages;
  };

  /// `entries`: the events of this process, in order, unstamped.
  Rerun(std::vector<Event> entries, const Header& header, const Scenario& scenario, HostIndex client);
  ~Rerun();

  [[nodiscard]] bool ended() const;
  /// The event that was recorded next.
  [[nodiscard]] const Event& next() const;
  /// How many of the recorded events have been processed.
  [[nodiscard]] std::size_t position() const;

  /// Begins the step that was recorded next. step() and answer() throw Difference.
  void step();
  /// Ends the call whose answer was recorded next, with these results, one for each of its messages.
  void answer(const Replies& results);
  /// The call whose answer was recorded next, and what was recorded.
  [[nodiscard]] Call& answered();
  [[nodiscard]] Replies recorded_answer() const;

  /// The calls that coroutines wait for, oldest first.
  [[nodiscard]] std::vector<Call*> calls() const;
  void kill_worker();
  void crash();

 private:
  struct Parts;
  void end_steps();
  const std::unique_ptr<Parts> parts_;
};

}  // namespace lockproof::harness
