// SPDX-License-Identifier: Apache-2.0
#include "real/external/visit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "harness/input_error.hpp"
#include "real/errors.hpp"
#include "real/external/condition.hpp"
#include "real/external/link.hpp"

namespace lockproof::real {
namespace {

using Version = std::array<int, 3>;
constexpr Version oldest{2, 6, 12};  // SET NX PX, and Lua
constexpr Version known{7, 0, 15};
constexpr milliseconds trial_ttl{5000};

/// Something is wrong with a server.
class Trouble : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

Version version_in(std::string_view text) {
  Version version{};
  for (int& part : version) {
    part = static_cast<int>(number_in(text));
    const auto dot = text.find('.');
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  }
  return version;
}

/// The printable part of a text.
std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 80)) shown += c >= ' ' && c <= '~' ? c : '.';
  return text.size() > 80 ? shown + "…" : shown;
}

/// Checks one server, from the first command on.
class Visitor {
 public:
  Visitor(const harness::Scenario& scenario, const Credentials& credentials)
      : scenario_(scenario), credentials_(credentials) {}

  /// Throws Trouble.
  Endpoint enter(const ExternalAddress& address) {
    const Endpoint endpoint = connect(address);
    introduce(link_.first_answer());
    ask_about_itself();
    look_for_keys();
    return endpoint;
  }

  /// Takes the lock and gives it back, the first thing that is written. Answers how the server is after that.
  Condition try_out() {
    const Value token("lockproof");
    for (const std::string& key : keys_of(scenario_)) {
      const Reply set = ask(redis::set_nx_px(Name(key), token, trial_ttl).command);
      if (set.is_error()) refused(fmt::format("SET of {}", key), set.value().bytes());
      const Reply deleted =
          ask(redis::eval(scripts::compare_and_delete, redis::keys(Name(key)), redis::args(token)).command);
      if (deleted.is_error()) refused(fmt::format("EVAL on {}", key), deleted.value().bytes());
      if (!deleted.is_integer(1)) throw Trouble("it did not keep a key that it had just been given; is it a proxy?");
    }
    auto condition = condition_of(link_);
    if (!condition && !link_.trouble().empty()) throw Trouble(link_.trouble());
    if (!condition) throw Trouble("its user may not do what is needed, INFO commandstats");
    return std::move(*condition);
  }
  [[nodiscard]] const Info& info() const { return info_; }

 private:
  Endpoint connect(const ExternalAddress& address) {
    std::vector<std::string> places{address.place};
    if (address.port != 0) {
      HostAddresses resolved = resolve(address.place);
      if (resolved.numbers.empty()) {
        throw Trouble(fmt::format("the host '{}' is not known: {}", address.place, resolved.trouble));
      }
      places = std::move(resolved.numbers);
    }
    std::string why;
    for (const std::string& place : places) {
      const Endpoint endpoint{place, address.port};
      why = link_.connect(endpoint);
      if (why.empty()) return endpoint;
    }
    throw Trouble(fmt::format(
        "cannot connect: {}; is the server up, and may this user reach it? Without --redis lockproof starts its own",
        why));
  }

  void introduce(const ExternalLink::Answer& answer) {
    if (answer.kind == ExternalLink::Answer::Kind::silence) {
      throw Trouble(
          fmt::format("the connection is there, but PING has no answer within {} s: the server is too slow, "
                      "or stopped, or no Redis server",
                      ExternalLink::time_allowed_ms / 1000));
    }
    if (answer.kind == ExternalLink::Answer::Kind::closed) {
      throw Trouble(
          "it ends the connection without an answer to PING; maybe it is no Redis server, or speaks TLS only, which "
          "lockproof does not");
    }
    if (answer.text != "+PONG" && !answer.text.starts_with('-')) {
      throw Trouble(fmt::format("this is no Redis server: it answers PING with '{}'", printable(answer.text)));
    }
    const bool locked = answer.text.starts_with("-NOAUTH");
    const auto words = greeting(credentials_);
    if (locked && !words) {
      throw Trouble(
          "it asks for a password; set the environment variable LOCKPROOF_REDIS_PASSWORD, and "
          "LOCKPROOF_REDIS_USERNAME where the server has users");
    }
    if (words) authenticate(*words);
    if (!words && answer.text.starts_with('-')) refused("PING", answer.text.substr(1));
    const Reply pong = ask({"PING"});
    if (pong.is_error()) refused("PING", pong.value().bytes());
  }

  void authenticate(const Command& words) {
    const Reply reply = ask(words);
    if (!reply.is_error()) return;
    const std::string& why = reply.value().bytes();
    if (why.find("without any password configured") != std::string::npos ||
        why.find("no password is set") != std::string::npos) {
      throw Trouble("it asks for no password; unset LOCKPROOF_REDIS_PASSWORD");
    }
    if (why.find("wrong number of arguments") != std::string::npos) {
      throw Trouble("it knows no users, which came with Redis 6.0; unset LOCKPROOF_REDIS_USERNAME");
    }
    if (why.starts_with("WRONGPASS") || why.find("invalid password") != std::string::npos) {
      throw Trouble(
          fmt::format("it refuses the password in LOCKPROOF_REDIS_PASSWORD{}",
                      credentials_.username.empty() ? "" : fmt::format(" for the user '{}'", credentials_.username)));
    }
    refused("AUTH", why);
  }

  void ask_about_itself() {
    const Reply reply = ask({"INFO"});
    if (reply.is_error()) refused("INFO", reply.value().bytes());
    info_ = info_from(reply.value().bytes());
    const std::string version = at(info_, "redis_version");
    if (version.empty()) throw Trouble("this is no Redis server: its INFO names no redis_version");
    if (version_in(version) < oldest) {
      throw Trouble(fmt::format("this is Redis {}; SET with NX and PX came with {}", version, fmt::join(oldest, ".")));
    }
    const std::string mode = at(info_, "redis_mode");
    if (mode == "sentinel") {
      throw Trouble("this is a Redis Sentinel, which stores nothing; give the address of the master that it watches");
    }
    if (mode == "cluster" || at(info_, "cluster_enabled") == "1") {
      throw Trouble("this is a node of a Redis Cluster, which sends clients elsewhere; lockproof does not follow");
    }
    if (at(info_, "loading") == "1") refused("INFO", "LOADING");
    if (at(info_, "role") == "slave") {
      throw Trouble(fmt::format("this is a replica{}; give the address of its master, {}:{}",
                                at(info_, "slave_read_only") == "0" ? "" : ", which is read-only",
                                at(info_, "master_host"), at(info_, "master_port")));
    }
    const auto clients = number_in(at(info_, "connected_clients")), most = number_in(at(info_, "maxclients"));
    const auto needed = static_cast<std::int64_t>(2 * scenario_.clients.size() + 1);
    if (most > 0 && clients + needed > most) {
      throw Trouble(fmt::format("it has {} of at most {} clients, and {} more are needed", clients, most, needed));
    }
  }

  void look_for_keys() {
    const std::vector<std::string> keys = keys_of(scenario_);
    std::vector<std::string> exist{"EXISTS"};
    exist.insert(exist.end(), keys.begin(), keys.end());
    const Reply there = ask(exist);
    if (there.is_error()) refused("EXISTS", there.value().bytes());
    if (!there.is_integer(0)) {
      throw Trouble(fmt::format("other users' keys exist already: {}; choose another --prefix", fmt::join(keys, ", ")));
    }
    const Duration quickest(link_.quickest_us());
    if (quickest >= scenario_.network.timeout) {
      throw Trouble(fmt::format("its quickest answer took {} ms, and the scenario's calls give up after {} ms",
                                quickest.count() / 1000, scenario_.network.timeout.count() / 1000));
    }
  }

  template <class Words>
  Reply ask(const Words& words) {
    const auto reply = link_.ask(words);
    if (!reply) throw Trouble(link_.trouble());
    return *reply;
  }
  Reply ask(std::initializer_list<std::string> words) { return ask(std::vector<std::string>(words)); }

  [[noreturn]] static void refused(const std::string& what, const std::string& why) {
    if (why.starts_with("LOADING")) throw Trouble("it is still loading its data; try again when it is done");
    if (why.starts_with("READONLY")) throw Trouble("it is read-only; give the address of its master");
    if (why.starts_with("MASTERDOWN")) throw Trouble("this is a replica that has lost its master, and serves none");
    if (why.starts_with("BUSY")) throw Trouble("it is busy with a script");
    if (why.starts_with("DENIED")) {
      throw Trouble("it is in protected mode, and accepts no connections over the network without a password");
    }
    if (why.starts_with("NOPERM")) {
      throw Trouble(fmt::format("its user may not do what is needed, {}: {}", what, printable(why)));
    }
    throw Trouble(fmt::format("it refuses {}: {}", what, printable(why)));
  }

  const harness::Scenario& scenario_;
  const Credentials& credentials_;
  ExternalLink link_;
  Info info_;
};

void require_as_many(const harness::Scenario& scenario, const std::vector<ExternalAddress>& addresses) {
  const std::size_t needed = scenario.servers.size();
  if (addresses.size() == needed) return;
  throw harness::InputError(
      "--redis", 0,
      fmt::format("{} needs {} server{} ({}), and {} address{} given; separate them by commas", scenario.file, needed,
                  needed == 1 ? "" : "s", fmt::join(scenario.host_names(false, true), ", "), addresses.size(),
                  addresses.size() == 1 ? " is" : "es are"));
}

/// A value that differs between servers, if the server reports one.
std::string own_name(const ExternalServer& server, const Info& info) {
  const std::string run = at(info, "run_id");
  return run.empty() ? fmt::format("{} {}", server.endpoint.address, server.endpoint.port) : run;
}

void warn(Visit& visit, const ExternalServer& server, const Info& info) {
  const std::string version = at(info, "redis_version");
  if (version_in(version) != known) {
    visit.warnings.push_back(fmt::format("{} is Redis {}; what lockproof knows of Redis was compared with {}",
                                         server.name, version, fmt::join(known, ".")));
  }
  const std::string policy = at(info, "maxmemory_policy");
  if (number_in(at(info, "maxmemory")) > 0 && policy != "noeviction") {
    visit.warnings.push_back(
        fmt::format("{} evicts keys when it is short of memory ({}); it may take the lock away", server.name, policy));
  }
}

std::string description(const ExternalServer& server, const Info& info) {
  const std::string keyspace = at(info, "db0");  // keys=12,expires=0,avg_ttl=0
  const auto keys = keyspace.starts_with("keys=") ? number_in(std::string_view(keyspace).substr(5)) : 0;
  return fmt::format("{}  {}, database 0, which has {} key{}; Redis {}", server.name, server.address, keys,
                     keys == 1 ? "" : "s", at(info, "redis_version"));
}

/// Checks all servers, then reports what was wrong with any.
void for_each_server(std::size_t count, const std::function<void(std::size_t)>& act,
                     const std::vector<ExternalServer>& servers) {
  std::string troubles;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      act(i);
    } catch (const Trouble& trouble) {
      troubles += fmt::format("{}{} at {}: {}", troubles.empty() ? "" : "\n           ", servers[i].name,
                              servers[i].address, trouble.what());
    }
  }
  if (!troubles.empty()) throw BadEnvironment(troubles);
}

}  // namespace

Visit visit(const harness::Scenario& scenario, const std::string& prefix, const std::vector<ExternalAddress>& addresses,
            const Credentials& credentials, const std::function<void(const Visit&)>& announce) {
  require_as_many(scenario, addresses);
  Visit visit{{{}, credentials, prefix, keys_of(scenario), channels_of(scenario)}, {}, {}, {}};
  std::vector<std::unique_ptr<Visitor>> visitors;
  std::map<std::string, std::string> seen;  // by what a server calls itself for its life: its name here
  for_each_server(
      addresses.size(),
      [&](std::size_t i) {
        ExternalServer& server =
            visit.servers.servers.emplace_back(ExternalServer{scenario.servers[i].name, addresses[i].text, {}});
        Visitor& visitor = *visitors.emplace_back(std::make_unique<Visitor>(scenario, credentials));
        server.endpoint = visitor.enter(addresses[i]);
        const auto [same, is_new] = seen.emplace(own_name(server, visitor.info()), server.name);
        if (!is_new) {
          throw Trouble(
              fmt::format("this is the same server as {}, and a majority of servers must be several", same->second));
        }
        visit.described.push_back(description(server, visitor.info()));
        warn(visit, server, visitor.info());
      },
      visit.servers.servers);
  announce(visit);
  for_each_server(
      addresses.size(), [&](std::size_t i) { visit.conditions.push_back(visitors[i]->try_out()); },
      visit.servers.servers);
  return visit;
}

}  // namespace lockproof::real
