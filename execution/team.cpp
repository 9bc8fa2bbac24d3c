// SPDX-License-Identifier: Apache-2.0
#include "execution/team.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace lockproof::execution {

void share_among(unsigned workers, std::size_t count, const std::function<void(std::size_t)>& part,
                 const std::function<void(std::size_t done)>& tell) {
  std::atomic<std::size_t> next = 0, done = 0;
  tell(0);
  std::vector<std::exception_ptr> failed(count);
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        part(i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
      tell(++done);
    }
  };
  {
    std::vector<std::jthread> team;
    try {
      for (unsigned i = 1; i < workers; ++i) team.emplace_back(work);
    } catch (const std::system_error&) {  // the machine gives no more threads: the others do their work
    }
    work();
  }
  for (const std::exception_ptr& one : failed) {
    if (one) std::rethrow_exception(one);
  }
}

}  // namespace lockproof::execution
