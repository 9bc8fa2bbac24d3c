// SPDX-License-Identifier: Apache-2.0
#include "conformance/memcached/real_side.hpp"

#include <charconv>
#include <vector>

#include "real/errors.hpp"
#include "real/services/server_program.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::conformance::memcached {
namespace {

constexpr std::int64_t speedup = 20;
constexpr std::size_t number_of_cas = 4;

[[noreturn]] void gone() { throw real::BadEnvironment("memcached does not answer"); }

}  // namespace

RealSide::RealSide(const std::string& program) : clock_(real::epoch_us, speedup, true) {
  const int port = real::free_port();
  process_ = real::spawn_server(
      {.name = "memcached", .package = "memcached", .path = program},
      {"memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", std::to_string(port), "-U", "0", "-t", "1", "-m", "8"},
      clock_, janitor_);
  real::await_up({.name = "memcached",
                  .folder = janitor_.folder(),
                  .is_up = [this, port] { return client_.connect(port, process_->pid()); },
                  .is_alive = [this] { return process_->alive(); }});
}

void RealSide::reset() {
  const auto done = client_.ask_together({Command({"flush_all"}), Command({"set", "numbers", "", "-1"}),
                                          Command({"set", "numbers", "", "0"}), Command({"gets", "numbers"}),
                                          Command({"delete", "numbers"})});
  if (!done || done->at(3).kind() != Reply::Kind::array) gone();
  numbered_from_ = done->at(3).items()[1].integer();
}

std::int64_t RealSide::tick() {
  const auto uptime = client_.statistic("uptime");
  if (!uptime) gone();
  return *uptime;
}

void RealSide::await_tick(std::int64_t wanted) {
  while (tick() < wanted) real::nap();
}

Reply RealSide::run(const Command& command) {
  std::vector<Value> words = command.args();
  if (command.verb() == "cas" && words.size() > number_of_cas) {
    std::int64_t number = 0;
    const std::string& text = words[number_of_cas].bytes();
    std::from_chars(text.data(), text.data() + text.size(), number);
    words[number_of_cas] = Value::number(renumbered(number, true));
  }
  const auto reply = client_.ask(Command(std::move(words)));
  if (!reply) gone();
  if (reply->kind() != Reply::Kind::array) return *reply;
  std::string value = reply->items()[0].value().bytes();
  while (value.ends_with(' ')) value.pop_back();  // see incr in sim/services/memcached/verbs.cpp
  return Reply::array({Reply::bulk(std::move(value)), Reply::integer(renumbered(reply->items()[1].integer(), false))});
}

}  // namespace lockproof::conformance::memcached
