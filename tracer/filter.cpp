// SPDX-License-Identifier: Apache-2.0
#include "tracer/filter.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tracer/call_table.hpp"
#include "tracer/machine/registers.hpp"

namespace lockproof::tracer {
namespace {

constexpr std::uint16_t load = BPF_LD | BPF_W | BPF_ABS, jump = BPF_JMP | BPF_JEQ | BPF_K, finish = BPF_RET | BPF_K;

std::vector<sock_filter>& program() {
  static std::vector<sock_filter> program;
  return program;
}

}  // namespace

void prepare_filter() {
  std::vector<sock_filter>& code = program();
  code = {{load, 0, 0, offsetof(seccomp_data, arch)},
          {jump, 1, 0, audit_name()},
          {finish, 0, 0, SECCOMP_RET_KILL_PROCESS},
          {load, 0, 0, offsetof(seccomp_data, nr)}};
  for (const Call& call : calls()) {
    if (call.treatment != Treatment::passed) continue;
    code.push_back({jump, 0, 1, static_cast<std::uint32_t>(call.number)});
    code.push_back({finish, 0, 0, SECCOMP_RET_ALLOW});
  }
  code.push_back({finish, 0, 0, SECCOMP_RET_TRACE});
}

bool install_filter() {
  const sock_fprog filter{static_cast<unsigned short>(program().size()), program().data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace lockproof::tracer
