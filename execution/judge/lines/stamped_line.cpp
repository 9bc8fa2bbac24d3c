// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/stamped_line.hpp"

#include <chrono>

namespace lockproof::execution {
namespace {

constexpr std::int64_t second_us = 1'000'000;

/// Reads a text from its beginning; what did not fit stays.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::string_view rest() const { return rest_; }

  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// As many digits as there are, from `least` to `most`.
  std::optional<std::int64_t> take_number(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    std::int64_t number = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      if (count == most) return std::nullopt;
      number = number * 10 + (rest_[count++] - '0');
    }
    if (count < least) return std::nullopt;
    rest_.remove_prefix(count);
    return number;
  }
  /// Digits behind a point, in microseconds; the first is worth `unit_us`. Its last digit is the precision.
  std::int64_t take_fraction(std::int64_t unit_us, std::int64_t& precision_us) {
    std::int64_t sum = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      sum += (rest_.front() - '0') * unit_us;
      if (unit_us > 0) precision_us = unit_us;
      unit_us /= 10;
      rest_.remove_prefix(1);
    }
    return sum;
  }

 private:
  std::string_view rest_;
};

/// A zone's seconds east of Greenwich; 0 if none is written.
std::optional<std::int64_t> zone_of(Reader& reader) {
  Reader after = reader;
  after.take(" ");
  if (after.take("Z")) {
    reader = after;
    return 0;
  }
  const bool east = after.take("+");
  if (!east && !after.take("-")) return 0;
  const auto hours = after.take_number(2, 4);
  if (!hours) return 0;
  std::int64_t seconds = 0;
  if (*hours >= 100) {
    seconds = *hours / 100 * 3600 + *hours % 100 * 60;
  } else {
    after.take(":");
    const auto minutes = after.take_number(2, 2);
    if (!minutes) return 0;
    seconds = *hours * 3600 + *minutes * 60;
  }
  if (seconds > 15 * 3600) return std::nullopt;
  reader = after;
  return east ? seconds : -seconds;
}

std::optional<StampedLine> from_calendar(Reader reader) {
  const auto year = reader.take_number(4, 4);
  if (!year || !reader.take("-/")) return std::nullopt;
  const auto month = reader.take_number(2, 2);
  if (!month || !reader.take("-/")) return std::nullopt;
  const auto day = reader.take_number(2, 2);
  if (!day || !reader.take("T ")) return std::nullopt;
  std::int64_t of_day = 0;
  for (int part = 0; part < 3; ++part) {
    const auto number = reader.take_number(2, 2);
    if (!number || *number > (part == 0 ? 23 : 60) || (part < 2 && !reader.take(":"))) return std::nullopt;
    of_day = of_day * 60 + *number;
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  StampedLine line{.precision_us = second_us};
  if (reader.take(".,")) line.at_us = reader.take_fraction(second_us / 10, line.precision_us);
  const auto zone = zone_of(reader);
  if (!zone) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  line.at_us += (days * 86'400 + of_day - *zone) * second_us;
  line.text = reader.rest();
  return line;
}

std::optional<StampedLine> from_epoch(Reader reader) {
  const auto number = reader.take_number(10, 13);
  if (!number) return std::nullopt;
  if (*number >= 1'000'000'000'000) return StampedLine{*number * 1000, 1000, reader.rest()};
  if (*number >= 10'000'000'000) return std::nullopt;
  StampedLine line{*number * second_us, second_us, {}};
  if (reader.take(".,")) line.at_us += reader.take_fraction(second_us / 10, line.precision_us);
  line.text = reader.rest();
  return line;
}

}  // namespace

std::optional<StampedLine> stamped_line_from(std::string_view text) {
  Reader reader(text);
  while (reader.take(" \t")) {
  }
  const bool in_bracket = reader.take("[");
  std::optional<StampedLine> line = from_calendar(reader);
  if (!line) line = from_epoch(reader);
  if (!line) return std::nullopt;
  Reader behind(line->text);
  if (in_bracket && !behind.take("]")) return std::nullopt;
  if (!behind.rest().empty() && !behind.take(" \t:|,;]")) return std::nullopt;
  line->text = behind.rest();
  return line;
}

}  // namespace lockproof::execution
