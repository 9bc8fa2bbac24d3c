// SPDX-License-Identifier: Apache-2.0
// set-ex-del: one command takes the key and gives it a time to live; a plain DEL releases it.
// Source: notes 000 and 001, scheme one, step 4 (the first remedy).
// Claims: frees itself; never two entitled as long as the clocks keep time. Not claimed: that the DEL removes one's own
// key. Broken by: scenarios/notes/blind-del.toml, scenarios/notes/delayed-release.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class SetExDel final : public Lock {
 public:
  SetExDel(Ports ports, Duration retry) : redis_(ports.servers.at(0)), clock_(ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const seconds ttl = std::chrono::floor<seconds>(lease.value_or(default_lease));
    const Grant grant(name, "1", clock_.mono() + ttl);

    const auto won = co_await redis_.run(redis::set_nx_ex(name, "1", ttl));
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
  Clock& clock_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_set_ex_del(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetExDel>(ports, parameters.at("retry"));
}

}  // namespace lockproof
