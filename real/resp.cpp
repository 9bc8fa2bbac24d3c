// SPDX-License-Identifier: Apache-2.0
#include "real/resp.hpp"

#include <charconv>

namespace lockproof::real {

std::size_t resp_size(std::string_view bytes) {
  const std::size_t end_of_line = bytes.find("\r\n");
  if (end_of_line == std::string_view::npos || end_of_line == 0) return 0;
  const char type = bytes.front();
  std::size_t size = end_of_line + 2;
  if (type != '$' && type != '*') return size;
  long long count = 0;
  std::from_chars(bytes.data() + 1, bytes.data() + end_of_line, count);
  if (count < 0) return size;
  if (type == '$') {
    size += static_cast<std::size_t>(count) + 2;
    return size <= bytes.size() ? size : 0;
  }
  for (long long i = 0; i < count; ++i) {
    const std::size_t item = resp_size(bytes.substr(size));
    if (item == 0) return 0;
    size += item;
  }
  return size;
}

}  // namespace lockproof::real
