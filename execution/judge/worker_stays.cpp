// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/worker_stays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "execution/judge/time_of_day.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::Certainty;

constexpr std::int64_t ever = INT64_MAX / 4;  // sums of two do not overflow

/// One stay inside, by the worker's clock.
struct OwnStay {
  std::size_t worker = 0;
  std::string lock;                               // as the log calls it; empty: it does not say
  std::int64_t from_us = 0, entered_us = 0;       // it entered between these
  std::optional<std::int64_t> surely_until_us{};  // nothing: no line says when its work ended
  std::int64_t until_us = ever;                   // at the latest
};

/// The stays of one worker, line by line.
class StayFinder {
 public:
  StayFinder(std::size_t worker, std::vector<OwnStay>& into) : worker_(worker), stays_(into) {}

  void read(const WorkerLine& line) {
    switch (line.kind) {
      case LineKind::nothing: return;
      case LineKind::enters: return enter(line);
      case LineKind::leaves:
      case LineKind::released: return end(line);
    }
  }

 private:
  void enter(const WorkerLine& line) {
    const std::int64_t latest = line.at_us + line.precision_us;
    if (const auto again = current_.find(line.lock); again != current_.end()) {
      OwnStay& before = stays_[again->second];
      before.until_us = std::min(before.until_us, latest);
    }
    current_[line.lock] = stays_.size();
    working_.insert(line.lock);
    stays_.push_back({worker_, line.lock, line.at_us, latest});
  }
  /// Of which lock an end is that names none is not known: after it no lock's work goes on for sure.
  void end(const WorkerLine& line) {
    const bool leaves = line.kind == LineKind::leaves;
    const auto named = current_.find(line.lock);
    for (const auto& [lock, stay] : current_) {
      if (named != current_.end() && lock != line.lock) continue;
      if (working_.erase(lock) > 0 && leaves) stays_[stay].surely_until_us = line.at_us;
    }
    if ((leaves && !line.also_released) || named == current_.end()) return;
    stays_[named->second].until_us = line.at_us + line.precision_us;
    current_.erase(named);
  }

  const std::size_t worker_;
  std::vector<OwnStay>& stays_;
  std::map<std::string, std::size_t> current_;  // by lock
  std::set<std::string> working_;               // locks whose work has not ended
};

std::vector<OwnStay> stays_of(const std::vector<WorkerLog>& logs) {
  std::vector<OwnStay> stays;
  for (std::size_t w = 0; w < logs.size(); ++w) {
    StayFinder finder(w, stays);
    for (const WorkerLine& line : logs[w].lines) finder.read(line);
  }
  std::ranges::stable_sort(stays, {}, &OwnStay::from_us);
  return stays;
}

/// By order of first sight.
std::vector<std::string> locks_of(const std::vector<OwnStay>& stays) {
  std::vector<std::string> seen;
  for (const OwnStay& stay : stays) {
    if (!stay.lock.empty() && std::ranges::find(seen, stay.lock) == seen.end()) seen.push_back(stay.lock);
  }
  return seen;
}

class WorkerJudge {
 public:
  WorkerJudge(const std::vector<WorkerLog>& logs, Duration clocks)
      : workers_(logs), apart_us_(2 * clocks.count()), stays_(stays_of(logs)), locks_(locks_of(stays_)) {
    begin_us_ = ever;
    for (const WorkerLog& worker : logs) {
      if (worker.lines.empty()) continue;
      begin_us_ = std::min(begin_us_, worker.lines.front().at_us);
      end_us_ = std::max(end_us_, worker.lines.back().at_us);
    }
  }

  harness::JudgedReport report(Duration clocks) const {
    harness::JudgedReport report{.begin = time_of_day(begin_us_), .length = Duration(end_us_ - begin_us_)};
    report.grants = stays_.size();
    report.clocks = clocks;
    report.has_doubts = true;
    report.remarks.emplace_back(
        "No log of the server is here: a worker whose log is missing may have been inside, leases and "
        "releases are not judged, and a lock of several holders is not known from one of a single holder.");
    report.anonymous_remarks.emplace_back(
        "no log of the server; what is certain is so if no line of the workers is missing");
    report.locks = locks_;
    if (has_doubt()) {
      report.remarks.push_back("These lines may be of several locks, so nothing is certain: " + workers_.front().doubt +
                               ". --key names a lock that the lines name, --enters the words of one lock's lines.");
      report.anonymous_remarks.emplace_back("the lines may be of several locks");
    }
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const auto entries = static_cast<std::size_t>(std::ranges::count(stays_, w, &OwnStay::worker));
      report.clients.push_back({.name = name_of(w), .connection = "", .worker = workers_[w].name, .grants = entries});
      if (entries > 0) continue;
      report.remarks.push_back(
          fmt::format("No line of {} says that it got the lock; say by --enters what such a line "
                      "contains.",
                      workers_[w].name));
      report.anonymous_remarks.push_back(fmt::format("worker {}: no line says that it got the lock", w + 1));
    }
    report.properties.push_back(mutual_exclusion());
    return report;
  }

 private:
  static std::string name_of(std::size_t worker) { return fmt::format("client-{}", worker + 1); }

  [[nodiscard]] std::string place(const OwnStay& stay) const {
    return check::seconds_text(seconds(1) + Duration(stay.from_us - begin_us_));
  }

  [[nodiscard]] bool has_doubt() const { return !workers_.empty() && !workers_.front().doubt.empty(); }

  /// " of lock-2", where there are several.
  [[nodiscard]] std::string lock_text(const OwnStay& stay) const {
    if (locks_.size() < 2 || stay.lock.empty()) return "";
    return fmt::format(" of lock-{}", std::ranges::find(locks_, stay.lock) - locks_.begin() + 1);
  }

  [[nodiscard]] static bool may_be_of_one_lock(const OwnStay& one, const OwnStay& other) {
    return one.lock == other.lock || one.lock.empty() || other.lock.empty();
  }

  /// However far the clocks are from each other, both were inside at one instant.
  [[nodiscard]] bool surely_overlap(const OwnStay& one, const OwnStay& other) const {
    return !has_doubt() && one.lock == other.lock && one.surely_until_us && other.surely_until_us &&
           other.entered_us + apart_us_ < *one.surely_until_us && one.entered_us + apart_us_ < *other.surely_until_us;
  }

  [[nodiscard]] harness::JudgedProperty mutual_exclusion() const {
    harness::JudgedProperty found{.name = "mutual-exclusion"};
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      for (std::size_t j = i + 1; j < stays_.size(); ++j) {
        const OwnStay &one = stays_[i], &other = stays_[j];
        if (other.from_us > one.until_us + apart_us_) break;
        if (one.worker == other.worker || !(has_doubt() || may_be_of_one_lock(one, other))) continue;
        const bool sure = surely_overlap(one, other);
        if (!sure && found.violated != Certainty::none) continue;
        found.violated = sure ? Certainty::certain : Certainty::possible;
        found.what = fmt::format("{} at {} entered while {} was inside{} (since {}), each by its own clock",
                                 name_of(other.worker), place(other), name_of(one.worker), lock_text(one), place(one));
        if (sure) return found;
      }
    }
    return found;
  }

  const std::vector<WorkerLog>& workers_;
  const std::int64_t apart_us_;  // two clocks, at most
  const std::vector<OwnStay> stays_;
  const std::vector<std::string> locks_;
  std::int64_t begin_us_ = 0, end_us_ = 0;
};

}  // namespace

harness::JudgedReport judge_workers(const std::vector<WorkerLog>& workers, Duration clocks) {
  return WorkerJudge(workers, clocks).report(clocks);
}

}  // namespace lockproof::execution
