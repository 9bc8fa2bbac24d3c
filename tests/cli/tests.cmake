# Golden command lines: the command, its exit code, and what it prints.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME cli.golden
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_golden.py $<TARGET_FILE:lockproof>
          ${CMAKE_CURRENT_SOURCE_DIR}/cli/golden ${PROJECT_SOURCE_DIR})
add_test(NAME cli.width
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/width.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
add_test(NAME cli.width_of_searches
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/width.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR} all)
set_tests_properties(cli.width_of_searches PROPERTIES LABELS slow TIMEOUT 600)
add_test(NAME bench.real COMMAND lockproof bench setnx-del --clients 2,3 --runs 1 --real)
set_tests_properties(bench.real PROPERTIES LABELS needs-redis TIMEOUT 60
  PASS_REGULAR_EXPRESSION "setnx-del +simulated .* never +never.*\nsetnx-del +real +[1-9].* never +never")
add_test(NAME cli.full_output
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/full_output.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
set(catalogue ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/catalogue.py $<TARGET_FILE:lockproof>
              ${PROJECT_SOURCE_DIR})
add_test(NAME check.catalogue COMMAND ${catalogue} small)
add_test(NAME check.searches COMMAND ${catalogue} some)
add_test(NAME check.all_searches COMMAND ${catalogue} large)
set_tests_properties(check.searches check.all_searches PROPERTIES LABELS long TIMEOUT 1200 PROCESSORS 2)
set_tests_properties(check.all_searches PROPERTIES LABELS slow)
# A few on a real server, so that the first phase has seen one.
add_test(NAME check.few_on_servers
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/both_worlds.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR}
          scenarios/notes/blind-del.toml scenarios/documented/leases/lease-outlived.toml)
set_tests_properties(check.few_on_servers PROPERTIES RUN_SERIAL TRUE)
add_test(NAME check.both_worlds
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/both_worlds.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
set_tests_properties(check.both_worlds PROPERTIES LABELS needs-redis TIMEOUT 480 RUN_SERIAL TRUE)
add_test(NAME check.sessions
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/both_worlds.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR}
          scenarios/zookeeper scenarios/etcd)
set_tests_properties(check.sessions PROPERTIES LABELS services TIMEOUT 480 RUN_SERIAL TRUE)
foreach(test explain review compare explore_said explore_view explore_resume explore_causes frontier laws lease output_kinds limits liveness_finish reported strategies tasks vacuity zones)
  add_test(NAME cli.${test}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/${test}.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR})
  set_tests_properties(cli.${test} PROPERTIES LABELS explore TIMEOUT 300)
endforeach()
set_tests_properties(cli.explain cli.frontier PROPERTIES TIMEOUT 300)
set_tests_properties(cli.lease PROPERTIES LABELS long TIMEOUT 600)
add_test(NAME cli.explain_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/explain.py
         $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR} all)
set_tests_properties(cli.explain_all PROPERTIES LABELS slow TIMEOUT 900)
foreach(test attacks collection command_line explore_page kept_files odd_machines junit new old_forms options retired judge judge_incidents)
  add_test(NAME cli.${test}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/${test}.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR})
  set_tests_properties(cli.${test} PROPERTIES TIMEOUT 240)
endforeach()
set_tests_properties(cli.old_forms PROPERTIES LABELS needs-redis)
add_test(NAME cli.judge_round_trips
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/judge_round_trips.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} simulated)
set_tests_properties(cli.judge_round_trips PROPERTIES LABELS long TIMEOUT 600)
foreach(logs several postgres)
  add_test(NAME cli.judge_${logs}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/judge_${logs}.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR})
  set_tests_properties(cli.judge_${logs} PROPERTIES LABELS long TIMEOUT 900)
endforeach()
set_tests_properties(cli.attacks cli.odd_machines PROPERTIES LABELS long)
set_tests_properties(cli.collection cli.explore_page PROPERTIES LABELS explore)
foreach(world simulated real)
  add_test(NAME cli.json_heads_${world}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/json_heads.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${world})
  set_tests_properties(cli.json_heads_${world} PROPERTIES TIMEOUT 240)
endforeach()
set_tests_properties(cli.json_heads_real PROPERTIES LABELS needs-redis)
add_test(NAME cli.expectations
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/expectations.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.expectations PROPERTIES TIMEOUT 120)
add_test(NAME cli.expectations_real
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/expectations.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} real)
set_tests_properties(cli.expectations_real PROPERTIES LABELS needs-redis TIMEOUT 240)
add_test(NAME cli.minimize_found
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/minimize_found.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.minimize_found PROPERTIES LABELS minimize TIMEOUT 120)
add_test(NAME cli.trace_replay_found
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/trace_replay_found.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} notes/blind-del notes/setnx-expire-crash documented/notifications/missed-unlock-message
          documented/replication/failover-lost-lock documented/redlock/redlock-immediate-restart)
set_tests_properties(cli.trace_replay_found PROPERTIES LABELS needs-redis TIMEOUT 120)
add_test(NAME cli.trace_replay_found_all
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/trace_replay_found.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.trace_replay_found_all PROPERTIES LABELS slow TIMEOUT 1200)
add_test(NAME cli.trace_replay_same
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/trace_replay_same.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.trace_replay_same PROPERTIES LABELS slow TIMEOUT 2700)
add_test(NAME real.many_random_trace_replays
  COMMAND ${CMAKE_COMMAND} -E env LOCKPROOF_TRACE_REPLAY_RUNS=100 $<TARGET_FILE:lockproof-test-real>
          --gtest_filter=*RandomRuns*)
set_tests_properties(real.many_random_trace_replays PROPERTIES LABELS slow TIMEOUT 2700)
add_test(NAME cli.busy_machine
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/busy_machine.py $<TARGET_FILE:lockproof>
          ${CMAKE_CURRENT_SOURCE_DIR}/cli/scenarios/busy.toml)
set_tests_properties(cli.busy_machine PROPERTIES LABELS needs-redis TIMEOUT 120)
foreach(test late_decides sweep_stopped)
  add_test(NAME cli.${test} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/${test}.py
                                    $<TARGET_FILE:lockproof>)
  set_tests_properties(cli.${test} PROPERTIES LABELS needs-redis TIMEOUT 300)
endforeach()
set_tests_properties(cli.sweep_stopped PROPERTIES RUN_SERIAL TRUE)  # its limits are seconds
add_test(NAME cli.soak
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/soak.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.soak PROPERTIES LABELS needs-redis TIMEOUT 200)
foreach(part works names ends)
  add_test(NAME real.foreign_${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/real/external_servers.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
  set_tests_properties(real.foreign_${part} PROPERTIES LABELS needs-redis TIMEOUT 60)
endforeach()
foreach(part servers redis input)
  add_test(NAME real.foreign_messages_${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/real/external_messages.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
  set_tests_properties(real.foreign_messages_${part} PROPERTIES LABELS needs-redis TIMEOUT 60)
endforeach()
add_test(NAME real.server_programs
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/real/server_programs.py $<TARGET_FILE:lockproof>
          ${PROJECT_BINARY_DIR}/server-programs)
set_tests_properties(real.server_programs PROPERTIES LABELS needs-redis TIMEOUT 120)
add_test(NAME real.endless_servers
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/real/endless_servers.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} all)
set_tests_properties(real.endless_servers PROPERTIES LABELS needs-redis TIMEOUT 240)
# 100 kills, a thousand runs, 10,000 acquisitions of each lock, half an hour of faults: minutes on real servers.
foreach(what kills runs contended soak)
  add_test(NAME reliability.${what}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/real/reliability.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${what})
  set_tests_properties(reliability.${what} PROPERTIES LABELS slow TIMEOUT 5400 RUN_SERIAL TRUE)
endforeach()
# Every lock, any two faults where that is small, every way to a finding walked again: half an hour or more.
add_test(NAME frontier.table COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/frontier.py
         $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR} table)
set_tests_properties(frontier.table PROPERTIES LABELS slow TIMEOUT 5400)
add_test(NAME frontier.of_every_lock COMMAND lockproof frontier)
set_tests_properties(frontier.of_every_lock PROPERTIES LABELS slow TIMEOUT 5400)
foreach(part IN ITEMS simulated real)
  add_test(NAME cli.own_lock.${part}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/own_lock.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
  set_tests_properties(cli.own_lock.${part} PROPERTIES TIMEOUT 120)
endforeach()
set_tests_properties(cli.own_lock.simulated PROPERTIES LABELS explore)
set_tests_properties(cli.own_lock.real PROPERTIES LABELS needs-redis)
foreach(part virtual quick services)
  add_test(NAME cli.clients_${part}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/clients.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR}
            ${part})
  set_tests_properties(cli.clients_${part} PROPERTIES TIMEOUT 600)
endforeach()
set_tests_properties(cli.clients_quick PROPERTIES LABELS needs-redis RUN_SERIAL TRUE)  # a sweep must decide
set_tests_properties(cli.clients_services PROPERTIES LABELS services)
set_tests_properties(cli.clients_virtual PROPERTIES LABELS long TIMEOUT 1200)
foreach(part quick servers)
  add_test(NAME cli.program_worlds_${part}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/program_worlds.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
  set_tests_properties(cli.program_worlds_${part} PROPERTIES LABELS needs-redis TIMEOUT 240)
endforeach()
foreach(world simulated real)
  add_test(NAME cli.program_keys_${world}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/program_keys.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${world})
endforeach()
set_tests_properties(cli.program_keys_real PROPERTIES LABELS needs-redis TIMEOUT 240)
set_tests_properties(cli.program_keys_simulated PROPERTIES LABELS long)
foreach(part quick determinism java)
  add_test(NAME cli.virtual_programs_${part}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/virtual_programs.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
endforeach()
set_tests_properties(cli.virtual_programs_quick PROPERTIES TIMEOUT 240)
set_tests_properties(cli.virtual_programs_determinism PROPERTIES LABELS slow TIMEOUT 3600)
set_tests_properties(cli.virtual_programs_java PROPERTIES LABELS services TIMEOUT 300)
# Documented failures are found by a search that is told of no fault; a few with the other tests, the rest takes minutes.
add_test(NAME cli.found_by_search
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/found_by_search.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} shared-lock-object ttl-unit-error cron-runs-twice unlock-before-commit)
set_tests_properties(cli.found_by_search PROPERTIES LABELS explore TIMEOUT 240)
add_test(NAME cli.found_by_every_search
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/found_by_search.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.found_by_every_search PROPERTIES LABELS slow TIMEOUT 7200)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  foreach(part runs services sweep)
    add_test(NAME cli.traced_${part}
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/traced.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR}
              ${part} $<TARGET_FILE:lockproof-static-lock>)
  endforeach()
  add_test(NAME cli.judge_real
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/judge_round_trips.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} real)
  set_tests_properties(cli.judge_real PROPERTIES LABELS needs-redis TIMEOUT 480)
  set_tests_properties(cli.traced_runs cli.traced_sweep PROPERTIES LABELS needs-redis TIMEOUT 480 SKIP_RETURN_CODE 77)
  set_tests_properties(cli.traced_services PROPERTIES LABELS services TIMEOUT 480 SKIP_RETURN_CODE 77)
endif()
