// SPDX-License-Identifier: Apache-2.0
// Node.js with clocks that run faster than the machine: each of its ways to wait.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "real/program/program_clock.hpp"
#include "tests/real/clocked.hpp"

namespace lockproof::tests::node_clock_test {
namespace {

constexpr const char* node = "/usr/bin/node";

/// Runs an expression that waits for 4 s by node's clocks, and prints how long that took by them, and by the kernel,
/// which is not asked through libc.
void expect_four_seconds_of_node(const std::string& waits) {
  const std::string script =
      "const machine = () => +require(\"fs\").readFileSync(\"/proc/uptime\", \"utf8\").split(\" \")[0] * 1000;"
      "(async () => { const day = Date.now(), up = performance.now(), begun = machine(); await " +
      waits + "; console.log(Date.now() - day, performance.now() - up, machine() - begun); })()";
  const real::ProgramClock clock(20);
  const std::string text = clocked::printed(clock, std::string(node) + " -e '" + script + "'");
  double day = 0, up = 0, machine = 0;
  ASSERT_EQ(std::sscanf(text.c_str(), "%lf %lf %lf", &day, &up, &machine), 3) << waits << ": " << text;
  EXPECT_GE(day, 3990) << waits;
  EXPECT_GE(up, 3990) << waits;
  EXPECT_LT(machine, 3900) << waits;  // 200 ms, and what a busy machine adds
  EXPECT_TRUE(clock.is_used());
}

TEST(NodeClock, NodeWaitsAsMuchShorter) {
  if (::access(node, X_OK) != 0) GTEST_SKIP() << "there is no " << node;
  expect_four_seconds_of_node("new Promise(go => setTimeout(go, 4000))");
  expect_four_seconds_of_node("new Promise(go => { const i = setInterval(() => { clearInterval(i); go(); }, 4000); })");
  expect_four_seconds_of_node("require(\"timers/promises\").setTimeout(4000)");
  expect_four_seconds_of_node("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)");
  expect_four_seconds_of_node(
      "new Promise(go => new (require(\"worker_threads\").Worker)(\"setTimeout(() => {}, 4000)\", "
      "{ eval: true }).on(\"exit\", go))");
}

}  // namespace
}  // namespace lockproof::tests::node_clock_test
