// SPDX-License-Identifier: Apache-2.0
// HostRun: a client and its lock, as they are, on a list of inputs. No input says when it comes: each begins a segment
// of the run, and the segment's number names its instant, for each clock of the host. A comparison of two names is a
// question, and its answer an input as well. Equal inputs make equal runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "harness/workload/client.hpp"
#include "search/zones/time/named_instant.hpp"

namespace lockproof::zones {

/// What a client has, in whatever world, beside its code.
struct HostInput {
  enum class Kind : std::uint8_t {
    begin,    // the process starts
    step,     // its worker's time has come
    ask,      // it may ask for the lock
    reply,    // its call has been answered
    lost,     // … or has ended without an answer
    refused,  // … or was not taken
    go_on,    // it goes on behind a place at which a fault may strike
    order,    // the answer to a question
  };
  Kind kind = Kind::begin;
  bool is_before = false;   // of an order
  std::uint8_t tokens = 0;  // the names of its tokens that are in use, a bit each: it draws the first free ones
  std::uint32_t reply = 0;  // its number
  auto operator<=>(const HostInput&) const = default;
};

/// What it does at the end of a segment.
struct HostAct {
  enum class Kind : std::uint8_t {
    none,
    call,      // it sends a command, and waits for the reply
    stands,    // before it enters or leaves
    question,  // whether `one` is earlier than `other`
  };
  Kind kind = Kind::none;
  bool of_resource = false;  // the call is to the resource
  std::optional<Command> command{};
  harness::Act before = harness::Act::enter;
  NamedInstant one{}, other{};
};

class HostRun final : public PinnedObject {
 public:
  /// Ends before the first input. REQUIRES: the scenario outlives the run.
  HostRun(const harness::Scenario& scenario, std::size_t client);
  ~HostRun();

  /// The next segment: an input that is no answer, and the answers to its questions. `reply`: of a reply. Throws
  /// Unsuited.
  void feed(const HostInput& input, const Reply* reply, std::span<const HostInput> answers);

  [[nodiscard]] const HostAct& act() const { return act_; }
  /// What the client has noted in the last segment.
  [[nodiscard]] const std::vector<harness::Event>& events() const { return events_; }
  /// The clocks that it read in the last segment.
  [[nodiscard]] const std::set<ReadClock>& has_read() const { return has_read_; }
  /// No step is under way, and nothing but these two says what it will do.
  [[nodiscard]] bool rests() const { return !worker_; }
  [[nodiscard]] const harness::Life& life() const { return client_->life(); }
  [[nodiscard]] State lock_state() const { return lock_->state(); }
  /// How long it waits at most before it asks again.
  [[nodiscard]] Duration longest_retry() const {
    return scenario_.clients[index_].plan.retry.value_or(lock_->retry().most);
  }
  /// Its next step comes so much later at most than it says: the client has drawn that.
  [[nodiscard]] Duration spread() const { return spread_; }
  /// The names of the tokens that it drew in the last segment, a bit each.
  [[nodiscard]] std::uint8_t drawn() const { return drawn_; }

 private:
  class Ports;
  friend class Ports;
  void begin();
  void run(const std::function<void()>& code);

  const harness::Scenario& scenario_;
  const std::size_t index_;
  int segment_ = -1;
  std::set<ReadClock> has_read_{};
  std::uint8_t tokens_ = 0, drawn_ = 0;
  Duration spread_{};
  HostAct act_;
  std::vector<harness::Event> events_;
  std::span<const HostInput> answers_;
  std::unique_ptr<Ports> ports_;
  std::unique_ptr<Lock> lock_;
  std::unique_ptr<harness::Client> client_;
  std::optional<Task<void>> worker_;  // the last one, so that it is destroyed first: its frames refer to all above
};

}  // namespace lockproof::zones
