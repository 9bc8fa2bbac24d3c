// SPDX-License-Identifier: Apache-2.0
// NodesGenerator: draws steps for several nodes: changes of replication, deliveries to replicas, ends and starts of
// processes, and between them commands to each node.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "conformance/redis/generator.hpp"
#include "conformance/redis/model_nodes.hpp"
#include "conformance/redis/step.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance::redis {

class NodesGenerator {
 public:
  explicit NodesGenerator(std::uint64_t seed) : random_(seed), commands_(seed) {}

  /// Perhaps a step other than a command, drawn from those that are possible now.
  [[nodiscard]] std::optional<Step> between(const ModelNodes& model);
  /// How many commands the next run over one connection has, and to which node.
  struct Run {
    int node;
    int connection;
    std::size_t commands;
  };
  [[nodiscard]] Run next_run(const ModelNodes& model);
  [[nodiscard]] Step command(const ModelNodes& model, const Run& run);

 private:
  using Weighted = std::vector<std::pair<std::uint64_t, Step>>;
  void add_links(const ModelNodes& model, Weighted& all);
  void add_faults(const ModelNodes& model, Weighted& all);
  [[nodiscard]] Step clock(const ModelNodes& model);
  [[nodiscard]] Step jump(const ModelNodes& model);
  [[nodiscard]] std::int64_t moment(const ModelNodes::One& one);
  [[nodiscard]] int below(int count) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(count))); }

  sim::RandomBits random_;
  Generator commands_;
};

}  // namespace lockproof::conformance::redis
