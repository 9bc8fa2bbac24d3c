# The loop of all comparisons needs no server; ./dev test runs it with the quick tests.
lockproof_test(comparison LIBRARIES lockproof_conformance SOURCES conformance/comparison_test.cpp)

# The simulated Redis and memcached against real ones. Each test starts servers of its own.
lockproof_test(conformance SERVERS LIBRARIES lockproof_conformance SOURCES
  conformance/conformance_test.cpp conformance/memcached_test.cpp)

# What it prints, and so what it draws from a seed.
add_test(NAME conformance.golden
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_golden.py $<TARGET_FILE:lockproof-conformance>
          ${CMAKE_CURRENT_SOURCE_DIR}/conformance/golden ${PROJECT_SOURCE_DIR})
set_tests_properties(conformance.golden PROPERTIES LABELS conformance TIMEOUT 120)

# For longer, with other commands than the tests above.
foreach(nodes redis redis-nodes)
  add_test(NAME conformance.half_a_minute.${nodes} COMMAND lockproof-conformance ${nodes} --commands 50000 --seed 5)
  set_tests_properties(conformance.half_a_minute.${nodes} PROPERTIES LABELS slow TIMEOUT 300)
endforeach()

# memcached: each command twice, at 20 times the speed.
add_test(NAME services.memcached COMMAND lockproof-conformance memcached --commands 10000)
set_tests_properties(services.memcached PROPERTIES LABELS services TIMEOUT 900)
add_test(NAME services.memcached_for_longer COMMAND lockproof-conformance memcached --commands 100000)
set_tests_properties(services.memcached_for_longer PROPERTIES LABELS slow TIMEOUT 900)
