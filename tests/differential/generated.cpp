// SPDX-License-Identifier: Apache-2.0
#include "tests/differential/generated.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "harness/input_error.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/run.hpp"

namespace lockproof::tests {
namespace {

using harness::EventPlace;
using harness::Fault;
using harness::FaultKind;
using harness::What;
using sim::RandomBits;

template <class T, std::size_t n>
const T& one_of(RandomBits& bits, const std::array<T, n>& all) {
  return all[bits.below(n)];
}

constexpr std::array works{
    "[\"hold 1s\"]",
    "[\"hold 3s\"]",
    "[\"read\", \"hold 3s\", \"write\"]",
    "[\"read\", \"hold 6s\", \"write\"]",
    "[\"hold 2s\", \"read\", \"hold 2s\", \"write\"]",
    "[\"read\", \"hold 9s\", \"write\"]",
};
constexpr std::array leases{"4s", "6s", "10s"};
constexpr std::array obediences{"nothing", "nothing", "deadline", "loss"};
constexpr std::array answers_to_errors{"retry", "retry", "give-up", "release"};
constexpr std::array persistences{"none", "none", "rdb", "aof-everysec", "aof-always"};

std::string line(const char* key, const std::string& value) { return std::string(key) + " = " + value + "\n"; }
std::string word(const char* key, const std::string& value) { return line(key, "\"" + value + "\""); }

std::string servers(RandomBits& bits, const Algorithm& algorithm) {
  const bool majority = std::string_view(algorithm.name).starts_with("redlock");
  const std::uint64_t replicas = majority                                ? 0
                                 : algorithm.name == "set-px-token-wait" ? 1 + bits.below(2)
                                 : bits.below(3) == 0                    ? 1 + bits.below(2)
                                                                         : 0;
  const std::uint64_t count = majority ? 3 : 1 + replicas;
  std::string text = "[servers]\n" + line("redis", std::to_string(count));
  for (std::uint64_t i = 1; i <= count; ++i) {
    text += "[[server]]\n" + word("name", "redis-" + std::to_string(i));
    text += word("persistence", one_of(bits, persistences));
    if (!majority && i > 1) text += word("replica_of", "redis-1");
  }
  return text;
}

std::string parameters(RandomBits& bits, const Algorithm& algorithm) {
  if (algorithm.name == "set-px-token-wait") return word("wait", "1s");
  std::string text;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.name == "node_timeout") text += word("node_timeout", "700ms");
    if (parameter.name == "watchdog_timeout") text += word("watchdog_timeout", bits.below(2) == 0 ? "6s" : "9s");
    if (parameter.name == "first") text += word("first", "3s");
    if (parameter.name == "extend") text += word("extend", "4s");
  }
  return text;
}

/// Without faults. Its instants lie on halves of a second, some of them between.
std::string without_faults(RandomBits& bits) {
  std::vector<const Algorithm*> on_redis;
  for (const Algorithm& one : catalogue()) {
    if (one.service == Service::redis) on_redis.push_back(&one);
  }
  const Algorithm& algorithm = *on_redis[bits.below(on_redis.size())];
  std::string text = "[algorithm]\n" + word("name", std::string(algorithm.name)) + parameters(bits, algorithm);
  const std::uint64_t clients = 2 + bits.below(4) / 3;
  text += "[workload]\n" + line("clients", std::to_string(clients));
  text += word("lease", one_of(bits, leases)) + line("work", one_of(bits, works));
  text += word("stop_on", one_of(bits, obediences)) + word("on_error", one_of(bits, answers_to_errors));
  text += line("rounds", bits.below(3) == 0 ? "2" : "1") + word("think_time", "1s");
  text += word("acquire_timeout", std::to_string(8 + 2 * bits.below(7)) + "s") + word("retry", "300ms");
  text += "[[client]]\n" + word("name", "client-1") + word("start", "400ms");  // by then all processes have begun
  for (std::uint64_t i = 2; i <= clients; ++i) {
    text += "[[client]]\n" + word("name", "client-" + std::to_string(i));
    text += word("start", std::to_string(250 + 500 * bits.below(8) + 4000 * (i - 2)) + "ms");
  }
  text += servers(bits, algorithm);
  text += "[network]\n" + word("timeout", bits.below(2) == 0 ? "1500ms" : "2500ms");
  text += word("on_timeout", bits.below(3) == 0 ? "discard" : "reconnect");
  text +=
      "[judge]\n" + word("takeover", "13s") + word("progress", "13s") + word("waiting", "23s") + word("notice", "3s");
  text += "[run]\n" + word("horizon", "50s") + "[real]\nspeedup = 10\n";
  return text;
}

/// Counts events as faults do.
class Occurrences {
 public:
  int next(const std::string& actor, EventPlace::Moment moment, const std::string& verb, const std::string& client,
           int round) {
    return ++seen_[{actor, moment, verb, client, round}];
  }

 private:
  std::map<std::tuple<std::string, EventPlace::Moment, std::string, std::string, int>, int> seen_;
};

/// Named events of the run, in order.
std::vector<EventPlace> places(const harness::History& history) {
  std::vector<EventPlace> all;
  Occurrences counted;
  std::map<harness::HostIndex, int> round;
  std::map<std::tuple<harness::HostIndex, harness::HostIndex, int>, std::string> verbs;
  const auto add = [&](harness::HostIndex actor, EventPlace::Moment moment, const std::string& verb,
                       harness::HostIndex client) {
    EventPlace when{.actor = history.host_name(actor), .moment = moment, .verb = verb, .client = {}};
    if (actor != client) when.client = history.host_name(client);
    when.round = std::max(round[client], 1);
    when.occurrence = counted.next(when.actor, moment, verb, history.host_name(client), when.round);
    all.push_back(std::move(when));
  };
  for (const harness::Event& e : history.events) {
    if (e.what == What::start) ++round[e.host];
    if (e.what == What::enter) add(e.host, EventPlace::Moment::enters, "", e.host);
    if (e.what == What::exit) add(e.host, EventPlace::Moment::exits, "", e.host);
    if (e.what == What::send) {
      verbs[{e.host, e.peer, e.message}] = e.command->verb();
      add(e.host, EventPlace::Moment::before, std::string(e.command->verb()), e.host);
    } else if (e.what == What::receive) {
      add(e.host, EventPlace::Moment::after, verbs[{e.host, e.peer, e.message}], e.host);
    } else if (e.what == What::execute) {
      add(e.host, EventPlace::Moment::before, std::string(e.command->verb()), e.peer);
      add(e.host, EventPlace::Moment::after, std::string(e.command->verb()), e.peer);
    }
  }
  return all;
}

constexpr std::array kinds_of_clients{FaultKind::pause,      FaultKind::suspend,    FaultKind::crash,
                                      FaultKind::kill_task,  FaultKind::half_open,  FaultKind::delay,
                                      FaultKind::delay,      FaultKind::resend,     FaultKind::break_connection,
                                      FaultKind::retry,      FaultKind::partition,  FaultKind::partition,
                                      FaultKind::clock_jump, FaultKind::clock_rate, FaultKind::clock_rate};
constexpr std::array kinds_of_servers{FaultKind::pause,      FaultKind::restart,   FaultKind::power_cut,
                                      FaultKind::failover,   FaultKind::failover,  FaultKind::replication_stall,
                                      FaultKind::evict,      FaultKind::flush,     FaultKind::client_pause,
                                      FaultKind::clock_jump, FaultKind::clock_rate};
constexpr std::array<std::int64_t, 6> lengths_ms{700, 1200, 3300, 5700, 8200, 11700};
constexpr std::array<std::int64_t, 6> jumps_ms{-9000, -3000, 2500, 5000, 8000, 12000};
constexpr std::array<std::int64_t, 5> rates_ppb{-900'000'000, -500'000'000, -300'000'000, 500'000'000, 2'000'000'000};

bool is_of_a_message(FaultKind kind) {
  return kind == FaultKind::half_open || kind == FaultKind::delay || kind == FaultKind::resend ||
         kind == FaultKind::retry;
}

/// What each kind needs to know besides its place.
void set(RandomBits& bits, const harness::Scenario& s, Fault& fault) {
  const bool often_both = bits.below(2) == 0;
  fault.lasts = {};
  switch (fault.kind) {
    case FaultKind::clock_jump: fault.by = milliseconds(one_of(bits, jumps_ms)); return;
    case FaultKind::clock_rate: fault.rate_ppb = one_of(bits, rates_ppb); return;
    case FaultKind::delay: fault.by = milliseconds(one_of(bits, lengths_ms)); return;
    case FaultKind::resend: fault.lasts = milliseconds(700); return;
    case FaultKind::retry:
      fault.reply = bits.below(4) != 0;
      fault.same_connection = bits.below(2) == 0;
      return;
    case FaultKind::break_connection: fault.peer = "redis-1"; return;
    case FaultKind::failover: {
      std::vector<std::string> promotable;
      for (const auto& server : s.servers) {
        if (!server.replica_of.empty() && server.name != fault.target) promotable.push_back(server.name);
      }
      if (!promotable.empty()) fault.peer = promotable[bits.below(promotable.size())];
      fault.old_serves = bits.below(2) == 0;
      if (fault.old_serves && often_both) fault.to_clients = {"client-2"};
      return;
    }
    case FaultKind::partition: {
      std::vector<std::string> peers = s.host_names(false, true);
      peers.emplace_back("resource");
      fault.peer = often_both ? "" : peers[bits.below(peers.size())];
      fault.direction = static_cast<Fault::Direction>(bits.below(3));
      break;
    }
    case FaultKind::client_pause: fault.reads_too = often_both; break;
    default: break;
  }
  const bool lasts = stands_still(fault.kind) || fault.kind == FaultKind::partition ||
                     fault.kind == FaultKind::restart || fault.kind == FaultKind::power_cut ||
                     fault.kind == FaultKind::replication_stall || fault.kind == FaultKind::client_pause;
  if (lasts) fault.lasts = milliseconds(one_of(bits, lengths_ms));
}

/// One in four by time.
Fault fault(RandomBits& bits, const harness::Scenario& s, const std::vector<EventPlace>& where) {
  Fault fault;
  const bool of_client = bits.below(5) < 3;
  const auto targets = s.host_names(of_client, !of_client);
  fault.target = targets[bits.below(std::min<std::size_t>(targets.size(), of_client ? 2 : 3))];
  fault.kind = of_client ? one_of(bits, kinds_of_clients) : one_of(bits, kinds_of_servers);
  set(bits, s, fault);
  if (!is_of_a_message(fault.kind) && bits.below(4) == 0) {
    fault.at = milliseconds(500 + 500 * static_cast<std::int64_t>(bits.below(24)));
    return fault;
  }
  std::vector<EventPlace> possible;
  std::ranges::copy_if(where, std::back_inserter(possible), [&](const EventPlace& when) {
    return !is_of_a_message(fault.kind) || (when.actor == fault.target && when.moment == EventPlace::Moment::before);
  });
  if (possible.empty()) return fault;
  // Half of them early: most of a long run is polling.
  const std::size_t among = bits.below(2) == 0 ? std::min<std::size_t>(possible.size(), 12) : possible.size();
  fault.when = possible[bits.below(among)];
  if (!is_of_a_message(fault.kind) && bits.below(3) == 0) {
    fault.delay = milliseconds(500 + 500 * static_cast<std::int64_t>(bits.below(6)));
  }
  return fault;
}

}  // namespace

harness::Scenario generated(std::uint64_t number) {
  for (RandomBits bits(number * 1'000'003);;) {
    try {
      harness::Scenario scenario = harness::parse_scenario("generated.toml", without_faults(bits));
      const std::vector<EventPlace> where = places(sim::run(scenario, 1));
      const std::uint64_t faults = 1 + bits.below(3);
      for (std::uint64_t i = 0; i < faults; ++i) {
        scenario.faults.push_back(fault(bits, scenario, where));
        const bool together = i > 0 && bits.below(3) == 0 && scenario.faults[i - 1].when && scenario.faults[i].when;
        if (together) scenario.faults[i].when = scenario.faults[i - 1].when;
      }
      return harness::parse_scenario("generated.toml", harness::to_toml(scenario));
    } catch (const harness::InputError&) {
      continue;  // what was drawn does not go together
    }
  }
}

}  // namespace lockproof::tests
