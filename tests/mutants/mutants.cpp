// SPDX-License-Identifier: Apache-2.0
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "tests/mutants/mutating_ports.hpp"

namespace lockproof::tests {
namespace {

using std::string;

// ---- scenarios

const string windows = "[network]\nlatency = [\"1ms\", \"5ms\"]\n";
const string contended = "[workload]\nclients = 3\nrounds = 2\nlease = \"5s\"\nwork = [\"hold 1s\"]\n" + windows;
const string crash =
    "[workload]\nclients = 2\nlease = \"5s\"\nacquire_timeout = \"30s\"\nwork = [\"hold 1s\"]\n[[client]]\nname = "
    "\"client-2\"\n"
    "start = \"1s\"\n[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n"
    "[judge]\ntakeover = \"7s\"\n" +
    windows;
string outlived(const string& lease = "lease = \"5s\"\n") {
  return "[workload]\nclients = 2\n" + lease +
         "acquire_timeout = \"60s\"\nwork = [\"hold 2s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\nwork = "
         "[\"hold "
         "4s\"]\n"
         "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"6s\"\n" +
         windows;
}
const string guarded =
    "[workload]\nclients = 2\nlease = \"6s\"\nacquire_timeout = \"60s\"\nwork = [\"hold 9s\"]\n[[client]]\nname = "
    "\"client-2\"\n"
    "start = \"1s\"\n[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"7s\"\n" +
    windows;
const string at_the_deadline =
    "retry = \"1ms\"\n[workload]\nclients = 2\nlease = \"1s\"\nacquire_timeout = \"30s\"\nstop_on = \"deadline\"\nwork "
    "= "
    "[\"hold 5s\"]\n"
    "[[client]]\nname = \"client-2\"\nstart = \"100ms\"\n[network]\nlatency = [\"1ms\", \"9ms\"]\n";
string majority(int servers) {
  return "[workload]\nclients = 3\nlease = \"5s\"\nwork = [\"hold 1s\"]\n[network]\nlatency = [\"1ms\", \"9ms\"]\n"
         "[servers]\nredis = " +
         std::to_string(servers) + "\n";
}
const string fenced =
    "[resource]\nfencing = \"all\"\n[workload]\nclients = 2\nlease = \"5s\"\nacquire_timeout = \"30s\"\n"
    "work = [\"read\", \"hold 2s\", \"write\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"
    "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 before WRITE\"\nfor = \"8s\"\n";

const string one_of_three_down =
    majority(3) +
    "[judge]\navailable = \"6s\"\n[[fault]]\nkind = \"restart\"\ntarget = \"redis-1\"\nat = "
    "\"0s\"\nfor = \"9s\"\n";
const string kept_for_the_period =
    "[workload]\nclients = 2\nperiod = \"10s\"\nlease = \"8s\"\nrelease_tries = 0\nattempts = 1\nwork = [\"hold 1s\"]\n"
    "[[client]]\nname = \"client-2\"\nclock = \"-3s\"\n" +
    windows;

const string reader_and_writer =
    "[workload]\nclients = 3\nrounds = 2\nlease = \"5s\"\nwork = [\"hold 1s\"]\nmode = \"shared\"\n"
    "[[client]]\nname = \"client-3\"\nmode = \"exclusive\"\n" +
    windows;
const string two_permits = "permits = 2\n[workload]\nclients = 4\nrounds = 2\nwork = [\"hold 1s\"]\n" + windows;

// ---- changes

bool is(const Command& c, std::string_view verb) { return c.verb() == verb; }
std::vector<Value> without(const Command& c, std::initializer_list<const char*> words) {
  std::vector<Value> kept;
  for (const Value& word : c.args()) {
    bool keep = true;
    for (const char* dropped : words) keep &= word != Value(dropped);
    if (keep) kept.push_back(word);
  }
  return kept;
}
Command with(const Command& c, std::size_t place, Value value) {
  std::vector<Value> words = c.args();
  words.at(place) = std::move(value);
  return c.script().empty() ? Command(std::move(words)) : Command(Script{c.script(), ""}, std::move(words));
}
std::int64_t number(const Value& v) { return std::stoll(v.bytes()); }

/// Changes one verb and leaves the others.
std::function<Command(const Command&)> on(std::string verb, std::function<Command(const Command&)> change) {
  return [=](const Command& c) { return is(c, verb) ? change(c) : c; };
}
Command plain_del(const Command& release) { return redis::del(release.args().at(3)).command; }

// SET lock token NX PX ms: places 0 to 5; EVAL text 1 lock argument…: the lock is 3, the first argument 4.
const std::vector<Mutant> all{
    {.name = "set-without-nx",
     .algorithm = "set-px-token",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .command = on("SET", [](const Command& c) { return Command(without(c, {"NX"})); }),
     .reply = [](const Command&, const Reply& r, string&) { return r; }},
    {.name = "no-expiry",
     .algorithm = "set-px-token",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .command = on("SET",
                   [](const Command& c) {
                     return Command(without(c, {"PX", "5000"}));
                   })},
    {.name = "milliseconds-taken-for-seconds",
     .algorithm = "set-px-token",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .command = on("SET", [](const Command& c) { return with(c, 4, "EX"); })},
    {.name = "seconds-taken-for-milliseconds",
     .algorithm = "set-px-token",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .command = on("SET", [](const Command& c) { return with(c, 5, Value::number(number(c.args()[5]) / 1000)); })},
    {.name = "no-token-check-on-release",
     .algorithm = "set-px-token",
     .caught_by = "owner-release",
     .scenario = outlived(),
     .command = on("compare-and-delete", plain_del)},
    {.name = "one-token-for-all",
     .algorithm = "set-px-token",
     .caught_by = "owner-release",
     .scenario = outlived(),
     .command =
         [](const Command& c) {
           return is(c, "SET") ? with(c, 2, "1") : is(c, "compare-and-delete") ? with(c, 4, "1") : c;
         }},
    {.name = "refusal-taken-for-a-grant",
     .algorithm = "set-px-token",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .reply = [](const Command& c, const Reply& r, string&) { return is(c, "SET") ? Reply::status("OK") : r; }},
    {.name = "deadline-from-the-reply",
     .algorithm = "set-px-token",
     .caught_by = "mutual-exclusion",
     .scenario = at_the_deadline,
     .grant = [](Grant& g, Clock& clock, milliseconds lease) { g.deadline = clock.mono() + lease; }},
    {.name = "no-comparison-after-get",
     .algorithm = "set-ex-get-del",
     .caught_by = "owner-release",
     .scenario = outlived(),
     .reply =
         [](const Command& c, const Reply& r, string& last) {
           if (is(c, "SET") && r.kind() == Reply::Kind::status) last = c.args()[2].bytes();
           return is(c, "GET") ? Reply::bulk(Value(last)) : r;
         }},
    {.name = "set-ex-without-ex",
     .algorithm = "set-ex-del",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .command = on("SET",
                   [](const Command& c) {
                     return Command(without(c, {"EX", "5"}));
                   })},
    {.name = "expire-of-zero",
     .algorithm = "setnx-expire-del",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .command = on("EXPIRE", [](const Command& c) { return with(c, 2, "0"); })},
    {.name = "expire-left-out",
     .algorithm = "setnx-expire-del",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .command = on("EXPIRE", [](const Command& c) { return redis::get(c.args()[1]).command; }),
     .reply = [](const Command& c, const Reply& r, string&) { return is(c, "EXPIRE") ? Reply::integer(1) : r; }},
    {.name = "setnx-answer-not-looked-at",
     .algorithm = "setnx-del",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .reply = [](const Command& c, const Reply& r, string&) { return is(c, "SETNX") ? Reply::integer(1) : r; }},
    {.name = "stamp-never-read",
     .algorithm = "getset-timestamp",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .reply = [](const Command& c, const Reply& r, string&) { return is(c, "GET") ? Reply::nil() : r; }},
    {.name = "every-stamp-is-past",
     .algorithm = "getset-timestamp",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .reply = [](const Command& c, const Reply& r,
                 string&) { return is(c, "GET") || is(c, "GETSET") ? Reply::bulk("1") : r; }},
    {.name = "renewal-without-owner-check",
     .algorithm = "guard-thread-repaired",
     .caught_by = "owner-release",
     .scenario = guarded,
     .command = on("compare-and-expire",
                   [](const Command& c) {
                     return Command({"PEXPIRE", c.args()[3], c.args()[5]});
                   })},
    {.name = "renewal-that-re-creates-the-key",
     .algorithm = "guard-thread-repaired",
     .caught_by = "owner-release",
     .scenario = guarded,
     .command = on("compare-and-expire",
                   [](const Command& c) {
                     return Command({"SET", c.args()[3], c.args()[4], "PX", c.args()[5]});
                   })},
    {.name = "one-owner-for-all",
     .algorithm = "redisson",
     .caught_by = "mutual-exclusion",
     .scenario = contended,
     .command = on("redisson-lock", [](const Command& c) { return with(c, 5, "1"); })},
    {.name = "unlock-without-owner-check",
     .algorithm = "redisson",
     .caught_by = "owner-release",
     .scenario = outlived(),
     .command = on("redisson-unlock", plain_del)},
    {.name = "hash-that-never-expires",
     .algorithm = "redisson",
     .caught_by = "bounded-takeover",
     .scenario = crash,
     .command = on("redisson-lock", [](const Command& c) { return with(c, 4, "5000000"); })},
    {.name = "writer-that-says-it-reads",
     .algorithm = "redisson-read-write",
     .caught_by = "mutual-exclusion",
     .scenario = reader_and_writer,
     .command = on("redisson-read-write-lock", [](const Command& c) { return with(c, 6, "read"); })},
    {.name = "reader-that-deletes-the-lock",
     .algorithm = "redisson-read-write",
     .caught_by = "mutual-exclusion",
     .scenario = reader_and_writer,
     .command = on("redisson-read-write-unlock", plain_del)},
    {.name = "one-permit-too-many",
     .algorithm = "redisson-semaphore",
     .caught_by = "mutual-exclusion",
     .scenario = two_permits,
     .command = on("semaphore-acquire", [](const Command& c) { return with(c, 4, "3"); })},
    {.name = "no-quorum",
     .algorithm = "redlock",
     .caught_by = "mutual-exclusion",
     .scenario = majority(3),
     .size = [](std::size_t) { return std::size_t{1}; }},
    {.name = "quorum-of-half",
     .algorithm = "redlock",
     .caught_by = "mutual-exclusion",
     .scenario = majority(4),
     .size = [](std::size_t n) { return n - 1; }},
    {.name = "redlock-without-nx",
     .algorithm = "redlock",
     .caught_by = "mutual-exclusion",
     .scenario = majority(3),
     .command = on("SET", [](const Command& c) { return Command(without(c, {"NX"})); })},
    {.name = "every-server-needed",
     .algorithm = "redlock",
     .caught_by = "availability",
     .scenario = one_of_three_down,
     .size = [](std::size_t n) { return 2 * n - 1; }},
    {.name = "kept-for-milliseconds",
     .algorithm = "set-px-token",
     .caught_by = "once-per-period",
     .scenario = kept_for_the_period,
     .command = on("SET", [](const Command& c) { return with(c, 5, Value::number(number(c.args()[5]) / 1000)); })},
    {.name = "fencing-token-that-stands-still",
     .algorithm = "fenced-token",
     .caught_by = "resource-safety",
     .scenario = fenced,
     .grant = [](Grant& g, Clock&, milliseconds) { g.fence = 7; }},
    {.name = "no-fencing-token",
     .algorithm = "fenced-token",
     .caught_by = "resource-safety",
     .scenario = fenced,
     .grant = [](Grant& g, Clock&, milliseconds) { g.fence.reset(); }},
};

const Mutant* current = nullptr;  // the factory of a catalogue entry is a plain function
std::unique_ptr<Lock> make_mutant(Ports ports, const Parameters& parameters) {
  return std::make_unique<MutatedLock>(ports, parameters, *current);
}

}  // namespace

const std::vector<Mutant>& mutants() { return all; }

Algorithm mutated(const Mutant& mutant) {
  current = &mutant;
  Algorithm algorithm = *find_algorithm(mutant.algorithm);
  algorithm.make = make_mutant;
  return algorithm;
}

}  // namespace lockproof::tests
