// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/settled_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "execution/judge/lines/lock_name.hpp"
#include "harness/input_error.hpp"
#include "harness/program/program_key.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::execution {
namespace {

constexpr std::size_t names_shown = 4;

/// What the entries of all workers say of their locks.
struct EntryNames {
  std::map<std::string, std::set<std::size_t>> workers_of;  // by the lock's name
  std::set<std::string> wordings;
  bool has_unnamed = false, by_field = true;  // by_field: columns, attributes and groups name them

  [[nodiscard]] bool any_shared() const {
    return std::ranges::any_of(workers_of, [](const auto& one) { return one.second.size() > 1; });
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, workers] : workers_of) all.push_back(name);
    return all;
  }
};

EntryNames names_in(const std::vector<WorkerLog>& workers) {
  EntryNames names;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    for (const WorkerLine& line : workers[w].lines) {
      if (line.kind != LineKind::enters) continue;
      names.by_field &= workers[w].names_locks;
      names.has_unnamed |= line.lock.empty();
      if (!line.lock.empty()) names.workers_of[line.lock].insert(w);
      if (!workers[w].names_locks) names.wordings.insert(line.wording);
    }
  }
  return names;
}

std::string list_of(std::vector<std::string> names) {
  const bool has_more = names.size() > names_shown;
  if (has_more) names.resize(names_shown);
  for (std::string& name : names) name = "\"" + harness::printable(name) + "\"";
  return fmt::format("{}{}", fmt::join(names, ", "), has_more ? ", …" : "");
}

/// The worker that gets a lock twice without an end between, where no line says of which lock it is; null: none does.
const WorkerLog* twice_inside(const std::vector<WorkerLog>& workers) {
  for (const WorkerLog& worker : workers) {
    bool inside = false;
    for (const WorkerLine& line : worker.lines) {
      if (line.kind == LineKind::enters && inside && line.lock.empty()) return &worker;
      if (line.kind != LineKind::nothing) inside = line.kind == LineKind::enters;
    }
  }
  return nullptr;
}

void forget_names(std::vector<WorkerLog>& workers) {
  for (WorkerLog& worker : workers) {
    for (WorkerLine& line : worker.lines) line.lock.clear();
  }
}

void keep_lines(std::vector<WorkerLog>& workers, const std::function<bool(const std::string& lock)>& stays) {
  for (WorkerLog& worker : workers) {
    for (WorkerLine& line : worker.lines) {
      if (!stays(line.lock)) line.kind = LineKind::nothing;
    }
  }
}

/// Why the lines may be of several locks; empty: they are not.
std::string doubt_of(const EntryNames& names, const LinePatterns& patterns) {
  const bool reader_names = !patterns.enters.empty() || !patterns.held.empty();
  if (!names.workers_of.empty() && names.has_unnamed) {
    return fmt::format("some lines name a lock ({}), and others name none", list_of(names.names()));
  }
  if (names.workers_of.size() > 1 && !names.any_shared() && !names.by_field) {
    return fmt::format("no two workers' lines name the same lock ({}), or these are no names", list_of(names.names()));
  }
  if (!reader_names && names.wordings.size() > 1) {
    const std::vector<std::string> both(names.wordings.begin(), std::next(names.wordings.begin(), 2));
    return fmt::format("lines by which workers got a lock differ ({}), and what differs may be its name",
                       list_of(both));
  }
  return "";
}

/// The name of the lock that has this key, if one alone may have it, and that one no other key.
std::string name_of_key(const EntryNames& names, const std::string& key, const std::vector<std::string>& others) {
  std::vector<std::string> possible;
  for (const std::string& name : names.names()) {
    if (name == key) return name;
    const auto may_be_other = [&](const std::string& other) { return may_be_key(name, other); };
    if (may_be_key(name, key) && std::ranges::none_of(others, may_be_other)) possible.push_back(name);
  }
  return possible.size() == 1 ? possible.front() : "";
}

}  // namespace

void add_doubt(std::vector<WorkerLog>& workers, const std::string& doubt) {
  for (WorkerLog& worker : workers) worker.doubt = doubt;
}

void settle_locks(std::vector<WorkerLog>& workers, const LinePatterns& patterns, const std::string& key) {
  EntryNames names = names_in(workers);
  if (!key.empty()) {
    const auto fits = [&](const std::string& lock) { return !lock.empty() && harness::fits(lock, key); };
    if (std::ranges::none_of(names.names(), fits)) {
      throw harness::InputError(
          "--key", 0,
          names.workers_of.empty()
              ? "no line of the workers names a lock; name the lines of one by --enters"
              : fmt::format("no line names such a lock; these are named: {}", list_of(names.names())));
    }
    keep_lines(workers, fits);
    names = names_in(workers);
  }
  const bool reader_names = !patterns.enters.empty() || !patterns.held.empty();
  const bool are_tokens = names.workers_of.size() > 1 && !names.any_shared() && !names.by_field;
  if (reader_names && are_tokens) {
    forget_names(workers);
    names = names_in(workers);
  }
  std::string doubt = doubt_of(names, patterns);
  if (const WorkerLog* const worker = twice_inside(workers); worker && doubt.empty()) {
    doubt = fmt::format("{} gets a lock twice without an end between: of several locks, or a line is missing",
                        harness::printable(worker->name));
  }
  add_doubt(workers, doubt);
}

void settle_key(std::vector<WorkerLog>& workers, const LinePatterns& patterns, const std::string& key,
                const std::vector<std::string>& others) {
  const EntryNames names = names_in(workers);
  const bool reader_names = !patterns.enters.empty() || !patterns.held.empty();
  const std::string own = name_of_key(names, key, others);
  std::string doubt;
  if (!own.empty()) {
    const bool alone = others.empty() && names.workers_of.size() == 1;
    keep_lines(workers, [&](const std::string& lock) { return lock == own || (alone && lock.empty()); });
  } else if (!names.workers_of.empty() && (names.workers_of.size() > 1 || !others.empty())) {
    const bool are_tokens = reader_names && !names.any_shared() && !names.by_field;
    if (!are_tokens)
      doubt = fmt::format("its lines name {}, and which of them is the key is not known", list_of(names.names()));
  } else if (names.workers_of.empty() && !others.empty() && !reader_names) {
    doubt = fmt::format("its lines name no lock, and the server has other locks' keys ({})", list_of(others));
  }
  forget_names(workers);
  if (!doubt.empty()) add_doubt(workers, doubt + "; name one lock's lines by --enters");
}

}  // namespace lockproof::execution
