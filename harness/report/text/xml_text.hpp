// SPDX-License-Identifier: Apache-2.0
// XmlText: text that is only text in XML, in an attribute too.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace lockproof::harness
