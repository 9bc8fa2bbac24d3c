# Generated scenarios in both worlds. It takes minutes, so it has a program of its own.
add_executable(lockproof-test-differential
  differential/differential_test.cpp differential/generated.cpp differential/known_gaps.cpp differential/margins.cpp
  differential/margins_test.cpp)
target_link_libraries(lockproof-test-differential PRIVATE lockproof_real lockproof_search GTest::gtest GTest::gtest_main)
add_test(NAME real.generated_scenarios COMMAND lockproof-test-differential --gtest_filter=BothWorlds.*)
set_tests_properties(real.generated_scenarios PROPERTIES LABELS slow TIMEOUT 1800 PROCESSORS 2)
add_test(NAME real.margins COMMAND lockproof-test-differential --gtest_filter=Margins.*)
set_tests_properties(real.margins PROPERTIES LABELS real)
add_test(NAME services.directed
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/differential/directed_services.py
          $<TARGET_FILE:lockproof> --least 60)
set_tests_properties(services.directed PROPERTIES LABELS slow TIMEOUT 3600 RUN_SERIAL TRUE)
list(APPEND listed differential/differential_test.cpp differential/generated.cpp differential/known_gaps.cpp
  differential/margins.cpp differential/margins_test.cpp)
