// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/random_search.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint64_t batch = 16;  // seeds that a worker takes at a time

void count(std::map<std::string, Tally, std::less<>>& into, const check::Finding& finding, std::uint64_t seed) {
  Tally& tally = into[finding.property];
  if (++tally.runs == 1 || seed < tally.first_seed) {
    tally.first_seed = seed;
    tally.finding = finding;
  }
}

void merge(std::map<std::string, Tally, std::less<>>& into, const std::map<std::string, Tally, std::less<>>& from) {
  for (const auto& [property, tally] : from) {
    Tally& sum = into[property];
    const bool earlier = sum.runs == 0 || tally.first_seed < sum.first_seed;
    const std::uint64_t runs = sum.runs + tally.runs;
    if (earlier) sum = tally;
    sum.runs = runs;
  }
}

struct Work {
  std::atomic<std::uint64_t> taken{0}, done{0};
  std::atomic<bool> stop{false};
};

SearchResult share_of(const harness::Scenario& scenario, std::uint64_t first, std::uint64_t runs, Work& work,
                      const std::function<bool(std::uint64_t)>& progress) {
  SearchResult share;
  const Options options{.record = true, .record_inputs = false, .token_name = {}};
  while (!work.stop) {
    const std::uint64_t from = work.taken.fetch_add(batch);
    if (from >= runs) break;
    const std::uint64_t to = std::min(from + batch, runs);
    for (std::uint64_t i = from; i < to; ++i) {
      const harness::History history = run(scenario, first + i, options);
      share.events += history.events.size();
      for (const check::Finding& finding : check::judge(history, scenario)) {
        if (finding.verdict == check::Verdict::violated) count(share.violated, finding, first + i);
        if (finding.verdict == check::Verdict::unknown) count(share.unknown, finding, first + i);
      }
    }
    share.runs += to - from;
    work.done += to - from;
    if (progress && !progress(work.done)) work.stop = true;
  }
  return share;
}

}  // namespace

SearchResult random_search(const harness::Scenario& scenario, std::uint64_t first, std::uint64_t runs, unsigned workers,
                           const std::function<bool(std::uint64_t)>& progress) {
  Work work;
  std::vector<SearchResult> shares(std::max(1u, workers));
  std::vector<std::exception_ptr> errors(shares.size());
  std::vector<std::thread> threads;
  const auto go = [&](std::size_t worker) {
    try {
      shares[worker] = share_of(scenario, first, runs, work, worker == 0 ? progress : nullptr);
    } catch (...) {
      errors[worker] = std::current_exception();
      work.stop = true;
    }
  };
  for (std::size_t worker = 1; worker < shares.size(); ++worker) threads.emplace_back(go, worker);
  go(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  SearchResult sum;
  for (const SearchResult& share : shares) {
    sum.runs += share.runs;
    sum.events += share.events;
    merge(sum.violated, share.violated);
    merge(sum.unknown, share.unknown);
  }
  return sum;
}

}  // namespace lockproof::sim
