// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/staged_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/redis/keyspace_events.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view events_prefix = "__keyevent@0__:";
constexpr Duration long_ago = -std::chrono::hours(1'000'000);
constexpr std::int64_t long_ms = 10LL * 365 * 86'400'000;  // ten years; less than --repl-timeout
constexpr std::int64_t answer_ns_max = 10'000'000'000;

bool is_message(const Reply& reply, std::string_view kind) {
  return reply.kind() == Reply::Kind::array && reply.items().size() > 1 &&
         reply.items()[0].kind() == Reply::Kind::bulk && reply.items()[0].value().bytes() == kind;
}

const std::string& text(const Reply& reply, std::size_t item) { return reply.items()[item].value().bytes(); }

ServerExtras extras_of(const harness::ServerSpec& spec, const std::string& program) {
  if (spec.min_replicas_to_write == 0) return {.program = program};
  return {.arguments = {"--min-replicas-to-write", std::to_string(spec.min_replicas_to_write), "--min-replicas-max-lag",
                        std::to_string(spec.min_replicas_max_lag / seconds(1))},
          .program = program};
}

}  // namespace

StagedServer::StagedServer(const harness::ServerSpec& spec, Janitor& janitor, bool loses_power,
                           const std::string& program)
    : spec_(spec), keeps_sizes_(loses_power && spec.persistence == harness::Persistence::aof_everysec),
      process_(spec.name, janitor, epoch_us + spec.clock.wall.count(), 0, spec.persistence, extras_of(spec, program)),
      ahead_(spec.clock.wall), folder_(fmt::format("{}/{}", janitor.folder(), spec.name)),
      snapshot_(folder_ + "/snapshot") {}

void StagedServer::await_ready() {
  process_.await_ready();
  attend();
}

void StagedServer::attend() {
  control_ = std::make_unique<Wire>(port());
  observer_ = std::make_unique<Wire>(port());
  (void)observer_->ask({"PSUBSCRIBE", Value(fmt::format("{}*", events_prefix))});
}

void StagedServer::set_clock(std::int64_t wall_ms) {
  wall_ms_ = wall_ms;
  process_.clock().start(machine_ns(), wall_ms * 1000, 0);
}

std::int64_t StagedServer::wall_ms_at(Duration world) const {
  return std::chrono::floor<milliseconds>(Duration(epoch_us) + ahead_ + world).count();
}

/// It looks when this changes. What others had sent before the first PING has been read when the second is answered.
void StagedServer::look_at_replicas() {
  for (int i = 0; i < 2; ++i) (void)ask({"PING"});
  const std::int64_t lag = spec_.min_replicas_max_lag / seconds(1);
  for (const std::int64_t more : {1, 0}) {
    (void)ask({"CONFIG", "SET", "min-replicas-max-lag", Value::number(lag + more)});
  }
}

std::string StagedServer::version() { return server_version(ask({"INFO", "server"}).value().bytes()); }

Reply StagedServer::run(Wire& client, const std::vector<Value>& words, std::vector<Reply>& messages, Duration at) {
  client.send(to_resp(words));
  Reply reply = reply_of(client.message());
  for (;; reply = reply_of(client.message())) {
    if (is_message(reply, "pong")) continue;  // to a PING that came while the server stood still
    if (!is_message(reply, "message")) break;
    messages.push_back(std::move(reply));
  }
  note_log(at);
  return reply;
}

bool StagedServer::says(const char* section, std::string_view line) {
  return ask({"INFO", section}).value().bytes().find(line) != std::string::npos;
}

/// A command's changes are in the file once the buffer is empty.
void StagedServer::note_log(Duration at) {
  if (!keeps_sizes_) return;
  const std::int64_t give_up = machine_ns() + answer_ns_max;
  while (!says("persistence", "aof_buffer_length:0\r")) {
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not write its log", spec_.name));
    nap();
  }
  log_sizes_.emplace_back(at, process_.log_size());
}

/// A replica's log is begun anew behind a copy, by a process of its own.
void StagedServer::await_rewrite() {
  using harness::Persistence;
  if (spec_.persistence != Persistence::aof_everysec && spec_.persistence != Persistence::aof_always) return;
  const std::int64_t give_up = machine_ns() + answer_ns_max;
  while (!says("persistence", "aof_rewrite_in_progress:0\r") || !says("persistence", "aof_rewrite_scheduled:0\r")) {
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not rewrite its log", spec_.name));
    nap();
  }
  forget_log_before(process_.log_size());
}

void StagedServer::begin_anew() {
  std::error_code none;
  std::filesystem::remove(snapshot_, none);
  note_log({});
  forget_log_before(process_.log_size());
}

void StagedServer::forget_log_before(std::int64_t size) { log_sizes_.assign(1, {long_ago, size}); }

std::vector<std::pair<std::string, std::string>> StagedServer::take_events() {
  std::vector<std::pair<std::string, std::string>> events;
  const std::string mark = std::to_string(++marks_);
  observer_->send(to_resp({"PING", Value(mark)}));
  for (Reply event = reply_of(observer_->message()); !is_message(event, "pong");
       event = reply_of(observer_->message())) {
    events.emplace_back(text(event, 2).substr(events_prefix.size()), text(event, 3));
  }
  return events;
}

std::vector<harness::Effect> StagedServer::take_effects(std::int64_t wall_ms) {
  std::vector<harness::Effect> effects;
  for (auto& [event, key] : take_events()) effects.push_back(effect_of(std::move(event), std::move(key)));
  for (std::size_t i = effects.size(); i-- > 0;) {
    const auto later = [&](std::size_t j) { return effects[j].key == effects[i].key; };
    bool last = true;
    for (std::size_t j = i + 1; j < effects.size(); ++j) last = last && !later(j);
    if (!last || effects[i].event != "expire") continue;
    const Reply stamp = ask({"PEXPIRETIME", Value(effects[i].key)});
    if (stamp.kind() == Reply::Kind::integer && stamp.integer() >= 0) {
      effects[i].ttl = milliseconds(stamp.integer() - wall_ms);
    }
  }
  return effects;
}

void StagedServer::stop() {
  if (stops_++ == 0) process_.process().stop();
}

void StagedServer::go_on() {
  if (--stops_ == 0) process_.process().go_on();
}

Reply StagedServer::ask_awake(const std::vector<Value>& words) {
  process_.process().go_on();
  Reply reply = ask(words);
  if (stands()) process_.process().stop();
  return reply;
}

void StagedServer::shut_down() {
  down_ = true;
  process_.shut_down();
  if (keeps_sizes_) forget_log_before(process_.log_size());
  std::error_code none;
  std::filesystem::copy_file(folder_ + "/dump.rdb", snapshot_, std::filesystem::copy_options::overwrite_existing, none);
}

/// Copies for replicas go through the file of snapshots. A server starts with the snapshot of its last orderly end, as
/// with --rdb-del-sync-files, which goes with no snapshots at all.
void StagedServer::put_files() const {
  std::error_code none;
  std::filesystem::remove(folder_ + "/dump.rdb", none);
  if (spec_.persistence != harness::Persistence::rdb) return;
  std::filesystem::copy_file(snapshot_, folder_ + "/dump.rdb", none);
}

void StagedServer::kill() {
  down_ = true;
  process_.process().kill();
}

/// Commands that are not on disk yet are lost: the file is cut off where it ended that long ago.
void StagedServer::lose_power(Duration at) {
  kill();
  if (!keeps_sizes_) return;
  std::int64_t size = 0;
  for (const auto& [when, bytes] : log_sizes_) {
    if (when + spec_.unsynced <= at) size = bytes;
  }
  process_.cut_log(size);
  forget_log_before(size);
}

/// Until it is told not to, it looks for keys that have expired. A log is read as it is, so that is done long before
/// anything has.
void StagedServer::start_again(std::int64_t wall_ms, bool as_replica) {
  const bool reads_log = spec_.persistence != harness::Persistence::rdb;
  set_clock(reads_log || as_replica ? wall_ms - long_ms : wall_ms);
  put_files();
  process_.spawn_again();
  await_up({.name = spec_.name,
            .folder = process_.folder(),
            .is_up = [this] { return process_.is_up(); },
            .is_alive = [this] { return process_.process().alive(); }});
  set_clock(wall_ms);
  attend();
  down_ = false;
  if (stops_ > 0) process_.process().stop();
}

void StagedServer::flush() {
  (void)ask({"CONFIG", "SET", "min-replicas-to-write", "0"});
  (void)ask({"FLUSHALL"});
  (void)ask({"CONFIG", "SET", "min-replicas-to-write", Value::number(spec_.min_replicas_to_write)});
}

/// Queried at an instant when the key has not expired, since the server would otherwise treat it as absent.
bool StagedServer::expires(const std::string& key) {
  const std::int64_t now_ms = wall_ms_;
  set_clock(now_ms - long_ms);
  const Reply stamp = ask({"PEXPIRETIME", Value(key)});
  set_clock(now_ms);
  return stamp.kind() == Reply::Kind::integer && stamp.integer() > 0;
}

/// All keys of a kind go when there is no memory at all, so that can be done only where the key is the only one of its
/// kind. A server makes room before it runs a command.
bool StagedServer::evict(const std::string& key) {
  const std::string counts = ask({"INFO", "keyspace"}).value().bytes();  // db0:keys=1,expires=1,avg_ttl=0
  const bool alone = counts.find(":keys=1,") != std::string::npos;
  const bool one_expires = counts.find(",expires=1,") != std::string::npos;
  if (!alone && !(one_expires && expires(key))) return false;
  (void)ask({"CONFIG", "SET", "maxmemory-policy", alone ? "allkeys-random" : "volatile-ttl"});
  (void)ask({"CONFIG", "SET", "maxmemory", "1"});
  (void)ask({"PING"});
  (void)ask({"CONFIG", "SET", "maxmemory", "0"});
  return true;
}

}  // namespace lockproof::real
