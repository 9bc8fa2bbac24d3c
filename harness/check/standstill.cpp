// SPDX-License-Identifier: Apache-2.0
#include "harness/check/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace lockproof::check {

using harness::Event;
using harness::HostIndex;
using harness::What;

void Standstill::see(std::size_t position, const Event& event) {
  const bool for_ever = event.what == What::end && event.word == "finished";  // nothing will happen any more
  if (since_ && !found_it_ && (for_ever || is_longer(*since_, event.at, *scenario_.progress))) find(position, for_ever);
  apply(event);
  key_.see(event);
  if (!stands_still()) {
    since_.reset();
    return;
  }
  if (!since_) {
    since_ = event.at;
    since_position_ = position;
    found_it_ = false;
    attempts_ = 0;
  }
  if (event.what == What::busy || event.what == What::failed) ++attempts_;
}

void Standstill::apply(const Event& event) {
  interest_.see(event);
  if (event.what == What::attempt) last_attempt_ = event.at;
  if (event.what == What::strike) stop(event, 1);
  if (event.what == What::heal) stop(event, -1);
}

/// The host that a fault keeps from taking part. A link that is cut between a client and a server keeps the client from
/// it.
void Standstill::stop(const Event& event, int change) {
  if (harness::stands_still(event.word) || event.word == "restart" || event.word == "power-cut")
    stopped_[event.host] += change;
  if (event.word != "partition") return;
  const bool of_client = header_.host_kind(event.host) == harness::HostKind::client;
  if (of_client || event.peer == harness::no_host) {
    stopped_[event.host] += change;
  } else if (header_.host_kind(event.peer) == harness::HostKind::client) {
    stopped_[event.peer] += change;
  }
}

bool Standstill::stands_still() const {
  const auto up = [&](HostIndex host) {
    const auto found = stopped_.find(host);
    return found == stopped_.end() || found->second == 0;
  };
  if (std::ssize(interest_.holding()) >= scenario_.permits() || std::ranges::none_of(interest_.wanting(), up))
    return false;
  const auto down = static_cast<std::size_t>(std::ranges::count_if(key_.masters(), std::not_fn(up)));
  if (servers_ == ServerCondition::all_servers_are_up) return down == 0;
  return down > 0 && key_.masters().size() - down >= key_.quorum();
}

/// Whether the key exists and belongs to no attempt in progress.
bool Standstill::is_orphan(HostIndex server, Duration at) const {
  return key_.owner(server, at) != harness::no_host && !key_.is_being_taken(server);
}

std::string Standstill::kind(Duration at, bool for_ever) const {
  const auto orphans = static_cast<std::size_t>(
      std::ranges::count_if(key_.masters(), [&](HostIndex server) { return is_orphan(server, at); }));
  if (key_.masters().size() - orphans < key_.quorum()) return "orphaned";
  const auto free = key_.free_since(at);
  // A client that waits indefinitely has stopped trying, however often it has failed before.
  if (for_ever && free && interest_.attempting().empty()) return "lost-wakeup";
  if (attempts_ >= all_failed_twice()) return "livelock";
  if (free && interest_.attempting().empty() && last_attempt_ < std::max(*free, *since_)) return "lost-wakeup";
  return attempts_ > 1 ? "livelock" : "";
}

/// Whether only somebody who deletes another client's key can end it.
bool Standstill::lasts(Duration at) const {
  const auto stuck = static_cast<std::size_t>(std::ranges::count_if(
      key_.masters(), [&](HostIndex server) { return is_orphan(server, at) && key_.never_expires(server); }));
  return key_.masters().size() - stuck < key_.quorum();
}

/// The number of failed attempts that shows a livelock.
int Standstill::all_failed_twice() const { return 2 * static_cast<int>(interest_.wanting().size()); }

std::string Standstill::why(const std::string& kind, Duration at) const {
  if (kind == "lost-wakeup") return "the lock is free, but no client tries to take it";
  if (kind == "livelock") return fmt::format("{} attempts have failed meanwhile", attempts_);
  if (!has_kinds()) return fmt::format("{} attempts have failed meanwhile; whose its key is was not seen", attempts_);
  if (kind.empty()) return "no attempt has ended";
  for (const HostIndex server : key_.masters()) {
    if (!is_orphan(server, at)) continue;
    return fmt::format("{} has left its key on {}", header_.host_name(key_.owner(server, at)),
                       header_.host_name(server));
  }
  return "its key is still there";
}

void Standstill::encode(MonitorEncoding& into) const {
  const Duration age_most = *scenario_.progress + Duration(1);
  const auto age = [&](Duration then) { return into.age(then, age_most); };
  auto& numbers = into.numbers;
  if (has_kinds()) key_.encode(into, age_most);
  interest_.encode(into);
  for (const auto& [host, times] : stopped_) {
    if (times != 0) numbers.insert(numbers.end(), {-2, host, times});
  }
  if (!has_kinds()) {  // there are no kinds, of which the rest decides
    numbers.push_back(!since_ ? -3 : found_it_ ? -4 : age(*since_));
    return;
  }
  // Attempts before a standstill do not count for it, except those at the instant when it begins.
  if (!since_) return numbers.push_back(last_attempt_ == into.now ? -4 : -3);
  numbers.insert(numbers.end(), {age(*since_), found_it_, std::min(attempts_, all_failed_twice())});
  numbers.push_back(last_attempt_ < *since_ ? -1 : age(last_attempt_));
  // Ages are encoded up to the bound: beyond it, the kind that held when the bound passed would be lost.
  constexpr std::array kinds{"", "orphaned", "livelock", "lost-wakeup"};
  const bool settled = !found_it_ && into.now >= over_at();
  numbers.push_back(settled ? std::ranges::find(kinds, kind(over_at(), false)) - kinds.begin() : -1);
}

void Standstill::find(std::size_t position, bool for_ever) {
  found_it_ = true;
  if (found_.verdict == Verdict::violated) return;
  // The kind is determined when the bound passes, whenever the next event comes, if one comes at all.
  const Duration at = over_at();
  const std::string kind = has_kinds() ? this->kind(at, for_ever) : "";
  const HostIndex waiting = *interest_.wanting().begin();
  found_ = {"",
            Verdict::violated,
            kind,
            fmt::format("{} wants the lock and {} since {}, for more than the {} that are allowed: {}",
                        header_.host_name(waiting),
                        scenario_.permits() > 1 ? "a permit of it has been free" : "no client has held it",
                        seconds_text(*since_), seconds_text(*scenario_.progress), why(kind, at)),
            {since_position_, position},
            true,
            has_kinds(),
            has_kinds() && lasts(at)};
}

}  // namespace lockproof::check
