// SPDX-License-Identifier: Apache-2.0
// Deadlock freedom (progress): as long as a client wants the lock and none has it, one gets it within the time that the
// scenario allows ([judge] progress). The kinds: `orphaned`, the lock's key exists and belongs to no attempt in
// progress; `lost-wakeup`, the lock is free and no client has tried since; `livelock`, attempts go on and all fail;
// `circular-wait`, of locks of several names, clients wait for each other.
// Dijkstra, "Solution of a problem in concurrent programming control", 1965; Lynch, "Distributed Algorithms", 10.2.
#include "harness/check/by_lock.hpp"
#include "harness/check/standstill.hpp"

namespace lockproof::check {
namespace {

/// Each lock by itself, and all together.
class Deadlock final : public Monitor {
 public:
  Deadlock(std::unique_ptr<Monitor> each, std::unique_ptr<Monitor> all)
      : each_(std::move(each)), all_(std::move(all)) {}

  [[nodiscard]] std::unique_ptr<Monitor> copy() const override {
    return std::make_unique<Deadlock>(each_->copy(), all_->copy());
  }
  void see(std::size_t position, const harness::Event& event) override {
    each_->see(position, event);
    all_->see(position, event);
  }
  [[nodiscard]] Finding finding() const override {
    Finding found = each_->finding();
    return found.verdict == Verdict::violated ? found : all_->finding();
  }
  void forget() override {
    each_->forget();
    all_->forget();
  }
  void encode(MonitorEncoding& into) const override {
    each_->encode(into);
    into.numbers.push_back(-5);
    all_->encode(into);
  }

 private:
  std::unique_ptr<Monitor> each_, all_;
};

}  // namespace

std::unique_ptr<Monitor> watch_deadlock_freedom(const harness::Header& header, const harness::Scenario& scenario) {
  auto each = watch_each_lock(header, scenario, [](const harness::Header& of, const harness::Scenario& one) {
    return std::unique_ptr<Monitor>(
        std::make_unique<Standstill>(of, one, Standstill::ServerCondition::all_servers_are_up));
  });
  if (!scenario.has_several_locks()) return each;
  return std::make_unique<Deadlock>(std::move(each), watch_circular_wait(header, scenario));
}

Finding deadlock_freedom(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_deadlock_freedom, history, scenario);
}

}  // namespace lockproof::check
