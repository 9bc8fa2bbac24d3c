// SPDX-License-Identifier: Apache-2.0
// EventLoop: one process's loop over libuv. What differs from plain libuv is the order within a turn: first everything
// that sockets hold is read, then the coroutines whose replies came go on, and only then timers that are due run. After
// a SIGCONT a reply that arrived during the stop is thus seen before its time-out. Timers count nanoseconds.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::real {

class EventLoop : public PinnedObject {
 public:
  class Watch;
  class Timer;
  class Waiter;

  EventLoop();
  ~EventLoop();

  /// Waits until something happens, and runs what waits for it. Exceptions of callbacks are rethrown here.
  void turn();
  /// Runs what is ready, without waiting for more.
  void settle();
  /// Called after each step of a coroutine, before what it sends leaves.
  void after_each_step(std::function<void()> hook) { after_step_ = std::move(hook); }
  /// Called before each timer runs, with the instant at which it was due and the current one.
  void on_timer(std::function<void(std::int64_t due_ns, std::int64_t now_ns)> hook) { on_timer_ = std::move(hook); }
  /// Sets each timer to the instant that `moved` returns for its own.
  void move_timers(const std::function<std::int64_t(std::int64_t)>& moved);

 private:
  struct Implementation;
  void poll(bool wait);
  void run_ready();
  void run_departures();
  void run_due_timers();
  void arm();
  void watch_what_is_wanted();

  std::unique_ptr<Implementation> implementation_;
  std::vector<Watch*> changed_;    // watches whose wanted events changed
  std::vector<Timer*> timers_;     // timers that are set
  std::deque<Waiter*> departing_;  // suspended, and not departed yet
  std::deque<Waiter*> ready_;      // to be resumed
  std::function<void()> after_step_;
  std::function<void(std::int64_t, std::int64_t)> on_timer_;
  std::exception_ptr thrown_;  // thrown by a callback inside libuv
  bool timers_due_ = false;
  std::int64_t armed_ns_ = 0;  // when the alarm goes off; 0: it does not
};

/// Tells when a descriptor can be read or written. The descriptor must stay open longer than the watch. A change of the
/// wanted events takes effect at the loop's next wait: one that is undone before costs nothing.
class EventLoop::Watch : public PinnedObject {
 public:
  struct Readiness {
    bool readable = false, writable = false, failed = false;
  };
  Watch(EventLoop& loop, int fd, std::function<void(Readiness)> see);
  ~Watch();
  void want(bool readable, bool writable);

 private:
  friend class EventLoop;
  friend struct EventLoop::Implementation;
  struct Handle;
  EventLoop& loop_;
  std::function<void(Readiness)> see_;
  Handle* handle_;  // closed here, freed when libuv has finished with it
  void watch();
  int wanted_ = 0, watched_ = 0;  // bits of libuv's events
  bool changed_ = false;          // whether it is in the loop's changed_
};

/// Runs once at a machine instant or later, never earlier.
class EventLoop::Timer : public PinnedObject {
 public:
  Timer(EventLoop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {}
  ~Timer() { cancel(); }
  void set(std::int64_t at_ns);
  void cancel();
  [[nodiscard]] bool is_set() const { return set_; }
  [[nodiscard]] std::int64_t due() const { return at_ns_; }

 private:
  friend class EventLoop;
  EventLoop& loop_;
  std::function<void()> run_;
  std::int64_t at_ns_ = 0;
  std::int64_t due_ns_ = 0;  // the same, or when it was set if that instant had passed
  bool set_ = false;
};

/// A coroutine that waits for this loop. Suspending only queues it: `depart` is called when its process's step is over,
/// and it is resumed from a turn after `wake`. Its destruction removes it from all lists.
class EventLoop::Waiter : public PinnedObject {
 public:
  explicit Waiter(EventLoop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);

 protected:
  virtual ~Waiter();
  virtual void depart() = 0;
  void wake();
  EventLoop& loop_;

 private:
  friend class EventLoop;
  std::coroutine_handle<> waiting_;
};

}  // namespace lockproof::real
