// SPDX-License-Identifier: Apache-2.0
#include "conformance/memcached/generator.hpp"

#include <algorithm>
#include <iterator>

namespace lockproof::conformance::memcached {
namespace {

constexpr const char* verbs[] = {"add", "add", "set", "gets", "gets", "gets", "cas", "cas", "delete", "incr", "touch"};
constexpr const char* keys[] = {"a", "b", "c", "d"};
constexpr const char* values[] = {"token", "7", "99", "007", " 8", "", "18446744073709551615", "two words"};
/// 30 days are a time to live, one second more is an absolute time, long past.
constexpr const char* times[] = {"0", "1", "1", "2", "2", "3", "5", "-1", "30", "2592000", "2592001"};
constexpr const char* amounts[] = {"1", "7", "1", "18446744073709551615", "x", "-1"};
constexpr int ticks_before[] = {0, 0, 0, 1, 1, 2};

}  // namespace

int Generator::ticks() { return one_of(ticks_before); }

Step Generator::command(std::int64_t newest) {
  const std::string verb = one_of(verbs);
  Step step{.words = {Value(verb), Value(one_of(keys))}};
  std::vector<Value>& words = step.words;
  if (verb == "add" || verb == "set" || verb == "cas") {
    words.emplace_back(one_of(values));
    words.emplace_back(one_of(times));
  }
  if (verb == "cas")
    words.push_back(Value::number(std::max<std::int64_t>(1, newest - static_cast<std::int64_t>(random_.below(4)))));
  if (verb == "incr") words.emplace_back(one_of(amounts));
  if (verb == "touch") words.emplace_back(chance(5) ? "soon" : one_of(times));
  return step;
}

}  // namespace lockproof::conformance::memcached
