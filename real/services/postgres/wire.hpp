// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's protocol, version 3, as far as the proxy has to know it: where a request and a reply end, and what they
// say. A request is all messages up to a Sync, or the one with which a connection begins; a reply is all up to
// ReadyForQuery. Clients use libpq.
#pragma once

#include <string>
#include <string_view>

#include "real/network/framing.hpp"

namespace lockproof::real {

class PostgresFraming final : public Framing {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  /// The statement, if its text is that of a file in algorithms/postgres/statements, or another one's text as a word.
  [[nodiscard]] Command request(std::string_view bytes) const override;
};

/// The statement with this text and these parameters.
[[nodiscard]] Command statement_with(std::string_view text, const std::vector<std::string>& parameters);
/// The reply that these bytes are: the values of the first row, a status or an SQLSTATE.
[[nodiscard]] Reply reply_in(std::string_view bytes);

}  // namespace lockproof::real
