// SPDX-License-Identifier: Apache-2.0
#include "tests/random_scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::tests {
namespace {

using harness::FaultKind;
using Words = std::vector<std::string>;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  std::string text() {
    algorithm();
    workload();
    servers();
    for (int client = 1; client <= clients_; ++client) one_client(client);
    network();
    judge();
    scripted();
    budget();
    return std::move(text_);
  }

 private:
  bool one_in(std::uint64_t n) { return bits_.below(n) == 0; }
  std::string one_of(const Words& words) { return words[bits_.below(words.size())]; }
  /// One or two of them, as a list.
  std::string some_of(const Words& words) {
    const std::string first = one_of(words), second = one_of(words);
    return second == first || one_in(2) ? fmt::format("[\"{}\"]", first)
                                        : fmt::format("[\"{}\", \"{}\"]", first, second);
  }
  void line(std::string_view key, std::string_view value) { text_ += fmt::format("{} = \"{}\"\n", key, value); }
  void raw(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  /// Its waits fit the short leases below.
  void algorithm() {
    const Algorithm& one = catalogue()[bits_.below(catalogue().size())];
    many_servers_ = one.servers == Servers::all;
    service_ = &harness::row_of(one.service);
    const bool replicates = service_->replicates && !many_servers_ && one_in(3);
    if (one.servers == Servers::one_with_replica || replicates) replicas_ = one_in(3) ? 2 : 1;
    text_ += "[algorithm]\n";
    line("name", one.name);
    for (const Parameter& parameter : one.parameters) {
      if (parameter.name == "watchdog_timeout") line("watchdog_timeout", one_of({"1500ms", "3s"}));
      if (parameter.name == "first") line("first", one_of({"900ms", "1900ms"}));
      if (parameter.name == "extend") line("extend", "1s");
      if (parameter.name == "lock_delay") line("lock_delay", one_of({"0s", "300ms"}));
      if (parameter.name == "grace") line("grace", "1500ms");
      if (parameter.name == "wait") line("wait", one_of({"3ms", "400ms"}));
    }
  }

  std::string work() {
    return one_of({R"(["hold 100ms"])", R"(["hold 700ms"])", R"(["hold 1500ms"])", R"(["hold 2200ms"])",
                   R"(["read", "hold 400ms", "write"])", R"(["read", "write"])", R"(["hold 1s", "read", "write"])"});
  }

  void workload() {
    clients_ = one_in(4) ? 3 : 2;
    text_ += "[workload]\n";
    raw("clients", std::to_string(clients_));
    line("lease", one_of({"1s", "2s"}));
    raw("work", work());
    if (one_in(3)) {
      raw("rounds", "2");
      if (one_in(2)) line("think_time", one_of({"1ms", "300ms"}));
    }
    raw("attempts", clients_ == 3 || many_servers_ ? "2" : one_of({"2", "3"}));
    if (one_in(3)) line("stop_on", one_of({"deadline", "loss"}));
    if (one_in(3)) line("on_error", one_of({"release", "give-up"}));
    if (one_in(4)) raw("release_tries", "2");
  }

  void one_client(int client) {
    if (one_in(2)) return;
    text_ += "[[client]]\n";
    line("name", fmt::format("client-{}", client));
    if (one_in(2)) line("start", one_of({"1ms", "500ms", "1100ms"}));
    if (one_in(3)) line("clock", one_of({"+1500ms", "-700ms"}));
    if (one_in(3)) raw("work", work());
    if (one_in(6)) raw("rounds", "1");
  }

  void servers() {
    text_ += "[servers]\n";
    if (many_servers_) raw(service_->name, "3");
    if (replicas_ > 0) raw(service_->name, std::to_string(replicas_ + 1));
    const std::string drawn = one_of({"none", "none", "rdb", "aof-everysec", "aof-always"});
    const std::string kept = service_->persists ? drawn : "none";
    const bool ahead = one_in(5);
    const bool needs_replicas = replicas_ > 0 && one_in(5);
    if (kept != "none" || ahead || needs_replicas) {
      text_ += "[[server]]\n";
      line("name", fmt::format("{}-1", service_->name));
      if (kept != "none") line("persistence", kept);
      if (ahead) line("clock", "+400ms");
      if (needs_replicas) raw("min_replicas_to_write", "1");
      if (needs_replicas) line("min_replicas_max_lag", "1s");
    }
    for (int replica = 2; replica <= replicas_ + 1; ++replica) {
      text_ += "[[server]]\n";
      line("name", fmt::format("{}-{}", service_->name, replica));
      line("replica_of", fmt::format("{}-1", service_->name));
    }
    if (replicas_ == 1 && one_in(3)) sentinel();
    if (one_in(6)) {
      text_ += "[resource]\n";
      line("fencing", one_of({"writes", "all"}));
    }
  }

  void sentinel() {
    text_ += "[[sentinel]]\n";
    line("master", fmt::format("{}-1", service_->name));
    line("promotes", fmt::format("{}-2", service_->name));
    line("down_after", one_of({"400ms", "1s"}));
    if (one_in(2)) line("demotes_after", "700ms");
    if (one_in(3)) raw("notified", "[\"client-2\"]");
  }

  void network() {
    text_ += "[network]\n";
    const bool small = clients_ == 2 && !many_servers_ && replicas_ == 0;
    if (replicas_ > 0 && one_in(2)) line("replication", one_of({"1ms", "300us", "5ms"}));
    if (small && one_in(4)) {
      raw("latency", one_of({R"(["1ms", "2ms"])", R"(["1ms", "3ms"])"}));
    } else {
      line("latency", one_of({"1ms", "1ms", "300us", "2ms"}));
    }
    if (one_in(2)) line("timeout", one_of({"3ms", "50ms", "500ms", "1200ms"}));
    if (one_in(4)) line("on_timeout", "discard");
  }

  void judge() {
    if (!one_in(3)) return;
    text_ += "[judge]\n";
    line("progress", one_of({"1500ms", "4s"}));
    if (one_in(2)) line("waiting", one_of({"1500ms", "4s"}));
  }

  void budget() {
    text_ += "[explore]\n";
    line("retry", one_of({"T/2", "T/3", "T"}));
    if (one_in(8)) line("start", "0s");
    const bool two = !many_servers_ && clients_ == 2 && one_in(3);
    raw("max_faults", two ? "2" : "1");
    fault();
    if (one_in(2)) fault();
  }

  /// A fault of the scenario's own, placed by an event of the host that it strikes or of another one.
  void scripted() {
    if (!one_in(4)) return;
    const std::string server = fmt::format("{}-1", service_->name);
    text_ += "[[fault]]\n";
    if (replicas_ > 0 && one_in(3)) {
      line("kind", "failover");
      line("target", server);
      line("to", fmt::format("{}-2", service_->name));
      if (one_in(2)) line("old", "serves");
      line("when", one_of({"client-1 enters", "client-1 exits"}));
      line("after", one_of({"2ms", "400ms"}));
      return;
    }
    if (service_->persists && one_in(2)) {
      line("kind", "restart");
      line("target", server);
      line("for", one_of({"3ms", "600ms"}));
    } else {
      line("kind", one_of({"pause", "partition"}));
      line("target", one_of({"client-1", "client-2", server}));
      line("for", one_of({"3ms", "900ms"}));
    }
    line("when", one_of({"client-1 enters", "client-1 exits", "client-2 before acquire", "client-2 before release"}));
    if (one_in(2)) line("after", one_of({"1ms", "300ms"}));
  }

  /// Kinds that the stateful engine can search.
  void fault() {
    static constexpr FaultKind kinds[] = {FaultKind::pause,     FaultKind::suspend,          FaultKind::crash,
                                          FaultKind::kill_task, FaultKind::half_open,        FaultKind::delay,
                                          FaultKind::resend,    FaultKind::break_connection, FaultKind::retry,
                                          FaultKind::partition, FaultKind::clock_jump,       FaultKind::clock_rate,
                                          FaultKind::restart,   FaultKind::power_cut,        FaultKind::evict,
                                          FaultKind::flush,     FaultKind::script_flush};
    FaultKind kind = kinds[bits_.below(std::size(kinds))];
    if (!harness::can_have(*service_, kind)) kind = FaultKind::restart;
    if (replicas_ > 0 && one_in(2)) kind = one_in(3) ? FaultKind::replication_stall : FaultKind::failover;
    const Words lengths{"2ms", "500ms", "1200ms", "T/2", "T", "T+grid", "3s"};
    text_ += "[[explore.fault]]\n";
    line("kind", harness::name(kind));
    switch (kind) {
      case FaultKind::pause:
      case FaultKind::suspend:
      case FaultKind::partition:
        if (one_in(2)) line("target", one_of({"clients", "servers", "client-1", fmt::format("{}-1", service_->name)}));
        [[fallthrough]];
      case FaultKind::resend:
      case FaultKind::replication_stall:
      case FaultKind::restart:
      case FaultKind::power_cut: raw("for", some_of(lengths)); break;
      case FaultKind::delay:
        raw("by", some_of(lengths));
        if (one_in(2)) line("late", one_of({"request", "reply"}));
        break;
      case FaultKind::half_open:
        if (one_in(2)) line("lose", one_of({"request", "reply"}));
        break;
      case FaultKind::retry:
        if (one_in(2)) line("lose", one_of({"nothing", "reply"}));
        if (one_in(2)) line("connection", one_of({"new", "same"}));
        break;
      case FaultKind::clock_jump: raw("by", some_of({"T", "-T/2", "T+grid", "-1200ms"})); break;
      case FaultKind::clock_rate: raw("rate", some_of({"+1%", "-2%", "-50%"})); break;
      default: break;
    }
    if (one_in(4)) raw("most", "2");
  }

  sim::RandomBits bits_;
  std::string text_;
  int clients_ = 2, replicas_ = 0;
  bool many_servers_ = false;
  const harness::ServiceRow* service_ = nullptr;
};

}  // namespace

std::string random_scenario_text(std::uint64_t seed) { return Draw(seed).text(); }

harness::Scenario random_scenario(std::uint64_t seed) {
  return harness::parse_scenario(fmt::format("random-{}.toml", seed), random_scenario_text(seed));
}

}  // namespace lockproof::tests
