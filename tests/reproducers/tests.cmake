# Scenarios that once gave a wrong or a poor answer.
foreach(kind simulated replication real engines)
  add_test(NAME reproducers.${kind}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/reproducers/run_reproducers.py $<TARGET_FILE:lockproof>
            ${CMAKE_CURRENT_SOURCE_DIR}/reproducers ${kind})
endforeach()
set_tests_properties(reproducers.real PROPERTIES LABELS needs-redis)
set_tests_properties(reproducers.replication PROPERTIES LABELS slow TIMEOUT 1500)
