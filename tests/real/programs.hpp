// SPDX-License-Identifier: Apache-2.0
// Programs as locks under test, of a few lines of Python's standard library each, and how they are run and judged.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/scenario/file/parse.hpp"
#include "real/run/run.hpp"

namespace lockproof::tests::programs {

/// What all of them begin with: a connection, and `ask` for a command's reply.
inline constexpr const char* head = R"PY(
import json, os, socket, sys, time
server = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
lease, me = int(os.environ["LOCKPROOF_LEASE_MS"]), os.environ["LOCKPROOF_CLIENT"]
wire = socket.create_connection((server[0], int(server[1]))); replies = wire.makefile("rb")
def ask(*words):
    words = [str(word).encode() for word in words]
    wire.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    line = replies.readline()
    if not line.startswith(b"$") or line == b"$-1\r\n": return line.strip()
    return replies.read(int(line[1:]) + 2)[:-2]
def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)
)PY";

/// A good lock, but for what `instead` changes: it is run before each answer, and may answer itself with `continue`.
inline std::string lock(const std::string& instead = "", const std::string& before = "") {
  return std::string(head) + before + R"PY(
say("ready", protocol=1, name="test")
for line in sys.stdin:
    told = json.loads(line); do = told["do"]
)PY" + instead +
         R"PY(
    if do == "acquire":
        while ask("SET", "lock", me, "NX", "PX", lease) != b"+OK": time.sleep(lease / 6000)
        say("acquired")
    elif do == "touch": say("touch")
    elif do == "release":
        same = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end"
        ask("EVAL", same, 1, "lock", me)
        say("released")
    elif do == "quit": break
)PY";
}

inline harness::Scenario scenario(const std::string& program, const std::string& more = "",
                                  const std::string& algorithm = "", const std::string& lease = "400ms") {
  std::string quoted;
  for (const char c : program) {
    if (c == '\\' || c == '"') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return harness::parse_scenario("test.toml", "[algorithm]\ncommand = [\"/usr/bin/python3\", \"-c\", \"" + quoted +
                                                  "\"]\n" + algorithm + "[workload]\nlease = \"" + lease + "\"\n" +
                                                  more);
}

struct RunOutcome {
  harness::Scenario scenario;
  harness::History history;
  std::vector<check::Finding> findings;
};
inline RunOutcome run(const std::string& program, const std::string& more = "") {
  RunOutcome ran{scenario(program, more), {}, {}};
  ran.history = real::run(ran.scenario, {});
  ran.findings = check::judge(ran.history, ran.scenario);
  return ran;
}
inline const check::Finding& of(const RunOutcome& ran, std::string_view property) {
  return *std::ranges::find(ran.findings, property, &check::Finding::property);
}
inline std::string kind_of(const RunOutcome& ran, std::string_view property) {
  const check::Finding& finding = of(ran, property);
  return finding.verdict == check::Verdict::violated ? finding.kind.empty() ? "violated" : finding.kind : "";
}
inline std::ptrdiff_t count(const RunOutcome& ran, harness::What what) {
  return std::ranges::count(ran.history.events, what, &harness::Event::what);
}
inline std::string first_send_state(const RunOutcome& ran, std::string_view verb) {
  for (const harness::Event& event : ran.history.events) {
    if (event.what == harness::What::send && event.command->verb() == verb) return event.word;
  }
  return "none";
}

}  // namespace lockproof::tests::programs
