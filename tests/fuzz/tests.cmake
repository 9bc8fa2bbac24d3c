# Hostile input. Each target replays its stored inputs here; the preset `fuzz` builds the same ones with libFuzzer, which
# the slow tests do. Where the sources of a target are few, it is made of them and not of a library: that is soon built.
function(lockproof_fuzz name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(target lockproof-fuzz-${name})
  add_executable(${target} fuzz/${name}.cpp ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  set(listed ${listed} fuzz/${name}.cpp fuzz/replay.cpp PARENT_SCOPE)
  if(LOCKPROOF_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(${target} PRIVATE fuzz/replay.cpp)
  add_test(NAME fuzz.corpus.${name} COMMAND ${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz.corpus.${name} PROPERTIES LABELS long TIMEOUT 60)
  add_test(NAME fuzz.${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz.py ${PROJECT_SOURCE_DIR} ${name} 600)
  set_tests_properties(fuzz.${name} PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED fuzzers)
endfunction()

lockproof_fuzz(scenario LIBRARIES lockproof_harness)
lockproof_fuzz(history LIBRARIES lockproof_harness)
lockproof_fuzz(checkpoint LIBRARIES lockproof_harness SOURCES
  ${PROJECT_SOURCE_DIR}/search/core/checkpoint.cpp ${PROJECT_SOURCE_DIR}/search/liveness/quiescent_states.cpp)
lockproof_fuzz(resp LIBRARIES lockproof_harness PkgConfig::hiredis SOURCES
  ${PROJECT_SOURCE_DIR}/real/services/redis/bounded_reader.cpp ${PROJECT_SOURCE_DIR}/real/services/redis/hiredis_reply.cpp
  ${PROJECT_SOURCE_DIR}/real/services/redis/monitor_line.cpp ${PROJECT_SOURCE_DIR}/real/services/redis/resp.cpp)
lockproof_fuzz(command_line LIBRARIES lockproof_options)

if(NOT LOCKPROOF_FUZZ)
  add_test(NAME fuzz.build
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz.py ${PROJECT_SOURCE_DIR} build)
  set_tests_properties(fuzz.build PROPERTIES LABELS slow TIMEOUT 3600 PROCESSORS 2 SKIP_RETURN_CODE 77 FIXTURES_SETUP fuzzers)
endif()
