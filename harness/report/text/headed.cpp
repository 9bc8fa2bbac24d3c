// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/headed.hpp"

#include <nlohmann/json.hpp>

#include "harness/version.hpp"

namespace lockproof::harness {

nlohmann::ordered_json headed(const nlohmann::ordered_json& body) {
  nlohmann::ordered_json all{{"schema_version", schema_version}, {"lockproof", program_version}};
  all.update(body);
  return all;
}

std::string document(const nlohmann::ordered_json& body) {
  return headed(body).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lockproof::harness
