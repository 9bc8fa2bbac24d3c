// SPDX-License-Identifier: Apache-2.0
#include "execution/compare/question_pair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "execution/frontier/frontier_questions.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::BudgetedFault;
using harness::Fault;
using harness::Scenario;

std::string with_sign(Duration d) { return d < Duration{} ? "-" + harness::to_text(-d) : harness::to_text(d); }

/// The fault as an entry of a budget: of any client, if it strikes one, and anywhere.
std::string freed(const Scenario& scenario, const Fault& fault) {
  const bool of_client =
      std::ranges::find(scenario.clients, fault.target, &harness::ClientSpec::name) != scenario.clients.end();
  std::string text = fmt::format("\n[[explore.fault]]\nkind = \"{}\"\ntarget = \"{}\"\n", name(fault.kind),
                                 of_client ? "clients" : fault.target);
  for (const harness::Setting setting : row_of(fault.kind).settings) {
    using harness::Setting;
    if (setting == Setting::lasts) text += fmt::format("for = \"{}\"\n", harness::to_text(fault.lasts));
    if (setting == Setting::may_last && fault.lasts > Duration{})
      text += fmt::format("for = \"{}\"\n", harness::to_text(fault.lasts));
    if (setting == Setting::by || setting == Setting::jump) text += fmt::format("by = \"{}\"\n", with_sign(fault.by));
    if (setting == Setting::rate) text += fmt::format("rate = \"{}%\"\n", harness::percent_text(fault.rate_ppb));
  }
  return text;
}

std::string freed_faults(const Scenario& scenario) {
  std::string text = "[explore]\n";
  std::set<std::string> known;
  for (const Fault& fault : scenario.faults) {
    std::string entry = freed(scenario, fault);
    if (known.insert(entry).second) text += entry;
  }
  return text;
}

std::vector<std::string> hosts_of(const Scenario& scenario) { return scenario.host_names(true, true); }

void refuse_other_hosts(const QuestionPair& question) {
  throw harness::InputError(
      question.b.called, 0,
      fmt::format("has the hosts {}, and {} has {}: the faults of one cannot strike the other; give --budget FILE",
                  fmt::join(hosts_of(question.b.scenario), ", "), question.a.called,
                  fmt::join(hosts_of(question.a.scenario), ", ")));
}

bool has_form(const std::vector<BudgetedFault>& budget, Fault form) {
  form.line = 0;
  return std::ranges::any_of(budget, [&](const BudgetedFault& entry) {
    return std::ranges::any_of(entry.forms, [&](Fault known) {
      known.line = 0;
      return known == form;
    });
  });
}

/// All of these are targets of the form, whatever else is.
bool strikes_all(const BudgetedFault& entry, Fault form, const std::vector<std::string>& hosts) {
  return !hosts.empty() && std::ranges::all_of(hosts, [&](const std::string& host) {
    form.target = host;
    return std::ranges::find(entry.forms, form) != entry.forms.end();
  });
}

bool knows_others(const Scenario& scenario, const Fault& form) {
  std::vector<std::string> named = form.to_clients;
  named.insert(named.end(), {form.peer, form.session});
  const std::vector<std::string> hosts = hosts_of(scenario);
  return std::ranges::all_of(named, [&](const std::string& host) {
    return host.empty() || host == harness::all_hosts || std::ranges::find(hosts, host) != hosts.end();
  });
}

/// The entry for another scenario's hosts: what strikes every client, or every server, does so there.
std::vector<Fault> forms_for(const Scenario& from, const BudgetedFault& entry, const Scenario& into) {
  std::vector<Fault> forms;
  for (const Fault& form : entry.forms) {
    if (!knows_others(into, form)) continue;
    std::vector<std::string> targets;
    for (const bool of_clients : {true, false}) {
      const std::vector<std::string> own = from.host_names(of_clients, !of_clients);
      const std::vector<std::string> there = into.host_names(of_clients, !of_clients);
      if (std::ranges::find(own, form.target) == own.end()) continue;
      targets = strikes_all(entry, form, own) ? there : std::vector{form.target};
      std::erase_if(targets, [&](const std::string& host) { return std::ranges::find(there, host) == there.end(); });
    }
    for (const std::string& target : targets) {
      forms.push_back(form);
      forms.back().target = target;
    }
  }
  return forms;
}

/// Adds the faults of the other one that it has not, as far as its service and its hosts can have them.
void add_missing(const ComparedSide& from, ComparedSide& into) {
  for (BudgetedFault entry : from.bounds.budget) {
    if (!harness::can_have(into.scenario, entry.kind)) continue;
    std::vector<Fault> missing;
    for (Fault& form : forms_for(from.scenario, entry, into.scenario)) {
      const bool is_known = has_form(into.bounds.budget, form) || std::ranges::find(missing, form) != missing.end();
      if (!is_known) missing.push_back(std::move(form));
    }
    entry.forms = std::move(missing);
    if (!entry.forms.empty()) into.bounds.budget.push_back(std::move(entry));
  }
}

void share_faults(QuestionPair& question) {
  const ComparedSide own_a = question.a;
  add_missing(question.b, question.a);
  add_missing(own_a, question.b);
}

void read_own(ComparedSide& side) {
  side.alone = !side.scenario.explore;
  side.bounds = side.scenario.explore.value_or(harness::Bounds{});
  if (!side.alone) return;
  constexpr int pair = 2;  // of more together the searches are large
  side.bounds.max_faults = std::clamp(static_cast<int>(side.scenario.faults.size()), 1, pair);
  side.bounds.budget = harness::parse_budget(side.scenario.file, freed_faults(side.scenario), side.scenario).budget;
}

bool has_faults(const ComparedSide& side) { return !side.bounds.budget.empty() || !side.scenario.faults.empty(); }

/// All but the budget and how much of it may strike.
void take_limits(const harness::Bounds& from, harness::Bounds& into) {
  std::vector<BudgetedFault> budget = std::move(into.budget);
  const int most = into.max_faults;
  into = from;
  into.max_faults = most;
  into.budget = std::move(budget);
}

}  // namespace

void choose_bounds(QuestionPair& question) {
  ComparedSide &a = question.a, &b = question.b;
  read_own(a);
  read_own(b);
  const bool any_states = !a.alone || !b.alone;
  question.bounds_of = any_states ? "[explore]" : "the scenarios' own faults, anywhere";
  if (!has_faults(a) && !has_faults(b)) {
    question.bounds_of = "the faults that frontier asks about";
    for (ComparedSide* side : {&a, &b}) {
      const harness::Bounds usual = usual_bounds(side->scenario);
      side->bounds.budget = usual.budget;
      if (!any_states) take_limits(usual, side->bounds);
    }
  } else if (!any_states) {
    for (ComparedSide* side : {&a, &b}) take_limits(usual_bounds(side->scenario), side->bounds);
  }
  const int most = std::max(a.bounds.max_faults, b.bounds.max_faults);
  if (a.alone && !b.alone) take_limits(b.bounds, a.bounds);
  if (!a.alone) take_limits(a.bounds, b.bounds);
  a.bounds.max_faults = b.bounds.max_faults = most;
  share_faults(question);
  if (a.bounds.budget.empty() != b.bounds.budget.empty()) refuse_other_hosts(question);
}

void choose_bounds(QuestionPair& question, const std::string& budget_file) {
  question.bounds_of = budget_file;
  for (ComparedSide* side : {&question.a, &question.b}) {
    side->alone = true;
    side->bounds = harness::load_budget(budget_file, side->scenario);
  }
}

std::vector<QuestionPair> question_pairs(const harness::AlgorithmRef& a, const harness::AlgorithmRef& b) {
  const std::vector<FrontierQuestion> all_a = frontier_questions(*a, 1, ""), all_b = frontier_questions(*b, 1, "");
  const auto question_of = [](const FrontierQuestion& of_a, const FrontierQuestion& of_b) {
    const std::string world =
        of_a.topology == of_b.topology ? of_a.topology : fmt::format("{}, and {}", of_a.topology, of_b.topology);
    return QuestionPair{world,
                        {of_a.subject, of_a.scenario, of_a.bounds, true},
                        {of_b.subject, of_b.scenario, of_b.bounds, true},
                        "the faults that frontier asks about"};
  };
  std::vector<QuestionPair> questions;
  for (const FrontierQuestion& of_a : all_a) {
    const auto of_b = std::ranges::find(all_b, of_a.topology, &FrontierQuestion::topology);
    if (of_b != all_b.end()) questions.push_back(question_of(of_a, *of_b));
  }
  if (questions.empty()) questions.push_back(question_of(all_a.front(), all_b.front()));
  for (QuestionPair& question : questions) share_faults(question);
  return questions;
}

}  // namespace lockproof::execution
