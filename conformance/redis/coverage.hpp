// SPDX-License-Identifier: Apache-2.0
// Coverage: counts how often each rule that is to be compared was tried, by the servers' answers where these show it,
// otherwise by the model's state just before a step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "conformance/redis/model_nodes.hpp"
#include "conformance/redis/model_side.hpp"
#include "conformance/redis/step.hpp"

namespace lockproof::conformance::redis {

/// Something that must be tried, and the kind of sequence that must try it.
struct CoverageItem {
  std::string_view name;
  bool one, several;
};
[[nodiscard]] std::span<const CoverageItem> to_be_tried();

class Coverage {
 public:
  void before(const Step& step, const ModelSide& model);
  void before(const Step& step, const ModelNodes& model);
  void after(std::span<const Step> run, const Outcome& real);

  [[nodiscard]] std::uint64_t of(std::string_view name) const;

 private:
  void before_command(const Step& step, const ModelNodes::One& one);
  void before_failover(const Step& step, const ModelNodes& model);
  void before_end(const Step& step, const ModelNodes& model);
  void add(std::string_view name, std::uint64_t count = 1) { counts_[name] += count; }

  bool at_replica_ = false;  // the last command
  std::map<std::string_view, std::uint64_t> counts_;
};

}  // namespace lockproof::conformance::redis
