// SPDX-License-Identifier: Apache-2.0
// Pictures, and pages to step through, of what runs wrote: programs in Python make them.
#pragma once

#include <string>
#include <vector>

namespace lockproof::cli {

/// What is drawn, and into which folder.
struct Drawing {
  std::vector<std::string> runs;  // folders with histories, of `check`, or lessons
  std::string out;
  bool what_if = false;  // pages with switches for faults and leases
};

/// The exit code. The path of each page is printed, on standard error where standard output is for machines.
[[nodiscard]] int write_pages(const Drawing& drawing, bool on_stderr = false);
[[nodiscard]] int draw_pictures(const Drawing& drawing);

}  // namespace lockproof::cli
