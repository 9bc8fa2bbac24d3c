// SPDX-License-Identifier: Apache-2.0
#include "real/os/last_end.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "harness/check/expectation.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view sentence =
    "lockproof: a real run has not ended long after the time that it may take, and was ended: an error of lockproof\n";

void end(int) {
  (void)!::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(check::exit_code::environment);
}

void set(std::int64_t after_ns) {
  constexpr std::int64_t us_ns = 1'000, second_us = 1'000'000;
  const std::int64_t us = after_ns / us_ns;
  const itimerval after{{}, {us / second_us, us % second_us}};
  ::setitimer(ITIMER_REAL, &after, nullptr);
}

}  // namespace

LastEnd::LastEnd(std::int64_t after_ns) {
  std::signal(SIGALRM, end);
  set(after_ns);
}

LastEnd::~LastEnd() {
  set(0);
  std::signal(SIGALRM, SIG_DFL);
}

}  // namespace lockproof::real
