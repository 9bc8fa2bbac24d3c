// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/transaction_log.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "real/services/zookeeper/jute.hpp"

namespace lockproof::real {
namespace {

constexpr std::size_t head_bytes = 16, before_each = 12, behind_each = 1;
constexpr std::string_view log_begins_with = "ZKLG";
constexpr char record_ends_with = 'B';

/// What stands before each transaction: the Adler-32 of its bytes.
std::int64_t checksum(std::string_view bytes) {
  constexpr std::uint32_t modulus = 65521;
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % modulus;
    b = (b + a) % modulus;
  }
  return static_cast<std::int64_t>(b << 16 | a);
}

Transaction::Kind kind_of(std::int32_t code) {
  switch (code) {
    case -10: return Transaction::Kind::opens;
    case -11: return Transaction::Kind::ends;
    case 1:
    case 15: return Transaction::Kind::creates;
    case 2: return Transaction::Kind::deletes;
    default: return Transaction::Kind::other;
  }
}

std::string node_name(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

std::optional<Transaction> transaction_in(std::string_view body) {
  JuteReader reader(body);
  Transaction one;
  one.session = reader.long_number();
  reader.number();  // the request's, as its client counted
  one.id = reader.long_number();
  one.wall_ms = reader.long_number();
  one.kind = kind_of(reader.number());
  const bool creates = one.kind == Transaction::Kind::creates;
  if (creates || one.kind == Transaction::Kind::deletes) one.node = node_name(reader.text());
  if (creates) {
    reader.text();  // the data, then who may do what
    for (std::int32_t left = reader.number(); left > 0 && reader.complete(); --left) {
      reader.number(), reader.text(), reader.text();
    }
    one.ephemeral = reader.truth();
  }
  if (!reader.complete()) return std::nullopt;
  return one;
}

}  // namespace

std::vector<Transaction> transactions_in(std::string_view bytes) {
  std::vector<Transaction> all;
  if (!bytes.starts_with(log_begins_with) || bytes.size() < head_bytes) return all;
  bytes.remove_prefix(head_bytes);
  for (;;) {
    JuteReader reader(bytes);
    const std::int64_t sum = reader.long_number();
    const std::int32_t length = reader.number();
    if (!reader.complete() || length <= 0) return all;
    const auto size = static_cast<std::size_t>(length);
    if (bytes.size() < before_each + size + behind_each) return all;
    const std::string_view body = bytes.substr(before_each, size);
    const auto one = transaction_in(body);
    if (!one || checksum(body) != sum || bytes[before_each + size] != record_ends_with) return all;
    all.push_back(*one);
    bytes.remove_prefix(before_each + size + behind_each);
  }
}

/// After a start the server goes on in another file.
std::vector<Transaction> transactions_of(const std::string& folder) {
  std::vector<Transaction> all;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with("log.")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::ranges::copy(transactions_in(bytes), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Transaction::id);
  return all;
}

}  // namespace lockproof::real
