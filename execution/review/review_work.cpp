// SPDX-License-Identifier: Apache-2.0
// The searches of one fault of each lock, and how much a Reviewer searches in each stage.
#include <algorithm>
#include <map>
#include <ranges>

#include "execution/review/reviewer.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::ReviewCell;
using Verdict = ReviewCell::Verdict;

constexpr const char* others_keep_more = "not searched further, since other locks keep more";
constexpr const char* not_yet = "not searched yet";
constexpr const char* no_more_is_asked = "not searched further, since all that was asked is broken";

}  // namespace

/// Shares of the limit of one search, the same on any machine.
std::uint64_t Reviewer::work_of(Stage stage) const {
  const std::uint64_t one = order_.limits.work, locks = std::max<std::size_t>(1, subjects_.size());
  const auto share = [&](std::uint64_t most, std::uint64_t least) { return std::max(one * most / locks, one / least); };
  switch (stage) {
    case Stage::first_look: return std::min(one, search::few_states);
    case Stage::page: return share(1, 2);
    case Stage::period: return share(1, 4);
    case Stage::deepening: return one / 5;
    case Stage::boundary: return one / 8;
    case Stage::remedies: return one / 5;
  }
  return one;
}

/// What is open of one lock shares its work evenly, whatever the order.
void Reviewer::share_work(const std::vector<FaultSearch*>& parts) const {
  std::map<std::size_t, std::uint64_t> open;
  for (const FaultSearch* part : parts) ++open[part->subject];
  for (FaultSearch* part : parts) {
    const std::uint64_t few = work_of(Stage::first_look);
    part->most = part->skipped ? few : std::max(few, work_of(Stage::page) / open[part->subject]);
  }
}

/// Each trouble of every lock before the next trouble: when the time is over, something is known of each lock.
std::vector<Reviewer::FaultSearch> Reviewer::parts_of(const std::vector<std::size_t>& which) const {
  std::vector<FaultSearch> parts;
  for (const std::size_t i : which) {
    std::size_t rank = 0;
    for (Trouble& trouble : troubles(review_, setting_of(subjects_[i]))) {
      FaultSearch& part = parts.emplace_back(FaultSearch{rank++, i, std::move(trouble)});
      for (const Concern concern : of_faults) part.cells[concern] = {Verdict::unknown, {}, not_yet};
    }
  }
  std::ranges::stable_sort(parts, {}, &FaultSearch::rank);
  return parts;
}

std::set<Concern> Reviewer::asked_of_faults() const {
  std::set<Concern> asked = review_.must_not;
  asked.erase(Concern::runs_twice);
  return asked;
}

void Reviewer::search_first(std::vector<FaultSearch>& parts) {
  std::vector<std::set<Concern>> open(subjects_.size(), asked_of_faults());
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::find_if(begin, parts.end(), [&](const FaultSearch& part) { return part.rank > begin->rank; });
    std::vector<FaultSearch*> searched;
    for (auto part = begin; part != end; ++part) {
      part->skipped = open[part->subject].empty();
      if (!part->skipped) searched.push_back(&*part);
      if (!part->skipped) continue;
      for (auto& [concern, cell] : part->cells) cell.why = no_more_is_asked;
    }
    const auto done = static_cast<std::size_t>(begin - parts.begin());
    search_parts(searched, work_of(Stage::first_look), {"searches of one fault", done, parts.size()});
    for (const FaultSearch* part : searched) {
      for (const auto& [concern, cell] : part->cells)
        if (cell.verdict == Verdict::broken) open[part->subject].erase(concern);
    }
    begin = end;
    collect(parts);
    tell_rows();
  }
}

void Reviewer::search_parts(const std::vector<FaultSearch*>& parts, std::uint64_t most,
                            const Progress& progress) const {
  side_by_side(progress, parts.size(), [&](std::size_t i) {
    FaultSearch& part = *parts[i];
    const bool again = part.states > 0;
    if (order_.limits.stop.stop_requested() && again) return;  // what is known of it is more
    std::map<Concern, ReviewCell> cells;
    SearchRecord searched{cells};
    searched.most = std::min(most, part.most);
    searched.again = again;
    const Subject& subject = subjects_[part.subject];
    search_one(subject, setting_of(subject), part.trouble, of_faults, searched);
    part.skipped = false;
    part.whole = std::ranges::find(searched.unsearched, part.trouble.label) == searched.unsearched.end();
    part.cells = std::move(cells);
    part.unsearched = std::move(searched.unsearched);
    part.broken_by = std::move(searched.broken_by);
    part.states = searched.states;
  });
}

/// A lock that keeps less than the best three was searched a little; what is open of it stays so.
void Reviewer::search_best(std::vector<FaultSearch>& parts) {
  std::set<std::size_t> searched;
  while (true) {
    collect(parts);
    tell_rows();
    std::vector<std::size_t> next;
    std::ranges::copy_if(first(of_a_page), std::back_inserter(next),
                         [&](std::size_t i) { return searched.insert(i).second; });
    if (next.empty()) break;
    std::vector<FaultSearch*> open;
    for (FaultSearch& part : parts) {
      const bool is_next = std::ranges::find(next, part.subject) != next.end();
      // To break what is broken already adds a cause, and few states are enough for that.
      if (is_next && !part.whole && (part.skipped || !breaks_all(subjects_[part.subject]))) open.push_back(&part);
    }
    share_work(open);
    search_parts(open, search::Limits::none, {"searches of what is left", 0, open.size()});
  }
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    if (searched.contains(i)) continue;
    for (auto& [concern, cell] : subjects_[i].row.cells) {
      if (cell.verdict == Verdict::unknown) cell.why = others_keep_more;
    }
  }
}

void Reviewer::collect(const std::vector<FaultSearch>& parts) {
  for (Subject& subject : subjects_) {
    for (const Concern concern : of_faults) subject.row.cells.erase(concern);
    subject.unsearched.clear();
    subject.broken_by.clear();
    subject.of_one_fault = 0;
  }
  for (const FaultSearch& part : parts) {
    Subject& subject = subjects_[part.subject];
    for (const auto& [concern, cell] : part.cells) add(subject.row.cells[concern], cell);
    subject.unsearched.insert(subject.unsearched.end(), part.unsearched.begin(), part.unsearched.end());
    subject.broken_by.insert(part.broken_by.begin(), part.broken_by.end());
    subject.of_one_fault += part.states;
  }
}

}  // namespace lockproof::execution
