// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/redis_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "harness/scenario/faults/operators.hpp"
#include "real/client/host_ports.hpp"
#include "real/errors.hpp"

namespace lockproof::real {
namespace {

constexpr Duration look_period = milliseconds(20);
constexpr std::int64_t look_ns_least = 1'000'000;
constexpr std::int64_t start_look_ns = 500'000;

/// Commands that keep a replica's link alive, or that enclose the commands of one script.
bool is_upkeep(const std::string& verb) {
  constexpr std::string_view verbs[] = {"PING", "ping", "SELECT", "REPLCONF", "MULTI", "EXEC", "PUBLISH"};
  return std::ranges::find(verbs, verb) != std::end(verbs);
}

}  // namespace

RedisHost::RedisHost(const harness::ServerSpec& spec, Janitor& janitor, std::int64_t speedup, ServerExtras extras,
                     int must_hear)
    : RestartableHost(spec, WorldTime(0, 1), start_look_ns), must_hear_(must_hear),
      process_(spec.name, janitor, epoch_us + spec.clock.wall.count(), speedup, spec.persistence, std::move(extras)) {}

void RedisHost::await_ready() {
  process_.await_ready();
  monitors_.push_back(std::make_unique<Monitor>(process_.port()));
}

void RedisHost::attach(EventLoop& loop) {
  RestartableHost::attach(loop);
  monitors_.back()->attach(loop);
}

void RedisHost::start(WorldTime time, bool loses_power) {
  time_ = time;
  process_.clock().start(time.start_ns(), epoch_us + spec().clock.wall.count(), time.speedup());
  if (!loses_power || spec().persistence != harness::Persistence::aof_everysec) return;
  look_ = std::make_unique<EventLoop::Timer>(loop(), [this] { look_at_log(); });
  look_at_log();
}

/// How much was in the file when, for as long as that may be asked for.
void RedisHost::look_at_log() {
  const Duration now = time_.now();
  if (!down()) log_sizes_.emplace_back(now, process_.log_size());
  while (log_sizes_.size() > 1 && log_sizes_[1].first + spec().unsynced <= now) log_sizes_.pop_front();
  look_->set(std::max(time_.machine_at(now + look_period), machine_ns() + look_ns_least));
}

harness::Readings RedisHost::clocks(Duration at, Duration stood) {
  const std::int64_t shows_us = process_.clock().shows_us(time_.machine_at(at));
  const auto later = std::ranges::find_if(drifts_, [&](const Drift& drift) { return drift.from > at; });
  const Drift& drift = later == drifts_.begin() ? *later : *std::prev(later);
  return readings(at, Duration(shows_us - epoch_us) - at, spec().clock.mono + drift.at(at), stood);
}

void RedisHost::set_rate(Duration now, std::int64_t ppb) {
  process_.clock().set_rate(ppb);
  drifts_.push_back(drifts_.back().with_rate(now, ppb));
}

/// A server reads a socket no later than one that got data after it, so when the second mark has run, all has that was
/// sent before the first.
bool RedisHost::finish() {
  if (down()) return true;
  for (int i = 0; i < 2; ++i) {
    const std::string mark = fmt::format("lockproof-mark-{}", ++marks_);
    if (!process_.mark(mark)) return false;
    monitors_.back()->read_until(mark);
  }
  return true;
}

void RedisHost::shut_down() {
  set_down();
  process_.shut_down();
}

/// Commands that are not on disk yet are lost: the file is cut off where it ended that long ago.
void RedisHost::lose_power() {
  kill();
  if (spec().persistence != harness::Persistence::aof_everysec || log_sizes_.empty()) return;
  const Duration synced = time_.now() - spec().unsynced;
  std::int64_t size = log_sizes_.front().second;
  for (const auto& [when, bytes] : log_sizes_) {
    if (when <= synced) size = bytes;
  }
  process_.cut_log(size);
  log_sizes_.assign(1, {time_.now(), size});
}

void RedisHost::resume(Duration /*now*/) {
  monitors_.push_back(std::make_unique<Monitor>(process_.port()));
  monitors_.back()->attach(loop());
}

void RedisHost::detach() {
  monitors_.clear();
  look_.reset();
  RestartableHost::detach();
}

/// It does so later if it does not answer at once: the command has been sent. A server that is connecting to a master
/// reads some of its answers to the end and does nothing else meanwhile, and it is we who pass them on.
void RedisHost::replicate_from(int port) {
  master_port_ = port;
  if (port == 0) {
    static_cast<void>(process_.ask_soon({"REPLICAOF", "NO", "ONE"}));
  } else {
    static_cast<void>(process_.ask_soon({"REPLICAOF", "127.0.0.1", std::to_string(port)}));
  }
}

void RedisHost::watch_anew() {
  if (down() || !process_.process().alive() || monitors_.back()->read_rest()) return;
  process_.reconnect();
  monitors_.push_back(std::make_unique<Monitor>(process_.port()));
  monitors_.back()->attach(loop());
}

bool RedisHost::in_step() {
  const auto info = process_.ask_soon({"INFO", "replication"});
  return info && info->value().bytes().find("master_link_status:up") != std::string::npos;
}

int RedisHost::replicas_heard() {
  const auto info = process_.ask({"INFO", "replication"});
  const std::string text = info ? info->value().bytes() : "";
  int heard = 0;
  for (const std::string_view lag : {",lag=0\r", ",lag=1\r", ",lag=0,", ",lag=1,"}) {  // Valkey says more behind it
    for (std::size_t at = text.find(lag); at != std::string::npos; at = text.find(lag, at + 1)) ++heard;
  }
  return heard;
}

bool RedisHost::shows(const std::string& key) {
  const auto keys = process_.ask({"KEYS", "*"});
  return keys && std::ranges::any_of(keys->items(), [&](const Reply& one) { return one.value().bytes() == key; });
}

bool RedisHost::has(const std::string& key) {
  const auto object = process_.ask({"DEBUG", "OBJECT", key});
  return object && !object->is_error();
}

/// One of the two policies evicts keys with a time to live, the other one any key.
void RedisHost::evict(const std::string& key, const std::string& mark) {
  const auto ttl = process_.ask({"PTTL", key});
  const auto info = process_.ask({"INFO", "keyspace"});
  if (!ttl || !info) throw BadEnvironment(fmt::format("{} does not answer", spec().name));
  const std::string counts = info->value().bytes();  // db0:keys=1,expires=1,avg_ttl=0
  const bool one_expires = counts.find(",expires=1,") != std::string::npos;
  const bool one_key = counts.find(":keys=1,") != std::string::npos;
  const bool alone = ttl->integer() >= 0 ? one_expires : one_key && ttl->integer() == -1;
  if (!alone) return run_marked(Command({"DEL", key}), mark);
  const char* const policy = ttl->integer() >= 0 ? "volatile-ttl" : "allkeys-random";
  const auto ran = process_.ask_together({{"CONFIG", "SET", "maxmemory-policy", policy, "maxmemory", "1"},
                                          {"ECHO", mark},  // it evicts before it runs this
                                          {"CONFIG", "SET", "maxmemory", "0"}});
  if (!ran) throw BadEnvironment(fmt::format("{} does not answer", spec().name));
}

void RedisHost::apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) {
  if (const auto typed = harness::operators_command(fault)) return run_marked(*typed, mark);
  if (fault.kind == harness::FaultKind::evict) evict(lock, mark);
}

void RedisHost::run_marked(const Command& command, const std::string& mark) {
  std::vector<std::string> words;
  for (const Value& word : command.args()) words.push_back(word.bytes());
  static_cast<void>(process_.ask({"MULTI"}));
  static_cast<void>(process_.ask(words));
  static_cast<void>(process_.ask({"ECHO", mark}));
  if (!process_.ask({"EXEC"})) throw BadEnvironment(fmt::format("{} does not answer", spec().name));
}

/// Our own marks are ECHO of a word.
std::vector<Execution> RedisHost::executions() {
  std::vector<Execution> all;
  for (const auto& monitor : monitors_) {
    for (const MonitoredCommand& ran : monitor->executions()) {
      const std::string& verb = ran.words.front().bytes();
      const bool marks = verb == "ECHO" && ran.words.size() == 2;
      all.push_back({.at = time_.at(process_.clock().machine_ns_of(ran.stamp_us, ran.received_ns)),
                     .port = ran.port,
                     .words = ran.words,
                     .effects = ran.effects,
                     .mark = marks ? ran.words[1].bytes() : std::string(),
                     .upkeep = is_upkeep(verb)});
    }
  }
  return all;
}

}  // namespace lockproof::real
