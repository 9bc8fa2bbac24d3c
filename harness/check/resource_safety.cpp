// SPDX-License-Identifier: Apache-2.0
// Resource safety: the protected resource accepted a write whose base was not its current version (a lost update), or
// an access of an older grant after one of a newer grant. Overlap is not needed for that: a crashed client's message
// may still be on its way.
#include <fmt/format.h>

#include <charconv>
#include <tuple>

#include "harness/check/properties.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

std::int64_t base_of(const Event& write) {
  const std::string& text = write.command->words().at(1).bytes();
  std::int64_t base = -1;
  std::from_chars(text.data(), text.data() + text.size(), base);
  return base;
}

Finding lost_update(const harness::History& h, std::size_t i, std::int64_t current, std::size_t last_write) {
  const Event& write = h.events[i];
  return {
      "",
      Verdict::violated,
      "",
      fmt::format("the resource took {}'s write at {}, based on version {}, when version {} was current: {}'s update "
                  "is lost",
                  h.host_name(write.peer), seconds_text(write.at), base_of(write), current,
                  h.host_name(h.events[last_write].peer)),
      {last_write, i}};
}

Finding out_of_order(const harness::History& h, std::size_t i, std::size_t newest) {
  const Event& access = h.events[i];
  return {"",
          Verdict::violated,
          "",
          fmt::format("the resource took {}'s {} at {}, under an older grant than {}'s access at {}",
                      h.host_name(access.peer), access.command->verb(), seconds_text(access.at),
                      h.host_name(h.events[newest].peer), seconds_text(h.events[newest].at)),
          {newest, i}};
}

}  // namespace

/// A lost update is the clearer of the two findings, so it is reported even where the other came first.
Finding resource_safety(const harness::History& history, const harness::Scenario&) {
  Finding found;
  int grants = 0, newest_grant = 0;
  std::size_t newest_access = 0, last_write = 0;
  std::int64_t current = 0;
  std::map<harness::HostIndex, int> grant_of;              // of each client, in grant order
  std::map<std::pair<harness::HostIndex, int>, int> sent;  // under which grant a message was sent
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.what == What::granted) grant_of[event.host] = ++grants;
    const bool to_resource =
        event.peer != harness::no_host && history.host_kind(event.peer) == harness::HostKind::resource;
    if (event.what == What::send && to_resource) sent[{event.host, event.message}] = grant_of[event.host];

    const bool at_resource =
        event.host != harness::no_host && history.host_kind(event.host) == harness::HostKind::resource;
    const bool accepted =
        event.what == What::execute && at_resource && event.reply && event.reply->kind() == Reply::Kind::integer;
    if (!accepted) continue;
    if (event.command->verb() == "WRITE") {
      if (base_of(event) != current) return lost_update(history, i, current, last_write);
      current = event.reply->integer();
      last_write = i;
    }
    const int grant = sent[{event.peer, event.message}];
    if (grant < newest_grant) {
      if (found.verdict != Verdict::violated) found = out_of_order(history, i, newest_access);
      continue;
    }
    newest_grant = grant;
    newest_access = i;
  }
  return found;
}

}  // namespace lockproof::check
