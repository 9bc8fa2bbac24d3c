// SPDX-License-Identifier: Apache-2.0
// TracedWorld: programs that run one thread at a time, from system call to system call, in one virtual time. Whoever
// makes one is the first process of a private world (private_world.hpp) and has no other children.
//
// Invariant: while no thread is between resume and stop, all live threads stand still, and the state of the world is a
// function of its spec. What a thread sees is what the kernel of the private world or a function of calls/ tells it.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracer/call_table.hpp"
#include "tracer/connections.hpp"
#include "tracer/file_numbers.hpp"
#include "tracer/log.hpp"
#include "tracer/thread.hpp"
#include "tracer/world_report.hpp"
#include "tracer/world_spec.hpp"

namespace lockproof::tracer {

/// A timerfd: the program has an eventfd, and the world writes it.
struct TimerDescriptor {
  real::Descriptor copy;
  Process* process;
  Nanos at, period;
};

/// The run cannot go on; the text is a sentence's end that says why.
struct Refusal {
  std::string words;
};

class TracedWorld {
 public:
  /// `born_ns`: see FileNumbers.
  TracedWorld(const WorldSpec& spec, std::int64_t born_ns);
  ~TracedWorld();
  [[nodiscard]] WorldReport run();

  // For the functions of calls/.
  [[nodiscard]] Nanos now() const { return now_; }
  void pass_time(Nanos by) { now_ += by; }
  [[nodiscard]] std::uint64_t draw();
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] Connections& connections() { return connections_; }
  [[nodiscard]] const Connections& connections() const { return connections_; }
  [[nodiscard]] FileNumbers& file_numbers() { return file_numbers_; }
  [[nodiscard]] std::vector<std::unique_ptr<Thread>>& threads() { return threads_; }
  [[nodiscard]] std::vector<std::unique_ptr<Process>>& processes() { return processes_; }
  [[nodiscard]] std::vector<TimerDescriptor>& timer_descriptors() { return timers_; }
  [[nodiscard]] const WorldSpec& spec() const { return spec_; }

  /// The kernel makes the call with the registers that the thread has now. Its registers are then those at the call's
  /// exit. False: the thread is gone.
  bool make_call(Thread& thread);
  /// The thread waits until then, or until something wakes it. A signal that is due makes its call end at once.
  Outcome wait(Thread& thread, Thread::State state, Nanos until);
  /// Ends the wait of a thread; its call returns this.
  void finish(Thread& thread, long result);
  /// Ends a wait: the thread goes on like this.
  void wake(Thread& thread, Thread::Resume resume);
  /// Looks for threads that wait and have a signal which they do not block.
  void wake_by_signals(Process& process);
  /// The processes of this host that have been killed, or are about to end, end now.
  void reap(Process& process);
  /// The leader of a process with other threads ends: nobody is told before the last of them does.
  void leave_zombie(Thread& leader);
  /// Makes a call that waits with a time-out of zero; where there is nothing, the thread will make it again, and then
  /// `has_looked` is set. False: the thread is gone.
  [[nodiscard]] bool make_call_at_once(Thread& thread);
  [[nodiscard]] int host_of(pid_t pid) const;

 private:
  // world_loop.cpp
  void turn();
  [[nodiscard]] bool is_over();
  void strike(const FaultSpec& fault, Message& message);
  void deliver_due();
  void ring_due();
  void wake_due();
  void wake_polled();
  [[nodiscard]] Thread* next_ready();
  [[nodiscard]] Nanos next_instant() const;
  void take_sent();
  void converse();
  void converse(std::size_t host);
  void time_out(Thread& thread);
  void kill_host(int host);
  [[nodiscard]] bool stands(const Thread& thread) const;

  // traced_world.cpp
  void run_slice(Thread& thread);
  [[nodiscard]] bool serve_call(Thread& thread);
  [[nodiscard]] int resume(Thread& thread, int request, int signal);
  void inspect(Thread& thread);
  [[nodiscard]] bool resume_wait(Thread& thread);
  [[nodiscard]] bool interrupt_call(Thread& thread);
  void take_up_interrupted(Thread& thread);
  bool handle_event(Thread& thread, int status);
  [[nodiscard]] bool has_due_signal(const Thread& thread) const;
  void handle_elsewhere(pid_t tid, int status);
  void ended(Thread& thread, int status);
  void process_ended(Process& process, int status);
  void start_host(std::size_t host);
  Process& add_process(pid_t pid, int host, Process* parent);
  Thread& add_thread(pid_t tid, Process& process);
  [[nodiscard]] Thread* find(pid_t tid);

  const WorldSpec& spec_;
  Nanos now_ = 0;
  std::uint64_t seed_;
  Log log_;
  Connections connections_;
  FileNumbers file_numbers_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<TimerDescriptor> timers_;
  std::set<pid_t> early_;            // new threads whose first stop came before their parent's event
  std::uint64_t calls_at_jump_ = 0;  // of time
  std::size_t last_ = 0;             // thread that ran last
  WorldReport report_;
  bool cutting_ = false, struck_ = false;
  int idle_looks_ = 0;       // at a thread that has been found waiting in the kernel
  std::int64_t ticks_ = -1;  // of processor time that it had at the first look
};

}  // namespace lockproof::tracer
