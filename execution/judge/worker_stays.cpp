// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/worker_stays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
  std::int64_t from_us = 0, entered_us = 0;       // it entered between these
  std::optional<std::int64_t> surely_until_us{};  // nothing: no line says when its work ended
  std::int64_t until_us = ever;                   // at the latest
};

std::vector<OwnStay> stays_of(const std::vector<WorkerLog>& logs) {
  std::vector<OwnStay> stays;
  for (std::size_t w = 0; w < logs.size(); ++w) {
    OwnStay* current = nullptr;
    for (const WorkerLine& line : logs[w].lines) {
      const std::int64_t latest = line.at_us + line.precision_us;
      if (line.kind == LineKind::enters) {
        if (current) current->until_us = std::min(current->until_us, latest);
        stays.push_back({w, line.at_us, latest});
        current = &stays.back();
      } else if (line.kind == LineKind::leaves && current && !current->surely_until_us) {
        current->surely_until_us = line.at_us;
      } else if (line.kind == LineKind::released && current) {
        current->until_us = latest;
        current = nullptr;
      }
    }
  }
  std::ranges::stable_sort(stays, {}, &OwnStay::from_us);
  return stays;
}

class WorkerJudge {
 public:
  WorkerJudge(const std::vector<WorkerLog>& logs, Duration clocks)
      : workers_(logs), apart_us_(2 * clocks.count()), stays_(stays_of(logs)) {
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
        "What redis-cli MONITOR printed is not here: a worker whose log is missing may have been inside, leases and "
        "releases are not judged, and a lock of several holders is not known from one of a single holder.");
    report.anonymous_remarks.emplace_back(
        "no log of the server; what is certain is so if no line of the workers is missing");
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

  /// However far the clocks are from each other, both were inside at one instant.
  [[nodiscard]] bool surely_overlap(const OwnStay& one, const OwnStay& other) const {
    return one.surely_until_us && other.surely_until_us && other.entered_us + apart_us_ < *one.surely_until_us &&
           one.entered_us + apart_us_ < *other.surely_until_us;
  }

  [[nodiscard]] harness::JudgedProperty mutual_exclusion() const {
    harness::JudgedProperty found{.name = "mutual-exclusion"};
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      for (std::size_t j = i + 1; j < stays_.size(); ++j) {
        const OwnStay &one = stays_[i], &other = stays_[j];
        if (other.from_us > one.until_us + apart_us_) break;
        if (one.worker == other.worker) continue;
        const bool sure = surely_overlap(one, other);
        if (!sure && found.violated != Certainty::none) continue;
        found.violated = sure ? Certainty::certain : Certainty::possible;
        found.what = fmt::format("{} at {} entered while {} was inside (since {}), each by its own clock",
                                 name_of(other.worker), place(other), name_of(one.worker), place(one));
        if (sure) return found;
      }
    }
    return found;
  }

  const std::vector<WorkerLog>& workers_;
  const std::int64_t apart_us_;  // two clocks, at most
  const std::vector<OwnStay> stays_;
  std::int64_t begin_us_ = 0, end_us_ = 0;
};

}  // namespace

harness::JudgedReport judge_workers(const std::vector<WorkerLog>& workers, Duration clocks) {
  return WorkerJudge(workers, clocks).report(clocks);
}

}  // namespace lockproof::execution
