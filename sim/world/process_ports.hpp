// SPDX-License-Identifier: Apache-2.0
// The ports of a simulated process. They read world time and the host's clocks, ask the chooser, and queue commands at
// the process; they decide nothing.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/world/process.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class Process::Clock final : public lockproof::Clock {
 public:
  explicit Clock(Process& process) : process_(process) {}
  Wall wall() override {
    process_.world_.read_clocks(ClockDetail::offsets);
    return InstantAccess::make<Wall>(process_.clocks_.wall_ms(process_.world_.now()) * 1000);
  }
  Mono mono() override { return process_.clocks_.mono(process_.world_.now()); }
  Boot boot() override { return InstantAccess::make<Boot>(process_.clocks_.at(process_.world_.now()).boot_us); }

 private:
  Process& process_;
};

class Process::Random final : public lockproof::Random {
 public:
  explicit Random(Process& process) : process_(process) {}

  Token token() override {
    const int n = ++process_.tokens_;
    const auto& named = process_.world_.options().token_name;
    const int client = process_.index_ + 1;
    const Token token(named ? named(client, n) : "c" + std::to_string(client) + "." + std::to_string(n),
                      Value::Mark::token);
    process_.world_.drew(token);
    return token;
  }

  Duration between(Duration least, Duration most) override {
    if (least >= most) return least;
    const int occurrence = ++process_.jitters_;
    return process_.world_.chooser().duration({least, most}, process_.world_.scenario().grid, [&](std::size_t) {
      harness::EventName name{.kind = harness::EventName::Kind::jitter,
                              .actor = process_.world_.name(process_.index_),
                              .peer = {},
                              .verb = {}};
      name.occurrence = occurrence;
      name.round = process_.client_->life().round;
      return name;
    });
  }

 private:
  Process& process_;
};

class Process::Store final : public lockproof::Store {
 public:
  Store(Process& process, harness::HostIndex server) : process_(process), server_(server) {}
  Task<Result<Reply>> call(Command command) override {
    if (!process_.may_send()) co_return Error::not_sent;
    std::vector<PendingCall> one;
    one.push_back(
        {.server = server_, .command = std::move(command), .timeout = process_.world_.scenario().network.timeout});
    CallGroup group(process_, std::move(one));
    co_await group;
    co_return std::move(group.calls.front().result);
  }
  Task<Result<Reply>> subscribe(Name channel) override {
    if (!process_.may_send()) co_return Error::not_sent;
    std::vector<PendingCall> one;
    one.push_back({.server = server_,
                   .command = harness::subscription(channel),
                   .timeout = process_.world_.scenario().network.timeout,
                   .slot = 1});
    CallGroup group(process_, std::move(one));
    co_await group;
    co_return std::move(group.calls.front().result);
  }
  Task<bool> message(Name channel, Mono until) override {
    if (std::erase(process_.news_, channel.bytes()) > 0) co_return true;
    NewsWait wait(process_, channel.bytes(), process_.life().within_attempt(until));
    const bool came = co_await wait;
    co_return came;
  }

 private:
  Process& process_;
  const harness::HostIndex server_;
};

class Process::Stores final : public lockproof::Stores {
 public:
  Stores(Process& process, const std::vector<harness::HostIndex>& servers) : process_(process), servers_(servers) {
    for (const harness::HostIndex server : servers) stores_.push_back(std::make_unique<Store>(process, server));
  }
  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  lockproof::Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override {
    if (!process_.may_send()) co_return Replies(servers_.size(), Error::not_sent);
    std::vector<PendingCall> calls;
    calls.reserve(servers_.size());
    for (const harness::HostIndex server : servers_) {
      calls.push_back({.server = server, .command = command, .timeout = timeout});
    }
    CallGroup group(process_, std::move(calls));
    co_await group;
    Replies replies;
    for (PendingCall& call : group.calls) replies.push_back(std::move(call.result));
    co_return replies;
  }

 private:
  Process& process_;
  const std::vector<harness::HostIndex> servers_;
  std::vector<std::unique_ptr<Store>> stores_;
};

class Process::Moments final : public harness::Moments {
 public:
  explicit Moments(Process& process) : process_(process) {}
  [[nodiscard]] bool awaited(harness::Act act, bool own_event) const override {
    if (own_event && process_.world_.budget().may_pause(process_.world_.name(process_.index_))) return true;
    return process_.triggers_.awaits(moment_of(act), name(act), process_.client_->life().round);
  }
  Task<void> come(harness::Act act) override {
    MomentWait wait(process_, act);
    co_await wait;
  }

 private:
  Process& process_;
};

class Process::Journal final : public harness::Journal {
 public:
  explicit Journal(Process& process) : process_(process) {}
  void note(harness::Event event) override {
    const bool input = harness::of_ports(event.what);
    if (!process_.triggers_.none()) process_.triggers_.noted(event.what);
    if (input && process_.world_.options().encoding) process_.note_input(event);
    if (!input || process_.world_.options().record_inputs) process_.note(std::move(event));
  }

 private:
  Process& process_;
};

}  // namespace lockproof::sim
