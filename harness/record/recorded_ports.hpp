// SPDX-License-Identifier: Apache-2.0
// Decorators around the ports that write down everything that crosses them: clock readings, draws, calls and answers.
// Together with the steps that a world starts, these are all inputs and outputs of a process, so that a recorded
// process can be run again (rerun_difference.hpp) and must do the same.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"

namespace lockproof::harness {

/// The calls that represent a subscription, and the wait for a message, in a record.
[[nodiscard]] Command subscription(const Name& channel);
[[nodiscard]] Command awaited_message(const Name& channel);

class RecordedClock final : public Clock {
 public:
  RecordedClock(Clock& inner, Journal& journal) : inner_(inner), journal_(journal) {}
  Wall wall() override;
  Mono mono() override;
  Boot boot() override;

 private:
  Clock& inner_;
  Journal& journal_;
};

class RecordedRandom final : public Random {
 public:
  RecordedRandom(Random& inner, Journal& journal) : inner_(inner), journal_(journal) {}
  Token token() override;
  Duration between(Duration least, Duration most) override;

 private:
  Random& inner_;
  Journal& journal_;
};

class RecordedStore final : public Store {
 public:
  RecordedStore(Store& inner, HostIndex server, Journal& journal) : inner_(inner), server_(server), journal_(journal) {}
  Task<Result<Reply>> call(Command command) override;
  Task<Result<Reply>> subscribe(Name channel) override;
  Task<bool> message(Name channel, Mono until) override;

 private:
  Store& inner_;
  const HostIndex server_;
  Journal& journal_;
  int calls_ = 0;
};

class RecordedStores final : public Stores {
 public:
  /// `servers`: the header's index of each server, in order.
  RecordedStores(Stores& inner, const std::vector<HostIndex>& servers, Journal& journal);
  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override;

 private:
  Stores& inner_;
  const std::vector<HostIndex> servers_;
  Journal& journal_;
  std::vector<std::unique_ptr<RecordedStore>> stores_;
  int gathers_ = 0;
};

}  // namespace lockproof::harness
