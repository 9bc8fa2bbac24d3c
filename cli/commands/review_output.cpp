// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/review_output.hpp"

#include <fmt/format.h>

#include <cctype>

#include "cli/output/output.hpp"

namespace lockproof::cli {
namespace {

/// "power-cut 1s" as a part of a file's name.
std::string in_a_file_name(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  return text;
}

std::string markdown_of(const Arguments& arguments, const harness::ReviewReport& report) {
  return arguments.all ? review_markdown_details(report) : review_markdown(report);
}

void save(const Arguments& arguments, harness::ReviewReport& report) {
  for (harness::ReviewRow& row : report.rows) {
    for (auto& [concern, cell] : row.cells) {
      for (harness::ReviewCause& cause : cell.causes) {
        cause.file = fmt::format("{}/{}/{}-by-{}.toml", report.out, in_a_file_name(row.lock),
                                 in_a_file_name(std::string(harness::name(concern))), in_a_file_name(cause.label));
        if (!save_file(cause.file, cause.scenario)) cause.file.clear();
      }
    }
  }
  save_file(report.out + "/review.json", review_json(report));
  save_file(report.out + "/review.md", markdown_of(arguments, report));
  save_file(report.out + "/review.svg", review_svg(report));
}

}  // namespace

void print_review(const Arguments& arguments, harness::ReviewReport& report) {
  if (!report.out.empty()) save(arguments, report);
  if (!unwritten().empty()) report.out.clear();
  const harness::Style style = style_of_stdout();
  if (arguments.format == "json") {
    fmt::print("{}", review_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", markdown_of(arguments, report));
  } else {
    fmt::print("{}", arguments.all ? review_details(report, style) : review_text(report, style));
  }
}

}  // namespace lockproof::cli
