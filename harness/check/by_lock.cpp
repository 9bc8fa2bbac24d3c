// SPDX-License-Identifier: Apache-2.0
#include "harness/check/by_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace lockproof::check {

using harness::Event;
using harness::What;

namespace {

/// A monitor for each lock, which sees the history as if there were no other.
class ByLock final : public Monitor {
 public:
  /// `make`: the monitor of one lock, which is the lock of the scenario that it gets.
  ByLock(const harness::Header& header, const harness::Scenario& scenario, MakeMonitor make);

  [[nodiscard]] std::unique_ptr<Monitor> copy() const override { return std::unique_ptr<Monitor>(new ByLock(*this)); }
  void see(std::size_t position, const harness::Event& event) override;
  [[nodiscard]] Finding finding() const override;
  void forget() override;
  void encode(MonitorEncoding& into) const override;

 private:
  struct One {
    std::string said;  // as events name it
    std::string name;
    std::shared_ptr<const harness::Scenario> scenario;
    std::unique_ptr<Monitor> monitor;
  };
  ByLock(const ByLock& other);

  std::vector<One> locks_;
};

ByLock::ByLock(const harness::Header& header, const harness::Scenario& scenario, MakeMonitor make) {
  for (const std::string& name : scenario.locks()) {
    auto one = std::make_shared<harness::Scenario>(scenario);
    one->lock = name;
    std::unique_ptr<Monitor> monitor = make(header, *one);
    locks_.push_back({name == scenario.lock ? "" : name, name, std::move(one), std::move(monitor)});
  }
}

ByLock::ByLock(const ByLock& other) : Monitor(other) {
  for (const One& one : other.locks_) locks_.push_back({one.said, one.name, one.scenario, one.monitor->copy()});
}

/// That a client seeks a lock in its work is to that lock the start of a round.
void ByLock::see(std::size_t position, const Event& event) {
  Event own = event;
  own.lock.clear();
  if (own.what == What::seek) own.what = What::start;
  for (const One& one : locks_) {
    if (!is_of_lock(event.what) || event.lock == one.said) one.monitor->see(position, own);
  }
}

/// The first violation, else the first lock that cannot be judged.
Finding ByLock::finding() const {
  Finding worst;
  for (const One& one : locks_) {
    Finding found = one.monitor->finding();
    const bool is_worse = found.verdict == Verdict::violated
                              ? worst.verdict != Verdict::violated
                              : found.verdict == Verdict::unknown && worst.verdict == Verdict::not_found;
    if (!is_worse) continue;
    if (!found.what.empty()) found.what = fmt::format("lock {}: {}", one.name, found.what);
    worst = std::move(found);
  }
  return worst;
}

void ByLock::forget() {
  for (const One& one : locks_) one.monitor->forget();
}

void ByLock::encode(MonitorEncoding& into) const {
  for (const One& one : locks_) {
    const std::size_t begin = into.numbers.size();
    one.monitor->encode(into);
    into.numbers.push_back(static_cast<std::int64_t>(into.numbers.size() - begin));
  }
}

}  // namespace

std::unique_ptr<Monitor> watch_each_lock(const harness::Header& header, const harness::Scenario& scenario,
                                         MakeMonitor make) {
  if (!scenario.has_several_locks()) return make(header, scenario);
  return std::make_unique<ByLock>(header, scenario, make);
}

}  // namespace lockproof::check
