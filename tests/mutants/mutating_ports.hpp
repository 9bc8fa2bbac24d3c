// SPDX-License-Identifier: Apache-2.0
// Mutants without copies of the algorithms: the algorithm's own code runs on ports that change its commands, its
// replies, the number of servers or its grants, as if those lines had been written wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/port/lock.hpp"

namespace lockproof::tests {

struct Mutant {
  std::string name;
  std::string algorithm;
  std::string caught_by;  // the property
  std::string scenario;   // TOML without [algorithm]
  std::function<Command(const Command&)> command{};
  /// What the algorithm makes of a reply to a command of its own; `last` is what it kept of earlier ones.
  std::function<Reply(const Command&, const Reply&, std::string& last)> reply{};
  std::function<std::size_t(std::size_t)> size{};
  std::function<void(Grant&, Clock&, milliseconds lease)> grant{};
};

class MutatingStore final : public Store {
 public:
  MutatingStore(Store& inner, const Mutant& mutant) : inner_(inner), mutant_(mutant) {}
  Task<Result<Reply>> call(Command command) override {
    Command changed = mutant_.command ? mutant_.command(command) : command;
    const Result<Reply> result = co_await inner_.call(std::move(changed));
    if (!result || !mutant_.reply) co_return result;
    co_return mutant_.reply(command, *result, last_);
  }
  Task<Result<Reply>> subscribe(Name channel) override { return inner_.subscribe(std::move(channel)); }
  Task<bool> message(Name channel, Mono until) override { return inner_.message(std::move(channel), until); }

 private:
  Store& inner_;
  const Mutant& mutant_;
  std::string last_;
};

class MutatingStores final : public Stores {
 public:
  MutatingStores(Stores& inner, const Mutant& mutant) : inner_(inner), mutant_(mutant) {
    for (std::size_t i = 0; i < inner.size(); ++i) {
      stores_.push_back(std::make_unique<MutatingStore>(inner.at(i), mutant));
    }
  }
  [[nodiscard]] std::size_t size() const override { return mutant_.size ? mutant_.size(inner_.size()) : inner_.size(); }
  Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override {
    Command changed = mutant_.command ? mutant_.command(command) : command;
    const Replies replies = co_await inner_.gather(std::move(changed), timeout);
    co_return replies;
  }

 private:
  Stores& inner_;
  const Mutant& mutant_;
  std::vector<std::unique_ptr<MutatingStore>> stores_;
};

class MutatedLock final : public Lock {
 public:
  MutatedLock(Ports ports, const Parameters& parameters, const Mutant& mutant)
      : mutant_(mutant), clock_(ports.clock), stores_(ports.servers, mutant),
        lock_(find_algorithm(mutant.algorithm)
                  ->make(Ports{stores_, ports.clock, ports.random, ports.caller}, parameters)) {}

  void begin_attempts(const Name& name, int round, Mode mode) override { lock_->begin_attempts(name, round, mode); }
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    Attempt attempt = co_await lock_->try_acquire(std::move(name), lease);
    if (Grant* grant = std::get_if<Grant>(&attempt); grant && mutant_.grant) {
      mutant_.grant(*grant, clock_, lease.value_or(default_lease));
    }
    co_return attempt;
  }
  Task<Result<ReleaseResult>> release(Grant grant) override { return lock_->release(std::move(grant)); }
  Task<Result<std::optional<Grant>>> renew(Grant grant) override { return lock_->renew(std::move(grant)); }
  Task<bool> wait(Name name, Busy busy, Mono until) override { return lock_->wait(std::move(name), busy, until); }
  [[nodiscard]] Retry retry() const override { return lock_->retry(); }
  [[nodiscard]] State state() const override { return lock_->state(); }

 private:
  const Mutant& mutant_;
  Clock& clock_;
  MutatingStores stores_;
  std::unique_ptr<Lock> lock_;
};

/// All of them.
[[nodiscard]] const std::vector<Mutant>& mutants();
/// The mutant's algorithm with the mutation. There is one at a time: the latest.
[[nodiscard]] Algorithm mutated(const Mutant& mutant);

}  // namespace lockproof::tests
