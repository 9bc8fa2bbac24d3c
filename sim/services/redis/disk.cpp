// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/disk.hpp"

#include <algorithm>

namespace lockproof::sim::redis {

void Disk::write(Duration now, const Dataset& keys) {
  if (!logs_seconds()) return;
  settled_ = flushed(now);
  changes_ = unflushed(now);
  changes_.emplace_back(now, keys);
}

void Disk::rewrite(const Dataset& keys) {
  if (!logs_seconds()) return;
  settled_ = keys;
  changes_.clear();
}

Dataset Disk::end(Duration now, const Dataset& keys, bool without_warning) {
  switch (kind_) {
    case harness::Persistence::none: return {};
    case harness::Persistence::rdb:  // saved by an orderly end; after a power cut the last save is loaded
      if (!without_warning) snapshot_ = keys;
      return snapshot_;
    case harness::Persistence::aof_always: return keys;
    case harness::Persistence::aof_everysec: break;
  }
  rewrite(without_warning ? Dataset(flushed(now)) : keys);
  return settled_;
}

const Dataset& Disk::flushed(Duration now) const {
  const auto young = std::ranges::find_if(changes_, [&](const Change& one) { return one.first + unsynced_ > now; });
  return young == changes_.begin() ? settled_ : std::prev(young)->second;
}

std::vector<Disk::Change> Disk::unflushed(Duration now) const {
  const auto young = std::ranges::find_if(changes_, [&](const Change& one) { return one.first + unsynced_ > now; });
  return {young, changes_.end()};
}

}  // namespace lockproof::sim::redis
