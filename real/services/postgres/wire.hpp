// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's protocol, version 3, as far as the proxy has to know it: where a request and a reply end, and what they
// say. A request is a Query, all messages up to a Sync, or what belongs to the connection: how it begins and ends, and
// statements that are only prepared. A reply is all up to ReadyForQuery, or the error with which the server ends the
// connection. COPY from a client is not understood.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "real/network/framing.hpp"

namespace lockproof::real {

class PostgresFraming final : public Framing {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  [[nodiscard]] std::size_t reply_size(std::string_view bytes, const Command* to) const override;
  /// The statement, if its text is that of a file in algorithms/postgres/statements, or another one's text as a word.
  /// Of several statements, the last.
  [[nodiscard]] Command request(std::string_view bytes) const override;
  [[nodiscard]] bool is_news(std::string_view bytes) const override { return bytes.starts_with('A'); }
  [[nodiscard]] std::unique_ptr<Framing> for_connection() const override { return std::make_unique<PostgresFraming>(); }

 private:
  mutable std::map<std::string, std::string, std::less<>> prepared_;  // texts of this connection's statements, by name
};

/// The statement with this text and these parameters.
[[nodiscard]] Command statement_with(std::string_view text, const std::vector<std::string>& parameters);
/// The reply that these bytes are: the values of the first row, a status or an SQLSTATE.
[[nodiscard]] Reply reply_in(std::string_view bytes);

}  // namespace lockproof::real
