// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/waits.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::sim::redis {

std::int64_t ReplicaWait::acknowledged() const {
  return std::ranges::count_if(missing, [](const auto& one) { return one.second == 0; });
}

void ReplicaWaits::begin(ReplicaWait wait) {
  for (Follower& follower : followers_) wait.missing[follower.host] = ++follower.asked;
  open_.push_back(std::move(wait));
}

void ReplicaWaits::close(int connection) {
  std::erase_if(open_, [&](const ReplicaWait& wait) { return wait.connection == connection; });
}

void ReplicaWaits::acknowledged(int host) {
  const auto follower = std::ranges::find(followers_, host, &Follower::host);
  if (follower == followers_.end() || follower->asked == 0) return;
  --follower->asked;
  for (ReplicaWait& wait : open_) {
    const auto found = wait.missing.find(host);
    if (found != wait.missing.end() && found->second > 0) --found->second;
  }
}

bool ReplicaWaits::join(int host) {
  leave(host);
  const bool asked = !open_.empty();
  followers_.insert(std::ranges::upper_bound(followers_, host, {}, &Follower::host), Follower{host, asked ? 1 : 0});
  for (ReplicaWait& wait : open_) wait.missing[host] = 1;
  return asked;
}

/// What the replica has acknowledged does not count any more, as in Redis, which looks at linked replicas only.
void ReplicaWaits::leave(int host) {
  std::erase_if(followers_, [&](const Follower& follower) { return follower.host == host; });
  for (ReplicaWait& wait : open_) wait.missing.erase(host);
}

void ReplicaWaits::set_good(int host, bool good) {
  for (Follower& follower : followers_) {
    if (follower.host == host) follower.good = good;
  }
}

int ReplicaWaits::good_followers() const {
  return static_cast<int>(std::ranges::count(followers_, true, &Follower::good));
}

std::vector<ReplicaWait> ReplicaWaits::take_ended(std::int64_t now_ms) {
  std::vector<ReplicaWait> ended;
  std::erase_if(open_, [&](ReplicaWait& wait) {
    const bool over = wait.acknowledged() >= wait.wanted || (wait.until_ms && now_ms > *wait.until_ms);
    if (over) ended.push_back(std::move(wait));
    return over;
  });
  return ended;
}

ReplicaWaits ReplicaWaits::canonical(std::int64_t now_ms, const std::map<int, int>& numbers) const {
  ReplicaWaits renamed;
  renamed.followers_ = followers_;
  for (const ReplicaWait& wait : open_) {
    const auto number = numbers.find(wait.connection);
    if (number == numbers.end()) continue;
    ReplicaWait& moved = renamed.open_.emplace_back(wait);
    moved.connection = number->second;
    if (moved.until_ms) *moved.until_ms -= now_ms;
  }
  return renamed;
}

}  // namespace lockproof::sim::redis
