// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 as etcd's gateway speaks it: requests with a body of known length, and answers whose body has a known length
// or comes in chunks. An answer that has no end is a message up to its first chunk, and each chunk behind it is one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockproof::real {

/// Bytes of the first message; 0: it is not complete yet, or never will be. `endless`: whether an answer with this
/// chunk in front has no end.
[[nodiscard]] std::size_t http_size(std::string_view bytes, bool (*endless)(std::string_view chunk));

/// What stands between the first and the second blank of the first line: a request's path, an answer's code.
[[nodiscard]] std::string_view http_target(std::string_view message);
/// The body of a whole message, or of a chunk that is a message; the marks of chunks are left out.
[[nodiscard]] std::string http_body(std::string_view message);
/// Whether it is a chunk of an answer that has no end.
[[nodiscard]] bool is_http_chunk(std::string_view message);

[[nodiscard]] std::string http_post(std::string_view path, std::string_view body);

}  // namespace lockproof::real
