# That nothing has become slower, or quicker without anybody's knowing: instructions, which do not depend on the machine.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT LOCKPROOF_SANITIZE)
  add_test(NAME speed.instructions
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/speed/instructions.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR})
  set_tests_properties(speed.instructions PROPERTIES LABELS slow TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
