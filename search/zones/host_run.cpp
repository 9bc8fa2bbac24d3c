// SPDX-License-Identifier: Apache-2.0
#include "search/zones/host_run.hpp"

#include <algorithm>
#include <coroutine>
#include <functional>
#include <utility>

#include "harness/scenario/clients.hpp"
#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {

/// All that the client sees of a world.
class HostRun::Ports final : public Clock,
                             public Random,
                             public Store,
                             public Stores,
                             public harness::Journal,
                             public harness::Moments,
                             public NamedInstants {
 public:
  explicit Ports(HostRun& run) : run_(run), resource_(*this), of_client_(*this) {}

  // Clock
  Wall wall() override { throw UnsuitedCode("a lock that reads the time of day"); }
  Mono mono() override { return InstantAccess::make<Mono>(read(ReadClock::mono)); }
  Boot boot() override {
    if (run_.scenario_.clients[run_.index_].plan.stop_on == harness::StopOn::deadline)
      throw UnsuitedCode("a client that leaves at a deadline of a clock that counts suspensions");
    return InstantAccess::make<Boot>(read(ReadClock::boot));
  }

  // Random
  Token token() override {
    for (int n = 1; n <= sim::token_names; ++n) {
      const auto bit = static_cast<std::uint8_t>(1U << (n - 1));
      if (((run_.tokens_ | run_.drawn_) & bit) != 0) continue;
      run_.drawn_ |= bit;
      return {sim::to_text(sim::token_name(static_cast<int>(run_.index_), n)), Value::Mark::token};
    }
    throw UnsuitedCode("a client with more tokens in use than a search can tell apart");
  }
  Duration between(Duration least, Duration most) override {
    if (least >= most) return least;
    throw UnsuitedCode("a lock that draws a jitter");
  }

  // Store
  Task<Result<Reply>> call(Command command) override {
    Wait wait(*this, call_of(std::move(command), false));
    Result<Reply> reply = co_await wait;
    co_return reply;
  }
  Task<Result<Reply>> subscribe(Name) override { throw UnsuitedCode("a lock that subscribes to news"); }
  Task<bool> message(Name, Mono) override { throw UnsuitedCode("a lock that waits for news"); }
  [[nodiscard]] Store& resource() { return resource_; }
  [[nodiscard]] Random& of_client() { return of_client_; }

  // Stores
  [[nodiscard]] std::size_t size() const override { return 1; }
  Store& at(std::size_t) override { return *this; }
  Task<Replies> gather(Command, Duration) override { throw UnsuitedCode("a lock that asks all servers at once"); }

  // Journal
  void note(harness::Event event) override {
    if (event.what == harness::What::granted && event.left) event.left->time = left_as_far_as_known(event.left->time);
    if (has_asked()) return;
    event.host = static_cast<harness::HostIndex>(run_.index_);
    run_.events_.push_back(std::move(event));
  }

  // Moments
  [[nodiscard]] bool awaited(harness::Act, bool) const override { return !has_asked(); }
  Task<void> come(harness::Act act) override {
    Wait wait(*this, place_before(act));
    (void)co_await wait;
  }

  // NamedInstants. An unanswered question ends the segment: whatever the code does then, nobody looks at it.
  bool is_before(std::int64_t one, std::int64_t other) override {
    if (!is_named(one) || !is_named(other)) throw UnsuitedCode("a lock that compares an instant with a number");
    const NamedInstant a = named_from(one), b = named_from(other);
    if (a.name == b.name) return a.us < b.us;
    if (has_asked()) return false;
    if (!run_.answers_.empty()) {
      const bool answer = run_.answers_.front().is_before;
      run_.answers_ = run_.answers_.subspan(1);
      return answer;
    }
    run_.act_ = {.kind = HostAct::Kind::question, .one = a, .other = b};
    return false;
  }

  /// Whoever waits for a reply or stands somewhere goes on.
  void go_on(Result<Reply> reply) {
    reply_ = std::move(reply);
    std::exchange(waiting_, {}).resume();
  }

 private:
  class Wait : public PinnedObject {
   public:
    Wait(Ports& ports, HostAct act) : ports_(ports), act_(std::move(act)) {}
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      ports_.waiting_ = waiting;
      if (!ports_.has_asked()) ports_.run_.act_ = std::move(act_);
    }
    Result<Reply> await_resume() { return std::move(ports_.reply_); }

   private:
    Ports& ports_;
    HostAct act_;
  };
  class Resource final : public Store {
   public:
    explicit Resource(Ports& ports) : ports_(ports) {}
    Task<Result<Reply>> call(Command command) override {
      Wait wait(ports_, call_of(std::move(command), true));
      Result<Reply> reply = co_await wait;
      co_return reply;
    }

   private:
    Ports& ports_;
  };

  /// Of the loop around the lock, which draws how long it waits before its next step.
  class ClientRandom final : public Random {
   public:
    explicit ClientRandom(Ports& ports) : ports_(ports) {}
    Token token() override { return ports_.token(); }
    Duration between(Duration least, Duration most) override {
      ports_.run_.spread_ = std::max(most - least, Duration{});
      return least;
    }

   private:
    Ports& ports_;
  };

  /// Of the time from what was read in this segment to a deadline: whether there is any. It is asked like all else.
  Duration left_as_far_as_known(Duration left) {
    const std::int64_t now = to_number({name_of(run_.segment_, ReadClock::mono), 0});
    return Duration(is_before(now, now + left.count()) ? 1 : 0);
  }
  static HostAct call_of(Command command, bool of_resource) {
    HostAct act{.kind = HostAct::Kind::call, .of_resource = of_resource};
    act.command = std::move(command);
    return act;
  }
  static HostAct place_before(harness::Act before) { return {.kind = HostAct::Kind::stands, .before = before}; }
  [[nodiscard]] bool has_asked() const { return run_.act_.kind == HostAct::Kind::question; }
  std::int64_t read(ReadClock clock) {
    run_.has_read_.insert(clock);
    return to_number({name_of(run_.segment_, clock), 0});
  }

  HostRun& run_;
  Resource resource_;
  ClientRandom of_client_;
  std::coroutine_handle<> waiting_;
  Result<Reply> reply_ = Error::not_sent;
};

HostRun::HostRun(const harness::Scenario& scenario, std::size_t client) : scenario_(scenario), index_(client) {}

HostRun::~HostRun() = default;

void HostRun::begin() {
  ports_ = std::make_unique<Ports>(*this);
  const lockproof::Ports ports{*ports_, *ports_, *ports_};
  lock_ = harness::make_lock(scenario_, index_, ports);
  const lockproof::Ports of_client{*ports_, *ports_, ports_->of_client()};
  client_ = std::make_unique<harness::Client>(*lock_, Name(scenario_.lock), of_client, ports_->resource(),
                                              scenario_.clients[index_].plan, ports_.get(), ports_.get());
}

void HostRun::run(const std::function<void()>& code) {
  NamedInstants* const before = std::exchange(NamedInstants::of_this_thread, ports_.get());
  try {
    code();
  } catch (...) {
    NamedInstants::of_this_thread = before;
    throw;
  }
  NamedInstants::of_this_thread = before;
}

void HostRun::feed(const HostInput& input, const Reply* reply, std::span<const HostInput> answers) {
  ++segment_;
  has_read_.clear();
  tokens_ = input.tokens;
  drawn_ = 0;
  spread_ = {};
  act_ = {};
  events_.clear();
  answers_ = answers;
  if (input.kind == HostInput::Kind::begin) return begin();
  run([&] {
    if (input.kind == HostInput::Kind::ask) client_->ask();
    if (input.kind == HostInput::Kind::ask || input.kind == HostInput::Kind::step) {
      worker_ = client_->worker_step();
      worker_->start();
    } else {
      const Error error = input.kind == HostInput::Kind::lost ? Error::no_reply : Error::not_sent;
      ports_->go_on(reply ? Result<Reply>(*reply) : Result<Reply>(error));
    }
    if (act_.kind == HostAct::Kind::question || !worker_->done()) return;
    worker_->result();
    worker_.reset();
  });
  if (act_.kind != HostAct::Kind::question && client_->life().watchdog_due)
    throw UnsuitedCode("a lock that renews its lease");
}

}  // namespace lockproof::zones
