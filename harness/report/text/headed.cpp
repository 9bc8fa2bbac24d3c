// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/headed.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/scenario/names.hpp"
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

std::string refusal_json(const std::string& by, const std::string& why) {
  return document({{"refused", by}, {"why", why}});
}

nlohmann::ordered_json documented_json(const CaseReference& documented) {
  const auto roles = role_choices();
  const auto same = [&](const auto& choice) { return choice.second == documented.role; };
  const std::string_view role = std::ranges::find_if(roles, same)->first;
  nlohmann::ordered_json json{{"role", std::string(role)}};
  if (!documented.cases.empty()) json["ids"] = documented.cases;
  if (!documented.claims.empty()) json["claims"] = documented.claims;
  return json;
}

}  // namespace lockproof::harness
