// SPDX-License-Identifier: Apache-2.0
#include "sim/services/postgres/database.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::sim::postgres {

bool Database::taken_from(int connection, const std::string& key) const {
  return std::ranges::any_of(sessions_,
                             [&](const auto& entry) { return entry.first != connection && entry.second.has(key); });
}

Rows Database::commit(int connection) {
  Session& session = sessions_[connection];
  Rows committed = std::exchange(session.changed, {});
  for (const auto& [name, lease] : committed.leases) rows_.leases.insert_or_assign(name, lease);
  for (const auto& [name, last] : committed.fences) rows_.fences.insert_or_assign(name, last);
  roll_back(connection);
  return committed;
}

void Database::roll_back(int connection) {
  Session& session = sessions_[connection];
  session.changed = {};
  session.until_end.clear();
  session.in_transaction = session.failed = session.remote_apply = session.committing = false;
}

std::vector<std::string> Database::end(int connection) {
  std::set<std::string> free;
  const auto found = sessions_.find(connection);
  if (found == sessions_.end()) return {};
  for (const auto& [name, count] : found->second.advisory) free.insert(name);
  free.insert(found->second.until_end.begin(), found->second.until_end.end());
  sessions_.erase(found);
  return {free.begin(), free.end()};
}

std::vector<std::string> Database::end_all() {
  std::vector<std::string> free;
  while (!sessions_.empty()) {
    for (std::string& name : end(sessions_.begin()->first)) free.push_back(std::move(name));
  }
  return free;
}

}  // namespace lockproof::sim::postgres
