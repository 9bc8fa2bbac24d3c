// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/memcached_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "real/client/host_ports.hpp"
#include "real/errors.hpp"
#include "real/services/memcached/command_effects.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t memcached_look_ns = 500'000;
constexpr std::int64_t memcached_clock_apart_s = 30ll * 86'400;  // scenarios begin years before today
constexpr seconds memcached_tick(1);
constexpr std::string_view mark_prefix = "lockproof-fault-";

}  // namespace

MemcachedHost::MemcachedHost(const harness::ServerSpec& spec, Duration phase, Janitor& janitor, std::int64_t speedup,
                             ServerProgram program)
    : RestartableHost(spec, WorldTime(0, speedup), memcached_look_ns), phase_(phase), janitor_(janitor),
      program_(std::move(program)), folder_(fmt::format("{}/{}", janitor.folder(), spec.name)),
      clock_(epoch_us + spec.clock.wall.count(), speedup, true) {
  std::filesystem::create_directory(folder_);
  port_ = free_port();
  spawn();
}

/// One thread that runs commands, so that its log is in their order; started as root, it needs the name of the user to
/// run as.
void MemcachedHost::spawn() {
  control_.close();
  process_ = spawn_server(
      program_,
      {program_.name, "-u", "nobody", "-l", "127.0.0.1", "-p", std::to_string(port_), "-U", "0", "-t", "1", "-m", "8"},
      clock_, janitor_, folder_ + "/log");
}

bool MemcachedHost::is_up() {
  if (!control_.connect(port_, process_->pid())) return false;
  require_our_clock();
  lives_.push_back({std::make_unique<WatchedLog>(port_)});
  return true;
}

void MemcachedHost::await_ready() {
  await_up_or_move([this] { port_ = free_port(); });
}

/// By the machine's clock its leases would end at other times than the scenario says, and nothing else would show it.
void MemcachedHost::require_our_clock() {
  const std::int64_t shown_s = control_.statistic("time").value_or(0);
  if (std::abs(shown_s - clock_.shows_us() / 1'000'000) < memcached_clock_apart_s) return;
  throw BadEnvironment(fmt::format(
      "{} does not go by lockproof's clock: is memcached linked statically, or does a script start it?", spec().name));
}

void MemcachedHost::attach(EventLoop& loop) {
  RestartableHost::attach(loop);
  lives_.back().log->attach(loop);
}

/// The timer behind its ticks counts from the last one, and one that is late counts from when it runs. So the server
/// stands still for more than a tick, and what happens when it goes on is a tick.
void MemcachedHost::start(WorldTime time, bool /*loses_power*/) {
  time_ = time;
  settled_ = false;
  clock_.start(time.start_ns(), epoch_us + spec().clock.wall.count(), time.speedup());
  process_->stop();
  const Duration goes_on = phase_ - memcached_tick;
  lives_.back().ticks_from = phase_;
  first_tick_ = std::make_unique<EventLoop::Timer>(loop(), [this] {
    process_->go_on();
    settled_ = true;
  });
  first_tick_->set(std::max(time.machine_at(goes_on), machine_ns()));
}

void MemcachedHost::detach() {
  for (Life& life : lives_) life.log.reset();
  first_tick_.reset();
  RestartableHost::detach();
}

harness::Readings MemcachedHost::clocks(Duration at, Duration stood) {
  const std::int64_t shows_us = clock_.shows_us(time_.machine_at(at));
  return readings(at, Duration(shows_us - epoch_us) - at, spec().clock.mono, stood);
}

void MemcachedHost::set_rate(Duration /*now*/, std::int64_t /*ppb*/) {
  throw UnsupportedFeature("clock-rate of a memcached: its leases go by a clock whose rate cannot be changed");
}

void MemcachedHost::resume(Duration now) {
  lives_.back().ticks_from = now;
  lives_.back().log->attach(loop());
}

bool MemcachedHost::shows(const std::string& key) {
  const auto item = control_.ask(Command({"gets", key}));
  return item && item->kind() == Reply::Kind::array;
}

void MemcachedHost::apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) {
  const bool all = fault.kind == harness::FaultKind::flush;
  const Command change = all ? Command({"flush_all"}) : Command({"delete", lock});
  if (!control_.ask_together({Command({"gets", mark}), change})) {
    throw BadEnvironment(fmt::format("{} does not answer", spec().name));
  }
}

/// A server reads a socket no later than one that got data after it, so when the second mark has run, all has that was
/// sent before the first.
bool MemcachedHost::finish() {
  if (down()) return true;
  for (int i = 0; i < 2; ++i) {
    const std::string mark = fmt::format("lockproof-mark-{}", ++marks_);
    if (!control_.ask(Command({"gets", mark}))) return false;
    lives_.back().log->read_until(mark);
  }
  return true;
}

std::vector<Execution> MemcachedHost::executions() {
  std::vector<Execution> all;
  for (const Life& life : lives_) add(life, all);
  return all;
}

/// A command looks for its item once, whatever it does then; what it stores has a line of its own behind that.
void MemcachedHost::add(const Life& life, std::vector<Execution>& all) {
  struct Look {
    Duration at;
    int port;
    Outcome outcome;
  };
  std::vector<std::pair<Look, std::string>> looks;  // with the mark that it is, if it is one
  std::map<int, int> ports;                         // of connections, by the server's descriptors
  std::map<int, std::size_t> latest;                // look on each of them
  for (const auto& [line, received_ns] : life.log->lines()) {
    if (line.type == "conn_new") ports[line.connection] = line.port;
    const auto port = ports.find(line.connection);
    const bool mark = line.key.starts_with(mark_prefix);
    if (line.type == "item_get" && (port != ports.end() || mark)) {
      const Duration at = time_.at(clock_.machine_ns_of(line.stamp_us, received_ns));
      latest[line.connection] = looks.size();
      looks.push_back({{at, mark ? 0 : port->second, {line.status == "found", line.status == "expired"}},
                       mark ? line.key : std::string()});
    }
    const auto look = latest.find(line.connection);
    if (line.type == "item_store" && look != latest.end()) {
      looks[look->second].first.outcome.stored = line.status == "stored";
    }
  }
  const TickCount ticks{life.ticks_from};
  for (auto& [look, mark] : looks) {
    Execution execution{.at = look.at, .port = look.port, .mark = std::move(mark)};
    execution.effects_of = [look = look, ticks](const Command& command) {
      return effects_of(command, look.outcome, look.at, ticks);
    };
    all.push_back(std::move(execution));
  }
}

}  // namespace lockproof::real
