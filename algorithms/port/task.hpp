// SPDX-License-Identifier: Apache-2.0
// Task<T>: the only coroutine type. Lazy: nothing runs before it is awaited or started; move-only; destroying it
// destroys the suspended body, which is how a crash is modelled. Child and parent resume each other directly; every
// other resumption comes from an event loop, never from inside an awaiter.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof {

template <class T>
class Task;

namespace detail {

class PromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) noexcept {
      return ended.promise().parent_;
    }
    void await_resume() noexcept {}
  };
  FinalAwaiter final_suspend() noexcept { return {}; }

  void unhandled_exception() noexcept { error_ = std::current_exception(); }
  void set_parent(std::coroutine_handle<> parent) noexcept { parent_ = parent; }

 protected:
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::coroutine_handle<> parent_ = std::noop_coroutine();
  std::exception_ptr error_;
};

template <class T>
class TaskPromise : public PromiseBase {
 public:
  Task<T> get_return_object();
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() {}
  void take() { rethrow(); }
};

// What may be a parameter of a coroutine: its frame outlives the call expression, so everything in it must be
// owned by it or pinned. An aggregate with a destructor is excluded because GCC 12 destroys such temporaries twice.
template <class T>
struct IsView : std::false_type {};
template <>
struct IsView<std::string_view> : std::true_type {};
template <class T, std::size_t n>
struct IsView<std::span<T, n>> : std::true_type {};

template <class A>
concept Complete = requires {
  sizeof(std::remove_cvref_t<A>);
};  // the closure of a lambda is incomplete here
template <class A>
concept RefToPinned =
    std::is_lvalue_reference_v<A> && Complete<A> && std::is_base_of_v<PinnedObject, std::remove_cvref_t<A>>;
template <class A>
concept OwnedValue = !std::is_reference_v<A> && !std::is_pointer_v<A> && !IsView<std::remove_cv_t<A>>::value &&
                     (!std::is_aggregate_v<A> || std::is_trivially_destructible_v<A>);

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle body) : body_(body) {}
  Task(Task&& other) noexcept : body_(std::exchange(other.body_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (body_) body_.destroy();
      body_ = std::exchange(other.body_, {});
    }
    return *this;
  }
  ~Task() {
    if (body_) body_.destroy();
  }

  // Awaiting starts the body; the awaiting coroutine resumes when it has ended.
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) noexcept {
    body_.promise().set_parent(parent);
    return body_;
  }
  T await_resume() { return body_.promise().take(); }

  /// Runs a root task to its first suspension. Only for the event loops, simulated and real.
  void start() { body_.resume(); }
  [[nodiscard]] bool done() const { return body_.done(); }
  /// The result of a root task that is done; rethrows what its body threw.
  T result() { return body_.promise().take(); }

 private:
  Handle body_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> detail::TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace lockproof

template <class T, class... A>
struct std::coroutine_traits<lockproof::Task<T>, A...> {
  static_assert(((lockproof::detail::RefToPinned<A> || lockproof::detail::OwnedValue<A>)&&...),
                "a Task coroutine takes values, or references to Pinned objects");
  using promise_type = lockproof::detail::TaskPromise<T>;
};
