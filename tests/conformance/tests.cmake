# The simulated Redis node against a real one. Each test starts a redis-server of its own.
add_executable(lockproof-test-certify conformance/certify_test.cpp conformance/memcached_test.cpp)
target_link_libraries(lockproof-test-certify PRIVATE lockproof_certify GTest::gtest GTest::gtest_main)
gtest_discover_tests(lockproof-test-certify TEST_PREFIX certify. DISCOVERY_TIMEOUT 60
  PROPERTIES LABELS certify TIMEOUT 120)
list(APPEND listed conformance/certify_test.cpp conformance/memcached_test.cpp)

# Half a minute of it, with other commands than the tests above.
add_test(NAME certify.half_a_minute COMMAND lockproof certify --commands 200000 --seed 5)
set_tests_properties(certify.half_a_minute PROPERTIES LABELS "certify;needs-redis" TIMEOUT 300)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME certify.reference_is_fresh
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/conformance/check_reference.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR}/docs/reference/redis.md)
set_tests_properties(certify.reference_is_fresh PROPERTIES LABELS certify)

# memcached for longer: each command twice, at 20 times the speed.
add_test(NAME services.memcached COMMAND lockproof certify --service memcached --commands 200000)
set_tests_properties(services.memcached PROPERTIES LABELS services TIMEOUT 900)
