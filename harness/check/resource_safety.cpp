// SPDX-License-Identifier: Apache-2.0
// Resource safety: the protected resource accepted a write whose base was not its current version (a lost update), or
// an access of an older grant after one of a newer grant. Overlap is not needed for that: a crashed client's message
// may still be on its way.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <tuple>

#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

std::int64_t base_of(const Event& write) {
  const std::string& text = write.command->words().at(1).bytes();
  std::int64_t base = -1;
  std::from_chars(text.data(), text.data() + text.size(), base);
  return base;
}

/// A lost update is the clearer of the two findings, so it is reported even where the other came first.
class ResourceSafety final : public Monitor {
 public:
  explicit ResourceSafety(const harness::Header& header) : header_(header) {}

  void see(std::size_t i, const Event& event) override {
    if (event.what == What::granted && !event.value) grant_of_[event.host] = ++grants_;  // not one within another
    if (event.what == What::send && is_resource(event.peer)) {
      sent_[{event.host, event.message}] = grant_of_[event.host];
      resource_ = event.peer;
    }
    const bool accepted = event.what == What::execute && is_resource(event.host) && event.reply &&
                          event.reply->kind() == Reply::Kind::integer;
    if (accepted) accept(i, event);
    if (event.what == What::execute && is_resource(event.host)) sent_.erase({event.peer, event.message});
    const bool lost = event.what == What::drop && event.word == "request" && is_resource(event.peer);
    if (lost) sent_.erase({event.host, event.message});
  }

  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override {
    found_ = {};
    lost_update_ = false;
  }

  /// Grants count by their order only: the newest that was seen, and who holds older and newer ones.
  void declare(Declaration& into) const override {
    into.numbers.push_back(current_);
    std::map<int, int> rank{{newest_grant_, 0}};
    for (const auto& [client, grant] : grant_of_) rank.emplace(grant, 0);
    for (const auto& [id, grant] : sent_) {
      if (into.in_flight(id.first, resource_, id.second)) rank.emplace(grant, 0);
    }
    int next = 0;
    for (auto& [grant, place] : rank) place = ++next;
    into.numbers.push_back(rank.at(newest_grant_));
    for (const auto& [client, grant] : grant_of_) into.numbers.insert(into.numbers.end(), {client, rank.at(grant)});
    for (const auto& [id, grant] : sent_) {
      if (!into.in_flight(id.first, resource_, id.second)) continue;
      into.numbers.insert(into.numbers.end(),
                          {id.first, into.distance(id.first, resource_, id.second), rank.at(grant)});
    }
  }

 private:
  [[nodiscard]] bool is_resource(HostIndex host) const {
    return host != harness::no_host && header_.host_kind(host) == harness::HostKind::resource;
  }

  void accept(std::size_t i, const Event& event) {
    if (event.command->verb() == "WRITE") {
      if (base_of(event) != current_ && !lost_update_) lose_update(i, event);
      current_ = event.reply->integer();
      last_write_ = {i, event.peer, event.at};
    }
    const int grant = sent_[{event.peer, event.message}];
    if (grant < newest_grant_) {
      if (found_.verdict != Verdict::violated) access_out_of_order(i, event);
      return;
    }
    newest_grant_ = grant;
    newest_access_ = {i, event.peer, event.at};
  }

  void lose_update(std::size_t i, const Event& write) {
    lost_update_ = true;
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("the resource took {}'s write at {}, based on version {}, when version {} was current: {}'s "
                          "update is lost",
                          header_.host_name(write.peer), seconds_text(write.at), base_of(write), current_,
                          header_.host_name(last_write_.client)),
              {last_write_.position, i}};
  }

  void access_out_of_order(std::size_t i, const Event& access) {
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("the resource took {}'s {} at {}, under an older grant than {}'s access at {}",
                          header_.host_name(access.peer), access.command->verb(), seconds_text(access.at),
                          header_.host_name(newest_access_.client), seconds_text(newest_access_.at)),
              {newest_access_.position, i}};
  }

  struct Access {
    std::size_t position = 0;
    HostIndex client = 0;
    Duration at{};
  };
  const harness::Header& header_;
  HostIndex resource_ = harness::no_host;
  int grants_ = 0, newest_grant_ = 0;
  std::int64_t current_ = 0;
  Access newest_access_, last_write_;
  std::map<HostIndex, int> grant_of_;              // of each client, in grant order
  std::map<std::pair<HostIndex, int>, int> sent_;  // under which grant a message was sent
  bool lost_update_ = false;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_resource_safety(const harness::Header& header, const harness::Scenario&) {
  return std::make_unique<ResourceSafety>(header);
}

Finding resource_safety(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_resource_safety, history, scenario);
}

}  // namespace lockproof::check
