// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/server_process.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t clock_apart_us_max = 30ll * 86'400 * 1'000'000;  // scenarios begin years before today
constexpr std::int64_t end_ns_max = 3'000'000'000;

}  // namespace

ServerProcess::ServerProcess(std::string name, Janitor& janitor, std::int64_t wall_us, std::int64_t speedup,
                             harness::Persistence persistence, ServerExtras extras)
    : name_(std::move(name)), janitor_(janitor), folder_(fmt::format("{}/{}", janitor.folder(), name_)),
      persistence_(persistence), extras_(std::move(extras)), clock_(wall_us, speedup, extras_.whole_life) {
  std::filesystem::create_directory(folder_);
  port_ = free_port();
  spawn();
}

ServerProcess::~ServerProcess() = default;

/// The allocator's thread sleeps until an instant of the wall clock, which the kernel does not know: it would never
/// sleep. Snapshots are made at a shutdown only. A replica's link must not end because scaled clocks, or jumping ones,
/// make it look idle.
std::vector<std::string> ServerProcess::arguments() const {
  using harness::Persistence;
  const bool appends = persistence_ == Persistence::aof_everysec || persistence_ == Persistence::aof_always;
  std::vector<std::string> all{"redis-server",
                               "--port",
                               std::to_string(port_),
                               "--bind",
                               "127.0.0.1",
                               "--daemonize",
                               "no",
                               "--databases",
                               "1",
                               "--save",
                               "",
                               "--appendonly",
                               appends ? "yes" : "no",
                               "--appendfsync",
                               persistence_ == Persistence::aof_always ? "always" : "everysec",
                               "--auto-aof-rewrite-percentage",
                               "0",
                               "--dir",
                               folder_,
                               "--logfile",
                               folder_ + "/log",
                               "--jemalloc-bg-thread",
                               "no",
                               "--enable-debug-command",
                               "local",
                               "--hz",
                               extras_.whole_life ? "10" : "100",
                               "--notify-keyspace-events",
                               "KEA",
                               "--client-output-buffer-limit",
                               "pubsub 0 0 0 replica 0 0 0",
                               "--repl-diskless-sync",
                               "no",
                               "--repl-timeout",
                               "1000000000",
                               "--repl-ping-replica-period",
                               "1"};
  all.insert(all.end(), extras_.arguments.begin(), extras_.arguments.end());
  return all;
}

void ServerProcess::spawn() { process_ = spawn_server(redis_program(extras_.program), arguments(), clock_, janitor_); }

bool ServerProcess::connect() { return control_.connect(port_, process_->pid()); }

void ServerProcess::await_ready() {
  await_up({.name = name_,
            .folder = folder_,
            .is_up = [this] { return connect(); },
            .is_alive = [this] { return process_->alive(); },
            .spawn_elsewhere =
                [this] {
                  port_ = free_port();
                  spawn();
                }});
  set_up();
}

/// By the machine's clock its leases would end at other times than the scenario says, and nothing else would show it.
void ServerProcess::require_our_clock() {
  const auto time = control_.ask({"TIME"});
  const bool told = time && time->kind() == Reply::Kind::array && time->items().size() == 2;
  const std::int64_t shown_us = told ? std::stoll(time->items()[0].value().bytes()) * 1'000'000 : 0;
  if (std::abs(shown_us - clock_.shows_us()) < clock_apart_us_max) return;
  throw BadEnvironment(fmt::format(
      "{} does not go by lockproof's clock: is redis-server linked statically, or does a script start it?", name_));
}

void ServerProcess::set_up() {
  require_our_clock();
  // Keys then expire when they are looked at, as in the simulator; no client can tell the difference.
  const auto lazy = control_.ask({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  if (!lazy || lazy->kind() != Reply::Kind::status) {
    throw BadEnvironment(fmt::format("{} refuses DEBUG SET-ACTIVE-EXPIRE; redis-server 7.0 or later is needed", name_));
  }
}

bool ServerProcess::mark(const std::string& word) { return ask({"ECHO", word}).has_value(); }

std::optional<Reply> ServerProcess::ask(const std::vector<std::string>& words) {
  if (!process_->alive()) return std::nullopt;
  if (std::exchange(did_not_answer_, false)) reconnect();
  return control_.ask(words);
}

std::optional<Reply> ServerProcess::ask_soon(const std::vector<std::string>& words) {
  if (!process_->alive()) return std::nullopt;
  if (std::exchange(did_not_answer_, false)) reconnect();
  std::optional<Reply> reply = control_.ask_soon(words);
  did_not_answer_ = !reply;
  return reply;
}

std::optional<std::vector<Reply>> ServerProcess::ask_together(const std::vector<std::vector<std::string>>& commands) {
  if (!process_->alive()) return std::nullopt;
  if (std::exchange(did_not_answer_, false)) reconnect();
  return control_.ask_together(commands);
}

void ServerProcess::shut_down() {
  process_->go_on();
  const bool saves = persistence_ == harness::Persistence::rdb;
  static_cast<void>(ask({"SHUTDOWN", saves ? "SAVE" : "NOSAVE", "NOW", "FORCE"}));  // its answer is its end
  const std::int64_t give_up = machine_ns() + end_ns_max;
  while (process_->alive() && machine_ns() < give_up) nap();
  process_->kill();
}

void ServerProcess::spawn_again() {
  control_.close();
  spawn();
}

bool ServerProcess::is_up() {
  if (!process_->alive()) throw BadEnvironment(fmt::format("{} does not start again; {}", name_, last_words(folder_)));
  if (!connect()) return false;
  set_up();
  return true;
}

/// The newest: an older one may not be gone yet when the log has been written anew.
std::string ServerProcess::log_file() const {
  const auto newer = [](const std::string& one, const std::string& other) {
    return std::pair(one.size(), one) < std::pair(other.size(), other);
  };
  std::error_code ignored;
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/appendonlydir", ignored)) {
    const std::string file = entry.path();
    if (file.ends_with(".incr.aof") && newer(newest, file)) newest = file;
  }
  return newest;
}

std::int64_t ServerProcess::log_size() const {
  const std::string file = log_file();
  std::error_code none;
  const auto size = file.empty() ? 0 : std::filesystem::file_size(file, none);
  return none ? 0 : static_cast<std::int64_t>(size);
}

void ServerProcess::cut_log(std::int64_t size) const {
  const std::string file = log_file();
  if (!file.empty() && size < log_size()) std::filesystem::resize_file(file, static_cast<std::uintmax_t>(size));
}

}  // namespace lockproof::real
