// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/incident_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::Change;
using harness::Effect;
using harness::Event;
using harness::What;

/// Words without what they say of somebody's system: values are numbered by order of first sight.
class Anonymizer {
 public:
  explicit Anonymizer(std::string key) : key_(std::move(key)) {}

  Command command(const std::vector<Value>& words) {
    const std::string verb = upper_case(words.front().bytes());
    std::vector<Value> named{Value(verb)};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string option = upper_case(words[i].bytes());
      if (is_plain(verb, words, i)) {
        named.push_back(words[i]);
      } else if (i == 1 && (verb.starts_with("EVAL") || verb == "FCALL")) {
        const auto number = scripts_.emplace(form_of(words), scripts_.size() + 1).first->second;
        named.emplace_back(fmt::format("script-{}", number));
      } else {
        named.push_back(options_.contains(option) && i > 2 ? Value(option) : value(words[i].bytes()));
      }
    }
    return Command(std::move(named));
  }
  Value value(const std::string& bytes) {
    if (bytes == key_) return Value("lock");
    const auto number = numbers_.emplace(bytes, numbers_.size() + 1).first->second;
    return Value(fmt::format("value-{}", number), Value::Mark::token);
  }
  Reply reply(const Reply& given) {
    return given.kind() == Reply::Kind::bulk ? Reply::bulk(value(given.value().bytes())) : given;
  }

 private:
  /// A number that says how long or how many.
  static bool is_plain(const std::string& verb, const std::vector<Value>& words, std::size_t i) {
    const std::string before = upper_case(words[i - 1].bytes());
    for (const char* const option : {"PX", "EX", "PXAT", "EXAT"}) {
      if (before == option && i > 3) return true;
    }
    const bool counted = verb == "EXPIRE" || verb == "PEXPIRE" || verb == "SETEX" || verb == "PSETEX" ||
                         verb.starts_with("EVAL") || verb == "FCALL";
    return counted && i == 2;
  }

  const std::string key_;
  const std::set<std::string> options_{"NX", "XX", "PX", "EX", "PXAT", "EXAT", "GET", "KEEPTTL"};
  std::map<std::string, std::size_t> numbers_, scripts_;
};

class Writer {
 public:
  Writer(const Incident& incident, Evidence evidence)
      : incident_(incident), certain_(evidence == Evidence::certain), names_(incident.lock.key) {
    for (const IncidentClient& client : incident.clients) {
      history_.header.hosts.push_back({client.name, harness::HostKind::client});
    }
    server_ = static_cast<harness::HostIndex>(incident.clients.size());
    history_.header.hosts.push_back(
        {fmt::format("{}-1", harness::row_of(incident.log.service).name), harness::HostKind::server});
    history_.header.hosts.push_back({"resource", harness::HostKind::resource});
    rounds_.resize(incident.clients.size());
  }

  harness::History make() {
    for (std::size_t i = 0; i < incident_.lock.holds.size(); ++i) {
      const Hold& hold = incident_.lock.holds[i];
      taken_[hold.taken] = i;
      if (hold.released) given_back_[*hold.released] = i;
      if (hold.removed_by) removals_.insert(*hold.removed_by);
      for (const std::size_t renewal : hold.renewals) renewed_[renewal] = i;
    }
    for (const std::size_t i : incident_.lock.executions) add(i);
    for (std::size_t i = 0; i < incident_.stays.size(); ++i) add_stay(i);
    std::ranges::stable_sort(events_, {}, &Event::at);
    Event end{.what = What::end, .at = world_time(incident_, incident_.log.end_us) + milliseconds(1)};
    end.word = "finished";
    events_.push_back(std::move(end));
    history_.events = std::move(events_);
    return std::move(history_);
  }

 private:
  struct Rounds {
    int round = 0, attempt = 0, messages = 0;
    bool over = true;  // the next attempt begins a round
  };

  enum class Purpose : std::uint8_t { attempt, release, renewal, nothing };

  /// What a client does to the key without being known to own it counts as an attempt, which breaks nothing.
  [[nodiscard]] Purpose purpose_of(std::size_t i) const {
    const ServerExecution& one = incident_.log.executions[i];
    const auto of_owner = [&](const std::map<std::size_t, std::size_t>& executions) {
      const auto found = executions.find(i);
      if (found == executions.end()) return false;
      const Hold& hold = incident_.lock.holds[found->second];
      const bool proved = hold.sure || incident_.stays[found->second].has_entry;
      return hold.connection == one.connection && (proved || !certain_);
    };
    if (of_owner(given_back_) || changes_other(i)) return Purpose::release;
    if (of_owner(renewed_)) return Purpose::renewal;
    const bool changes = std::ranges::find(one.effects, incident_.lock.key, &Effect::key) != one.effects.end();
    return incident_.lock.asks(one) || changes ? Purpose::attempt : Purpose::nothing;
  }

  void add(std::size_t i) {
    const ServerExecution& one = incident_.log.executions[i];
    const auto client = static_cast<harness::HostIndex>(incident_.client_of(one.connection));
    const Rounds& rounds = rounds_[static_cast<std::size_t>(client)];
    const Purpose purpose = purpose_of(i);
    if (purpose == Purpose::attempt) begin_attempt(client, one.at_us);
    if (purpose == Purpose::release)
      record(one.at_us - 2, {.what = What::release, .host = client, .round = rounds.round});
    if (purpose == Purpose::renewal)
      record(one.at_us - 2, {.what = What::renew, .host = client, .round = rounds.round});
    add_message(one, client);
    const std::int64_t after_us = one.at_us + 2;
    if (const auto hold = taken_.find(i); hold != taken_.end()) {
      grant(hold->second, client);
    } else if (purpose == Purpose::attempt) {
      record(after_us, {.what = What::busy, .host = client, .round = rounds.round, .attempt = rounds.attempt});
    }
    if (purpose == Purpose::release) {
      Event released{.what = What::released, .host = client, .round = rounds.round};
      released.word = given_back_.contains(i) ? "yes" : "not-ours";
      record(after_us, std::move(released));
    }
    if (purpose != Purpose::renewal) return;
    Event renewed{.what = What::renewed, .host = client, .round = rounds.round};
    renewed.left = lease_in(one);
    record(after_us, std::move(renewed));
  }

  void begin_attempt(harness::HostIndex client, std::int64_t at_us) {
    Rounds& rounds = rounds_[static_cast<std::size_t>(client)];
    if (rounds.over) {
      ++rounds.round;
      rounds.attempt = 0;
      rounds.over = false;
      record(at_us - 3, {.what = What::start, .host = client, .round = rounds.round});
    }
    ++rounds.attempt;
    record(at_us - 2, {.what = What::attempt, .host = client, .round = rounds.round, .attempt = rounds.attempt});
  }

  void add_message(const ServerExecution& one, harness::HostIndex client) {
    const int number = ++rounds_[static_cast<std::size_t>(client)].messages;
    Event sent{.what = What::send, .host = client, .peer = server_, .message = number};
    sent.command = names_.command(one.words);
    Event executed = sent;
    executed.what = What::execute;
    std::swap(executed.host, executed.peer);
    for (const Effect& effect : one.effects) {
      if (effect.key != incident_.lock.key) continue;
      executed.effects.push_back(effect);
      executed.effects.back().key = "lock";
    }
    if (one.reply) executed.reply = names_.reply(*one.reply);
    Event received{.what = What::receive, .host = client, .peer = server_, .message = number};
    received.reply = executed.reply;
    record(one.at_us - 1, std::move(sent));
    record(one.at_us, std::move(executed));
    if (received.reply) record(one.at_us + 1, std::move(received));
  }

  void grant(std::size_t i, harness::HostIndex client) {
    const Hold& hold = incident_.lock.holds[i];
    Rounds& rounds = rounds_[static_cast<std::size_t>(client)];
    Event granted{.what = What::granted, .host = client, .round = rounds.round, .attempt = rounds.attempt};
    granted.token = Value(fmt::format("grant-{}", i + 1), Value::Mark::token);
    if (hold.lease_us > 0) granted.left = harness::TimeLeft{Duration(hold.lease_us), "mono"};
    record(hold.from_us + 2, std::move(granted));
    rounds.over = true;
    round_of_[i] = rounds.round;
  }

  void add_stay(std::size_t i) {
    const Stay& stay = incident_.stays[i];
    const TimeRange& inside = certain_ ? stay.certain : stay.possible;
    if (inside.empty()) return;
    const Hold& hold = incident_.lock.holds[i];
    const auto client = static_cast<harness::HostIndex>(incident_.client_of(hold.connection));
    const std::int64_t entered = std::max(inside.least, hold.from_us + 3);
    const std::int64_t left = std::max(entered, std::min(inside.most, hold.last_us(incident_.log) - 4));
    record(entered, {.what = What::enter, .host = client, .round = round_of_[i]});
    Event exit{.what = What::exit, .host = client, .round = round_of_[i]};
    exit.word = "finished";
    record(left, std::move(exit));
  }

  /// Whether the command removed a key that another client had made, by a client that had the lock itself and has not
  /// asked since. Certain is that only of two workers that are known, whose logs say that they had got the lock, and
  /// where the owner's lease was not about to end.
  [[nodiscard]] bool changes_other(std::size_t i) const {
    if (!removals_.contains(i)) return false;
    const ServerExecution& one = incident_.log.executions[i];
    const auto had_lock = [&](std::size_t h) {
      const Hold& own = incident_.lock.holds[h];
      return own.connection == one.connection && own.from_us < one.at_us && one.at_us <= own.until_us &&
             !own.released && is_proved(h);
    };
    bool gives_back = false;
    for (std::size_t h = 0; h < incident_.lock.holds.size(); ++h) gives_back |= had_lock(h);
    for (std::size_t h = 0; h < incident_.lock.holds.size(); ++h) {
      const Hold& hold = incident_.lock.holds[h];
      if (hold.removed_by != i || !gives_back || !is_proved(h)) continue;
      return !certain_ || (one.lacks.empty() && one.at_us < hold.lease_end_us - doubt_us);
    }
    return false;
  }

  [[nodiscard]] bool is_proved(std::size_t hold) const { return !certain_ || incident_.stays[hold].has_entry; }

  [[nodiscard]] std::optional<harness::TimeLeft> lease_in(const ServerExecution& one) const {
    for (const Effect& effect : one.effects) {
      if (effect.key == incident_.lock.key && effect.ttl) return harness::TimeLeft{Duration(*effect.ttl), "mono"};
    }
    return std::nullopt;
  }

  void record(std::int64_t at_us, Event event) {
    event.at = world_time(incident_, at_us);
    event.clocks = {at_us / 1000, event.at.count(), event.at.count()};
    events_.push_back(std::move(event));
  }

  const Incident& incident_;
  const bool certain_;
  Anonymizer names_;
  harness::History history_;
  harness::HostIndex server_ = 0;
  std::vector<Rounds> rounds_;
  std::map<std::size_t, std::size_t> taken_, given_back_, renewed_;  // an execution, and the hold
  std::set<std::size_t> removals_;                                   // executions that removed another's key
  std::map<std::size_t, int> round_of_;                              // of a hold
  std::vector<Event> events_;
};

}  // namespace

harness::History history_of(const Incident& incident, Evidence evidence, const std::string& scenario_text) {
  harness::History history = Writer(incident, evidence).make();
  history.header.world = "real";
  history.header.scenario = "incident";
  history.header.scenario_file = "incident.toml";
  history.header.scenario_text = scenario_text;
  history.header.seed = 1;
  history.header.node_stamps = "the times of the server's log";
  return history;
}

}  // namespace lockproof::execution
