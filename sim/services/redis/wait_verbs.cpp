// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (replication.c, networking.c, timeout.c).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

/// A stamp this many milliseconds from now; 0 stays 0. Redis adds without checking whether the sum fits.
std::optional<std::int64_t> stamp(const Scene& scene, const Value& word, std::optional<Reply>& error) {
  const auto ms = integer(word);
  if (!ms) error = Reply::error("ERR timeout is not an integer or out of range");
  if (ms && *ms < 0) error = Reply::error("ERR timeout is negative");
  if (!ms || *ms <= 0) return 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*ms) + static_cast<std::uint64_t>(scene.now_ms));
}

}  // namespace

/// A master asks its replicas how far they are when a WAIT is open, and does not know it before.
Reply wait(Scene& scene, const Words& words) {
  if (scene.node.replica) {
    return Reply::error(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is "
        "configured to be writable (which is not the default) writes to replicas are just local and are not "
        "propagated.");
  }
  const auto wanted = integer(words[1]);
  if (!wanted) return Reply::error(not_an_integer);
  std::optional<Reply> error;
  const auto until = stamp(scene, words[2], error);
  if (error) return *std::move(error);
  const auto kept = static_cast<std::int32_t>(*wanted);  // Redis keeps it in an int: 9223372036854775807 is -1 there
  if (*wanted <= 0 || kept <= 0 || !scene.may_wait) return Reply::integer(0);
  scene.node.waits.begin({scene.connection, kept, *until == 0 ? std::nullopt : until});
  scene.out.waits = true;
  return Reply::nil();
}

/// While a pause is active, another one can only make it longer and include more commands.
Reply client_pause(Scene& scene, const Words& words) {
  if (words.size() > 4) {
    return Reply::error(
        one_line(fmt::format("ERR unknown subcommand or wrong number of arguments for '{}'. Try CLIENT HELP.",
                             std::string(words[1].bytes().c_str()).substr(0, 128))));
  }
  const bool all = words.size() == 3 || is_word(words[3], "ALL");
  if (!all && !is_word(words[3], "WRITE")) return Reply::error("ERR CLIENT PAUSE mode must be WRITE or ALL");
  std::optional<Reply> error;
  const auto end = stamp(scene, words[2], error);
  if (error) return *std::move(error);
  auto& pause = scene.node.pause;
  pause = Pause{pause ? std::max(pause->end_ms, *end) : *end, all || (pause && pause->all)};
  return Reply::status("OK");
}

Reply client_unpause(Scene& scene, const Words&) {
  scene.node.pause.reset();
  return Reply::status("OK");
}

}  // namespace lockproof::sim::redis::verbs
