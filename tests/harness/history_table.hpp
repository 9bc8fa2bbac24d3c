// SPDX-License-Identifier: Apache-2.0
// Histories as text tables, one event a line: milliseconds, host, what, and then what that event needs.
#pragma once

#include <sstream>
#include <string>

#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {

/// "granted 10s" (left, by the monotonic clock), "exit", "strike crash", "send redis-1 3 DEL", "time-out redis-1 3",
/// "execute A 3 DEL =1 released", "execute A 2 WRITE 0 =1" …
inline harness::History parsed(const std::string& table, int servers = 1) {
  harness::History h;
  h.header.hosts = {
      {"A", harness::HostKind::client}, {"B", harness::HostKind::client}, {"C", harness::HostKind::client}};
  for (int i = 1; i <= servers; ++i)
    h.header.hosts.push_back({"redis-" + std::to_string(i), harness::HostKind::server});
  h.header.hosts.push_back({"resource", harness::HostKind::resource});
  std::stringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::stringstream words(line);
    std::string host, what;
    std::int64_t at = 0;
    if (!(words >> at >> host >> what)) continue;
    harness::Event e{.what = harness::what_named(what).value()};
    e.host = h.host_named(host);
    e.at = milliseconds(at);
    e.clocks = {at, at * 1000, at * 1000};
    std::vector<Value> command;
    for (std::string word; words >> word;) {
      if (h.host_named(word) != harness::no_host) {
        e.peer = h.host_named(word);
      } else if (const auto d = harness::duration_from(word, true);
                 d && e.what != harness::What::send && e.what != harness::What::execute) {
        if (e.what == harness::What::strike) e.value = d->count();
        if (e.what != harness::What::strike) e.left = harness::TimeLeft{*d, "mono"};
      } else if (word == "by-wall") {
        e.left->clock = "wall";
      } else if (word[0] == '=') {
        e.reply = Reply::integer(std::stoll(word.substr(1)));
      } else if (e.what == harness::What::send || e.what == harness::What::execute) {
        if (e.message == 0 && std::isdigit(static_cast<unsigned char>(word[0])))
          e.message = std::stoi(word);
        else if (word.starts_with("renewed:"))
          e.effects.push_back(
              {harness::Change::renewed, "", "lock", floor<milliseconds>(*harness::duration_from(word.substr(8)))});
        else if (std::islower(static_cast<unsigned char>(word[0])))
          e.effects.push_back({harness::change_named(word).value(), "", "lock", {}});
        else
          command.emplace_back(word);
      } else if (e.what == harness::What::time_out && std::isdigit(static_cast<unsigned char>(word[0]))) {
        e.message = std::stoi(word);
      } else if (e.what == harness::What::strike && std::isdigit(static_cast<unsigned char>(word[0]))) {
        e.fault = std::stoi(word);
      } else if (e.what == harness::What::start && word.starts_with("round")) {
        e.round = std::stoi(word.substr(5));
      } else if (word.starts_with("depth")) {
        e.value = std::stoi(word.substr(5));
      } else if (word.starts_with("fence")) {
        e.fence = std::stoi(word.substr(5));
      } else if (word.starts_with("others")) {
        e.others = std::stoi(word.substr(6));
      } else {
        e.word = word;
      }
    }
    if (!command.empty()) e.command = Command(command);
    h.events.push_back(e);
  }
  return h;
}

}  // namespace lockproof::tests
