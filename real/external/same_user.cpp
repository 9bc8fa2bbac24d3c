// SPDX-License-Identifier: Apache-2.0
#include "real/external/same_user.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::real {
namespace {

constexpr std::size_t uid_column = 7;

/// A kernel's table of connections. One end of a connection may be a socket for IPv6, which has the other end's address
/// as a part of its own: Java makes no others.
struct Table {
  const char* file;
  std::string_view prefix;  // of an address of IPv4, where the least byte of a word comes first
};
constexpr Table tables[] = {{"/proc/net/tcp", ""}, {"/proc/net/tcp6", "0000000000000000FFFF0000"}};

/// The form of the table: the address in words of this machine's byte order, then the port.
std::string in_table(const Table& table, const sockaddr_in& address) {
  return fmt::format("{}{:08X}:{:04X}", table.prefix, address.sin_addr.s_addr, ntohs(address.sin_port));
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while ((begin = line.find_first_not_of(' ', begin)) != std::string::npos) {
    const std::size_t end = line.find(' ', begin);
    words.push_back(line.substr(begin, end - begin));
    begin = std::min(end, line.size());
  }
  return words;
}

}  // namespace

bool is_of_this_user(int socket) {
  sockaddr_in here{}, there{};
  socklen_t size = sizeof here;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size) != 0 || here.sin_family != AF_INET) return false;
  size = sizeof there;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &size) != 0) return false;
  for (const Table& table : tables) {
    const std::string from = in_table(table, there), to = in_table(table, here);
    std::ifstream file(table.file);
    for (std::string line; std::getline(file, line);) {
      const std::vector<std::string> words = words_of(line);
      if (words.size() <= uid_column || words[1] != from || words[2] != to) continue;
      return words[uid_column] == std::to_string(::geteuid());
    }
  }
  return false;
}

}  // namespace lockproof::real
