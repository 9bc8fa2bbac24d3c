// SPDX-License-Identifier: Apache-2.0
// ThreadTeam: threads that run one job at a time together.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <latch>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::sim {

class ThreadTeam final : public PinnedObject {
 public:
  /// So many, the caller among them, or as many as the machine gives.
  explicit ThreadTeam(unsigned workers) {
    threads_.reserve(workers);
    try {
      for (unsigned worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error&) {
    }
    failed_.resize(threads_.size() + 1);
    both_.emplace(static_cast<std::ptrdiff_t>(threads_.size() + 1));
    all_there_.count_down();
  }
  ~ThreadTeam() {
    job_ = nullptr;
    both_->arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(failed_.size()); }

  /// Runs the job in each worker, the caller being number 0, and returns when all have ended. Rethrows an exception of
  /// one of them.
  void run(const std::function<void(unsigned worker)>& job) {
    job_ = &job;
    both_->arrive_and_wait();
    attempt(0);
    both_->arrive_and_wait();
    std::exception_ptr first;
    for (std::exception_ptr& failed : failed_) {
      const std::exception_ptr one = std::exchange(failed, nullptr);
      if (!first) first = one;
    }
    if (first) std::rethrow_exception(first);
  }

 private:
  void serve(unsigned worker) {
    all_there_.wait();
    while (true) {
      both_->arrive_and_wait();
      if (!job_) return;
      attempt(worker);
      both_->arrive_and_wait();
    }
  }
  void attempt(unsigned worker) {
    try {
      (*job_)(worker);
    } catch (...) {
      failed_[worker] = std::current_exception();
    }
  }

  std::vector<std::exception_ptr> failed_;
  std::latch all_there_{1};
  std::optional<std::barrier<>> both_;
  const std::function<void(unsigned)>* job_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace lockproof::sim
