// SPDX-License-Identifier: Apache-2.0
// SharedLock: one lock object that several clients use, as threads or tasks of one process do. Whatever the object
// does, it does through the ports of the client that has called it; so each keeps its own connections. Its code is
// never interrupted but where it waits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "algorithms/port/lock.hpp"

namespace lockproof::harness {

class SharedLock final : public PinnedObject {
 public:
  using Make = std::function<std::unique_ptr<Lock>(Ports)>;

  SharedLock();
  ~SharedLock();

  /// The object as one client uses it. `make` makes it for the first one. What the ports refer to outlives all that is
  /// returned, and so does this.
  [[nodiscard]] std::unique_ptr<Lock> used_by(Ports ports, const Make& make);
  /// Of the object. REQUIRES: somebody uses it.
  [[nodiscard]] State state() const { return lock_->state(); }

 private:
  class User;
  class UsersStore;
  class UsersStores;
  class UsersClock;
  class UsersRandom;
  /// Whose code runs from now on.
  void turn_to(const User& user);

  const User* user_ = nullptr;
  std::unique_ptr<UsersStores> stores_;
  std::unique_ptr<UsersClock> clock_;
  std::unique_ptr<UsersRandom> random_;
  std::unique_ptr<Lock> lock_;
};

}  // namespace lockproof::harness
