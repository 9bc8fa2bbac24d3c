// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_ensemble.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "real/services/zookeeper/zookeeper_control.hpp"

namespace lockproof::real {
namespace {

constexpr int epoch_bits = 32;  // a transaction's number has its leader's epoch above them

bool says_that_it_leads(const std::string& answer) { return answer.find("\nMode: leader\n") != std::string::npos; }

}  // namespace

bool leads(int port) { return says_that_it_leads(answer_to_word(port, "srvr")); }

std::size_t ZooKeeperEnsemble::join(Member member) {
  members_.push_back(std::move(member));
  return members_.size() - 1;
}

bool ZooKeeperEnsemble::starts_later(std::size_t server) const {
  const std::size_t last = network_.servers() - 1;
  return server != last && server >= last / 2;
}

/// It says "Zxid: 0x100000007".
void ZooKeeperEnsemble::look_at(std::size_t server, int port) {
  constexpr std::string_view before = "\nZxid: 0x";
  const std::string answer = answer_to_word(port, "srvr");
  const std::size_t at = answer.find(before);
  if (!says_that_it_leads(answer) || at == std::string::npos) return;
  leaders_[std::strtoll(answer.c_str() + at + before.size(), nullptr, 16) >> epoch_bits] = server;
}

/// Leaders are looked at before the run and when it is over. Of two changes of leaders the first is not seen.
std::size_t ZooKeeperEnsemble::leader_of(std::int64_t transaction) const {
  const auto known = leaders_.lower_bound(transaction >> epoch_bits);
  return known == leaders_.end() ? network_.servers() - 1 : known->second;
}

std::vector<ServerAnswer> ZooKeeperEnsemble::answers() const {
  std::vector<ServerAnswer> all;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (ServerAnswer one : members_[i].answers()) {
      one.server = i;
      all.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(all, {}, &ServerAnswer::at);
  return all;
}

/// A change that is in fewer logs was proposed, and nothing came of it.
std::vector<Transaction> ZooKeeperEnsemble::log() const {
  std::map<std::int64_t, std::pair<Transaction, std::size_t>> found;
  for (const Member& member : members_) {
    for (const Transaction& one : member.log()) ++found.try_emplace(one.id, one, 0).first->second.second;
  }
  std::vector<Transaction> all;
  for (const auto& [id, one] : found) {
    if (one.second > members_.size() / 2) all.push_back(one.first);
  }
  return all;
}

std::vector<Execution> ZooKeeperEnsemble::executions_at(
    std::size_t server, const std::string& lock, const std::function<Duration(std::int64_t wall_ms)>& when) const {
  std::vector<Execution> executions;
  for (MemberExecution& ran :
       ran_by_ensemble(answers(), log(), lock, when, [&](std::int64_t id) { return leader_of(id); })) {
    if (ran.server == server) executions.push_back(std::move(ran.execution));
  }
  return executions;
}

}  // namespace lockproof::real
