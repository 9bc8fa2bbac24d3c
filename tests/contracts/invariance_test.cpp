// SPDX-License-Identifier: Apache-2.0
// What a whole run may not depend on: when the clocks' zero was, what tokens look like, which of two like clients is
// which.
#include <functional>

#include "harness/history/jsonl.hpp"
#include "sim/kernel/choosers.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::invariance_test {
namespace {

using harness::Event;
using harness::History;

const char* const windows =
    "[workload]\nclients = 3\nrounds = 2\nlease = \"1s\"\nacquire_timeout = \"5s\"\n"
    "work = [\"read\", \"hold 30ms\", \"write\"]\n"
    "[network]\nlatency = [\"1ms\", \"20ms\"]\ntimeout = \"30ms\"\n";

/// The reply with each of its values changed, however deep it stands.
Reply with_values(const Reply& reply, const std::function<Value(const Value&)>& value) {
  if (reply.kind() == Reply::Kind::bulk) return Reply::bulk(value(reply.value()));
  if (reply.kind() != Reply::Kind::array) return reply;
  std::vector<Reply> items;
  for (const Reply& item : reply.items()) items.push_back(with_values(item, value));
  return Reply::array(std::move(items));
}

/// An event without what may differ.
Event essence(Event e, const std::function<Value(const Value&)>& value, const std::vector<harness::HostIndex>& host) {
  const auto moved = [&](harness::HostIndex i) {
    return i == harness::no_host ? i : host.at(static_cast<std::size_t>(i));
  };
  e.clocks = {};
  e.host = moved(e.host);
  e.peer = moved(e.peer);
  if (e.what == harness::What::read) e.value.reset();
  if (e.token) e.token = value(*e.token);
  if (e.reply) e.reply = with_values(*e.reply, value);
  if (e.command) {
    std::vector<Value> words;
    for (const Value& word : e.command->args()) words.push_back(value(word));
    e.command = Command(std::move(words));
  }
  return e;
}

std::vector<harness::HostIndex> same_hosts(const History& h) {
  std::vector<harness::HostIndex> hosts;
  for (std::size_t i = 0; i < h.header.hosts.size(); ++i) hosts.push_back(static_cast<harness::HostIndex>(i));
  return hosts;
}

class Invariance : public testing::TestWithParam<std::string> {};
std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& a : catalogue()) names.emplace_back(a.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(EveryLock, Invariance, testing::ValuesIn(algorithm_names()), [](const auto& algorithm) {
  std::string name = algorithm.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Invariance, ShiftingTheClocksChangesNoDecision) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto s = tests::scenario(windows, GetParam());
    const History plain = sim::run(s, seed);
    const std::int64_t shift_ms = -86'400'123;
    for (std::size_t i = 0; i < s.clients.size(); ++i) {
      s.clients[i].clock.wall += milliseconds(shift_ms);
      s.clients[i].clock.mono += seconds(17) * static_cast<int>(i + 1);
    }
    for (auto& server : s.servers) server.clock.wall += milliseconds(shift_ms);
    const History moved = sim::run(s, seed);
    ASSERT_EQ(plain.events.size(), moved.events.size());
    const auto keep = [](const Value& v) { return v; };
    const auto back = [&](const Value& v) {
      return v.mark() == Value::Mark::stamp ? Clock::write(*Clock::read(v) - milliseconds(shift_ms)) : v;
    };
    for (std::size_t i = 0; i < plain.events.size(); ++i) {
      ASSERT_EQ(essence(plain.events[i], keep, same_hosts(plain)), essence(moved.events[i], back, same_hosts(moved)))
          << i;
    }
  }
}

TEST_P(Invariance, RenamingTheTokensChangesNothingElse) {
  const auto name = [](int client, int n) { return "zz" + std::to_string(1000 - n) + "-" + std::to_string(client); };
  const auto s = tests::scenario(windows, GetParam());
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const History plain = sim::run(s, seed);
    const History renamed = sim::run(s, seed, {.record = true, .record_inputs = true, .token_name = name});
    ASSERT_EQ(plain.events.size(), renamed.events.size());
    harness::Renamer one, other;
    for (std::size_t i = 0; i < plain.events.size(); ++i) {
      const auto by = [](harness::Renamer& renamer) {
        return [&renamer](const Value& v) { return v.mark() == Value::Mark::token ? renamer.canonical(v, 0) : v; };
      };
      ASSERT_EQ(essence(plain.events[i], by(one), same_hosts(plain)),
                essence(renamed.events[i], by(other), same_hosts(plain)));
    }
  }
}

/// client-1 and client-2 change places.
std::string swapped(std::string name) {
  for (char& c : name) c = c == '1' ? '2' : c == '2' ? '1' : c;
  return name;
}

TEST_P(Invariance, PermutingLikeClientsAndTheAnswersWithThemPermutesTheRun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto s = tests::scenario(windows, GetParam());
    s.steps = sim::schedule_of(s, seed);
    const History plain = sim::run(s, 1);
    EXPECT_TRUE(tests::where(plain, harness::What::unmet).empty()) << "two events of one name, seed " << seed;
    for (harness::Step& step : s.steps) {
      for (std::string* host : {&step.event.actor, &step.event.peer}) {
        if (host->starts_with("client-")) *host = swapped(*host);
      }
    }
    const History permuted = sim::run(s, 1);
    ASSERT_EQ(plain.events.size(), permuted.events.size());
    harness::Renamer one, other;
    const auto by = [](harness::Renamer& renamer) {
      return [&renamer](const Value& v) { return v.mark() == Value::Mark::token ? renamer.canonical(v, 0) : v; };
    };
    std::vector<harness::HostIndex> exchange = same_hosts(plain);
    std::swap(exchange.at(0), exchange.at(1));
    // The constructors read their clocks in the order of the clients; from the first step on the runs are comparable.
    const std::size_t first = tests::where(plain, harness::What::step).front();
    for (std::size_t i = first; i < plain.events.size(); ++i) {
      ASSERT_EQ(essence(plain.events[i], by(one), exchange), essence(permuted.events[i], by(other), same_hosts(plain)))
          << "seed " << seed << ", event " << i << "\n"
          << harness::to_line(plain.events[i], plain.header) << "\n"
          << harness::to_line(permuted.events[i], permuted.header);
    }
  }
}

}  // namespace
}  // namespace lockproof::invariance_test
