// SPDX-License-Identifier: Apache-2.0
// fenced-token: set-px-token that also draws a fencing token, a number that grows with every grant, for the resource to
// check. The lock cannot keep a late holder out; the resource can.
// Source: Kleppmann, "How to do distributed locking", 2016; the number comes from INCR in the acquiring script.
// Claims: what set-px-token claims, and a resource that checks the number on every access, reads too, is never damaged.
// Broken by: scenarios/documented/fencing/fenced-on-writes-only.toml (the resource checks too little)
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class FencedToken final : public Lock {
 public:
  FencedToken(Ports ports, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Token token = random_.token();
    Grant grant(name, token, clock_.mono() + ttl);

    const auto number = co_await redis_.run(
        redis::eval(scripts::fenced_acquire, redis::keys(name, counter(name)), redis::args(token, ttl)));
    if (!number) co_return Failure(number.error(), grant);
    if (number->is_nil()) co_return Busy{};
    grant.fence = number->integer();
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(
        redis::eval(scripts::compare_and_delete, redis::keys(grant.name), redis::args(grant.token)));
    if (!deleted) co_return deleted.error();
    co_return deleted->is_integer(1) ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  static Name counter(const Name& name) { return Name(name.bytes() + ":fence"); }

  Store& redis_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_fenced_token(Ports ports, const Parameters& parameters) {
  return std::make_unique<FencedToken>(ports, parameters.at("retry"));
}

}  // namespace lockproof
