// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/endless_graph.hpp"

#include <algorithm>

#include "sim/kernel/path_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::Event;
using harness::Phase;
using harness::What;

namespace {

constexpr std::uint32_t nobody = UINT32_MAX;
constexpr std::uint64_t walks_between_looks = 64;
constexpr int events_ahead = 64;  // in one walk: with more, the paths to states on which others continue would be long

/// Records which of the choices are random draws; no adversary decides on these.
class DrawsChooser final : public Chooser {
 public:
  explicit DrawsChooser(PathChooser& inner) : inner_(inner) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override { return inner_.first_of(count, name); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    const std::size_t before = inner_.made();
    const Duration chosen = inner_.duration(window, grid, name);
    if (inner_.made() > before && name(0).kind == harness::EventName::Kind::jitter) draws_.push_back(before);
    return chosen;
  }
  std::size_t strike(std::size_t count) override { return inner_.strike(count); }
  [[nodiscard]] bool is_draw(std::size_t choice) const { return std::ranges::find(draws_, choice) != draws_.end(); }
  [[nodiscard]] bool any_from(std::size_t choice) const { return !draws_.empty() && draws_.back() >= choice; }

 private:
  PathChooser& inner_;
  std::vector<std::size_t> draws_;
};

FairCycles::Clients wanting(const World& world) {
  FairCycles::Clients clients = 0;
  for (std::size_t i = 0; i < world.scenario().clients.size(); ++i) {
    const Process& process = world.process(i);
    const harness::Life& life = process.life();
    const bool asks = life.phase == Phase::trying || life.phase == Phase::waiting || life.phase == Phase::doubting;
    const bool works = !process.crashed() && !process.worker_killed();
    if (works && asks && life.depth == 0) clients |= FairCycles::Clients{1} << i;
  }
  return clients;
}

}  // namespace

/// One event of a world.
struct EndlessGraph::PathWorld {
  FairCycles::Event event{};
  bool alive = true;
  Choices choices{}, act{};  // act: without what was drawn
  std::string encoding{};
  FairCycles::Clients wants{};
};

namespace {

/// A world that is walked event by event.
class Walker {
 public:
  Walker(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, Choices path)
      : path_(std::move(path)), draws_(path_), world_(scenario, draws_,
                                                      {.record = true,
                                                       .record_inputs = false,
                                                       .token_name = {},
                                                       .budget = &budget,
                                                       .encoding = true,
                                                       .models = &models}) {}
  World& world() { return world_; }
  PathChooser& path() { return path_; }
  DrawsChooser& draws() { return draws_; }

 private:
  PathChooser path_;
  DrawsChooser draws_;
  World world_;
};

void look(World& world, FairCycles::Event& into, PathCoverage& shown) {
  for (const Event& event : world.take_events()) {
    shown.see(world, event);
    if (event.what == What::strike) ++into.faults;
    if (event.what == What::granted) into.gets_it |= FairCycles::Clients{1} << event.host;
  }
}

}  // namespace

std::string EndlessGraph::search() {
  begin();
  std::uint64_t walks = 0;
  while (!todo_.empty()) {
    if (limits_.stop.stop_requested()) return "it was stopped";
    const PendingEvent next = std::move(todo_.front());
    todo_.pop_front();
    walk(next);
    if (restart_) begin();  // what is read of the clocks belongs to the state
    if (++walks % walks_between_looks != 0) continue;
    if (bytes() > limits_.bytes) return "the memory limit was reached";
    const int depth = static_cast<int>(todo_.empty() ? 0 : depth_[todo_.front().state]);
    if (limits_.go_on && !limits_.go_on({states(), cycles_.events().size(), todo_.size(), bytes(), 0, depth})) {
      return "it was stopped";
    }
  }
  return "";
}

/// State 0 has no world; the first event makes one.
void EndlessGraph::begin() {
  restart_ = false;
  encodings_.clear(), texts_.clear(), first_.clear(), depth_.clear(), choices_.clear(), acts_.clear(), todo_.clear();
  cycles_ = {};
  encoding_bytes_ = choice_bytes_ = 0;
  cycles_.add_state(0);
  texts_.push_back(nullptr);
  first_.push_back(nobody);
  depth_.push_back(0);
  todo_.push_back({0, {}});
}

std::uint64_t EndlessGraph::bytes() const {
  constexpr std::uint64_t node = 120;  // of a map, with its contents
  return cycles_.bytes() + encoding_bytes_ + choice_bytes_ + (encodings_.size() + acts_.size()) * node;
}

Options EndlessGraph::options() {
  return {.record = false,
          .record_inputs = false,
          .token_name = {},
          .budget = &budget_,
          .encoding = true,
          .models = &models_};
}

Choices EndlessGraph::path_to(std::uint32_t state) const {
  std::vector<std::uint32_t> events;
  for (; first_[state] != nobody; state = cycles_.events()[first_[state]].from) events.push_back(first_[state]);
  Choices path;
  for (auto e = events.rbegin(); e != events.rend(); ++e) {
    path.insert(path.end(), choices_[*e].begin(), choices_[*e].end());
  }
  return path;
}

std::uint32_t EndlessGraph::number_of(const PathWorld& walked, bool& is_new) {
  const auto number = static_cast<std::uint32_t>(texts_.size());
  const auto [found, inserted] = encodings_.emplace(walked.encoding, number);
  is_new = inserted;
  if (!inserted) return found->second;
  cycles_.add_state(walked.wants);
  texts_.push_back(&found->first);
  encoding_bytes_ += walked.encoding.size();
  return number;
}

/// Runs on from a state by an event with these first choices, and then by the first choice of everything.
void EndlessGraph::walk(const PendingEvent& from) {
  Choices path = path_to(from.state);
  std::size_t begins = path.size(), given = begins + from.choices.size();
  path.insert(path.end(), from.choices.begin(), from.choices.end());
  Walker walker(scenario_, budget_, models_, std::move(path));
  World& world = walker.world();
  std::uint32_t state = from.state;
  bool alive = true;
  if (state != 0) {
    for (std::uint32_t i = 1; i < depth_[state]; ++i) world.step();
    static_cast<void>(world.take_events());
  }
  for (int walked = 0; walked < events_ahead; ++walked) {
    FairCycles::Event event{.from = state};
    const Duration before = world.now();
    if (state != 0) alive = world.step();
    if (!alive) return;
    look(world, event, shown_);
    event.time_passes = world.now() > before;
    const Choices& all = walker.path().path();
    Choices choices, act;
    for (std::size_t i = begins; i < walker.path().made(); ++i) {
      choices.push_back(all[i]);
      if (!walker.draws().is_draw(i)) act.push_back(all[i]);
    }
    for (std::size_t i = given; i < walker.path().made(); ++i) {
      for (std::uint16_t other = 1; other < walker.path().options()[i]; ++other) {
        Choices prefix(all.begin() + static_cast<std::ptrdiff_t>(begins), all.begin() + static_cast<std::ptrdiff_t>(i));
        prefix.push_back(other);
        todo_.push_back({state, std::move(prefix)});
      }
    }
    drawn_ = drawn_ || walker.draws().any_from(begins);
    if (world.clocks_read() > detail_) {
      detail_ = world.clocks_read();
      restart_ = true;
      return;
    }
    event.act = acts_.try_emplace({state, std::move(act)}, static_cast<std::uint32_t>(acts_.size())).first->second;
    bool is_new = false;
    event.to = number_of({.encoding = world.encoding(detail_), .wants = wanting(world)}, is_new);
    const auto number = static_cast<std::uint32_t>(choices_.size());
    choice_bytes_ += sizeof(Choices) + choices.size() * sizeof(std::uint16_t) * 2;
    choices_.push_back(std::move(choices));
    cycles_.add_event(event);
    if (!is_new) return;
    first_.push_back(number);
    depth_.push_back(depth_[state] + 1);
    state = event.to;
    begins = given = walker.path().made();
  }
  todo_.push_back({state, {}});
}

/// Two worlds in one state may list the due events in different orders: then the matching event is searched.
std::optional<Choices> EndlessGraph::along(const std::vector<std::uint32_t>& events) {
  Choices path;  // for the first `done` events
  for (std::size_t done = 0;;) {
    Choices whole = path;
    std::vector<std::size_t> ends;
    for (std::size_t i = done; i < events.size(); ++i) {
      whole.insert(whole.end(), choices_[events[i]].begin(), choices_[events[i]].end());
      ends.push_back(whole.size());
    }
    PathChooser chooser(whole);
    World world(scenario_, chooser, options());
    for (std::size_t i = 1; i < done; ++i) world.step();
    std::size_t i = done;
    for (; i < events.size(); ++i) {
      if (i > 0) world.step();
      if (chooser.made() != ends[i - done] || world.encoding(detail_) != wanted(events[i])) break;
    }
    if (i == events.size()) return whole;
    whole.resize(i == done ? path.size() : ends[i - done - 1]);
    path = std::move(whole);
    if (!find_way(path, i, wanted(events[i]))) return std::nullopt;
    done = i + 1;
  }
}

/// Appends to the path, which has this many events, the choices of one more that leads to a state.
bool EndlessGraph::find_way(Choices& path, std::size_t events, const std::string& to) {
  PathChooser chooser(path);
  do {
    chooser.rewind();
    World world(scenario_, chooser, options());
    for (std::size_t i = 0; i < events; ++i) world.step();
    if (world.encoding(detail_) != to) continue;
    path = chooser.path();
    return true;
  } while (chooser.advance(path.size()));
  return false;
}

}  // namespace lockproof::sim
