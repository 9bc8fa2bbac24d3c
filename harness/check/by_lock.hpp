// SPDX-License-Identifier: Apache-2.0
// ByLock: a property of one lock, judged for each of several: a monitor for each name, which sees the history as if
// there were no other lock.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/monitor.hpp"

namespace lockproof::check {

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

/// The monitor of a property of one lock, or one for each lock of the scenario.
[[nodiscard]] std::unique_ptr<Monitor> watch_each_lock(const harness::Header& header, const harness::Scenario& scenario,
                                                       MakeMonitor make);
template <class Watched>
[[nodiscard]] std::unique_ptr<Monitor> watch_each_lock(const harness::Header& header,
                                                       const harness::Scenario& scenario) {
  return watch_each_lock(header, scenario, [](const harness::Header& of, const harness::Scenario& one) {
    return std::unique_ptr<Monitor>(std::make_unique<Watched>(of, one));
  });
}

}  // namespace lockproof::check
