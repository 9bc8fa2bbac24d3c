// SPDX-License-Identifier: Apache-2.0
// What links a master and its replica: copies after a restart, and min-replicas-to-write. Each test pins a sentence of
// docs/services/redis.md.
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::replica_links_test {
namespace {

Call<Reply> wait_for_one() {
  std::vector<Value> words{"WAIT", "1", "1000"};
  return {Command(std::move(words)), lockproof::redis::detail::any};
}

/// Takes the key, and waits at most a second until a replica has it.
class WaitsForAReplica final : public Lock {
 public:
  explicit WaitsForAReplica(Ports ports) : redis_(ports.servers.at(0)), clock_(ports.clock) {}
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds>) override {
    const Grant grant(name, Value("1"), clock_.mono() + seconds(10));
    const auto set = co_await redis_.run(lockproof::redis::setnx(name, Value("1")));
    if (!set) co_return Failure(set.error(), grant);
    const auto acknowledged = co_await redis_.run(wait_for_one());
    if (!acknowledged) co_return Failure(acknowledged.error(), grant);
    if (!acknowledged->is_integer(1)) co_return Busy{};
    co_return grant;
  }
  Task<Result<ReleaseResult>> release(Grant) override { co_return ReleaseResult::yes; }
  [[nodiscard]] Retry retry() const override { return {}; }

 private:
  Store& redis_;
  Clock& clock_;
};

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

harness::History with(const std::string& text) { return tests::run(tests::scenario(text)); }

std::string pair(const std::string& of_master) {
  return "[servers]\nredis = 2\n[[server]]\nname = \"redis-1\"\n" + of_master +
         "[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";
}
std::string fault(const std::string& kind, const std::string& target, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest;
}
const std::string rivals =
    "[workload]\nlease = \"20s\"\nwork = [\"hold 8s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";

std::size_t copies(const harness::History& h) {
  return static_cast<std::size_t>(std::ranges::count_if(
      where(h, What::replicate), [&](std::size_t at) { return h.events[at].command->verb() == "FULLRESYNC"; }));
}

TEST(Resync, AReplicaThatComesBackCopiesItsMaster) {
  const std::string down = fault("restart", "redis-2", "at = \"2s\"\nfor = \"100ms\"\n");
  const std::string over = fault("failover", "redis-1", "at = \"4s\"\nto = \"redis-2\"\n");
  const auto h = with(rivals + pair("") + down + over);
  EXPECT_EQ(copies(h), 1U);
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000);  // the copy has the lock

  // Promoted before it is up, it has nothing.
  const auto early =
      with(rivals + pair("") + down + fault("failover", "redis-1", "at = \"2050ms\"\nto = \"redis-2\"\n"));
  EXPECT_EQ(copies(early), 0U);
  EXPECT_LT(ms(event(early, What::enter, "client-2")), 8'000);
}

TEST(Resync, AMasterThatLostItsKeysMakesItsReplicaForgetThem) {
  const auto h = with(rivals + pair("") + fault("restart", "redis-1", "at = \"2s\"\nfor = \"100ms\"\n"));
  EXPECT_EQ(copies(h), 1U);
  const auto kept =
      with(rivals + pair("persistence = \"rdb\"\n") + fault("restart", "redis-1", "at = \"2s\"\nfor = \"100ms\"\n") +
           fault("failover", "redis-1", "at = \"4s\"\nto = \"redis-2\"\n"));
  EXPECT_EQ(copies(kept), 1U);
  EXPECT_GT(ms(event(kept, What::enter, "client-2")), 8'000);
}

/// When the only client, who asks from the start, enters, if its replica is paused then.
std::int64_t enters(const std::string& start, const std::string& of_master) {
  const auto h =
      with("[workload]\nclients = 1\nacquire_timeout = \"20s\"\n[[client]]\nname = \"client-1\"\nstart = \"" + start +
           "\"\n" + pair(of_master) + fault("pause", "redis-2", "at = \"0s\"\nfor = \"5s\"\n"));
  return ms(event(h, What::enter));
}

harness::History waits(const std::string& more) {
  static const Algorithm algorithm = [] {
    Algorithm made = *find_algorithm("set-px-token");
    made.make = [](Ports ports, const Parameters&) -> std::unique_ptr<Lock> {
      return std::make_unique<WaitsForAReplica>(ports);
    };
    return made;
  }();
  harness::Scenario s = tests::scenario(
      "[workload]\nclients = 1\nacquire_timeout = \"1s\"\n[network]\ntimeout = \"5s\"\nreplication = \"7ms\"\n" +
      pair("") + more);
  s.algorithm = &algorithm;
  return tests::run(s);
}

TEST(Wait, AnswersWhenAReplicaHasAcknowledged) {
  const auto h = waits("");
  EXPECT_EQ(event(h, What::receive, "client-1", 1).reply, Reply::integer(1));
  EXPECT_EQ(ms(event(h, What::enter)), 3 + 7 + 7 + 1);  // WAIT runs and asks; to the replica; back; to the client
}

TEST(Wait, AnswersWithFewerWhenItsTimeHasPassed) {
  const auto h = waits(fault("replication-stall", "redis-2", "at = \"0s\"\nfor = \"5s\"\n"));
  EXPECT_EQ(event(h, What::receive, "client-1", 1).reply, Reply::integer(0));
  EXPECT_EQ(ms(event(h, What::receive, "client-1", 1)), 1'005);  // two round trips and the second that it waits
  EXPECT_TRUE(where(h, What::enter).empty());
}

TEST(Wait, CountsAReplicaThatComesMeanwhileWhenItHasItsCopy) {
  const auto h = waits(fault("restart", "redis-2", "at = \"0s\"\nfor = \"500ms\"\n"));
  EXPECT_EQ(event(h, What::receive, "client-1", 1).reply, Reply::integer(1));
  EXPECT_EQ(ms(event(h, What::enter)), 500 + 7 + 7 + 7 + 1);  // it asks for its copy; that; it says that it has it
}

TEST(MinReplicas, WritesAreRefusedWhileTooFewAreHeardOf) {
  EXPECT_GT(enters("3s", "min_replicas_to_write = 1\nmin_replicas_max_lag = \"1s\"\n"), 4'900);
  EXPECT_LT(enters("3s", ""), 3'100);
  EXPECT_GT(enters("3s", "min_replicas_to_write = 1\nmin_replicas_max_lag = \"2s\"\n"), 4'900);
}

TEST(MinReplicas, AReplicaCountsUntilItsLagIsTooLong) {
  EXPECT_LT(enters("500ms", "min_replicas_to_write = 1\nmin_replicas_max_lag = \"1s\"\n"), 600);
  EXPECT_LT(enters("3s", "min_replicas_to_write = 1\nmin_replicas_max_lag = \"4s\"\n"), 3'100);
}

/// When the only client enters, who asks from then on, if its master was down for 100 ms from the first second on, and
/// messages between the two take 1.5 s: the replica's wish for a copy comes at 2.6 s, the copy at 4.1 s.
std::int64_t enters_again(const std::string& start, const std::string& max_lag) {
  const auto h = with(
      "[workload]\nclients = 1\nacquire_timeout = \"20s\"\n[network]\nreplication = \"1500ms\"\n"
      "[[client]]\nname = \"client-1\"\nstart = \"" +
      start + "\"\n" + pair("min_replicas_to_write = 1\nmin_replicas_max_lag = \"" + max_lag + "\"\n") +
      fault("restart", "redis-1", "at = \"1s\"\nfor = \"100ms\"\n"));
  return ms(event(h, What::enter));
}

TEST(MinReplicas, AReplicaCountsFromTheCopyOn) {
  EXPECT_GT(enters_again("1200ms", "10s"), 2'598);
  EXPECT_LT(enters_again("2600ms", "10s"), 2'610);
}

TEST(MinReplicas, AReplicaIsSilentWhileTheCopyIsOnItsWay) {
  EXPECT_LT(enters_again("3500ms", "1s"), 3'510);
  EXPECT_GT(enters_again("3700ms", "1s"), 4'098);
}

}  // namespace
}  // namespace lockproof::sim::replica_links_test
