// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/real_side.hpp"

#include <fmt/format.h>

#include "real/errors.hpp"
#include "real/services/etcd/http.hpp"
#include "real/services/server_program.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::conformance::etcd {
namespace {

constexpr const char* all_keys = R"({"key":"AA==","range_end":"AA=="})";

}  // namespace

RealSide::RealSide(const std::string& program)
    : program_(program, janitor_.folder() + "/etcd", janitor_), port_(real::free_port()),
      port_for_peers_(real::free_port()), process_(program_.start(port_, port_for_peers_)) {
  await_up();
}

void RealSide::await_up() {
  real::await_up({.name = "etcd",
                  .folder = program_.folder(),
                  .is_up = [this] { return program_.is_up(port_); },
                  .is_alive = [this] { return process_->alive(); }});
}

std::string RealSide::exchanged(const std::string& request) {
  auto answer = real::EtcdControl(port_).exchange(request);
  if (!answer) throw real::BadEnvironment("the etcd of the comparison does not answer");
  return *std::move(answer);
}

std::int64_t RealSide::reset() {
  for (int client = 1; client <= clients; ++client) disconnect(client);
  return real::revision_in(exchanged(real::http_post("/v3/kv/deleterange", all_keys)));
}

void RealSide::disconnect(int client) {
  of(client).link.reset();
  of(client).watches.clear();
}

std::optional<Reply> RealSide::ask(int client, const Command& command) {
  Client& asks = of(client);
  if (command.verb() == "WATCH") {
    const std::string& key = command.args().at(1).bytes();
    asks.watches.remove_if([&](const Watch& watch) { return watch.key == key; });
    Watch& watch = asks.watches.emplace_back(key, port_);
    return watch.link.ask(command);
  }
  if (!asks.link) asks.link = std::make_unique<real::EtcdControl>(port_);
  return asks.link->ask(command);
}

std::vector<std::string> RealSide::told(int client) {
  std::vector<std::string> all;
  of(client).watches.remove_if([&](Watch& watch) {
    const bool told = watch.link.told_of_deletion();
    if (told) all.push_back(watch.key);
    return told;
  });
  return all;
}

/// A lease that there is not has a time of less than nothing.
bool RealSide::lives(std::int64_t lease) {
  const std::string answer = exchanged(real::http_post("/v3/lease/timetolive", fmt::format(R"({{"ID":"{}"}})", lease)));
  return real::http_body(answer).find(R"("TTL":"-1")") == std::string::npos;
}

void RealSide::restart() {
  process_->kill();
  for (int client = 1; client <= clients; ++client) disconnect(client);
  process_ = program_.start(port_, port_for_peers_);
  await_up();
}

}  // namespace lockproof::conformance::etcd
