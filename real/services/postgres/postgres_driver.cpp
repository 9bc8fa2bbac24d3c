// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/postgres_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "real/errors.hpp"
#include "real/services/postgres/lock_watch.hpp"
#include "real/services/postgres/password.hpp"
#include "real/services/postgres/postgres_host.hpp"
#include "real/services/postgres/pq_store.hpp"
#include "real/services/postgres/wire.hpp"

namespace lockproof::real {
namespace {

/// Where there is a standby, a transaction that asks for it waits until one has applied its commit; others do not.
std::vector<std::string> settings_of(const harness::Scenario& scenario) {
  const bool standbys = std::ranges::any_of(
      scenario.servers, [](const harness::ServerSpec& server) { return !server.replica_of.empty(); });
  if (!standbys) return {};
  return {"synchronous_standby_names=*", "synchronous_commit=local"};
}

class PostgresDriver final : public ServiceDriver {
 public:
  explicit PostgresDriver(std::string program) : program_(std::move(program)) {}

  std::unique_ptr<ServerHost> start(const ServerSetup& setup) override {
    const harness::ServerSpec& spec = setup.scenario.servers.at(setup.index);
    const auto primary = started_.find(spec.replica_of);
    if (primary != started_.end()) primary->second->await_ready();  // its files are copied
    auto host = std::make_unique<PostgresHost>(spec, setup.janitor, setup.scenario.speedup, postgres_program(program_),
                                               primary == started_.end() ? 0 : primary->second->port(),
                                               settings_of(setup.scenario));
    started_[spec.name] = host.get();
    return host;
  }
  std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                       Witness& witness) const override {
    return std::make_unique<PqStore>(loop, std::move(route), timeouts, witness);
  }
  const Framing& framing() const override { return framing_; }

  std::string stamps() const override {
    return "postgres: when its answer, or the end of its connection, was seen between it and its client; a statement "
           "that took a lock stands behind the one that freed it";
  }
  std::string stamps_of_external() const override {
    return "postgres: not started by lockproof, so not observed: a statement stands where its reply came";
  }
  bool watched_at_proxy() const override { return true; }

  std::unique_ptr<KeyWatch> watch_keys(std::function<int()> port) const override {
    return watch_locks(std::move(port));
  }
  Reply reply_from(std::string_view bytes) const override { return reply_in(bytes); }
  /// What libpq, and many clients that do without it, look for. Several servers have no name there.
  std::map<std::string, std::string> variables(const std::string& addresses) const override {
    std::map<std::string, std::string> all{{"PGUSER", "postgres"},
                                           {"PGPASSWORD", postgres_password()},
                                           {"PGDATABASE", "postgres"},
                                           {"PGSSLMODE", "disable"}};
    const auto colon = addresses.find(':');
    if (addresses.find(',') != std::string::npos || colon == std::string::npos) return all;
    all["PGHOST"] = addresses.substr(0, colon);
    all["PGPORT"] = addresses.substr(colon + 1);
    return all;
  }

 private:
  const std::string program_;
  const PostgresFraming framing_;
  std::map<std::string, PostgresHost*, std::less<>> started_;  // by the server's name; standbys are listed behind
};

}  // namespace

std::unique_ptr<ServiceDriver> make_postgres_driver(const std::string& program) {
  return std::make_unique<PostgresDriver>(program);
}

/// It says "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
std::string postgres_version(const std::string& program) {
  constexpr std::string_view begins = "postgres (PostgreSQL) ";
  const std::string line = version_line(postgres_program(program));
  if (line.starts_with(begins)) {
    const std::string rest = line.substr(begins.size());
    return fmt::format("postgres {}", rest.substr(0, rest.find(' ')));
  }
  std::string shown = line.substr(0, 100);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '.');
  throw BadEnvironment(fmt::format("'{}' is no PostgreSQL: asked for its version it says '{}'", program, shown));
}

}  // namespace lockproof::real
