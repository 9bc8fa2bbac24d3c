// SPDX-License-Identifier: Apache-2.0
// Programs: the programs of a scenario, in virtual time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "harness/program/program_effort.hpp"
#include "harness/scenario/scenario.hpp"
#include "programs/program.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::programs {

class Programs final : public harness::VirtualPrograms {
 public:
  /// `live`: see put_in_virtual_time.
  explicit Programs(std::size_t live);
  [[nodiscard]] harness::VirtualProgram& program_of(const harness::Scenario& scenario, std::size_t client,
                                                    int round) override;
  [[nodiscard]] harness::ExecutedPrograms executed() override;
  void add_lack(const std::string& words) override;

 private:
  const std::size_t live_;
  std::mutex mutex_;
  const std::int64_t made_ns_;                                // by the machine's clock
  real::Janitor janitor_;                                     // its folder
  std::map<std::string, std::unique_ptr<Program>> programs_;  // by all that makes one different from others
  std::set<harness::Remark> noticed_;
};

/// Lets the scenario's program, which it has, run in the simulator. Throws harness::InputError, if it cannot. `live`:
/// how many processes of each client are kept where they stopped, to go on from there; no answer depends on it.
void put_in_virtual_time(harness::Scenario& scenario, std::size_t live = harness::live_processes);

}  // namespace lockproof::programs
