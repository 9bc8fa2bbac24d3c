// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/faults/fault_words.hpp"

namespace lockproof::harness {
namespace {

class Template {
 public:
  Template(std::string_view words, const Amounts& amounts) : rest_(words), amounts_(amounts) {}

  std::string filled() {
    std::string text;
    while (!rest_.empty() && rest_[0] != ']' && rest_[0] != '|') {
      const char c = take();
      text += c == '[' ? group() : c == '{' ? value() : std::string(1, c);
    }
    return text;
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  /// Behind its opening bracket.
  std::string group() {
    const bool outside = lacks_;
    lacks_ = false;
    std::string text = filled();
    const bool lacks = lacks_;
    std::string other;
    if (!rest_.empty() && rest_[0] == '|') {
      take();
      other = filled();
    }
    if (!rest_.empty()) take();
    lacks_ = outside;
    return lacks ? other : text;
  }

  std::string value() {
    const auto end = rest_.find('}');
    const auto found = amounts_.find(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    lacks_ |= found == amounts_.end();
    return found == amounts_.end() ? "" : found->second;
  }

  std::string_view rest_;
  const Amounts& amounts_;
  bool lacks_ = false;  // a placeholder of the innermost group that is open has no value
};

}  // namespace

std::string fill(std::string_view words, const Amounts& amounts) { return Template(words, amounts).filled(); }

std::string_view name(FaultRow::Action action) {
  using Action = FaultRow::Action;
  switch (action) {
    case Action::stand_still: return "stand-still";
    case Action::end_process: return "end-process";
    case Action::end_worker: return "end-worker";
    case Action::strike_message: return "strike-message";
    case Action::break_connection: return "break-connection";
    case Action::switch_connection: return "switch-connection";
    case Action::cut_off: return "cut-off";
    case Action::jump_clock: return "jump-clock";
    case Action::set_rate: return "set-rate";
    case Action::take_down: return "take-down";
    case Action::promote: return "promote";
    case Action::change_store: return "change-store";
  }
  return "";
}

std::string_view name(FaultRow::Clocks clocks) {
  switch (clocks) {
    case FaultRow::Clocks::none: return "none";
    case FaultRow::Clocks::wall: return "wall";
    case FaultRow::Clocks::monotonic: return "monotonic";
    case FaultRow::Clocks::all: return "all";
  }
  return "";
}

}  // namespace lockproof::harness
