// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the reason for which there is none. The one distinction that matters for a lock is whether the
// command may have taken effect all the same: an indefinite error leaves that open, now and later.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lockproof {

enum class Error {
  no_reply,     // indefinite: the command may have run, may run later, or never
  not_sent,     // the command never left this process
  refused,      // the server answered with an error, or the answer makes no sense
  unsupported,  // this lock does not offer the operation
};

[[nodiscard]] constexpr bool definite(Error e) { return e != Error::no_reply; }

[[nodiscard]] constexpr std::string_view name(Error e) {
  switch (e) {
    case Error::no_reply: return "no-reply";
    case Error::not_sent: return "not-sent";
    case Error::refused: return "refused";
    case Error::unsupported: return "unsupported";
  }
  return "?";
}

template <class T>
class [[nodiscard]] Result {
 public:
  template <class U = T>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : held_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, error) {}

  [[nodiscard]] bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const T& operator*() const { return std::get<0>(held_); }
  [[nodiscard]] const T* operator->() const { return &std::get<0>(held_); }
  [[nodiscard]] Error error() const { return std::get<1>(held_); }
  bool operator==(const Result&) const = default;

 private:
  std::variant<T, Error> held_;
};

}  // namespace lockproof
