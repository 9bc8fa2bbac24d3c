// SPDX-License-Identifier: Apache-2.0
#include "programs/shown_frame.hpp"

#include "harness/program/said.hpp"
#include "programs/resp.hpp"
#include "programs/shim/wire.h"

namespace lockproof::programs {

std::string_view without_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string shown_frame(const std::string& bytes_of_frame, const std::vector<Record>& records, const Frame* frame) {
  std::string text;
  for (const Record& record : records) {
    std::string words;
    if (record.kind == lockproof_sends) {
      std::string rest = record.bytes;
      while (const auto command = take_command(rest)) {
        for (const Value& word : command->args()) words += (words.empty() ? "" : " ") + word.bytes();
      }
    } else if (record.kind == lockproof_says || record.kind == lockproof_connects) {
      words = without_end(record.bytes);
    } else if (record.kind == lockproof_closes) {
      words = "closes its connection";
    }
    if (!words.empty()) text += (text.empty() ? "" : "; ") + words;
  }
  if (frame && frame->kind == lockproof_ended) text += text.empty() ? "ends" : "; ends";
  if (text.empty()) text = bytes_of_frame.empty() ? "nothing" : "waits";
  return harness::shown(text, 300);
}

}  // namespace lockproof::programs
