// SPDX-License-Identifier: Apache-2.0
#include "tracer/machine/registers.hpp"

#include <elf.h>
#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include <array>

namespace lockproof::tracer {

Registers Registers::of(pid_t thread) {
  Registers registers;
  ptrace(PTRACE_GETREGS, thread, nullptr, &registers.set_);
  return registers;
}

void Registers::store(pid_t thread) const { ptrace(PTRACE_SETREGS, thread, nullptr, &set_); }

std::uint64_t Registers::argument(int which) const {
  switch (which) {
    case 0: return set_.rdi;
    case 1: return set_.rsi;
    case 2: return set_.rdx;
    case 3: return set_.r10;
    case 4: return set_.r8;
    default: return set_.r9;
  }
}

void Registers::set_argument(int which, std::uint64_t value) {
  switch (which) {
    case 0: set_.rdi = value; break;
    case 1: set_.rsi = value; break;
    case 2: set_.rdx = value; break;
    case 3: set_.r10 = value; break;
    case 4: set_.r8 = value; break;
    default: set_.r9 = value; break;
  }
}

void Registers::skip_call(long result) {
  set_call(-1);
  set_result(result);
}

void Registers::repeat_call(long number) {
  constexpr int instruction_size = 2;  // of `syscall`
  set_.rip -= instruction_size;
  set_.rax = static_cast<std::uint64_t>(number);
}

bool serve_counter(pid_t thread, std::uint64_t value) {
  user_regs_struct set{};
  ptrace(PTRACE_GETREGS, thread, nullptr, &set);
  const auto code = read_value<std::array<unsigned char, 3>>(thread, set.rip);
  const bool plain = code[0] == 0x0f && code[1] == 0x31;                       // rdtsc
  const bool ordered = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;  // rdtscp
  if (!plain && !ordered) return false;
  set.rax = value & 0xffffffff;
  set.rdx = value >> 32;
  if (ordered) set.rcx = 0;
  set.rip += plain ? 2 : 3;
  ptrace(PTRACE_SETREGS, thread, nullptr, &set);
  return true;
}

void forbid_counter() { prctl(PR_SET_TSC, PR_TSC_SIGSEGV); }

void clean_auxiliary_vector(pid_t thread, std::uint64_t random0, std::uint64_t random1) {
  constexpr Address word = 8;
  Address at = Registers::of(thread).stack();
  at += word * (read_value<std::uint64_t>(thread, at) + 2);  // behind the arguments and their null
  while (read_value<std::uint64_t>(thread, at) != 0) at += word;
  at += word;  // behind the environment and its null
  for (;; at += 2 * word) {
    auto entry = read_value<std::array<std::uint64_t, 2>>(thread, at);
    if (entry[0] == AT_NULL) return;
    if (entry[0] == AT_RANDOM) write_value(thread, entry[1], std::array{random0, random1});
    if (entry[0] == AT_SYSINFO_EHDR) {
      entry[0] = AT_IGNORE;
      write_value(thread, at, entry);
    }
  }
}

std::uint32_t audit_name() { return AUDIT_ARCH_X86_64; }

}  // namespace lockproof::tracer
