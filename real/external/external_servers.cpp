// SPDX-License-Identifier: Apache-2.0
#include "real/external/external_servers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "algorithms/scripts.hpp"
#include "real/errors.hpp"

namespace lockproof::real {
namespace {

using Words = std::vector<Value>;
using Names = std::vector<std::string>;

/// The keys, or the channels, that a command names.
Names second(const Words& words) { return {words.at(1).bytes()}; }
Names none(const Words&) { return {}; }
Names of_script(const Words& words) {
  const std::string& text = words.at(1).bytes();
  if (std::ranges::find(scripts::all, text, &Script::text) == std::end(scripts::all)) {
    throw std::logic_error("a client wants to run a script that is none of ours on a server that is not ours");
  }
  const std::string& digits = words.at(2).bytes();
  std::size_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(words.at(3 + i).bytes());
  return names;
}

struct Verb {
  std::string_view name;
  Names (*names)(const Words&);
};
constexpr Verb verbs[] = {{"SET", second},     {"SETNX", second},    {"GET", second},    {"GETSET", second},
                          {"DEL", second},     {"INCR", second},     {"EXPIRE", second}, {"WAIT", none},
                          {"EVAL", of_script}, {"SUBSCRIBE", second}};

Names made(std::span<const std::string_view> patterns, const std::string& lock) {
  Names names;
  for (const std::string_view pattern : patterns) names.push_back(name_of(pattern, lock));
  return names;
}

}  // namespace

std::string drawn_word() {
  std::uint32_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) throw BadEnvironment("this machine has no random numbers");
  return fmt::format("{:08x}", bits);
}

harness::Scenario under_prefix(const harness::Scenario& scenario, const std::string& prefix) {
  harness::Scenario own = scenario;
  own.lock = prefix + scenario.lock;
  for (harness::ClientSpec& client : own.clients) {
    if (!client.plan.lock.empty()) client.plan.lock = prefix + client.plan.lock;
    for (harness::Work& step : client.plan.work) {
      if (!step.lock.empty()) step.lock = prefix + step.lock;
    }
  }
  own.speedup = 1;
  return own;
}

Names keys_of(const harness::Scenario& scenario) {
  Names keys;
  for (const std::string& lock : scenario.locks()) {
    keys.push_back(lock);
    for (std::string& key : made(scenario.algorithm->further_keys, lock)) keys.push_back(std::move(key));
  }
  return keys;
}

Names channels_of(const harness::Scenario& scenario) {
  Names all;
  for (const std::string& lock : scenario.locks()) {
    for (std::string& channel : made(scenario.algorithm->channels, lock)) all.push_back(std::move(channel));
  }
  return all;
}

std::optional<Command> greeting(const Credentials& credentials) {
  if (credentials.password.empty()) return std::nullopt;
  Words words;
  words.emplace_back("AUTH");
  if (!credentials.username.empty()) words.emplace_back(credentials.username);
  words.emplace_back(credentials.password);
  return Command(std::move(words));
}

void require_own(const ExternalServers& servers, const Command& command) {
  const std::string& verb = command.args().at(0).bytes();
  const auto known = std::ranges::find(verbs, verb, &Verb::name);
  if (known == std::end(verbs)) {
    throw std::logic_error(fmt::format("a client wants to send {} to a server that is not ours", verb));
  }
  const Names& allowed = verb == "SUBSCRIBE" ? servers.channels : servers.keys;
  for (const std::string& name : known->names(command.args())) {
    const bool channel = verb == "EVAL" && std::ranges::find(servers.channels, name) != servers.channels.end();
    if (channel || std::ranges::find(allowed, name) != allowed.end()) continue;
    throw std::logic_error(fmt::format("a client's {} names '{}' on a server that is not ours", verb, name));
  }
}

const std::string& commands_of_clients() {
  static const std::string all = [] {
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs) names.push_back(verb.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }();
  return all;
}

}  // namespace lockproof::real
