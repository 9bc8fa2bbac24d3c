// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/described.hpp"
#include "cli/options/manual.hpp"
#include "cli/options/shared_options.hpp"
#include "harness/report/text/columns.hpp"

namespace lockproof::cli {
namespace {

constexpr std::size_t beside_verbs = 15, beside_options = 26;  // columns
constexpr std::size_t listed_values = 24;                      // more of them, such as all locks, another command lists

/// "; with --liveness only", "; not with --find"
std::string company(const CLI::Option& option) {
  const auto names = [](const auto& options) {
    std::vector<std::string> all;
    for (const CLI::Option* one : options) all.push_back(one->get_name());
    return fmt::format("{}", fmt::join(all, ", "));
  };
  std::string text;
  if (!option.get_needs().empty()) text += fmt::format("; with {} only", names(option.get_needs()));
  if (!option.get_excludes().empty()) text += fmt::format("; not with {}", names(option.get_excludes()));
  return text;
}

/// Without the options that are hidden.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t columns) : columns_(columns) {}

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    return group == hidden ? "" : Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    const std::size_t gap = text.find("\n\n\n");  // where the group was
    return gap == std::string::npos ? text : text.erase(gap, 1);
  }

  std::string make_option(const CLI::Option* option, bool) const override {
    const DescribedOption shown = described(*option);
    std::string meaning = shown.meaning + company(*option);
    if (shown.values.size() > few_values && shown.values.size() <= listed_values)
      meaning += fmt::format("; one of {}", fmt::join(shown.values, ", "));
    if (!shown.standard.empty()) meaning += fmt::format(" (default: {})", shown.standard);
    return row(with_value(shown), meaning, beside_options);
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return row(sub->get_name(), sub->get_description(), beside_verbs);
  }
  std::string make_description(const CLI::App* app) const override {
    return harness::fitted(app->get_description(), columns_) + "\n";
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return harness::fitted(Formatter::make_usage(app, std::move(name)), columns_);
  }
  std::string make_footer(const CLI::App* app) const override {
    return harness::fitted(Formatter::make_footer(app), columns_);
  }

 private:
  /// The meaning beside the name, or below it where the name is too long.
  [[nodiscard]] std::string row(const std::string& name, const std::string& meaning, std::size_t beside) const {
    std::string text = "  " + name;
    if (text.size() + 2 > beside) {
      text = harness::fitted(text, columns_) + "\n" + std::string(beside, ' ');
    } else {
      text += std::string(beside - text.size(), ' ');
    }
    const std::size_t begin = text.rfind('\n') + 1;
    return text.substr(0, begin) + harness::wrapped(text.substr(begin) + meaning, columns_, beside) + "\n";
  }

  const std::size_t columns_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t columns) {
  return std::make_shared<HelpFormatter>(columns);
}

}  // namespace lockproof::cli
