// SPDX-License-Identifier: Apache-2.0
#include "sim/services/zookeeper/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockproof::sim::zookeeper {

std::int64_t Tree::open(const Session& session) {
  sessions_.emplace(++opened_, session);
  ++changes_;
  return opened_;
}

Session* Tree::session(std::int64_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

bool Tree::has_nodes(std::int64_t session) const {
  return std::ranges::any_of(nodes_, [&](const auto& entry) { return entry.second.session == session; });
}

std::vector<std::string> Tree::close(std::int64_t session) {
  sessions_.erase(session);
  ++changes_;
  std::vector<std::string> gone;
  for (const auto& [path, node] : nodes_) {
    if (node.session == session) gone.push_back(path);
  }
  for (const std::string& path : gone) nodes_.erase(path);
  return gone;
}

bool Tree::is_child(const std::string& path) const {
  return path.starts_with(parent_ + "/") && path.find('/', parent_.size() + 1) == std::string::npos;
}

std::optional<std::string> Tree::make(std::int64_t session, const std::string& path, bool numbered) {
  const std::string whole = numbered ? fmt::format("{}{:010}", path, made_) : path;
  if (!nodes_.try_emplace(whole, Node{session, numbered ? made_ : 0}).second) return std::nullopt;
  ++made_;
  ++changes_;
  return whole;
}

bool Tree::remove(const std::string& path) {
  const bool was_there = nodes_.erase(path) > 0;
  changes_ += was_there;
  return was_there;
}

void Tree::follow(const Tree& other) {
  std::vector<Watch> own = std::move(watches_);
  *this = other;
  watches_ = std::move(own);
}

std::optional<std::int64_t> Tree::first() const {
  const auto number = [](const auto& entry) { return entry.second.number; };
  const auto lowest = std::ranges::min_element(nodes_, {}, number);
  return lowest == nodes_.end() ? std::nullopt : std::optional(lowest->second.session);
}

void Tree::watch(int connection, const std::string& path) {
  const Watch watch{connection, path};
  if (std::ranges::find(watches_, watch) == watches_.end()) watches_.push_back(watch);
}

std::vector<int> Tree::take_watches(const std::string& path) {
  std::vector<int> told;
  for (const Watch& watch : watches_) {
    if (watch.path == path) told.push_back(watch.connection);
  }
  std::erase_if(watches_, [&](const Watch& watch) { return watch.path == path; });
  return told;
}

void Tree::forget(int connection) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.connection == connection; });
}

}  // namespace lockproof::sim::zookeeper
