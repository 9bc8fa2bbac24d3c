// SPDX-License-Identifier: Apache-2.0
// Reviewer: answers a review, what is cheap first. Of every lock that fits: each fault in a small search, the period,
// then each fault that this left open; then, of the best ones, the boundary of the lease, shorter work, three clients,
// and remedies of what is broken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "execution/review/review_lease.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

struct ReviewOrder {
  search::Limits limits{.work = 200'000};  // a search with more states is given up
  unsigned workers = 1;                    // searches at the same time
  bool evidence = false;                   // the causes are to be read and run again
  bool scenarios = false;                  // of every lock each cause's scenario is to be small, not only on the page
  /// How far a stage is, as in "12 of 320 searches of one fault"; called from any thread, first with 0.
  std::function<void(std::uint64_t done, std::uint64_t all, const std::string& what)> tell = {};
  /// The rows as far as they are known, the best first; called by the thread that called Reviewer::run.
  std::function<void(const harness::ReviewReport& so_far)> tell_rows = {};
};

// Locks of the catalogue.
inline constexpr std::size_t of_a_page = 3, searched_deeper = 2;

/// What searches without a period are asked.
inline const std::set<harness::Concern> of_faults{harness::Concern::two_at_once, harness::Concern::stuck,
                                                  harness::Concern::data_lost};

class Reviewer {
 public:
  /// REQUIRES: both outlive it.
  Reviewer(const Review& review, const ReviewOrder& order) : review_(review), order_(order) {}
  [[nodiscard]] harness::ReviewReport run();
  /// The locks that fit, the best first: what run() begins with.
  [[nodiscard]] std::vector<harness::AlgorithmRef> rank();

 private:
  struct Subject {
    harness::AlgorithmRef lock;
    milliseconds lease{};
    harness::ReviewRow row;
    std::vector<std::string> unsearched;  // of what is searched of others
    std::set<std::string> broken_by;      // the labels of the troubles that broke something
    std::uint64_t of_one_fault = 0;       // states of the searches with one fault each
    std::vector<harness::ReviewRemedy> remedies;
  };
  /// One fault of one lock.
  struct FaultSearch {
    std::size_t rank, subject;
    Trouble trouble;
    std::map<harness::Concern, harness::ReviewCell> cells{};
    std::vector<std::string> unsearched{};
    std::set<std::string> broken_by{};
    std::uint64_t states = 0;
    bool whole = false;
    bool skipped = false;                       // nothing more was asked of this lock
    std::uint64_t most = search::Limits::none;  // states of its next search
  };
  struct SearchRecord {
    std::map<harness::Concern, harness::ReviewCell>& cells;
    std::vector<std::string> unsearched{};
    std::uint64_t states = 0;
    bool pairs = false;                 // of faults, instead of single ones
    bool again = false;                 // few states of it were searched before
    std::set<std::string> broken_by{};  // the labels of the troubles that broke something
    std::set<std::string> sooner{};     // such labels: these are searched first
    /// What is still to be broken; a search ends when it has broken all of it. Empty: each cause is looked for.
    std::set<harness::Concern> open{};
    bool cut = false;                           // something was not searched, since all that was open is broken
    std::uint64_t left = search::Limits::none;  // states of all searches together that are still allowed
    std::uint64_t most = search::Limits::none;  // states of one search, if that is less than the limit
  };

  enum class Stage : std::uint8_t { first_look, page, period, deepening, boundary, remedies };
  /// States of the searches of one lock in this stage together; of a first look, of each of them.
  [[nodiscard]] std::uint64_t work_of(Stage stage) const;
  void share_work(const std::vector<FaultSearch*>& parts) const;
  /// All that was asked of searches without a period.
  [[nodiscard]] bool breaks_all(const Subject& subject) const;
  void choose_lease(Subject& subject) const;
  void find_boundary(Subject& subject) const;
  void measure_cost(Subject& subject) const;
  [[nodiscard]] std::vector<FaultSearch> parts_of(const std::vector<std::size_t>& which) const;
  /// What the order of the locks rests on.
  void search_all(harness::ReviewReport& report);
  /// Searches each with few states, rank after rank, until the lock breaks all that was asked.
  void search_first(std::vector<FaultSearch>& parts);
  /// Of a stage, what of it was done before, and all of it.
  struct Progress {
    std::string what;  // "searches of one fault"
    std::size_t done, all;
  };
  /// Searches these, with so many states at most.
  void search_parts(const std::vector<FaultSearch*>& parts, std::uint64_t most, const Progress& progress) const;
  /// What is asked of searches without a period.
  [[nodiscard]] std::set<harness::Concern> asked_of_faults() const;
  /// Searches further what is open of the best, until what is best is known.
  void search_best(std::vector<FaultSearch>& parts);
  /// Sets the cells of all locks to what their searches of one fault say.
  void collect(const std::vector<FaultSearch>& parts);
  void draw_pictures(harness::ReviewReport& report) const;
  void periods(Subject& subject) const;
  void add_drift(const Subject& subject, const Setting& setting, SearchRecord& into) const;
  void deepen(Subject& subject) const;
  /// One thing that may go wrong.
  void search_one(const Subject& subject, Setting setting, const Trouble& trouble,
                  const std::set<harness::Concern>& concerns, SearchRecord& into) const;
  /// Everything that may go wrong, one part after the other, until `enough`.
  void search(const Subject& subject, Setting setting, const std::set<harness::Concern>& concerns, SearchRecord& into,
              const std::function<bool()>& enough = {}) const;
  void for_each_subject(const std::string& what, const std::vector<std::size_t>& which,
                        void (Reviewer::*stage)(Subject&) const);
  void side_by_side(const Progress& progress, std::size_t count, const std::function<void(std::size_t)>& part) const;
  void tell_rows() const;
  [[nodiscard]] Setting setting_of(const Subject& subject) const;
  [[nodiscard]] std::vector<std::size_t> best() const;  // of all, the best first
  /// The best of the catalogue, so many of them, and all of the reviewer's own.
  [[nodiscard]] std::vector<std::size_t> first(std::size_t most) const;
  [[nodiscard]] const Subject* best_known() const;
  void find_remedies(Subject& subject) const;
  void make_readable(Subject& subject) const;
  void drop_steps(Subject& subject) const;
  [[nodiscard]] harness::ReviewRemedy tried(const Subject& subject, const std::vector<Remedy>& remedies) const;
  void describe(harness::ReviewReport& report) const;
  void answer(harness::ReviewReport& report) const;

  const Review& review_;
  const ReviewOrder& order_;
  std::vector<Subject> subjects_;
};

}  // namespace lockproof::execution
