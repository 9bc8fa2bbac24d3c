// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "real/errors.hpp"
#include "real/services/etcd/etcd_control.hpp"

namespace lockproof::real {
namespace {

ServerProgram etcd_at(const std::string& path) { return {.name = "etcd", .package = "etcd-server", .path = path}; }

/// One that no other server on this machine has: our folder's name is ours alone.
std::string name_in(const std::filesystem::path& folder) {
  return fmt::format("{}-{}", folder.parent_path().filename().string(), folder.filename().string());
}

}  // namespace

EtcdProgram::EtcdProgram(const std::string& path, std::string folder, Janitor& janitor)
    : program_(etcd_at(path)), folder_(std::move(folder)), name_(name_in(folder_)), janitor_(janitor) {
  std::filesystem::create_directory(folder_);
}

/// What a crash of the process keeps does not depend on fsync.
std::unique_ptr<ChildProcess> EtcdProgram::start(int port, int port_for_peers) {
  const std::string url = fmt::format("http://127.0.0.1:{}", port);
  const std::string url_for_peers = fmt::format("http://127.0.0.1:{}", port_for_peers);
  return spawn_server(program_,
                      {"etcd",
                       "--name",
                       name_,
                       "--data-dir",
                       folder_ + "/data",
                       "--listen-client-urls",
                       url,
                       "--advertise-client-urls",
                       url,
                       "--listen-peer-urls",
                       url_for_peers,
                       "--initial-advertise-peer-urls",
                       url_for_peers,
                       "--initial-cluster",
                       fmt::format("{}={}", name_, url_for_peers),
                       "--unsafe-no-fsync",
                       "--log-level",
                       "error",
                       "--logger",
                       "zap"},
                      janitor_, folder_ + "/log");
}

void EtcdProgram::clear() { std::filesystem::remove_all(folder_ + "/data"); }

bool EtcdProgram::is_up(int port) const { return is_etcd_up(port, name_); }

/// It says "etcd Version: 3.4.23".
std::string etcd_version(const std::string& path) {
  constexpr std::string_view begins = "etcd Version: ";
  const std::string line = version_line(etcd_at(path));
  if (line.starts_with(begins)) return fmt::format("etcd {}", line.substr(begins.size()));
  std::string shown = line.substr(0, 100);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '.');
  throw BadEnvironment(fmt::format("'{}' is no etcd: asked for its version it says '{}'", path, shown));
}

}  // namespace lockproof::real
