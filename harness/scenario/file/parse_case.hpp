// SPDX-License-Identifier: Apache-2.0
// [case]: which documented failures and which claims a scenario is about. What an id stands for is in cases_file.hpp.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/case_reference.hpp"
#include "harness/scenario/file/document.hpp"
#include "harness/scenario/file/fields.hpp"

namespace lockproof::harness {

/// Throws InputError.
[[nodiscard]] CaseReference read_case(const std::string& file, const Node& table);
/// `sources`: each names a repository with one of its issues, a page, or in a note what is neither. Throws InputError.
[[nodiscard]] std::vector<Publication> read_sources(const std::string& file, Fields& fields);
/// "ABC-def" is none. Complains of `key`.
void must_be_an_id(const Fields& fields, const Node& node, std::string_view key, const std::string& id);

}  // namespace lockproof::harness
