// SPDX-License-Identifier: Apache-2.0
#include "real/external/sweep.hpp"

#include <fmt/format.h>
#include <time.h>

#include "real/external/link.hpp"

namespace lockproof::real {
namespace {

constexpr int sweeps_most = 10;
constexpr timespec pause{0, 20'000'000};  // for what is still on its way to the server when its sender is dead

std::string not_deleted(const ExternalServers& all, const ExternalServer& server, const std::string& why) {
  return fmt::format(
      "could not delete what may be left under {} on {} ({}): {}; a lock with a time to live ends by itself, and\n"
      "  DEL {} deletes it",
      all.prefix, server.name, server.address, why, fmt::join(all.keys, " "));
}

/// Deletes until twice in a row there is nothing.
std::string sweep(const ExternalServers& all, const ExternalServer& server) {
  ExternalLink link;
  if (const std::string why = link.connect(server.endpoint); !why.empty()) return not_deleted(all, server, why);
  if (const auto words = greeting(all.credentials)) static_cast<void>(link.ask(*words));
  std::vector<std::string> words{"DEL"};
  words.insert(words.end(), all.keys.begin(), all.keys.end());
  std::int64_t deleted = 0;
  int empty = 0;
  for (int i = 0; i < sweeps_most && empty < 2; ++i) {
    if (i > 0) ::nanosleep(&pause, nullptr);
    const auto reply = link.ask(words);
    if (!reply) return not_deleted(all, server, link.trouble());
    if (reply->is_error()) return not_deleted(all, server, reply->value().bytes());
    deleted += reply->integer();
    empty = reply->integer() == 0 ? empty + 1 : 0;
  }
  if (empty < 2) return not_deleted(all, server, "they come back");
  return fmt::format("{} left under {} on {} ({}){}",
                     deleted == 0   ? "no key was"
                     : deleted == 1 ? "1 key was"
                                    : fmt::format("{} keys were", deleted),
                     all.prefix, server.name, server.address,
                     deleted == 0   ? ""
                     : deleted == 1 ? "; it is deleted"
                                    : "; they are deleted");
}

}  // namespace

std::string sweep(const ExternalServers& servers) {
  std::string lines;
  for (const ExternalServer& server : servers.servers) lines += "lockproof: " + sweep(servers, server) + "\n";
  return lines;
}

}  // namespace lockproof::real
