// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/password.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "real/errors.hpp"
#include "real/os/descriptor.hpp"
#include "real/os/shared_files.hpp"

namespace lockproof::real {
namespace {

std::string draw_password() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw BadEnvironment("this machine has no random numbers for a password");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string known_or_drawn() {
  const std::string shared = SharedFiles::get(
      "postgres-password", [](const std::string& path, Janitor& /*janitor*/) { write_secret(path, draw_password()); });
  if (shared.empty()) return draw_password();
  std::ifstream file(shared);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const std::string& postgres_password() {
  static const std::string password = known_or_drawn();
  return password;
}

void write_secret(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.open() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw BadEnvironment(fmt::format("cannot write {}", path));
  }
}

}  // namespace lockproof::real
