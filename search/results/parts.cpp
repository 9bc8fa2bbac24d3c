// SPDX-License-Identifier: Apache-2.0
#include "search/results/parts.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/scenario/services.hpp"

namespace lockproof::sim {
namespace {

using harness::Fault;

constexpr int faults_most = 2;  // of one schedule, for which parts are made

/// Forms of one entry that a search takes together.
struct Atom {
  std::size_t entry;
  std::vector<std::size_t> forms;
};

/// A form without the hosts that it strikes, but for whether it is a client.
std::pair<bool, Fault> kind_of(const harness::Scenario& searched, Fault form) {
  const auto client = std::ranges::find(searched.clients, form.target, &harness::ClientSpec::name);
  const bool of_client = client != searched.clients.end();
  form.target.clear();
  form.peer.clear();
  form.line = 0;
  return {of_client, std::move(form)};
}

/// `by_form`: each amount by itself. Otherwise those of an entry that strike clients, and those that strike servers.
std::vector<Atom> atoms_of(const harness::Scenario& searched, const harness::Bounds& whole, bool by_form) {
  std::vector<Atom> atoms;
  for (std::size_t entry = 0; entry < whole.budget.size(); ++entry) {
    std::vector<std::pair<bool, Fault>> kinds;
    const std::size_t first = atoms.size();
    for (std::size_t form = 0; form < whole.budget[entry].forms.size(); ++form) {
      auto kind = kind_of(searched, whole.budget[entry].forms[form]);
      if (!by_form) kind.second = Fault{};
      const auto known = std::ranges::find(kinds, kind);
      const auto number = first + static_cast<std::size_t>(known - kinds.begin());
      if (known == kinds.end()) {
        kinds.push_back(std::move(kind));
        atoms.push_back({entry, {}});
      }
      atoms[number].forms.push_back(form);
    }
  }
  return atoms;
}

/// `most`: so often each of them in one run.
Part part_with(const harness::Bounds& whole, const std::vector<const Atom*>& atoms, int most) {
  Part part{whole, {}};
  part.bounds.budget.clear();
  for (const Atom* atom : atoms) {
    harness::BudgetedFault entry = whole.budget[atom->entry];
    std::vector<Fault> forms;
    for (const std::size_t form : atom->forms) forms.push_back(entry.forms[form]);
    entry.forms = std::move(forms);
    entry.most = most;
    entry.part_of.reset();
    part.bounds.budget.push_back(std::move(entry));
    part.origins.push_back({atom->entry, atom->forms});
  }
  return part;
}

std::vector<Part> pairs_of(const harness::Bounds& whole, const std::vector<Atom>& atoms) {
  const auto group_of = [&](const Atom& atom) { return whole.budget[atom.entry].part_of.value_or(atom.entry); };
  std::vector<Part> parts;
  std::vector<bool> covered(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = i; j < atoms.size(); ++j) {
      const bool same_group = group_of(atoms[i]) == group_of(atoms[j]);
      if (same_group && whole.budget[atoms[i].entry].most < 2) continue;
      parts.push_back(i == j ? part_with(whole, {&atoms[i]}, 2) : part_with(whole, {&atoms[i], &atoms[j]}, 1));
      covered[i] = covered[j] = true;
    }
    if (!covered[i]) parts.push_back(part_with(whole, {&atoms[i]}, 1));
  }
  return parts;
}

/// Whether a server has the same after it ends, with or without a warning.
bool ends_alike(const harness::Scenario& searched, const std::string& target) {
  if (!harness::row_of(searched.algorithm->service).persists) return true;
  const auto server = std::ranges::find(searched.servers, target, &harness::ServerSpec::name);
  return server != searched.servers.end() &&
         (server->persistence == harness::Persistence::none || server->persistence == harness::Persistence::aof_always);
}

/// The budget with one kind for all faults that do the same, and without what only messages say of it.
std::vector<harness::BudgetedFault> by_effect(const harness::Scenario& searched, const Part& part) {
  std::vector<harness::BudgetedFault> budget = part.bounds.budget;
  for (harness::BudgetedFault& entry : budget) {
    entry.line = 0;
    for (Fault& form : entry.forms) {
      form.line = 0;
      const bool is_alike = form.kind == harness::FaultKind::power_cut && ends_alike(searched, form.target);
      if (is_alike) form.kind = harness::FaultKind::restart;
    }
    entry.kind = entry.forms.front().kind;
  }
  return budget;
}

template <class Key>
void add_better(std::map<Key, ShortestViolation>& into, const Key& key, ShortestViolation more) {
  const auto known = into.find(key);
  const auto rank = [](const ShortestViolation& broken) { return std::pair(broken.faults, broken.depth); };
  if (known == into.end() || rank(more) < rank(known->second)) into.insert_or_assign(key, std::move(more));
}

std::set<Budget::Offer> numbered_as_whole(const Part& part, const std::set<Budget::Offer>& offers) {
  std::set<Budget::Offer> whole;
  for (const auto& [entry, form] : offers) whole.insert({part.origins[entry].entry, part.origins[entry].forms[form]});
  return whole;
}

/// Of schedules without a fault, which every part has, as far as any part went.
std::optional<Exploration::SearchDepth> farther(std::optional<Exploration::SearchDepth> known,
                                                std::optional<Exploration::SearchDepth> more) {
  if (more && more->faults > 0) more = Exploration::SearchDepth{1, 0};
  if (!known || (more && std::pair(more->faults, more->depth) > std::pair(known->faults, known->depth))) return more;
  return known;
}

void keep_common(std::set<std::string>& into, const std::set<std::string>& more) {
  std::erase_if(into, [&](const std::string& name) { return !more.contains(name); });
}

}  // namespace

std::vector<Part> parts_of(const harness::Scenario& searched, const harness::Bounds& whole) {
  if (whole.max_faults < 1 || whole.max_faults > faults_most) return {};
  // Forms taken in pairs would each be searched alone in as many parts as there are forms.
  const std::vector<Atom> atoms = atoms_of(searched, whole, whole.max_faults == 1);
  if (atoms.size() < 2) return {};
  if (whole.max_faults == 2) return pairs_of(whole, atoms);
  std::vector<Part> parts;
  for (const Atom& atom : atoms) parts.push_back(part_with(whole, {&atom}, 1));
  return parts;
}

std::vector<std::optional<std::size_t>> equal_parts(const harness::Scenario& searched, const std::vector<Part>& parts) {
  std::vector<std::vector<harness::BudgetedFault>> budgets;
  std::vector<std::optional<std::size_t>> equal;
  for (const Part& part : parts) {
    budgets.push_back(by_effect(searched, part));
    const auto first = std::ranges::find(budgets, budgets.back());
    const auto number = static_cast<std::size_t>(first - budgets.begin());
    equal.push_back(number + 1 < budgets.size() ? std::optional(number) : std::nullopt);
  }
  return equal;
}

void PartsSum::add(const Part& part, Exploration found) {
  const auto within = std::make_shared<const harness::Bounds>(part.bounds);
  for (auto& [way, broken] : found.broken) broken.within = within;
  std::map<std::pair<ViolationKind, std::vector<int>>, ShortestViolation> by_faults;
  for (auto& [with, broken] : found.by_faults) {
    std::vector<int> counts(whole_.budget.size());
    for (std::size_t entry = 0; entry < with.second.size(); ++entry)
      counts[part.origins[entry].entry] += with.second[entry];
    broken.within = within;
    add_better(by_faults, {with.first, std::move(counts)}, std::move(broken));
  }
  found.by_faults = std::move(by_faults);
  found.of_budget = numbered_as_whole(part, found.of_budget);
  if (found.timed) found.timed->of_budget = numbered_as_whole(part, found.timed->of_budget);
  if (std::exchange(empty_, false)) {
    sum_ = std::move(found);
    sum_.reached = farther(std::nullopt, sum_.complete ? Exploration::SearchDepth{1, 0} : sum_.reached);
    sum_.probed.reset();
    return;
  }
  sum_.TestCoverage::add(found);
  if (found.timed && sum_.timed) {
    sum_.timed->add(*found.timed);
    keep_common(sum_.timed->judged, found.timed->judged);
  } else {
    sum_.timed.reset();  // one of them was not searched to its end
  }
  for (auto& [way, broken] : found.broken) add_better(sum_.broken, way, std::move(broken));
  for (auto& [with, broken] : found.by_faults) add_better(sum_.by_faults, with, std::move(broken));
  keep_fewest(sum_);
  keep_common(sum_.judged, found.judged);
  sum_.outcomes.insert(found.outcomes.begin(), found.outcomes.end());
  for (auto count : {&Exploration::states, &Exploration::transitions, &Exploration::terminal, &Exploration::unanswered,
                     &Exploration::at_horizon, &Exploration::given_up, &Exploration::timed_states}) {
    sum_.*count += found.*count;
  }
  sum_.bytes += found.bytes;
  sum_.depth = std::max(sum_.depth, found.depth);
  sum_.detail = std::max(sum_.detail, found.detail);
  sum_.exchanged |= found.exchanged;
  sum_.only_written &= found.only_written;
  sum_.written &= found.written;
  if (sum_.probes_stopped.empty()) sum_.probes_stopped = found.probes_stopped;
  if (sum_.complete || (sum_.reached_ends() && !found.complete)) {
    sum_.stopped = found.stopped;
    sum_.unrepresentable = found.unrepresentable;
  }
  sum_.complete &= found.complete;
  sum_.reached = farther(sum_.reached, found.complete ? Exploration::SearchDepth{1, 0} : found.reached);
  sum_.probed.reset();
}

}  // namespace lockproof::sim
