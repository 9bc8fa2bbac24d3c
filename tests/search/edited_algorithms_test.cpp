// SPDX-License-Identifier: Apache-2.0
// A counterexample outlives edits of the algorithm that have nothing to do with it: its faults and steps are placed by
// the names of events, not by their numbers. Each lock of the catalogue is searched, edited, and the counterexamples of
// the lock as it was are run with the edited one.
#include "algorithms/catalogue.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"
#include "tests/search/budget_of_leases.hpp"

namespace lockproof::sim::edited_algorithms_test {
namespace {

enum class Edit : std::uint8_t {
  none,
  helper,       // the attempt is moved into a helper: one more coroutine, nothing else
  fresh_token,  // a name is drawn that is not used: the tokens have other names
  look_before,  // each attempt begins with a look at the key
  look_first,   // each release begins with one
  look_after,   // each release ends with one
};

Command look(const Name& name) { return Command({"PTTL", Value(name)}); }

/// The lock's own code with one line more.
class EditedLock final : public Lock {
 public:
  EditedLock(Ports ports, std::unique_ptr<Lock> lock, Edit edit)
      : store_(ports.servers.at(0)), random_(ports.random), lock_(std::move(lock)), edit_(edit) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    if (edit_ == Edit::fresh_token) (void)random_.token();
    if (edit_ == Edit::look_before) (void)co_await store_.call(look(name));
    Task<Attempt> attempt = edit_ == Edit::helper ? helped(name, lease) : lock_->try_acquire(name, lease);
    co_return co_await std::move(attempt);
  }
  void begin_attempts(const Name& name, int round, Mode mode) override { lock_->begin_attempts(name, round, mode); }
  Task<Result<ReleaseResult>> release(Grant grant) override {
    const Name name = grant.name;
    if (edit_ == Edit::look_first) (void)co_await store_.call(look(name));
    Result<ReleaseResult> released = co_await lock_->release(std::move(grant));
    if (edit_ == Edit::look_after) (void)co_await store_.call(look(name));
    co_return released;
  }
  Task<Result<std::optional<Grant>>> renew(Grant grant) override { return lock_->renew(std::move(grant)); }
  Task<bool> wait(Name name, Busy busy, Mono until) override { return lock_->wait(std::move(name), busy, until); }
  [[nodiscard]] Retry retry() const override { return lock_->retry(); }
  [[nodiscard]] State state() const override { return lock_->state(); }

 private:
  Task<Attempt> helped(Name name, std::optional<milliseconds> lease) {
    Attempt attempt = co_await lock_->try_acquire(std::move(name), lease);
    co_return attempt;
  }

  Store& store_;
  Random& random_;
  std::unique_ptr<Lock> lock_;
  const Edit edit_;
};

const Algorithm* original = nullptr;  // the factory of a catalogue entry is a plain function
Edit edit_made = Edit::none;
std::unique_ptr<Lock> make_edited(Ports ports, const Parameters& parameters) {
  return std::make_unique<EditedLock>(ports, original->make(ports, parameters), edit_made);
}

class Edited : public testing::TestWithParam<const Algorithm*> {};

std::vector<harness::Scenario> counterexamples_of(const Algorithm& algorithm, std::vector<ViolationKind>& ways) {
  const harness::Scenario written =
      tests::scenario("[workload]\nlease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n" +
                          harness::servers_tables(algorithm, 3),
                      std::string(algorithm.name));
  harness::Bounds budget = tests::budget_of_leases("one-server", written);
  budget.contention =
      harness::Contention::as_written;  // else an instant is written down that is the edited lock's no more
  const harness::Scenario explored = bounded(written, budget, true);
  std::vector<harness::Scenario> found;
  const bool stateful = stateful_engine_refuses(explored, budget).empty();
  for (const auto& [way, broken] :
       (stateful ? explore_stateful : explore_by_reexecution)(explored, budget, {}).broken) {
    const auto shown = counterexample(explored, budget, way.first, way.second, broken, written.horizon);
    if (!shown) ADD_FAILURE() << way.first << " " << way.second << " is not shown";
    if (!shown || shown->hidden) continue;
    ways.push_back(way);
    found.push_back(harness::parse_scenario("written.toml", harness::to_toml(shown->scenario)));
  }
  return found;
}

bool looks(const harness::History& history) {
  return std::ranges::any_of(history.events, [](const harness::Event& event) {
    return event.what == harness::What::send && event.command->verb() == "PTTL";
  });
}

TEST_P(Edited, ItsCounterexamplesStillShowTheSame) {
  original = GetParam();
  std::vector<ViolationKind> ways;
  const std::vector<harness::Scenario> found = counterexamples_of(*original, ways);
  ASSERT_FALSE(found.empty());
  Algorithm edited = *original;
  edited.make = make_edited;
  std::map<Edit, bool> looked;  // whether an edit shows at all
  for (std::size_t i = 0; i < found.size(); ++i) {
    harness::Scenario scenario = found[i];
    scenario.algorithm = &edited;
    for (const Edit edit :
         {Edit::none, Edit::helper, Edit::fresh_token, Edit::look_before, Edit::look_first, Edit::look_after}) {
      // A connection that ends a microsecond behind a command is placed by time, and a partition from everybody ends by
      // time, whatever its host does: a question more moves what they meet.
      const bool by_time = std::ranges::any_of(scenario.faults, [](const harness::Fault& fault) {
        return fault.delay != Duration{} || (fault.kind == harness::FaultKind::partition && fault.peer.empty());
      });
      if (edit >= Edit::look_before && by_time) continue;
      // PostgreSQL does not know the question, and fails the transaction in which it is asked.
      if (edit >= Edit::look_before && original->service == Service::postgres) continue;
      edit_made = edit;
      const harness::History history = tests::run(scenario);
      looked.insert_or_assign(edit, looked[edit] || looks(history));
      const check::Finding finding = tests::judged(history, scenario, ways[i].first);
      EXPECT_EQ(finding.verdict, check::Verdict::violated)
          << ways[i].first << " edit " << static_cast<int>(edit) << "\n"
          << found[i].text;
      EXPECT_EQ(finding.kind, ways[i].second) << ways[i].first << " edit " << static_cast<int>(edit);
    }
  }
  for (const auto& [edit, seen] : looked) EXPECT_EQ(seen, edit >= Edit::look_before) << static_cast<int>(edit);
}

std::vector<const Algorithm*> algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalogue()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Edited, testing::ValuesIn(algorithms()), [](const auto& one) {
  std::string name(one.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace lockproof::sim::edited_algorithms_test
