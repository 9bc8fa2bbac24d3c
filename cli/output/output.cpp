// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "harness/report/text/printable.hpp"

namespace lockproof::cli {

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

namespace {

std::string& first_unwritten() {
  static std::string complaint;
  return complaint;
}

}  // namespace

bool save_file(const std::string& path, std::string_view text) {
  try {
    write_file(path, text);
    return true;
  } catch (const OutputError& e) {
    keep_unwritten(e.what());
    return false;
  }
}

const std::string& unwritten() { return first_unwritten(); }

void keep_unwritten(const std::string& complaint) {
  if (first_unwritten().empty()) first_unwritten() = complaint;
}

bool obeys_escapes(int file) {
  const char* const kind = std::getenv("TERM");
  return isatty(file) != 0 && !(kind && std::string_view(kind) == "dumb");
}

std::size_t columns_of_terminal(int file) {
  constexpr std::size_t least = 40;  // narrower than that no table can be
  const char* const asked = std::getenv("COLUMNS");
  const std::string_view text = asked ? asked : "";
  std::size_t columns = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (failed == std::errc() && end == text.data() + text.size() && columns > 0) return std::max(columns, least);
  winsize size{};
  const bool known = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::max<std::size_t>(size.ws_col, least) : harness::usual_columns;
}

harness::Style style_of_stdout() {
  return harness::Style(obeys_escapes(STDOUT_FILENO) && !std::getenv("NO_COLOR"), columns_of_terminal(STDOUT_FILENO));
}

void print_text(const harness::Style& style, std::string_view text) { fmt::print("{}", style.fit(text)); }

void print_note(std::string_view text) {
  std::fflush(stdout);
  const std::string note = harness::fitted(text, columns_of_terminal(STDERR_FILENO));
  (void)std::fwrite(note.data(), 1, note.size(), stderr);  // where nobody listens, nobody is told
}

void complain(std::string_view what) {
  constexpr std::size_t most = 4'000;  // what is longer quotes an input, which may be of any length
  std::string text = harness::printable_lines(what.substr(0, most));
  if (what.size() > most) text += fmt::format(" … and {} more characters", what.size() - most);
  print_note(fmt::format("lockproof: {}\n", text));
}

}  // namespace lockproof::cli
