// SPDX-License-Identifier: Apache-2.0
// setnx-del: the client that sets the key has the lock, and deletes the key when done.
// Source: notes 000 and 001, scheme one, steps 1 and 2.
// Claims: never two holders. Not claimed: that the lock frees itself when its holder dies; the release checks no owner.
// Broken by: scenarios/notes/setnx-del-crash.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class SetnxDel final : public Lock {
 public:
  SetnxDel(Ports ports, Duration retry) : redis_(ports.servers.at(0)), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds>) override {
    const Grant grant(name, "1");
    const auto won = co_await redis_.run(redis::setnx(name, "1"));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(redis::del(grant.name));
    if (!deleted) co_return deleted.error();
    co_return *deleted ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& redis_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_setnx_del(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetnxDel>(ports, parameters.at("retry"));
}

}  // namespace lockproof
