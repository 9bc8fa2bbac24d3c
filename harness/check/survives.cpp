// SPDX-License-Identifier: Apache-2.0
// Survives: the program of a client ends when it is told to, or when a fault kills it, and says only what the line
// protocol has. The kinds: `died`, it ended by itself; `protocol`, it said something else.
#include <fmt/format.h>

#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

class Survives final : public CopyableMonitor<Survives> {
 public:
  explicit Survives(const harness::Header& header) : header_(header) {}

  void see(std::size_t position, const harness::Event& event) override {
    if (event.what != harness::What::died || found_.verdict == Verdict::violated) return;
    const bool broke_protocol = event.value == 1;
    found_ = {"",
              Verdict::violated,
              broke_protocol ? "protocol" : "died",
              fmt::format("the program of {} {}", place(header_, event), event.word),
              {position}};
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding&) const override {}  // no later finding depends on what was

 private:
  const harness::Header& header_;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_survives(const harness::Header& header, const harness::Scenario&) {
  return std::make_unique<Survives>(header);
}

Finding survives(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_survives, history, scenario);
}

}  // namespace lockproof::check
