// SPDX-License-Identifier: Apache-2.0
// LogLine: what one line of memcached's log for watchers says (doc/protocol.txt, "Watchers"), e.g.
// ts=1795397331.214193 gid=6 type=item_store key=lock status=stored cmd=add ttl=2 clsid=1 cfd=12 size=5
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockproof::real {

struct LogLine {
  std::int64_t stamp_us = 0;  // by the server's wall clock
  std::string type;           // conn_new, item_get, item_store, eviction, …
  std::string key;
  std::string status;   // for item_get: found, not_found, expired, flushed
  int connection = -1;  // the server's descriptor of the connection
  int port = 0;         // for conn_new: port of the other end
};

/// Nothing if the text is not such a line.
[[nodiscard]] std::optional<LogLine> log_line_from(std::string_view text);

}  // namespace lockproof::real
