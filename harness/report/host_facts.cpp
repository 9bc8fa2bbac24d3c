// SPDX-License-Identifier: Apache-2.0
#include "harness/report/host_facts.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "harness/check/properties.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

struct KeyState {
  HostIndex owner = no_host;
  std::optional<Duration> ends_at{};
};

/// How far a client is with one lock.
struct Stage {
  std::string text;
  std::optional<Duration> good_until{};
};

/// A command between a client and a server.
struct Passage {
  std::string verb;
  bool answered = false;
};

class FactFinder {
 public:
  FactFinder(const Header& header, Duration now) : header_(header), now_(now), hosts_(header.hosts.size()) {}

  void read(const Event& event) {
    if (event.host == no_host) return;
    if (is_of_lock(event.what) || event.what == What::prepare) read_stage(event);
    read_message(event);
    for (const Effect& effect : event.effects) read_effect(event, effect);
    Facts& host = hosts_[static_cast<std::size_t>(event.host)];
    if (event.what == What::finished) host.end = "has done its rounds";
    if (event.what == What::died) host.end = "its program has ended";
    if (event.what == What::strike) host.struck[event.fault] = event.word;
    if (event.what == What::heal) host.struck.erase(event.fault);
  }

  [[nodiscard]] std::vector<std::vector<std::string>> facts() const {
    std::vector<std::vector<std::string>> all;
    for (std::size_t i = 0; i < hosts_.size(); ++i) all.push_back(lines_of(static_cast<HostIndex>(i)));
    return all;
  }

 private:
  struct Facts {
    std::map<std::string, Stage> stages{};                    // by lock
    std::map<std::pair<HostIndex, int>, Passage> passages{};  // by server and number
    std::map<std::string, KeyState> keys{};
    std::map<int, std::string> struck{};
    std::string end{}, last{};
  };

  void read_stage(const Event& event) {
    Stage& stage = hosts_[static_cast<std::size_t>(event.host)].stages[event.lock];
    switch (event.what) {
      case What::prepare: stage = {"prepares its round"}; return;
      case What::start:
      case What::seek: stage = {"wants it"}; return;
      case What::attempt: stage = {"asks for it"}; return;
      case What::busy: stage = {"found it busy"}; return;
      case What::failed: stage = {"failed to get it"}; return;
      case What::granted:
        if (!event.value) stage.text = "was given it";
        if (event.left) stage.good_until = event.at + event.left->time;
        return;
      case What::enter: stage.text = "INSIDE"; return;
      case What::exit: stage = {"has left"}; return;
      case What::release: stage = {"gives it back"}; return;
      case What::released: stage = {"has given it back"}; return;
      case What::renewed:
        if (event.left) stage.good_until = event.at + event.left->time;
        return;
      case What::lost: stage.text += ", and finds it lost"; return;
      case What::gave_up: stage = {"gave up"}; return;
      default: return;
    }
  }

  void read_message(const Event& event) {
    const auto passages = [&](HostIndex client) -> auto& { return hosts_[static_cast<std::size_t>(client)].passages; };
    const std::pair own{event.peer, event.message};
    switch (event.what) {
      case What::send: passages(event.host)[own] = {std::string(event.command->verb())}; return;
      case What::execute:
        if (event.peer == no_host) return;
        if (event.message > 0) passages(event.peer)[{event.host, event.message}].answered = true;
        if (event.command && event.message > 0) {
          hosts_[static_cast<std::size_t>(event.host)].last =
              fmt::format("last: {}'s {}", header_.host_name(event.peer), event.command->verb());
        }
        return;
      case What::receive:
      case What::discard:
      case What::drop:
      case What::time_out: passages(event.host).erase(own); return;
      case What::broken:
        std::erase_if(passages(event.host), [&](const auto& one) { return one.first.first == event.peer; });
        return;
      default: return;
    }
  }

  void read_effect(const Event& event, const Effect& effect) {
    std::map<std::string, KeyState>& keys = hosts_[static_cast<std::size_t>(event.host)].keys;
    switch (effect.change) {
      case Change::acquired: keys[effect.key] = {event.peer}; return;
      case Change::changed: keys.try_emplace(effect.key, KeyState{event.peer}); return;
      case Change::renewed:
        keys[effect.key].ends_at = effect.ttl ? std::optional(event.at + Duration(*effect.ttl)) : std::nullopt;
        return;
      case Change::released:
      case Change::expired:
      case Change::evicted: keys.erase(effect.key); return;
    }
  }

  [[nodiscard]] std::string time_text(const std::optional<Duration>& end) const {
    if (!end) return "";
    return *end > now_ ? fmt::format(", {} left", check::seconds_text(*end - now_)) : ", its time is over";
  }

  [[nodiscard]] std::vector<std::string> lines_of(HostIndex i) const {
    const Facts& host = hosts_[static_cast<std::size_t>(i)];
    std::vector<std::string> lines;
    for (const auto& [fault, word] : host.struck) lines.push_back("struck by: " + word);
    for (const auto& [lock, stage] : host.stages) {
      const std::string of = lock.empty() ? "" : lock + ": ";
      lines.push_back(of + stage.text + time_text(stage.good_until));
    }
    if (!host.end.empty()) lines.push_back(host.end);
    for (const auto& [to, passage] : host.passages) {
      const std::string& server = header_.host_name(to.first);
      lines.push_back(passage.answered ? fmt::format("{}'s answer to {} is on its way", server, passage.verb)
                                       : fmt::format("{} is on its way to {}", passage.verb, server));
    }
    for (const auto& [key, state] : host.keys) {
      const std::string whose = state.owner == no_host ? "nobody's" : header_.host_name(state.owner) + "'s";
      lines.push_back(fmt::format("{} is {}{}", key, whose, time_text(state.ends_at)));
    }
    if (header_.host_kind(i) == HostKind::resource && !host.last.empty()) lines.push_back(host.last);
    for (std::string& line : lines) line = printable(line);
    return lines;
  }

  const Header& header_;
  const Duration now_;
  std::vector<Facts> hosts_;
};

}  // namespace

std::vector<std::vector<std::string>> host_facts(const Header& header, const std::vector<Event>& events, Duration now) {
  FactFinder finder(header, now);
  for (const Event& event : events) finder.read(event);
  return finder.facts();
}

}  // namespace lockproof::harness
