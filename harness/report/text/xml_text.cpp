// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/xml_text.hpp"

#include "harness/report/text/printable.hpp"

namespace lockproof::harness {

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace lockproof::harness
