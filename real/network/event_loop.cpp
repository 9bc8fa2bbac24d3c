// SPDX-License-Identifier: Apache-2.0
#include "real/network/event_loop.hpp"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <uv.h>

#include <algorithm>
#include <exception>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

struct EventLoop::Watch::Handle {
  uv_poll_t poll{};
  Watch* watch = nullptr;  // null: closed
};

struct EventLoop::Implementation {
  uv_loop_t loop{};
  Descriptor alarm;  // a timerfd: libuv's own timers count milliseconds
  std::unique_ptr<Watch> alarm_watch;

  static void on_poll(uv_poll_t* poll, int status, int events) {
    const auto* handle = static_cast<Watch::Handle*>(poll->data);
    if (!handle->watch) return;
    events &= handle->watch->wanted_;  // it may want other events since libuv was set up
    if (events == 0 && status == 0) return;
    const Watch::Readiness ready{(events & UV_READABLE) != 0, (events & UV_WRITABLE) != 0, status < 0};
    if (ready.failed) handle->watch->wanted_ = handle->watch->watched_ = 0;  // libuv has stopped watching
    EventLoop& loop = handle->watch->loop_;
    // No exception may cross libuv's frames.
    try {
      handle->watch->see_(ready);
    } catch (...) {
      loop.thrown_ = std::current_exception();
    }
  }
  static void on_close(uv_handle_t* closed) {
    const std::unique_ptr<Watch::Handle> last(static_cast<Watch::Handle*>(closed->data));
  }
};

EventLoop::EventLoop() : implementation_(std::make_unique<Implementation>()) {
  if (const int status = uv_loop_init(&implementation_->loop); status != 0) {
    throw BadEnvironment(fmt::format("cannot make an event loop: {}", uv_strerror(status)));
  }
  implementation_->alarm = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!implementation_->alarm.open()) throw BadEnvironment("cannot make a timer; is the limit of open files too low?");
  implementation_->alarm_watch = std::make_unique<Watch>(*this, implementation_->alarm.get(), [this](Watch::Readiness) {
    std::uint64_t times = 0;
    [[maybe_unused]] const auto count = ::read(implementation_->alarm.get(), &times, sizeof times);
    timers_due_ = true;
    armed_ns_ = 0;
  });
  implementation_->alarm_watch->want(true, false);
}

EventLoop::~EventLoop() {
  implementation_->alarm_watch.reset();
  while (uv_run(&implementation_->loop, UV_RUN_NOWAIT) != 0) {
  }
  uv_loop_close(&implementation_->loop);
}

void EventLoop::watch_what_is_wanted() {
  for (Watch* watch : std::exchange(changed_, {})) watch->watch();
}

void EventLoop::poll(bool wait) {
  watch_what_is_wanted();
  uv_run(&implementation_->loop, wait ? UV_RUN_ONCE : UV_RUN_NOWAIT);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void EventLoop::turn() {
  settle();
  arm();
  poll(!timers_due_);
  // A due timer may have woken us together with sockets, or before them: the sockets' data come first.
  if (timers_due_) poll(false);
  settle();
  if (std::exchange(timers_due_, false)) run_due_timers();
}

void EventLoop::settle() {
  run_departures();
  run_ready();
}

void EventLoop::run_ready() {
  while (!ready_.empty()) {
    Waiter* waiter = ready_.front();
    ready_.pop_front();
    waiter->waiting_.resume();
    if (after_step_) after_step_();
    run_departures();
  }
}

void EventLoop::run_departures() {
  while (!departing_.empty()) {
    Waiter* waiter = departing_.front();
    departing_.pop_front();
    waiter->depart();
  }
}

void EventLoop::run_due_timers() {
  const std::int64_t now = machine_ns();
  for (;;) {
    const auto first = std::ranges::min_element(timers_, {}, &Timer::at_ns_);
    if (first == timers_.end() || (*first)->at_ns_ > now) return;
    Timer* timer = *first;
    timer->cancel();
    if (on_timer_) on_timer_(timer->due_ns_, machine_ns());
    timer->run_();
    settle();
  }
}

void EventLoop::move_timers(const std::function<std::int64_t(std::int64_t)>& moved) {
  const std::int64_t now = machine_ns();
  for (Timer* timer : timers_) {
    timer->at_ns_ = moved(timer->at_ns_);
    timer->due_ns_ = std::max(timer->at_ns_, now);
  }
}

/// Sets the alarm to the earliest timer, if it would go off too late. Too early does no harm: nothing is due then.
void EventLoop::arm() {
  const auto first = std::ranges::min_element(timers_, {}, &Timer::at_ns_);
  if (first == timers_.end()) return;
  const std::int64_t at = std::max<std::int64_t>((*first)->at_ns_, 1);  // 0 would switch it off
  if (armed_ns_ != 0 && armed_ns_ <= at) return;
  itimerspec alarm{};
  alarm.it_value = {at / 1'000'000'000, at % 1'000'000'000};
  ::timerfd_settime(implementation_->alarm.get(), TFD_TIMER_ABSTIME, &alarm, nullptr);
  armed_ns_ = at;
}

EventLoop::Watch::Watch(EventLoop& loop, int fd, std::function<void(Readiness)> see)
    : loop_(loop), see_(std::move(see)), handle_(nullptr) {
  auto handle = std::make_unique<Handle>();
  if (const int status = uv_poll_init(&loop.implementation_->loop, &handle->poll, fd); status != 0) {
    throw BadEnvironment(fmt::format("cannot watch a descriptor: {}", uv_strerror(status)));
  }
  handle_ = handle.release();  // on_close takes it back
  handle_->poll.data = handle_;
  handle_->watch = this;
}

EventLoop::Watch::~Watch() {
  std::erase(loop_.changed_, this);
  handle_->watch = nullptr;
  uv_poll_stop(&handle_->poll);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->poll), &Implementation::on_close);
}

void EventLoop::Watch::want(bool readable, bool writable) {
  wanted_ = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
  if (wanted_ != watched_ && !std::exchange(changed_, true)) loop_.changed_.push_back(this);
}

void EventLoop::Watch::watch() {
  changed_ = false;
  if (wanted_ == watched_) return;
  watched_ = wanted_;
  if (wanted_ == 0) {
    uv_poll_stop(&handle_->poll);
  } else {
    uv_poll_start(&handle_->poll, wanted_, &Implementation::on_poll);
  }
}

void EventLoop::Timer::set(std::int64_t at_ns) {
  at_ns_ = at_ns;
  due_ns_ = std::max(at_ns, machine_ns());
  if (std::exchange(set_, true)) return;
  loop_.timers_.push_back(this);
}

void EventLoop::Timer::cancel() {
  if (std::exchange(set_, false)) std::erase(loop_.timers_, this);
}

void EventLoop::Waiter::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  loop_.departing_.push_back(this);
}

void EventLoop::Waiter::wake() { loop_.ready_.push_back(this); }

EventLoop::Waiter::~Waiter() {
  std::erase(loop_.departing_, this);
  std::erase(loop_.ready_, this);
}

}  // namespace lockproof::real
