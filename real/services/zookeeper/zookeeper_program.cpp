// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/services/zookeeper/zookeeper_control.hpp"

namespace lockproof::real {
namespace {

constexpr const char* debian_jar = "/usr/share/java/zookeeper.jar";
constexpr int init_limit = 100;  // ticks for a follower to connect to its leader: a JVM is slow in its first ones
constexpr const char* debian_logger = "/usr/share/java/slf4j-simple.jar";

ServerProgram java() { return {.name = "java", .package = "default-jre-headless"}; }

std::string jar_of(const std::string& given) {
  const std::string jar = given.empty() ? debian_jar : given;
  if (::access(jar.c_str(), R_OK) == 0) return jar;
  if (given.empty()) throw BadEnvironment(fmt::format("there is no {}; on Debian: apt-get install zookeeper", jar));
  throw BadEnvironment(fmt::format("cannot read '{}': {}", jar, std::strerror(errno)));
}

/// The jar names those that it needs.
std::string class_path(const std::string& jar) { return fmt::format("{}:{}", jar, debian_logger); }

}  // namespace

ZooKeeperProgram::ZooKeeperProgram(std::string jar, std::string folder, Janitor& janitor)
    : jar_(jar_of(jar)), folder_(std::move(folder)), janitor_(janitor) {
  std::filesystem::create_directory(folder_);
}

void ZooKeeperProgram::join(std::string servers, int number) {
  ensemble_ = fmt::format("initLimit={}\nsyncLimit={}\n{}", init_limit, harness::sync_limit, servers);
  std::filesystem::create_directory(data());
  std::ofstream(data() + "/myid") << number << '\n';
}

/// A connection that has not begun with a handshake is left open for as long as its client likes. Who looks for a
/// leader in vain asks again five times a second, and not after twice as long each time.
std::unique_ptr<ChildProcess> ZooKeeperProgram::start(int port, milliseconds tick) {
  const std::string configuration = folder_ + "/zoo.cfg";
  std::ofstream(configuration) << fmt::format(
      "tickTime={}\ndataDir={}\nclientPort={}\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\n"
      "admin.enableServer=false\n4lw.commands.whitelist=srvr,conf\n{}",
      tick.count(), data(), port, ensemble_);
  return spawn_server(
      java(),
      {"java", "-Xms32m", "-Xmx64m", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
       "-Djava.net.preferIPv4Stack=true", "-Djava.io.tmpdir=" + folder_, "-Dzookeeper.forceSync=no",
       "-Dzookeeper.preAllocSize=64", "-Dzookeeper.nio.sessionlessCnxnTimeout=2000000000",
       "-Dzookeeper.fastleader.maxNotificationInterval=200", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp",
       class_path(jar_), "org.apache.zookeeper.server.quorum.QuorumPeerMain", configuration},
      janitor_, folder_ + "/log");
}

bool ZooKeeperProgram::is_up(int port) const {
  const bool serves = answer_to_word(port, "srvr").find("\nMode: ") != std::string::npos;
  return serves && answer_to_word(port, "conf").find(fmt::format("dataDir={}/", data())) != std::string::npos;
}

/// It says "Apache ZooKeeper, version 3.8.0 12/29/2024 17:54 UTC".
std::string zookeeper_version(const std::string& jar) {
  constexpr std::string_view begins = "Apache ZooKeeper, version ";
  const std::string line =
      version_line(java(), {"-cp", class_path(jar_of(jar)), "org.apache.zookeeper.version.VersionInfoMain"});
  if (line.starts_with(begins)) {
    const std::string rest = line.substr(begins.size());
    return fmt::format("zookeeper {}", rest.substr(0, rest.find_first_of("- ")));
  }
  std::string shown = line.substr(0, 100);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '.');
  throw BadEnvironment(fmt::format("'{}' is no ZooKeeper: asked for its version it says '{}'", jar, shown));
}

}  // namespace lockproof::real
