// SPDX-License-Identifier: Apache-2.0
// The object's ports ask whose code runs, and remember it where they wait: meanwhile others may have run.
#include "harness/workload/shared_lock.hpp"

#include <utility>

namespace lockproof::harness {

class SharedLock::User final : public Lock {
 public:
  User(SharedLock& shared, Ports ports) : shared_(shared), ports_(ports) {}
  [[nodiscard]] const Ports& ports() const { return ports_; }

  void begin_attempts(const Name& name, int round, Mode mode) override {
    ports_.caller.mode = mode;
    lock().begin_attempts(name, round, mode);
  }
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    return lock().try_acquire(std::move(name), lease);
  }
  Task<Result<ReleaseResult>> release(Grant grant) override { return lock().release(std::move(grant)); }
  Task<Result<std::optional<Grant>>> renew(Grant grant) override { return lock().renew(std::move(grant)); }
  Task<bool> wait(Name name, Busy busy, Mono until) override { return lock().wait(std::move(name), busy, until); }
  [[nodiscard]] Retry retry() const override { return shared_.lock_->retry(); }
  [[nodiscard]] State state() const override { return shared_.state(); }

 private:
  /// What is asked of it next is for this client: a task begins as soon as its caller awaits it.
  Lock& lock() {
    shared_.turn_to(*this);
    return *shared_.lock_;
  }

  SharedLock& shared_;
  Ports ports_;  // its caller has the mode of the round
};

class SharedLock::UsersStore final : public Store {
 public:
  UsersStore(SharedLock& shared, std::size_t server) : shared_(shared), server_(server) {}
  Task<Result<Reply>> call(Command command) override {
    const User& user = *shared_.user_;
    Result<Reply> reply = co_await user.ports().servers.at(server_).call(std::move(command));
    shared_.turn_to(user);
    co_return reply;
  }
  Task<Result<Reply>> subscribe(Name channel) override {
    const User& user = *shared_.user_;
    Result<Reply> reply = co_await user.ports().servers.at(server_).subscribe(std::move(channel));
    shared_.turn_to(user);
    co_return reply;
  }
  Task<bool> message(Name channel, Mono until) override {
    const User& user = *shared_.user_;
    const bool came = co_await user.ports().servers.at(server_).message(std::move(channel), until);
    shared_.turn_to(user);
    co_return came;
  }

 private:
  SharedLock& shared_;
  const std::size_t server_;
};

class SharedLock::UsersStores final : public Stores {
 public:
  UsersStores(SharedLock& shared, std::size_t servers) : shared_(shared) {
    for (std::size_t i = 0; i < servers; ++i) stores_.push_back(std::make_unique<UsersStore>(shared, i));
  }
  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override {
    const User& user = *shared_.user_;
    Replies replies = co_await user.ports().servers.gather(std::move(command), timeout);
    shared_.turn_to(user);
    co_return replies;
  }

 private:
  SharedLock& shared_;
  std::vector<std::unique_ptr<UsersStore>> stores_;
};

class SharedLock::UsersClock final : public Clock {
 public:
  explicit UsersClock(SharedLock& shared) : shared_(shared) {}
  Wall wall() override { return shared_.user_->ports().clock.wall(); }
  Mono mono() override { return shared_.user_->ports().clock.mono(); }
  Boot boot() override { return shared_.user_->ports().clock.boot(); }

 private:
  SharedLock& shared_;
};

class SharedLock::UsersRandom final : public Random {
 public:
  explicit UsersRandom(SharedLock& shared) : shared_(shared) {}
  Token token() override { return shared_.user_->ports().random.token(); }
  Duration between(Duration least, Duration most) override {
    return shared_.user_->ports().random.between(least, most);
  }

 private:
  SharedLock& shared_;
};

SharedLock::SharedLock() = default;
SharedLock::~SharedLock() = default;

std::unique_ptr<Lock> SharedLock::used_by(Ports ports, const Make& make) {
  auto user = std::make_unique<User>(*this, ports);
  if (lock_) return user;
  user_ = user.get();
  stores_ = std::make_unique<UsersStores>(*this, ports.servers.size());
  clock_ = std::make_unique<UsersClock>(*this);
  random_ = std::make_unique<UsersRandom>(*this);
  lock_ = make(Ports{*stores_, *clock_, *random_, ports.caller});
  return user;
}

void SharedLock::turn_to(const User& user) {
  user_ = &user;
  lock_->turn_to(user.ports().caller);
}

}  // namespace lockproof::harness
