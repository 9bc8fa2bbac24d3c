// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/durations.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_fault.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

/// The maximum number of faults in a budget: for each entry its targets, times the values that are listed for each
/// setting. A search tries each of them at each place.
constexpr std::size_t forms_most = 20'000;

void refuse_many(Fields& fields, FaultKind kind, std::size_t forms) {
  if (forms <= forms_most) return;
  fields.fail(fields.need("kind"), "kind",
              fmt::format("is '{}', with which the budget has {} faults; {} are the most: list fewer values or targets",
                          name(kind), forms, forms_most));
}

/// Amounts of faults that name none, as [[explore.fault]] has them: on both sides of what locks hinge on, as far as the
/// scenario has it.
const std::vector<std::string_view> about_all{"timeout-grid", "slack",           "slack+grid",     "T",
                                              "T+grid",       "down_after-grid", "down_after+grid"};
const std::vector<std::string_view> forth_and_back{"slack", "slack+grid", "T", "T+grid", "-T/2", "-T"};
const std::vector<std::string_view> about_a_time_out{"timeout/2", "timeout-grid"};  // a driver resends within it
const std::vector<std::string_view> a_percent_or_two{"+1%", "-1%", "+2%", "-2%"};

/// One [[explore.fault]]: the settings that it lists, in all combinations.
class Forms {
 public:
  Forms(Fields& fields, const Scenario& scenario, const Durations& durations, const Window& latency, bool shared,
        FaultKind kind)
      : fields_(fields), scenario_(scenario), durations_(durations), latency_(latency), shared_(shared),
        kind_(kind), forms_{Fault{.kind = kind}} {}

  std::vector<Fault> read() {
    targets();
    for (const Setting setting : row_of(kind_).settings) list(setting);
    if (row_of(kind_).ends_connections) also_behind_the_answer();
    if (kind_ == FaultKind::break_connection) also_while_a_call_waits();
    if (kind_ == FaultKind::partition) also_from_all();
    return std::move(forms_);
  }

 private:
  using Change = std::function<void(Fault&)>;

  /// The values of one key. Keys that are not handled here are chosen by the search, or do not vary.
  void list(Setting setting) {
    switch (setting) {
      case Setting::lasts: return lasts();
      case Setting::may_last:
        if (fields_.find("for")) lasts();
        return;
      case Setting::by: return times("by", about_all, false, [](Fault& f, Duration d) { f.by = d; });
      case Setting::jump: return times("by", forth_and_back, true, [](Fault& f, Duration d) { f.by = d; });
      case Setting::rate: return rates();
      case Setting::lose: return legs("lose");
      case Setting::late: return legs("late");
      case Setting::cause:
        return words("lose", {"reply"}, {"nothing", "reply"}, [](Fault& f, bool reply) { f.reply = reply; });
      case Setting::connection:
        return words("connection", {"new", "same"}, {"new", "same"},
                     [](Fault& f, bool same) { f.same_connection = same; });
      case Setting::session: return sessions();
      case Setting::promoted: return promotions();
      default: return;
    }
  }

  /// Each form so far becomes as many as there are changes.
  void times_each(const std::vector<Change>& changes) {
    refuse_many(fields_, kind_, forms_.size() * changes.size());
    std::vector<Fault> more;
    for (const Fault& form : forms_) {
      for (const Change& change : changes) change(more.emplace_back(form));
    }
    forms_ = std::move(more);
  }

  void targets() {
    const bool clients = strikes_clients(row_of(kind_)), servers = strikes_servers(row_of(kind_));
    std::vector<std::string> names = scenario_.host_names(clients, servers);
    if (row_of(kind_).targets == FaultRow::Targets::replicas) names = replicas();
    if (const Node* node = fields_.find("target")) {
      const std::string& word = fields_.text(*node, "target");
      if (word == "clients" && clients) {
        names = scenario_.host_names(true, false);
      } else if (word == "servers" && servers) {
        if (clients) names = scenario_.host_names(false, true);
      } else {
        std::vector<std::string> choices = names;
        if (clients) choices.emplace_back("clients");
        if (servers) choices.emplace_back("servers");
        fields_.must_be(*node, "target", "host", word, choices);
        names = {word};
      }
    }
    std::vector<Change> changes;
    for (const std::string& name : names) changes.emplace_back([name](Fault& f) { f.target = name; });
    times_each(changes);
  }

  std::vector<std::string> replicas() {
    std::vector<std::string> names;
    for (const ServerSpec& server : scenario_.servers) {
      if (scenario_.ensemble || !server.replica_of.empty()) names.push_back(server.name);
    }
    if (names.empty()) can_never_strike("no server of the scenario is a replica");
    return names;
  }

  [[noreturn]] void can_never_strike(const std::string& why) {
    fields_.fail(fields_.need("kind"), "kind",
                 fmt::format("is '{}', which can never strike here: {}", name(kind_), why));
  }

  /// The items of the key's list, or its one value; without the key the standard ones.
  std::vector<const Node*> items(std::string_view key, const std::vector<std::string_view>& standard) {
    if (const Node* node = fields_.find(key)) return items(*node, key);
    standard_.clear();
    for (const std::string_view word : standard) {
      if (durations_.missing_in(word).empty()) standard_.push_back({fields_.line(), std::string(word)});
    }
    if (standard_.empty()) static_cast<void>(fields_.need(key));
    std::vector<const Node*> all;
    for (const Node& item : standard_) all.push_back(&item);
    return all;
  }
  std::vector<const Node*> items(const Node& node, std::string_view key) {
    std::vector<const Node*> all;
    if (const auto* list = std::get_if<List>(&node.value)) {
      for (const Node& item : *list) all.push_back(&item);
    } else {
      all.push_back(&node);
    }
    if (all.empty()) fields_.fail(node, key, "is an empty list; leave the key out for the standard choice");
    return all;
  }

  void times(std::string_view key, const std::vector<std::string_view>& standard, bool sign,
             void (*set)(Fault&, Duration)) {
    std::vector<Change> changes;
    std::set<Duration> all;
    for (const Node* item : items(key, standard)) {
      const std::string& word = fields_.text(*item, key);
      if (takes_range(kind_) && bounds_of_range(word)) {
        changes.emplace_back(range(*item, key, word, sign, set));
        continue;
      }
      if (const std::string_view missing = durations_.missing_in(word); !missing.empty()) {
        if (shared_) continue;
        fields_.fail(*item, key,
                     fmt::format("is '{}', but this scenario has no {}{}", word, missing,
                                 missing == "slack" ? ": its work takes as long as its lease" : ""));
      }
      const auto d = durations_.from(word, sign);
      if (!d || (*d <= Duration{} && !sign)) {
        fields_.fail(*item, key,
                     fmt::format("is '{}', which is no duration: write \"3s\", or parts of the lease, of the slack "
                                 "beside the work or of the time-out, as in \"T/2\", \"slack+grid\", \"timeout/2\"",
                                 word));
      }
      const Duration whole = sign ? std::chrono::floor<milliseconds>(*d) : *d;
      if (whole == Duration{})
        fields_.fail(*item, key, fmt::format("is '{}': no jump at all in whole milliseconds", word));
      if (all.insert(whole).second) changes.emplace_back([=](Fault& f) { set(f, whole); });
    }
    times_each(changes);
  }

  static bool takes_range(FaultKind kind) {
    return kind == FaultKind::pause || kind == FaultKind::delay || kind == FaultKind::resend ||
           kind == FaultKind::partition || kind == FaultKind::restart || kind == FaultKind::power_cut ||
           kind == FaultKind::clock_jump;
  }

  /// Any amount between two.
  Change range(const Node& node, std::string_view key, const std::string& word, bool sign,
               void (*set)(Fault&, Duration)) {
    const auto [first, second] = *bounds_of_range(word);
    auto least = first.empty() ? std::optional(Duration{}) : durations_.from(first, sign);
    auto most = durations_.from(second, sign);
    if (sign && least && most) {  // a jump is whole milliseconds
      least = std::chrono::ceil<milliseconds>(*least);
      most = std::chrono::floor<milliseconds>(*most);
    }
    if (!least || !most || (*most <= Duration{} && !sign) || *most == Duration{} || *least > *most)
      fields_.fail(node, key,
                   fmt::format("is '{}', which is no range: write \"0s..T+1ms\", or \"..12s\" from 0", word));
    return [least, most, set](Fault& f) {
      set(f, *most);
      if (*least < *most) f.least = least;
    };
  }

  void lasts() {
    const auto& standard = kind_ == FaultKind::resend ? about_a_time_out : about_all;
    times("for", standard, false, [](Fault& f, Duration d) { f.lasts = d; });
  }

  void rates() {
    std::vector<Change> changes;
    for (const Node* item : items("rate", a_percent_or_two)) {
      const auto ppb = rate_ppb_from(fields_.text(*item, "rate"));
      if (!ppb) fields_.fail(*item, "rate", "is no rate: write how much faster or slower, as in \"+1%\" or \"-0.5%\"");
      if (*ppb == 0) fields_.fail(*item, "rate", "is 0 %, the rate that clocks have without a fault");
      changes.emplace_back([ppb = *ppb](Fault& f) { f.rate_ppb = ppb; });
    }
    times_each(changes);
  }

  void legs(std::string_view key) {
    words(key, {"request", "reply"}, {"request", "reply"}, [](Fault& f, bool reply) { f.reply = reply; });
  }

  /// Sets whether a word is the second choice: for each word that the key lists, or for the standard ones.
  void words(std::string_view key, std::vector<std::string> standard, const std::vector<std::string>& choices,
             void (*set)(Fault&, bool)) {
    std::vector<Change> changes;
    if (const Node* node = fields_.find(key)) {
      standard.clear();
      for (const Node* item : items(*node, key)) {
        standard.push_back(fields_.text(*item, key));
        fields_.must_be(*item, key, "choice", standard.back(), choices);
      }
    }
    for (const std::string& word : standard) {
      changes.emplace_back([set, second = word == choices[1]](Fault& f) { set(f, second); });
    }
    times_each(changes);
  }

  /// A new session, if the key does not ask for that of another client: then for that of each.
  void sessions() {
    const Node* node = fields_.find("session");
    if (!node) return;
    std::vector<Fault> all;
    for (const Node* item : items(*node, "session")) {
      const std::string& word = fields_.text(*item, "session");
      fields_.must_be(*item, "session", "choice", word, {"new", "another"});
      for (const Fault& form : forms_) {
        if (word == "new") all.push_back(form);
        for (const ClientSpec& client : scenario_.clients) {
          if (word == "new" || client.name == form.target) continue;
          all.push_back(form);
          all.back().session = client.name;
        }
      }
    }
    forms_ = std::move(all);
  }

  /// A master's promotions, and those of a replica that became one: of each other replica, the old one dead or serving
  /// those who are not told.
  void promotions() {
    std::vector<Fault> all;
    const std::string of = forms_.size() == 1 ? forms_.front().target + " has no replica" : "no server has a replica";
    for (const Fault& form : forms_) {
      for (const ServerSpec& server : scenario_.servers) {
        const bool may = !server.replica_of.empty() && scenario_.replicate_together(form.target, server.name);
        if (server.replica_of != form.target && !may) continue;
        Fault& dead = all.emplace_back(form);
        dead.peer = server.name;
        for (const ClientSpec& client : scenario_.clients) {
          Fault& serves = all.emplace_back(form);
          serves.peer = server.name;
          serves.old_serves = true;
          serves.to_clients = {client.name};
        }
      }
    }
    if (all.empty()) can_never_strike(of + " that could be promoted; give one a replica_of");
    forms_ = std::move(all);
  }

  /// At its command an outage takes the answer with it. Just after that the answer is on its way, and arrives.
  void also_behind_the_answer() {
    const std::size_t count = forms_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!forms_[i].old_serves) forms_.emplace_back(forms_[i]).delay = behind_the_answer;
    }
  }

  /// The client learns of the end at once, while its command is on its way: just after that has left; and where
  /// latencies vary, also later, since what the client sends then may overtake the command.
  void also_while_a_call_waits() {
    std::vector<Duration> delays{behind_the_answer};
    const Duration way = latency_.most - latency_.least < durations_.grid() ? Duration{} : 2 * latency_.most;
    const Duration step = std::max(durations_.grid(), way / waits_most / durations_.grid() * durations_.grid());
    for (Duration later = step; later < way; later += step) delays.push_back(later);
    const std::size_t count = forms_.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (const Duration delay : delays) forms_.emplace_back(forms_[i]).delay = delay;
    }
  }

  /// From the other end of a message, and from everybody. With several servers that has too many states to be searched
  /// by the way.
  void also_from_all() {
    if (scenario_.servers.size() > 1) return;
    const std::size_t count = forms_.size();
    for (std::size_t i = 0; i < count; ++i) forms_.emplace_back(forms_[i]).peer = all_hosts;
  }

  static constexpr int waits_most = 4;  // instants of one call

  Fields& fields_;
  const Scenario& scenario_;
  const Durations& durations_;
  const Window latency_;
  const bool shared_;  // by scenarios of which some lack what a value names: it is left out there
  const FaultKind kind_;
  std::vector<Fault> forms_;
  std::vector<Node> standard_;
};

}  // namespace

Bounds read_bounds(const std::string& file, const Node& table, const Scenario& scenario, bool shared) {
  Fields fields(file, table, "[explore]");
  Bounds bounds;
  const auto limit = [&](std::string_view key, std::optional<int>& into, int most) {
    if (!fields.find(key)) return;
    into = 0;
    fields.read(key, *into, 1, most);
  };
  limit("rounds", bounds.rounds, 1000);
  limit("attempts", bounds.attempts, 1000);
  limit("failed_attempts", bounds.failed_attempts, 1000);
  if (fields.find("latency")) fields.read_range("latency", bounds.latency.emplace());
  if (const Node* node = fields.find("grid")) {
    bounds.grid = fields.duration(*node, "grid");
    if (*bounds.grid <= Duration{}) fields.fail(*node, "grid", "must be more than 0");
  }
  const Window latency = bounds.latency.value_or(scenario.network.latency);
  const Durations durations(scenario, latency, bounds.grid.value_or(scenario.grid));
  if (const Node* node = fields.find("retry")) {
    bounds.retry = durations.from(fields.text(*node, "retry"), false);
    if (!bounds.retry) fields.fail(*node, "retry", "is no duration; write \"100ms\" or \"T/4\"");
  }
  if (const Node* node = fields.find("start")) {
    bounds.start = durations.from(fields.text(*node, "start"), false);
    if (!bounds.start) fields.fail(*node, "start", "is no duration; write \"0s\" or \"T/4\"");
  }
  fields.read("contention", bounds.contention, contention_choices());
  fields.read("ties", bounds.ties, ties_choices());
  fields.read("max_faults", bounds.max_faults, 0, 16);
  if (const Node* list = fields.find("fault")) {
    std::size_t forms = 0;
    for (const Node& node : fields.list(*list, "fault")) {
      Fields fault(file, node, "[[explore.fault]]");
      BudgetedFault budgeted;
      budgeted.line = fault.line();
      if (shared && !can_have(scenario, known_kind(fault))) continue;
      budgeted.kind = read_kind(fault, scenario);
      fault.read("most", budgeted.most, 1, 16);
      budgeted.forms = Forms(fault, scenario, durations, latency, shared, budgeted.kind).read();
      forms += budgeted.forms.size();
      refuse_many(fault, budgeted.kind, forms);
      fault.done();
      if (budgeted.forms.empty()) continue;
      for (Fault& form : budgeted.forms) form.line = budgeted.line;
      bounds.budget.push_back(std::move(budgeted));
    }
  }
  fields.done();
  return bounds;
}

Bounds load_budget(const std::string& file, const Scenario& scenario) {
  return parse_budget(file, text_of(file), scenario);
}

Bounds parse_budget(const std::string& file, std::string_view text, const Scenario& scenario) {
  const Node document = parse_toml(file, text);
  Fields top(file, document, "the budget");
  const Bounds bounds = read_bounds(file, top.need("explore"), scenario, true);
  top.done();
  return bounds;
}

}  // namespace lockproof::harness
