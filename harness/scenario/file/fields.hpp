// SPDX-License-Identifier: Apache-2.0
// Fields: reads one table of a document key by key, with types. What is missing keeps its default; what is left over at
// the end, or has the wrong type, is an InputError that names the line and the nearest valid choice.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scenario/file/document.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {

class Fields {
 public:
  /// `where`: what the table is called in messages, "[workload]" say. The node must outlive it.
  Fields(const std::string& file, const Node& table, std::string where);

  [[nodiscard]] const Node* find(std::string_view key);
  [[nodiscard]] const Node& need(std::string_view key);
  void read(std::string_view key, std::string& into);
  void read(std::string_view key, Duration& into, bool sign = false);
  void read(std::string_view key, Window& into);
  /// The same, or a range: "0ms..200ms", "..1s".
  void read_range(std::string_view key, Window& into);
  /// An integer in [least, most].
  template <class N>
  void read(std::string_view key, N& into, std::int64_t least, std::int64_t most) {
    if (const Node* node = find(key)) into = static_cast<N>(integer(*node, key, least, most));
  }
  template <class E>
  void read(std::string_view key, E& into, Choices<E> choices) {
    if (const Node* node = find(key)) into = choice(*node, key, choices);
  }
  template <class E>
  [[nodiscard]] E choice(const Node& node, std::string_view key, Choices<E> choices) {
    const std::string& word = text(node, key);
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
      if (name == word) return value;
      names.emplace_back(name);
    }
    fail(node, key, "is '" + word + "', which is no choice" + suggestion(word, names));
  }
  [[nodiscard]] const std::string& text(const Node& node, std::string_view key);
  [[nodiscard]] Duration duration(const Node& node, std::string_view key, bool sign = false);
  [[nodiscard]] const List& list(const Node& node, std::string_view key);

  /// A name that must be one of a list; complains with the nearest.
  void must_be(const Node& node, std::string_view key, const std::string& what, const std::string& name,
               const std::vector<std::string>& choices) const;
  /// Adds the name of this table to those of its kind; fails if an earlier one has it.
  void add_name(const Node& node, const std::string& name, std::set<std::string>& names) const;
  [[noreturn]] void fail(const Node& node, std::string_view key, const std::string& what) const;
  /// Call when all keys have been asked for: any other is an error.
  void done() const;
  [[nodiscard]] int line() const { return table_.line; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  [[nodiscard]] std::int64_t integer(const Node& node, std::string_view key, std::int64_t least, std::int64_t most);

  const std::string& file_;
  const Node& table_;
  const std::string where_;
  std::vector<std::string> known_;
};

}  // namespace lockproof::harness
