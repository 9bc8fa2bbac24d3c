// SPDX-License-Identifier: Apache-2.0
// What the monitors of a search by zones keep of commands and faults.
#include "search/zones/monitors.hpp"

#include <gtest/gtest.h>

#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

using Effects = std::vector<harness::Effect>;

/// The monitors of two clients, and the states that they are in.
class PathCoverage {
 public:
  PathCoverage() : scenario_(Setting().scenario()), monitors_(scenario_), states_(monitors_.initial()) {}

  void attempt(std::size_t client) {
    harness::Event event{.what = harness::What::attempt};
    event.host = static_cast<harness::HostIndex>(client);
    show(monitors_.events().add({event}, static_cast<int>(client), 2, 0));
  }
  void send(std::size_t client, int number) { show(monitors_.sending(client, false, number)); }
  void lose(std::size_t client, int number) { show(monitors_.losing(client, false, {number})); }
  void execute(std::size_t client, int number, Effects effects = {}) {
    const Command command(std::vector<Value>{"SET"});
    show(monitors_.executing(client, false, command, Reply::nil(), std::move(effects), number));
  }
  void strike(std::optional<std::size_t> client, harness::FaultKind kind, Effects effects = {}) {
    show(monitors_.striking(client, kind, std::move(effects)));
  }
  [[nodiscard]] Effects on_lock(harness::Change change) const { return {{change, "", scenario_.lock, std::nullopt}}; }
  [[nodiscard]] std::vector<Id> states() const { return states_; }
  void begin_anew() { states_ = monitors_.initial(); }

 private:
  void show(Id events) { EXPECT_TRUE(monitors_.show(states_, events).empty()); }

  harness::Scenario scenario_;
  Monitors monitors_;
  std::vector<Id> states_;
};

TEST(ZoneMonitors, KeepNothingOfACommandThatIsLost) {
  PathCoverage shown;
  shown.send(0, 1);
  const std::vector<Id> under_way = shown.states();
  shown.lose(0, 1);
  const std::vector<Id> lost = shown.states();
  EXPECT_NE(lost, under_way);
  shown.begin_anew();
  shown.send(0, 1);
  shown.execute(0, 1);
  EXPECT_EQ(shown.states(), lost);
}

/// Else a search in which one command is late would have no end.
TEST(ZoneMonitors, DoNotCountWhatIsSentBehindACommandThatIsLate) {
  PathCoverage shown;
  shown.send(0, 1);
  shown.send(0, 2);
  shown.execute(0, 2);
  const std::vector<Id> once = shown.states();
  shown.send(0, 2);
  shown.execute(0, 2);
  EXPECT_EQ(shown.states(), once);
}

TEST(ZoneMonitors, SeeThatAFaultTakesTheKey) {
  PathCoverage shown;
  for (const bool is_taken : {true, false}) {
    shown.begin_anew();
    shown.attempt(0);
    shown.send(0, 1);
    const Effects made = shown.on_lock(harness::Change::acquired);
    shown.execute(0, 1, is_taken ? made : Effects());
    const std::vector<Id> before = shown.states();
    shown.strike({}, harness::FaultKind::evict, is_taken ? shown.on_lock(harness::Change::evicted) : Effects());
    EXPECT_EQ(shown.states() != before, is_taken);
  }
}

TEST(ZoneMonitors, SeeThatAClientHasEnded) {
  PathCoverage shown;
  shown.attempt(0);
  const std::vector<Id> asking = shown.states();
  shown.strike(1, harness::FaultKind::crash);
  EXPECT_EQ(shown.states(), asking) << "the other one";
  shown.strike(0, harness::FaultKind::crash);
  EXPECT_NE(shown.states(), asking);
}

}  // namespace
}  // namespace lockproof::zones
