// SPDX-License-Identifier: Apache-2.0
// Which key a program's lock is: what each run without faults tells.
#include "harness/program/learned_key.hpp"

#include "harness/program/key_lease.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace lockproof::harness::learned_key_test {
namespace {

constexpr HostIndex server = 2;

/// A run of two clients and one server, event by event.
class RunStory {
 public:
  RunStory() {
    history_.header.hosts = {{"A", HostKind::client},
                             {"B", HostKind::client},
                             {"redis-1", HostKind::server},
                             {"resource", HostKind::resource}};
  }
  RunStory& life(HostIndex client, std::initializer_list<What> all) {
    for (const What what : all) {
      Event event{.what = what};
      event.host = client;
      history_.events.push_back(std::move(event));
    }
    return *this;
  }
  RunStory& fails(HostIndex client, const std::string& error) {
    life(client, {What::failed});
    history_.events.back().word = error;
    return *this;
  }
  /// A command of the client, and what it did: {"SET", "lock"}, {{Change::acquired, "lock"}}.
  RunStory& command(HostIndex client, std::vector<Value> words,
                    const std::vector<std::pair<Change, std::string>>& done = {}, Reply reply = Reply::nil()) {
    Event event{.what = What::execute};
    event.host = server;
    event.peer = client;
    event.command = Command(std::move(words));
    event.reply = std::move(reply);
    for (const auto& [change, key] : done) event.effects.push_back({change, "", key, {}});
    history_.events.push_back(std::move(event));
    return *this;
  }
  [[nodiscard]] ProgramKey key(const std::string& pattern = "") const { return learned_key(history_, "lock", pattern); }

 private:
  History history_;
};

constexpr auto attempt = What::attempt, granted = What::granted, enter = What::enter, release = What::release,
               died = What::died;
constexpr auto leave = What::exit;
constexpr auto acquired = Change::acquired, changed = Change::changed, renewed = Change::renewed,
               released = Change::released;

constexpr HostIndex a = 0, b = 1;

/// A takes app:lock after what it does first; B asks while A is inside, and comes in after it.
RunStory contended(const std::string& first_of_a = "", const std::string& first_of_b = "") {
  RunStory run;
  run.life(a, {attempt});
  if (!first_of_a.empty()) run.command(a, {"SET", first_of_a, "alive"}, {{acquired, first_of_a}});
  run.command(a, {"SET", "app:lock", "1", "NX"}, {{acquired, "app:lock"}}).life(a, {granted, enter});
  run.life(b, {attempt});
  if (!first_of_b.empty()) run.command(b, {"SET", first_of_b, "alive"}, {{acquired, first_of_b}});
  run.command(b, {"SET", "app:lock", "2", "NX"});
  run.life(a, {leave, release}).command(a, {"DEL", "app:lock"}, {{released, "app:lock"}});
  run.command(b, {"SET", "app:lock", "2", "NX"}, {{acquired, "app:lock"}}).life(b, {granted, enter});
  return run;
}

TEST(LearnedKey, TheLockIsWhatTheOtherClientAsksForAndNotWhatIsMadeFirst) {
  const ProgramKey key = contended("beat:lock:A", "beat:lock:B").key();
  EXPECT_EQ(key.source, KeySource::contention);
  EXPECT_EQ(key.name, "app:lock");
}

TEST(LearnedKey, AKeyThatBothUseIsNotTheLockIfItIsThereStillAfterwards) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"SADD", "lock:members", "A"}, {{changed, "lock:members"}});
  run.command(a, {"EVALSHA", "f00", "2", "lock:members", "app:lock"}, {{acquired, "app:lock"}})
      .life(a, {granted, enter});
  run.life(b, {attempt}).command(b, {"EVALSHA", "f00", "2", "lock:members", "app:lock"});
  EXPECT_EQ(run.key().name, "app:lock") << "of two that end differently, the one that ends with the lock's name";
  run.life(a, {leave, release}).command(a, {"DEL", "app:lock"}, {{released, "app:lock"}});
  run.command(b, {"EVALSHA", "f00", "2", "lock:members", "app:lock"},
              {{changed, "lock:members"}, {acquired, "app:lock"}});
  run.life(b, {granted, enter});
  EXPECT_EQ(run.key().name, "app:lock");
}

TEST(LearnedKey, AKeyThatNoCommandNamesIsKnownByPassingFromOneToTheOther) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"SELECT", "pg_advisory_lock($1)"}, {{acquired, "advisory 7"}});
  run.life(a, {granted, enter}).life(b, {attempt}).life(a, {leave, release});
  run.command(a, {"SELECT", "pg_advisory_unlock($1)"}, {{released, "advisory 7"}});
  run.command(b, {"SELECT", "pg_advisory_lock($1)"}, {{acquired, "advisory 7"}}).life(b, {granted, enter});
  EXPECT_EQ(run.key().source, KeySource::contention);
  EXPECT_EQ(run.key().name, "advisory 7");
}

TEST(LearnedKey, ALockThatIsNoKeyIsKnownToBeNone) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"SET", "beat:A", "1"}, {{acquired, "beat:A"}}).life(a, {granted, enter});
  run.life(b, {attempt}).command(b, {"SET", "beat:B", "1"}, {{acquired, "beat:B"}});
  run.command(b, {"PUBLISH", "lock", "mine?"}).life(a, {leave, release}).life(b, {granted, enter});
  EXPECT_EQ(run.key().source, KeySource::no_key);
  EXPECT_FALSE(run.key().is_known());
  EXPECT_FALSE(run.key().is_undecided()) << "it is judged by the rest";
}

TEST(LearnedKey, ACounterOfAttemptsIsNotTheLock) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"INCR", "attempts"}, {{acquired, "attempts"}}).life(a, {granted, enter});
  run.life(b, {attempt}).command(b, {"INCR", "attempts"}, {{changed, "attempts"}}).life(a, {leave, release});
  run.command(b, {"INCR", "attempts"}, {{changed, "attempts"}}).life(b, {granted, enter});
  EXPECT_EQ(run.key().source, KeySource::no_key);
}

TEST(LearnedKey, WithoutContentionTheOnlyKeyIsTheLockAndOfSeveralNoneIs) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"SET", "x", "1"}, {{acquired, "x"}}).life(a, {granted, enter});
  EXPECT_EQ(run.key().source, KeySource::only_key);
  EXPECT_EQ(run.key().name, "x");
  RunStory several;
  several.life(a, {attempt}).command(a, {"SET", "x", "1"}, {{acquired, "x"}});
  several.command(a, {"SET", "y", "1"}, {{acquired, "y"}}).life(a, {granted, enter});
  EXPECT_EQ(several.key().source, KeySource::ambiguous);
  EXPECT_EQ(several.key().candidates, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(several.key().is_undecided());
}

TEST(LearnedKey, TheScenarioMaySayItByAPattern) {
  EXPECT_EQ(contended("beat:A", "beat:B").key("app:*").source, KeySource::written);
  EXPECT_EQ(contended("beat:A", "beat:B").key("app:*").name, "app:lock");
  EXPECT_EQ(contended("beat:A").key("beat:*").name, "beat:A");
  const ProgramKey none = contended().key("ap:*");
  EXPECT_EQ(none.source, KeySource::unmatched);
  EXPECT_EQ(none.candidates, (std::vector<std::string>{"app:lock"}));
}

TEST(LearnedKey, WhereNobodyGetsItTheProgramAndTheServerSayWhy) {
  RunStory run;
  run.life(a, {attempt}).command(a, {"CLIENT"}, {}, Reply::error("ERR unknown subcommand"));
  run.command(a, {"TIMES"}, {}, Reply::error("ERR unknown command 'TIMES'"));
  run.command(a, {"EVAL"}, {}, Reply::error("ERR oh"));
  run.fails(a, "ReplyError: ERR oh");
  run.life(b, {attempt}).fails(b, "ReplyError: ERR oh");
  const ProgramKey key = run.key();
  EXPECT_EQ(key.source, KeySource::no_grant);
  EXPECT_EQ(key.reasons, (std::vector<std::string>{"the program says: ReplyError: ERR oh",
                                                   "redis-1 answers TIMES with: ERR unknown command 'TIMES'",
                                                   "redis-1 answers CLIENT with: ERR unknown subcommand"}))
      << "the program's own words come first, then what nobody went on after, and nothing comes twice";
  EXPECT_NE(key_sentence(key).find("without any fault: the program says: ReplyError: ERR oh; "), std::string::npos);
  run.life(b, {died});
  EXPECT_EQ(run.key().source, KeySource::unasked) << "its end is a finding of its own";
}

TEST(LearnedKey, APatternHasStars) {
  EXPECT_TRUE(fits("app:lock", "app:lock"));
  EXPECT_TRUE(fits("app:lock", "*lock"));
  EXPECT_TRUE(fits("app:lock", "a*:*k"));
  EXPECT_TRUE(fits("", "*"));
  EXPECT_FALSE(fits("app:locks", "*lock"));
  EXPECT_FALSE(fits("app", "app:*"));
}

std::optional<KeyChange> change(std::vector<Effect> effects) { return change_of_key(effects, "lock"); }

TEST(KeyLease, CountsFromTheSendingOfTheCommandThatMadeOrProlongedTheKey) {
  KeyLease lease;
  EXPECT_FALSE(lease.until(1)) << "nothing but the program's word";
  lease.apply(0, *change({{acquired, "set", "lock", {}}, {renewed, "expire", "lock", milliseconds(300)}}),
              milliseconds(10));
  EXPECT_EQ(lease.until(1), Duration(milliseconds(310)));
  EXPECT_FALSE(change({{acquired, "incr", "lock:token", {}}})) << "another key";
  lease.apply(0, *change({{renewed, "expire", "lock", milliseconds(300)}}), milliseconds(200));
  EXPECT_EQ(lease.until(1), Duration(milliseconds(500)));
  lease.apply(0, *change({{released, "del", "lock", {}}}), milliseconds(300));
  EXPECT_FALSE(lease.until(1));
  lease.apply(0, *change({{renewed, "expire", "lock", milliseconds(300)}}), milliseconds(400));
  EXPECT_FALSE(lease.until(1)) << "it prolongs another client's";
}

TEST(KeyLease, OfSeveralServersTheMajorityDecides) {
  KeyLease lease;
  lease.apply(0, {.takes = true, .sets_end = true, .ttl = milliseconds(100)}, {});
  EXPECT_FALSE(lease.until(3)) << "no majority has given it anything that ends";
  lease.apply(1, {.takes = true, .sets_end = true, .ttl = milliseconds(200)}, {});
  EXPECT_EQ(lease.until(3), Duration(milliseconds(100)));
  lease.apply(2, {.takes = true, .sets_end = true, .ttl = milliseconds(300)}, {});
  EXPECT_EQ(lease.until(3), Duration(milliseconds(200)));
  lease.apply(2, {.takes = true, .sets_end = true}, {});
  EXPECT_EQ(lease.until(3), Duration(milliseconds(200))) << "one of them without an end";
}

}  // namespace
}  // namespace lockproof::harness::learned_key_test
