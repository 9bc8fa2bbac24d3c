// SPDX-License-Identifier: Apache-2.0
#include "conformance/services.hpp"

#include <array>

#include "conformance/etcd/conformance.hpp"
#include "conformance/memcached/conformance.hpp"
#include "conformance/postgres/conformance.hpp"
#include "conformance/redis/conformance.hpp"
#include "conformance/zookeeper/conformance.hpp"

namespace lockproof::conformance {
namespace {

constexpr std::array rows{
    ComparisonRow{"redis", redis::compare_node, redis::mutant_names_of_node},
    ComparisonRow{"redis-nodes", redis::compare_nodes, redis::mutant_names_of_nodes},
    ComparisonRow{"memcached", memcached::compare, memcached::mutant_names},
    ComparisonRow{"postgres", postgres::compare, postgres::mutant_names},
    ComparisonRow{"zookeeper", zookeeper::compare, zookeeper::mutant_names},
    ComparisonRow{"etcd", etcd::compare, etcd::mutant_names},
};

}  // namespace

std::span<const ComparisonRow> comparisons() { return rows; }

}  // namespace lockproof::conformance
