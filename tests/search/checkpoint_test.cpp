// SPDX-License-Identifier: Apache-2.0
// A search that is stopped again and again, and goes on from its checkpoint each time, answers what one does that is
// never stopped. With probes in between, which work things out that the search comes to later.
#include "search/core/checkpoint.hpp"

#include <optional>

#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::checkpoint_test {
namespace {

struct Cancellation {
  decltype(&explore_stateful) search;
  const char* algorithm;
  const char* more;
  unsigned workers;
};

/// What is written, and what is read of it.
struct File {
  std::string bytes{};
  std::size_t at = 0;

  CheckpointOut::Write write() {
    return [this](std::string_view more) {
      bytes += more;
      return true;
    };
  }
  CheckpointIn::Read read() {
    return [this](std::span<char> into, bool from_begin) {
      if (from_begin) at = 0;
      if (bytes.size() - at < into.size()) return false;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), into.size(), into.begin());
      at += into.size();
      return true;
    };
  }
};

class Checkpoints : public testing::TestWithParam<Cancellation> {};

TEST_P(Checkpoints, AnswerTheSameAfterManyStops) {
  harness::Scenario scenario = tests::scenario(
      std::string("[workload]\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n") + GetParam().more +
          "[explore]\nmax_faults = 2\nattempts = 3\nfailed_attempts = 1\nretry = \"T/2\"\n[[explore.fault]]\nkind = "
          "\"crash\"\n"
          "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"T/2\", \"T\"]\n",
      GetParam().algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  const Exploration whole = GetParam().search(scenario, bounds, {.workers = GetParam().workers, .by_faults = true});

  Limits limits{.workers = GetParam().workers, .by_faults = true};
  File file;
  std::optional<CheckpointIn> from;
  limits.save = [&](const WriteCheckpoint& write) {
    file = {};
    CheckpointOut out(file.write(), {});
    write(out);
    out.finish();
  };
  std::uint64_t until = 0;
  limits.go_on = [&](const Progress& progress) {
    (void)progress.probe();
    return progress.states < until;
  };
  Exploration last;
  int stops = 0;
  for (until = whole.states / 7; !last.complete; until += whole.states / 7) {
    last = GetParam().search(scenario, bounds, limits);
    if (last.complete) break;
    ++stops;
    ASSERT_TRUE(last.saved) << last.not_saved;
    limits.resume = &from.emplace(file.bytes.size(), file.read(), CheckpointOf{});
  }
  EXPECT_GE(stops, 2);
  tests::expect_same_search(whole, last);
  EXPECT_EQ(last.detail, whole.detail);
  for (const auto& [way, known] : whole.broken) {
    ASSERT_TRUE(last.broken.contains(way));
    EXPECT_EQ(last.broken.at(way).choices, known.choices) << way.first << " " << way.second;
  }
  ASSERT_EQ(last.by_faults.size(), whole.by_faults.size());
  for (const auto& [with, known] : whole.by_faults) EXPECT_EQ(last.by_faults.at(with).choices, known.choices);
}

const char* const scripted =
    "[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 before WRITE\"\n";
INSTANTIATE_TEST_SUITE_P(Of, Checkpoints,
                         testing::Values(Cancellation{explore_stateful, "set-px-token", "", 1},
                                         Cancellation{explore_stateful, "set-ex-del", scripted, 2},
                                         Cancellation{explore_stateful, "getset-timestamp", "", 2},
                                         Cancellation{explore_stateful, "redisson", "", 1},
                                         Cancellation{explore_stateful, "redlock", "[servers]\nredis = 3\n", 2},
                                         Cancellation{explore_by_reexecution, "set-px-token", scripted, 2},
                                         Cancellation{explore_by_reexecution, "getset-timestamp", "", 1}),
                         [](const auto& one) { return "No" + std::to_string(one.index + 1); });

std::string refusal(const std::string& bytes, const CheckpointOf& of) {
  try {
    File file{bytes};
    CheckpointIn in(bytes.size(), file.read(), of);
    return "";
  } catch (const CheckpointError& e) {
    return e.what();
  }
}

TEST(Checkpoint, IsRefusedIfItIsDamagedOrOfAnotherSearch) {
  const CheckpointOf of{{"scenario", "a"}, {"budget", "b"}};
  File file;
  CheckpointOut out(file.write(), of);
  out.numbers<std::uint32_t>(std::vector<std::uint32_t>{1, 2, 3});
  out.text("end");
  out.finish();
  CheckpointIn in(file.bytes.size(), file.read(), of);
  EXPECT_EQ(in.numbers<std::uint32_t>(), std::vector<std::uint32_t>({1, 2, 3}));
  EXPECT_EQ(in.text(), "end");
  EXPECT_THROW((void)in.number(), CheckpointError);

  const std::string bytes = file.bytes;
  EXPECT_EQ(refusal(bytes, of), "");
  EXPECT_EQ(refusal(bytes, {{"scenario", "a"}, {"budget", "c"}}), "the checkpoint is of another budget");
  EXPECT_EQ(refusal(bytes, {{"scenario", "c"}, {"budget", "b"}}), "the checkpoint is of another scenario");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 4);
    EXPECT_NE(refusal(other, of), "") << i;
    EXPECT_NE(refusal(bytes.substr(0, i), of), "") << i;
  }
  EXPECT_EQ(refusal("title = \"a scenario\"\n", of), "this is no checkpoint of this version of lockproof");
  EXPECT_EQ(refusal(bytes + "x", of), "the checkpoint is damaged: its checksum is wrong");
}

TEST(Checkpoint, ThatCannotBeWrittenSaysSo) {
  CheckpointOut out([](std::string_view) { return false; }, {});
  EXPECT_THROW(out.finish(), CheckpointError);
}

}  // namespace
}  // namespace lockproof::sim::checkpoint_test
