// SPDX-License-Identifier: Apache-2.0
// Answers: a program that is asked something answers within the time that the scenario allows ([judge] answers). The
// kind is the question: acquire, touch, extend or release. Time does not count while a fault is on; nor, for acquire,
// while another client has the lock, since to wait for it is what a lock is for. Where nothing will happen any more, it
// will never answer, whatever the bound.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/check/lock_key.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

constexpr std::array words{"acquire", "touch", "extend", "release"};

class Answers final : public CopyableMonitor<Answers> {
 public:
  Answers(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.answers), key_(header, scenario) {}

  void see(std::size_t position, const Event& event) override {
    const bool for_ever = event.what == What::end && event.word == "finished";
    look(position, event.at, for_ever);
    key_.see(event);
    apply(position, event);
    postpone(event.at);
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    const Duration age_most = bound_ + Duration(1);
    key_.encode(into, age_most);
    for (const auto& [client, question] : open_) {
      const auto word = std::ranges::find(words, question.word) - words.begin();
      into.numbers.insert(into.numbers.end(),
                          {client, word, question.found, std::min(into.now - question.since, age_most).count()});
    }
    into.numbers.push_back(-1);
    into.numbers.insert(into.numbers.end(), inside_.begin(), inside_.end());
    into.numbers.insert(into.numbers.end(), {-2, under_way_});
  }

 private:
  struct Question {
    std::string word;
    std::size_t position;
    Duration asked;
    Duration since;  // from when on it should be answered
    bool found = false;
  };

  void look(std::size_t position, Duration at, bool for_ever) {
    for (auto& [client, question] : open_) {
      if (question.word == "acquire") {
        if (const auto free = key_.free_since(at)) question.since = std::max(question.since, std::min(*free, at));
      }
      const bool in_time = !for_ever && at - question.since <= bound_;
      if (question.found || in_time || waits(client, question, at)) continue;
      question.found = true;
      if (found_.verdict == Verdict::violated) continue;
      found_ = {"",
                Verdict::violated,
                question.word,
                fmt::format("{} was told to {} at {} and has not answered for {}, with no fault to wait for",
                            header_.host_name(client), question.word, seconds_text(question.asked),
                            seconds_text(at - question.since)),
                {question.position, position}};
    }
  }

  void ask(std::size_t position, const Event& event, std::string word) {
    open_.insert_or_assign(event.host, Question{std::move(word), position, event.at, event.at});
  }

  void apply(std::size_t position, const Event& event) {
    switch (event.what) {
      case What::attempt: return ask(position, event, "acquire");
      case What::release: return ask(position, event, "release");
      case What::renew:
        if (event.word == "extend") ask(position, event, "extend");
        return;
      case What::step:
        if (event.word == "touch") ask(position, event, "touch");
        return;
      case What::enter: inside_.insert(event.host); return;
      case What::exit: inside_.erase(event.host); break;
      case What::strike: strike(event, 1); return;
      case What::heal: strike(event, -1); return;
      case What::send:
        if (header_.host_kind(event.peer) != harness::HostKind::resource) return;
        break;
      case What::renewed:
      case What::renewal_failed:
        if (const auto found = open_.find(event.host); found == open_.end() || found->second.word != "extend") return;
        break;
      case What::granted:
      case What::busy:
      case What::failed:
      case What::released:
      case What::lost:
      case What::touch_failed:
      case What::died: break;
      default: return;
    }
    const auto found = open_.find(event.host);
    const bool goes_on = found != open_.end() && event.what == What::lost && found->second.word == "release";
    if (!goes_on) open_.erase(event.host);
  }

  /// A fault gives everybody new time; the program that it kills is asked nothing any more.
  void strike(const Event& event, int change) {
    if (event.what == What::strike && event.word == "crash") open_.erase(event.host), inside_.erase(event.host);
    const bool ends = harness::stands_still(event.word) || event.word == "partition" || event.word == "restart" ||
                      event.word == "power-cut";
    if (ends) under_way_ += change;
    const Duration over = event.word == "delay" ? event.at + Duration(event.value.value_or(0)) : event.at;
    for (auto& [client, question] : open_) question.since = std::max(question.since, over);
  }

  [[nodiscard]] bool waits(HostIndex client, const Question& question, Duration at) const {
    if (under_way_ > 0) return true;
    if (question.word != "acquire") return false;
    if (std::ranges::any_of(inside_, [&](HostIndex other) { return other != client; })) return true;
    return std::ranges::any_of(key_.masters(), [&](HostIndex server) {
      const HostIndex owner = key_.owner(server, at);
      return owner != harness::no_host && owner != client;
    });
  }

  void postpone(Duration at) {
    for (auto& [client, question] : open_) {
      if (waits(client, question, at)) question.since = at;
    }
  }

  const harness::Header& header_;
  const Duration bound_;
  LockKey key_;
  std::map<HostIndex, Question> open_;
  std::set<HostIndex> inside_;
  int under_way_ = 0;  // faults that have begun and will end
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_answers(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<Answers>(header, scenario);
}

Finding answers(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_answers, history, scenario);
}

}  // namespace lockproof::check
