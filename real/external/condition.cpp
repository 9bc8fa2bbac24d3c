// SPDX-License-Identifier: Apache-2.0
#include "real/external/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "real/clock/world_time.hpp"
#include "real/external/external_servers.hpp"

namespace lockproof::real {
namespace {

/// Commands that remove a lock from its holder, or make all clients wait.
constexpr std::string_view blows[] = {"flushall", "flushdb", "swapdb", "debug", "client|pause", "client|kill"};
constexpr std::int64_t clock_slack_us = 20'000;
constexpr std::int64_t clock_slack_part = 1'000;  // of the time in between: a clock that is being set right

std::int64_t calls_of(const Info& info, std::string_view command) {
  const std::string stats = at(info, fmt::format("cmdstat_{}", command));  // calls=12,usec=…
  return stats.starts_with("calls=") ? number_in(std::string_view(stats).substr(6)) : 0;
}

std::string upper(std::string_view word) {
  std::string raised;
  for (const char c : word) raised += c == '|' ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return raised;
}

}  // namespace

Info info_from(std::string_view text) {
  Info info;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view value = line.substr(colon + 1);
    info.emplace(line.substr(0, colon), value.substr(0, value.find('\r')));
  }
  return info;
}

std::string at(const Info& info, std::string_view name) {
  const auto found = info.find(name);
  return found == info.end() ? "" : found->second;
}

std::int64_t number_in(std::string_view text) {
  std::int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

std::optional<Condition> condition_of(ExternalLink& link) {
  Condition condition;
  condition.machine_us = machine_ns() / 1000;
  const auto info = link.ask({"INFO"});
  condition.took_us = machine_ns() / 1000 - condition.machine_us;
  const auto stats = link.ask({"INFO", "commandstats"});
  if (!info || info->is_error() || !stats || stats->is_error()) return std::nullopt;
  condition.info = info_from(info->value().bytes());
  condition.info.merge(info_from(stats->value().bytes()));
  return condition;
}

std::string struck_between(const Condition& before, const Condition& after) {
  const auto changed = [&](std::string_view name) { return at(before.info, name) != at(after.info, name); };
  if (changed("run_id")) return "it was restarted";
  if (changed("role")) return "it became another's replica, or a master";
  for (const std::string_view blow : blows) {
    if (calls_of(after.info, blow) > calls_of(before.info, blow)) return fmt::format("a client ran {}", upper(blow));
  }
  if (number_in(at(after.info, "evicted_keys")) > number_in(at(before.info, "evicted_keys"))) {
    return "it was short of memory and evicted keys";
  }
  const std::int64_t shown_before = number_in(at(before.info, "server_time_usec"));
  const std::int64_t shown_after = number_in(at(after.info, "server_time_usec"));
  const std::int64_t passed = after.machine_us - before.machine_us;
  const std::int64_t ahead = shown_after - shown_before - passed;
  const std::int64_t slack = clock_slack_us + before.took_us + after.took_us + passed / clock_slack_part;
  if (shown_before > 0 && shown_after > 0 && std::abs(ahead) > slack) {
    return fmt::format("its clock jumped by {} ms", ahead / 1000);
  }
  return {};
}

std::vector<std::string> struck_since(const ExternalServers& all, const std::vector<Condition>& before) {
  std::vector<std::string> struck;
  for (std::size_t i = 0; i < all.servers.size(); ++i) {
    const ExternalServer& server = all.servers[i];
    ExternalLink link;
    const std::string gone = link.connect(server.endpoint);
    std::string what = gone.empty() ? "" : fmt::format("it no longer answers ({})", gone);
    if (gone.empty()) {
      if (const auto words = greeting(all.credentials)) static_cast<void>(link.ask(*words));
      const auto now = condition_of(link);
      what = now ? struck_between(before.at(i), *now)
                 : "it no longer answers" + (link.trouble().empty() ? "" : ": " + link.trouble());
    }
    if (!what.empty()) struck.push_back(fmt::format("{} was not left alone: {}", server.name, what));
  }
  return struck;
}

}  // namespace lockproof::real
