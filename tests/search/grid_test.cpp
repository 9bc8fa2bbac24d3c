// SPDX-License-Identifier: Apache-2.0
// Passing time: the simulator draws how long a thing takes when it begins, on the grid, and jumps to what is due next;
// a fault strikes at an event. Tick by tick, where whatever may happen at an instant happens or waits, nothing else can
// come to pass: not another order, not a violation, not one with fewer faults.
#include <functional>

#include "sim/kernel/path_chooser.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/world/world.hpp"
#include "tests/fixtures.hpp"
#include "tests/search/tiny_system.hpp"

namespace lockproof::sim::grid_test {
namespace {

using tiny::Move;
using tiny::Op;
using tiny::Orders;
using tiny::System;

const NameOf nameless = [](std::size_t) { return harness::EventName{}; };

/// A tiny system run as World runs a scenario, by a chooser: no queue, only who is due first.
class Jumps {
 public:
  /// `lengths`: of the pauses that may strike.
  Jumps(const System& system, Chooser& chooser, std::vector<int> lengths, Duration grid)
      : system_(system), chooser_(chooser), lengths_(std::move(lengths)), grid_(grid), actors_(system.actors.size()) {
    for (std::size_t i = 0; i < actors_.size(); ++i) begin(i);
  }

  void run(Orders& into) {
    while (step()) {
    }
    tiny::add(into, lock_, order_, faults_);
  }

 private:
  struct Actor {
    std::size_t next = 0, begun = 0;  // moves that are over, moves that are under way
    std::vector<int> due{};
    int awake = 0;
    bool struck = false, stopped = false;
  };

  [[nodiscard]] const Move& move(std::size_t i) const { return system_.actors[i][actors_[i].next]; }
  [[nodiscard]] int due(std::size_t i) const {
    const Actor& actor = actors_[i];
    return std::max({now_, actor.due[actor.next], move(i).own ? actor.awake : 0});
  }

  /// The next move, and what is sent together with it, is under way. A line keeps its order.
  void begin(std::size_t i) {
    Actor& actor = actors_[i];
    const std::vector<Move>& moves = system_.actors[i];
    if (actor.begun > actor.next) return;
    do {
      const Move& m = moves[actor.begun];
      int takes = m.least;
      if (m.most > m.least) {
        takes = static_cast<int>(chooser_.duration({grid_ * m.least, grid_ * m.most}, grid_, nameless) / grid_);
      }
      actor.due.push_back(m.behind ? std::max(actor.due.back(), now_ + takes) : now_ + takes);
      ++actor.begun;
    } while (actor.begun < moves.size() && moves[actor.begun].behind);
  }

  bool step() {
    std::vector<std::size_t> first;
    int next = 0;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      if (actors_[i].stopped || actors_[i].next == system_.actors[i].size()) continue;
      if (first.empty() || due(i) < next) next = due(i), first.clear();
      if (due(i) == next) first.push_back(i);
    }
    if (first.empty()) return false;
    now_ = next;
    perform(first[chooser_.first_of(first.size(), nameless)]);
    return true;
  }

  void perform(std::size_t i) {
    Actor& actor = actors_[i];
    if (struck(i)) return;
    const Op op = move(i).op;
    actor.stopped = !lock_.perform(op, static_cast<int>(i), now_, system_.lease, order_);
    ++actor.next;
    if (!actor.stopped && actor.next < system_.actors[i].size()) begin(i);
  }

  bool struck(std::size_t i) {
    Actor& actor = actors_[i];
    const std::size_t forms = move(i).own ? lengths_.size() : system_.loss ? 1 : 0;
    if (faults_ == system_.faults || actor.struck || forms == 0) return false;
    const std::size_t form = chooser_.strike(forms);
    if (form == 0) return false;
    ++faults_;
    actor.struck = true;
    if (move(i).own) {
      actor.awake = now_ + lengths_[form - 1];
    } else {
      actor.stopped = true;
    }
    return true;
  }

  const System& system_;
  Chooser& chooser_;
  const std::vector<int> lengths_;
  const Duration grid_;
  std::vector<Actor> actors_;
  int now_ = 0, faults_ = 0;
  tiny::Lock lock_;
  std::string order_;
};

Orders ticks(const System& system) { return tiny::Ticks(system).search(); }

/// All paths of choices.
Orders all_paths(const std::function<void(Chooser&, Orders&)>& run) {
  Orders orders;
  PathChooser paths({});
  do {
    paths.rewind();
    run(paths, orders);
  } while (paths.advance(0));
  return orders;
}
Orders jumps(const System& system, const std::vector<int>& lengths, Duration grid = milliseconds(1)) {
  return all_paths([&](Chooser& chooser, Orders& into) { Jumps(system, chooser, lengths, grid).run(into); });
}
std::vector<int> up_to(int longest) {
  std::vector<int> lengths;
  for (int length = 1; length <= longest; ++length) lengths.push_back(length);
  return lengths;
}

/// Two or three actors, up to six moves, windows up to five wide, a lock of a few ticks, up to two faults.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}

  System system() {
    System s;
    width_ = 48;
    s.lease = below(9);
    s.faults = below(3);
    s.pause = below(3);
    s.loss = below(2) == 0;
    if (below(3) > 0) {
      s.actors = {client(), client()};
      if (s.faults > 0) s.lease += 4, s.pause += 2;
      s.actors[1].insert(s.actors[1].begin(), {Op::quiet, below(8), 0});
      s.actors[1].front().most = s.actors[1].front().least;
    } else {
      const int actors = 2 + below(2);
      for (int i = 0; i < actors; ++i) s.actors.push_back(chain(1 + below(3)));
    }
    return s;
  }

 private:
  int below(int n) { return static_cast<int>(bits_.below(static_cast<std::uint64_t>(n))); }

  /// The number of ways in which a system may take its time is bounded.
  Move move(Op op, bool own) {
    const int most_wide = std::min(5, width_ - 1), wide = below(2) == 0 ? 0 : below(most_wide + 1);
    width_ /= wide + 1;
    const int least = below(4);
    return {.op = op, .least = least, .most = least + wide, .own = own};
  }
  std::vector<Move> client() {
    std::vector<Move> moves{move(Op::take, false), move(Op::see, true)};
    if (below(8) > 0) moves.push_back(move(Op::leave, true));
    if (moves.size() == 3 && below(3) == 0) moves.push_back(move(Op::free, false));
    return moves;
  }
  std::vector<Move> chain(int length) {
    std::vector<Move> moves;
    for (int i = 0; i < length; ++i) {
      moves.push_back(move(Op::step, below(2) == 0));
      const std::size_t last = moves.size() - 1;
      if (last > 0 && !moves[last].own && !moves[last - 1].own) moves[last].behind = below(2) == 0;
    }
    return moves;
  }

  RandomBits bits_;
  int width_ = 0;
};

/// The same generated systems show that the comparison can fail: jumping between the edges of windows loses orders, and
/// verdicts with them.
TEST(Grid, JumpingSeesWhatHappensTickByTickAndNotBetweenEdges) {
  Generator generator(2026);
  int free = 0, by_a_fault = 0, never = 0, lost_orders = 0, lost_verdicts = 0;
  for (int i = 0; i < 1'200; ++i) {
    const System system = generator.system();
    const Orders slow = ticks(system), edges = tiny::Ticks(system, true).search();
    ASSERT_EQ(jumps(system, up_to(system.pause), milliseconds(1 + i % 5)), slow) << "system " << i;
    ++(tiny::fewest(slow) < 0 ? never : tiny::fewest(slow) == 0 ? free : by_a_fault);
    lost_orders += edges != slow;
    lost_verdicts += tiny::fewest(edges) != tiny::fewest(slow);
  }
  RecordProperty("lost_orders", lost_orders);
  RecordProperty("lost_verdicts", lost_verdicts);
  EXPECT_GT(never, 100);  // the generator makes systems of each kind
  EXPECT_GT(free, 50);
  EXPECT_GT(by_a_fault, 50);
  EXPECT_GT(lost_orders, 50);
  EXPECT_GT(lost_verdicts, 5);
}

/// A = 3 then 4, B = [0,5], then 1, then [0,1] (design §4).
System smallest_that_edges_lose() {
  System s;
  s.actors = {{{Op::step, 3, 3}, {Op::step, 4, 4}}, {{Op::step, 0, 5}, {Op::step, 1, 1}, {Op::step, 0, 1}}};
  return s;
}

TEST(Grid, TheOrderThatJumpingBetweenEdgesLoses) {
  const System s = smallest_that_edges_lose();
  const std::string lost = "B B A B A ";
  EXPECT_TRUE(ticks(s).contains(lost));
  EXPECT_TRUE(jumps(s, {}).contains(lost));
  EXPECT_FALSE(tiny::Ticks(s, true).search().contains(lost));
}

/// A pause of three ticks that begins before an event holds it back by one, two or three: to strike at events only, a
/// budget must list the shorter ones, too.
TEST(Grid, APauseThatStrikesAtEventsMustComeInAllLengths) {
  System s;
  s.actors = {{{Op::step, 5, 5}}, {{Op::step, 6, 6, false}, {Op::step, 1, 1, false}}};
  s.faults = 1;
  s.pause = 3;
  EXPECT_TRUE(ticks(s).contains("B A B "));
  EXPECT_EQ(jumps(s, {1, 2, 3}), ticks(s));
  EXPECT_FALSE(jumps(s, {3}).contains("B A B "));
}

// The World itself -------------------------------------------------------------------------------------------------

/// One attempt of each of two clients with set-px-token, as moves.
struct Small {
  int start[2], hold, lease, least, most, pause;
};
System as_moves(const Small& s) {
  System system;
  for (const int start : s.start) {
    system.actors.push_back({{Op::quiet, start, start},             // SET leaves
                             {Op::take, s.least, s.most, false},    // it runs
                             {Op::see, s.least, s.most},            // its reply is seen, and entered
                             {Op::quiet, 0, 0},                     // the work begins
                             {Op::leave, s.hold, s.hold},           //
                             {Op::quiet, 0, 0},                     // compare-and-delete leaves
                             {Op::free, s.least, s.most, false}});  // it runs
  }
  system.lease = s.lease;
  system.faults = s.pause > 0 ? 2 : 0;
  system.pause = s.pause;
  return system;
}

std::string as_text(const Small& s) {
  const auto ms = [](int n) { return "\"" + std::to_string(n) + "ms\""; };
  std::string text = "[workload]\nattempts = 1\nlease = " + ms(s.lease) + "\nwork = [\"hold " + std::to_string(s.hold) +
                     "ms\"]\n[network]\nlatency = [" + ms(s.least) + ", " + ms(s.most) + "]\n";
  for (int i = 0; i < 2; ++i) {
    text += "[[client]]\nname = \"client-" + std::to_string(i + 1) + "\"\nstart = " + ms(s.start[i]) + "\n";
  }
  text += "[explore]\nmax_faults = " + std::to_string(s.pause > 0 ? 2 : 0) + "\n";
  for (int i = 0; i < 2 && s.pause > 0; ++i) {
    text += "[[explore.fault]]\nkind = \"pause\"\ntarget = \"client-" + std::to_string(i + 1) + "\"\nfor = [";
    for (int length = 1; length <= s.pause; ++length) text += (length > 1 ? ", " : "") + ms(length);
    text += "]\n";
  }
  return text;
}

/// The orders of what the moves stand for.
Orders of_world(const harness::Scenario& scenario) {
  using harness::What;
  ModelFactory models;
  return all_paths([&](Chooser& chooser, Orders& into) {
    World world(scenario, chooser,
                {.record = true,
                 .record_inputs = false,
                 .token_name = {},
                 .budget = &*scenario.explore,
                 .encoding = false,
                 .models = &models});
    world.run();
    std::string order;
    tiny::Lock lock;
    for (const harness::Event& e : world.take_events()) {
      const bool yes = e.reply && (e.reply->is_integer(1) || e.reply->kind() == Reply::Kind::status);
      const auto write = [&](harness::HostIndex client, const char* what) {
        order += static_cast<char>('A' + client);
        order += what;
        order += ' ';
      };
      if (e.what == What::execute && e.command->verb() == "SET") write(e.peer, yes ? "T" : "t");
      if (e.what == What::execute && e.command->verb() != "SET") write(e.peer, yes ? "F" : "f");
      if (e.what == What::enter) write(e.host, "S"), lock.overlap |= lock.inside != 0, lock.inside |= 1u << e.host;
      if (e.what == What::busy) write(e.host, "s");
      if (e.what == What::exit) write(e.host, "L"), lock.inside &= ~(1u << e.host);
    }
    tiny::add(into, lock, order, world.budget().used());
  });
}

TEST(Grid, AWorldSeesWhatHappensTickByTick) {
  RandomBits bits(7);
  const auto below = [&](int n) { return static_cast<int>(bits.below(static_cast<std::uint64_t>(n))); };
  int violated = 0, by_faults = 0;
  for (int i = 0; i < 90; ++i) {
    const int least = 1 + below(2), wide = i % 3 == 0 ? 1 : 0;
    const Small small{.start = {0, below(8)},
                      .hold = 1 + below(6),
                      .lease = 1 + below(9),
                      .least = least,
                      .most = least + wide,
                      .pause = wide == 0 ? 1 + below(3) : 0};
    const Orders slow = ticks(as_moves(small));
    ASSERT_EQ(of_world(tests::scenario(as_text(small))), slow) << as_text(small);
    violated += tiny::fewest(slow) == 0;
    by_faults += tiny::fewest(slow) > 0;
  }
  EXPECT_GT(violated, 10);
  EXPECT_GT(by_faults, 10);
}

}  // namespace
}  // namespace lockproof::sim::grid_test
