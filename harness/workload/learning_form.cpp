// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/learning_form.hpp"

namespace lockproof::harness {

Scenario learning_form(const Scenario& scenario, Duration hold, Duration horizon) {
  Scenario form = scenario;
  form.faults.clear();
  form.steps.clear();
  form.contention = Contention::as_written;
  form.horizon = horizon;
  form.program->known_key = {};
  for (ClientSpec& client : form.clients) {
    Plan plan;
    plan.lease = client.plan.lease;
    plan.retry = client.plan.retry;
    plan.acquire_timeout = horizon;
    plan.work = {{Work::Kind::hold, hold}};
    client.plan = plan;
  }
  return form;
}

}  // namespace lockproof::harness
