// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/cluster.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "real/os/shared_files.hpp"
#include "real/services/postgres/password.hpp"

namespace lockproof::real {
namespace {

constexpr const char* debian_folder = "/usr/lib/postgresql/15/bin";
namespace fs = std::filesystem;

/// The janitor's folder lets another user pass, and nothing else.
void make_folder(const ServerProgram& program, const std::string& folder, const Janitor& janitor) {
  fs::create_directory(folder);
  give_to_user_of(program, folder);
  fs::permissions(janitor.folder(), fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
}

}  // namespace

ServerProgram postgres_program(const std::string& path) {
  return {.name = "postgres", .package = "postgresql-15", .path = path, .folder = debian_folder, .user = "postgres"};
}

Cluster::Cluster(ServerProgram program, std::string folder, Janitor& janitor, std::vector<std::string> settings)
    : program_(std::move(program)), folder_(std::move(folder)), janitor_(janitor), settings_(std::move(settings)) {
  make_folder(program_, folder_, janitor);
}

ServerProgram Cluster::beside(const char* name) const {
  ServerProgram other = program_;
  other.name = name;
  if (!other.path.empty()) other.path = fs::path(other.path).parent_path() / name;
  return other;
}

void Cluster::make_new(const std::string& folder, Janitor& janitor) const {
  const std::string secret = folder + "/password";
  write_secret(secret, postgres_password());
  give_to_user_of(program_, secret);
  run_program(beside("initdb"),
              {"initdb", "-D", folder + "/data", "-U", "postgres", "-A", "md5", "--pwfile", secret, "-N",
               "--no-instructions", "--wal-segsize=1", "-E", "UTF8", "--locale=C"},
              janitor, folder + "/log");
}

/// By initdb, or as a copy, which takes a tenth of the time. It is copied by the user that owns it.
void Cluster::initialize() {
  const std::string name = fmt::format("postgres-{:016x}", std::hash<std::string>()(program_.path));
  const std::string made = SharedFiles::get(name, [this](const std::string& path, Janitor& janitor) {
    make_folder(program_, path, janitor);
    make_new(path, janitor);
  });
  if (made.empty()) return make_new(folder_, janitor_);
  const ServerProgram copy{.name = "cp", .package = "coreutils", .user = program_.user};
  run_program(copy, {"cp", "-R", "-p", made + "/data", data()}, janitor_, folder_ + "/log");
}

void Cluster::copy_from(int port) {
  const std::string secret = folder_ + "/passfile";  // a command line is for everybody to read
  write_secret(secret, fmt::format("*:*:*:*:{}\n", postgres_password()));
  give_to_user_of(program_, secret);
  run_program(beside("pg_basebackup"),
              {"pg_basebackup", "-D", data(), "-d",
               fmt::format("host=127.0.0.1 port={} user=postgres sslmode=disable passfile={}", port, secret), "-X",
               "stream", "-c", "fast", "-N"},
              janitor_, folder_ + "/log");
  const std::string signal = data() + "/standby.signal";
  std::ofstream(signal).close();
  give_to_user_of(program_, signal);
}

/// What is committed is in the operating system's memory at once, so that it outlives any end of the process.
std::unique_ptr<ChildProcess> Cluster::start(int port, const ClockPage& clock) {
  std::vector<std::string> arguments{program_.name, "-D", data(), "-p", std::to_string(port)};
  for (const char* setting : {"listen_addresses=127.0.0.1",
                              "unix_socket_directories=",
                              "fsync=off",
                              "full_page_writes=off",
                              "shared_buffers=1MB",
                              "max_connections=60",
                              "autovacuum=off",
                              "max_worker_processes=0",
                              "max_parallel_workers=0",
                              "max_logical_replication_workers=0",
                              "wal_level=replica",
                              "max_wal_senders=6",
                              "wal_receiver_timeout=0",
                              "wal_sender_timeout=0",
                              "wal_retrieve_retry_interval=100ms",
                              "jit=off",
                              "ssl=off",
                              "timezone=UTC",
                              "log_timezone=UTC",
                              "log_min_messages=fatal",
                              "restart_after_crash=off",
                              "dynamic_shared_memory_type=mmap"}) {
    arguments.insert(arguments.end(), {"-c", setting});
  }
  for (const std::string& setting : settings_) arguments.insert(arguments.end(), {"-c", setting});
  auto process = spawn_server(program_, std::move(arguments), clock, janitor_, folder_ + "/log");
  process->with_children([this](pid_t child) { janitor_.watch(child); });
  return process;
}

}  // namespace lockproof::real
