// SPDX-License-Identifier: Apache-2.0
#include "real/external/address.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <charconv>

#include "harness/input_error.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view of_socket = "unix:";
constexpr std::size_t path_most = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void wrong(const std::string& what) { throw harness::InputError("--redis", 0, what); }

int port_in(const std::string& text, std::string_view digits) {
  int port = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (failed != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    wrong(fmt::format("'{}' has no port from 1 to 65535; write it as in 127.0.0.1:6379", text));
  }
  return port;
}

}  // namespace

ExternalAddress external_address_from(const std::string& text) {
  if (text.find('@') != std::string::npos) {
    wrong(
        "an address has no password in it, which every user of this machine could see; set the environment variable "
        "LOCKPROOF_REDIS_PASSWORD, and LOCKPROOF_REDIS_USERNAME where the server has users");
  }
  if (text.find("://") != std::string::npos) {
    wrong(fmt::format("'{}' is a URL; write host:port, as in 127.0.0.1:6379, or the path of a Unix socket", text));
  }
  if (text.starts_with('/') || text.starts_with(of_socket)) {
    const std::string path = text.starts_with(of_socket) ? text.substr(of_socket.size()) : text;
    if (path.empty()) wrong(fmt::format("'{}' names no path; write it as in unix:/run/redis.sock", text));
    if (path.size() > path_most) {
      wrong(fmt::format("the path '{}' is longer than the {} bytes that a socket may have", path, path_most));
    }
    return {text, path, 0};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    wrong(fmt::format("'{}' is no address; write host:port, as in 127.0.0.1:6379, or unix:/path/to/socket", text));
  }
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    wrong(fmt::format("'{}' is ambiguous; write an IPv6 address in brackets, as in [::1]:6379", text));
  }
  return {text, host, port_in(text, std::string_view(text).substr(colon + 1))};
}

}  // namespace lockproof::real
