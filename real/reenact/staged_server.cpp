// SPDX-License-Identifier: Apache-2.0
#include "real/reenact/staged_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "real/run.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view events_prefix = "__keyevent@0__:";
constexpr Duration fsync_period = seconds(1);  // of appendfsync everysec
constexpr std::int64_t start_ns_max = 10'000'000'000;

bool is_message(const Reply& reply, std::string_view kind) {
  return reply.kind() == Reply::Kind::array && reply.items().size() > 1 &&
         reply.items()[0].kind() == Reply::Kind::bulk && reply.items()[0].value().bytes() == kind;
}

const std::string& text(const Reply& reply, std::size_t item) { return reply.items()[item].value().bytes(); }

}  // namespace

StagedServer::StagedServer(const harness::ServerSpec& spec, Janitor& janitor, bool loses_power)
    : spec_(spec), keeps_sizes_(loses_power && spec.persistence == harness::Persistence::aof_everysec),
      process_(spec.name, janitor, epoch_us + spec.clock.wall.count(), 0, spec.persistence),
      wall_ms_((epoch_us + spec.clock.wall.count()) / 1000) {}

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

std::string StagedServer::version() {
  const std::string info = ask({"INFO", "server"}).value().bytes();
  const std::size_t begin = info.find("redis_version:") + 14;
  return info.substr(begin, info.find('\r', begin) - begin);
}

Reply StagedServer::run(Wire& client, const std::vector<Value>& words, std::vector<Reply>& messages, Duration at) {
  client.send(to_resp(words));
  Reply reply = reply_of(client.message());
  for (; is_message(reply, "message"); reply = reply_of(client.message())) messages.push_back(std::move(reply));
  if (keeps_sizes_) note_log(at);
  return reply;
}

/// What a command changed is in the file once the buffer is empty.
void StagedServer::note_log(Duration at) {
  const std::int64_t give_up = machine_ns() + start_ns_max;
  while (ask({"INFO", "persistence"}).value().bytes().find("aof_buffer_length:0\r") == std::string::npos) {
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not write its log", spec_.name));
    nap();
  }
  log_sizes_.emplace_back(at, process_.log_size());
}

std::vector<harness::Effect> StagedServer::take_effects(std::int64_t wall_ms) {
  std::vector<harness::Effect> effects;
  const std::string mark = std::to_string(++marks_);
  observer_->send(to_resp({"PING", Value(mark)}));
  for (Reply event = reply_of(observer_->message()); !is_message(event, "pong");
       event = reply_of(observer_->message())) {
    effects.push_back({text(event, 2).substr(events_prefix.size()), text(event, 3), std::nullopt});
  }
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

void StagedServer::shut_down() {
  down_ = true;
  process_.shut_down();
}

void StagedServer::kill() {
  down_ = true;
  process_.process().kill();
}

/// Of commands that are written down every second, those of the last second are lost: the file is cut off where it
/// ended then.
void StagedServer::lose_power(Duration at) {
  kill();
  if (!keeps_sizes_) return;
  std::int64_t size = 0;
  for (const auto& [when, bytes] : log_sizes_) {
    if (when + fsync_period <= at) size = bytes;
  }
  process_.cut_log(size);
  log_sizes_.assign(1, {at, size});
}

void StagedServer::start_again() {
  process_.spawn_again();
  for (const std::int64_t give_up = machine_ns() + start_ns_max; !process_.is_up(); nap()) {
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not start again", spec_.name));
  }
  attend();
  down_ = false;
  if (stops_ > 0) process_.process().stop();
}

/// All keys of a kind go when there is no memory at all, so that can be done only where the key is the only one of its
/// kind. A server makes room before it runs a command.
bool StagedServer::evict(const std::string& key) {
  const bool alone = ask({"DBSIZE"}).is_integer(1);
  const bool leased = !alone && ask({"PEXPIRETIME", Value(key)}).integer() > 0;
  if (!alone && !(leased && leased_keys() == 1)) return false;
  (void)ask({"CONFIG", "SET", "maxmemory-policy", leased ? "volatile-lru" : "allkeys-lru"});
  (void)ask({"CONFIG", "SET", "maxmemory", "1"});
  (void)ask({"PING"});
  (void)ask({"CONFIG", "SET", "maxmemory", "0"});
  return true;
}

std::int64_t StagedServer::leased_keys() {
  const Reply keys = ask({"KEYS", "*"});
  return std::ranges::count_if(keys.items(), [&](const Reply& key) {
    return ask({"PEXPIRETIME", key.value()}).integer() > 0;
  });
}

}  // namespace lockproof::real
