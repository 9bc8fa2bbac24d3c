// SPDX-License-Identifier: Apache-2.0
// LockName: how an application's line calls its lock.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::execution {

struct LockWords {
  /// "orders", of "acquired the lock orders", "lock=orders" or "orders lock acquired"; "account 17", of "got lock for
  /// account 17 in 3 ms". Empty: it names none, or in a way that is not known. It may be something else than a name, as
  /// an owner's token is.
  std::string name;
  /// The rest, without durations, marks around words, what brackets have before the lock, and what names its worker,
  /// owner or attempt. Lines whose rest differs may be of other locks.
  std::string wording;
};

[[nodiscard]] LockWords lock_words_in(std::string_view said, std::string_view worker);

[[nodiscard]] std::string lower_case(std::string_view text);

/// Whether a field or an attribute of this name says which lock something is of: "lock", "key" or "app.lock.name".
[[nodiscard]] bool is_lock_field(std::string_view field);

/// Whether a lock that is called `name` may have this key on its server: one is the other, or a part of it that ends
/// where a word does.
[[nodiscard]] bool may_be_key(std::string_view name, std::string_view key);

}  // namespace lockproof::execution
