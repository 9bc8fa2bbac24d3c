// SPDX-License-Identifier: Apache-2.0
// Grant is valid: a program that says it has the lock has it. The kinds: `expired`, it says itself that its validity is
// over; `not-held`, the key is not its own on a majority of the servers as its word arrives.
#include <fmt/format.h>

#include "harness/check/lock_key.hpp"

namespace lockproof::check {
namespace {

class GrantIsValid final : public Copyable<GrantIsValid> {
 public:
  GrantIsValid(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), key_(header, scenario) {}

  void see(std::size_t position, const harness::Event& event) override {
    key_.see(event);
    if (event.what != harness::What::granted || found_.verdict == Verdict::violated) return;
    const bool held = !header_.sees_servers || !key_.not_held_since(event.host, event.at);
    if (held && event.left && event.left->time <= Duration{}) {
      find(position, "expired",
           fmt::format("{} was granted the lock with a validity of {}", place(header_, event),
                       seconds_text(event.left->time)));
    } else if (!held) {
      find(position, "not-held",
           fmt::format("{} was granted the lock, and the servers had not given it: the key is not its own",
                       place(header_, event)));
    }
  }
  [[nodiscard]] Finding finding() const override {
    if (header_.sees_servers || found_.verdict == Verdict::violated) return found_;
    Finding unseen{"", Verdict::unknown, "", "nothing was seen on the servers that is the lock", {}};
    unseen.judged = false;
    return unseen;
  }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override { key_.encode(into, Duration(1)); }

 private:
  void find(std::size_t position, const char* kind, std::string what) {
    found_ = {"", Verdict::violated, kind, std::move(what), {position}};
  }

  const harness::Header& header_;
  LockKey key_;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_grant_is_valid(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<GrantIsValid>(header, scenario);
}

Finding grant_is_valid(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_grant_is_valid, history, scenario);
}

}  // namespace lockproof::check
