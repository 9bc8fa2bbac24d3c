# The simulated Redis node against a real one. Each test starts a redis-server of its own.
add_executable(lockproof-test-conformance conformance/conformance_test.cpp conformance/memcached_test.cpp)
target_link_libraries(lockproof-test-conformance PRIVATE lockproof_conformance GTest::gtest GTest::gtest_main)
gtest_discover_tests(lockproof-test-conformance TEST_PREFIX conformance. DISCOVERY_TIMEOUT 60
  PROPERTIES LABELS conformance TIMEOUT 300)
list(APPEND listed conformance/conformance_test.cpp conformance/memcached_test.cpp)

# For longer, with other commands than the tests above.
add_test(NAME conformance.half_a_minute COMMAND lockproof conformance --commands 100000 --seed 5)
set_tests_properties(conformance.half_a_minute PROPERTIES LABELS slow TIMEOUT 300)

# memcached: each command twice, at 20 times the speed.
add_test(NAME services.memcached COMMAND lockproof conformance --service memcached --commands 10000)
set_tests_properties(services.memcached PROPERTIES LABELS services TIMEOUT 900)
add_test(NAME services.memcached_for_longer COMMAND lockproof conformance --service memcached --commands 100000)
set_tests_properties(services.memcached_for_longer PROPERTIES LABELS slow TIMEOUT 900)
