# The pages: every example on them is run, and what they mention exists.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(part simulated slow real)
  add_test(NAME docs.${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/test_docs.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
endforeach()
set_tests_properties(docs.slow PROPERTIES LABELS slow TIMEOUT 900)
set_tests_properties(docs.real PROPERTIES LABELS needs-redis)
add_test(NAME docs.links
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/links.py ${PROJECT_SOURCE_DIR})

foreach(schema schema review_schema)
  add_test(NAME docs.${schema}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/${schema}.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR})
  set_tests_properties(docs.${schema} PROPERTIES TIMEOUT 240)
endforeach()
foreach(part simulated real)
  add_test(NAME docs.ci_samples_${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/ci_samples.py $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR}
            ${part})
  set_tests_properties(docs.ci_samples_${part} PROPERTIES TIMEOUT 240)
endforeach()
set_tests_properties(docs.ci_samples_real PROPERTIES LABELS needs-redis)

add_test(NAME services.many_machines
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/many_machines.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR})
set_tests_properties(services.many_machines PROPERTIES LABELS services TIMEOUT 240 SKIP_RETURN_CODE 77)

# The package's page on documented failures, and that each failure is shown with its twin and its fix, or said to be
# missing.
add_test(NAME docs.failures
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/failures.py $<TARGET_FILE:lockproof>
          ${PROJECT_SOURCE_DIR} check)

# The page on libraries is what sweeps found, and a part of that is found again.
foreach(part check again)
  add_test(NAME docs.libraries_${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/libraries.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
endforeach()
set_tests_properties(docs.libraries_again PROPERTIES LABELS slow TIMEOUT 1200)

# The same of searches.
foreach(part check again)
  add_test(NAME docs.libraries_searched_${part}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/libraries_searched.py $<TARGET_FILE:lockproof>
            ${PROJECT_SOURCE_DIR} ${part})
endforeach()
set_tests_properties(docs.libraries_searched_again PROPERTIES TIMEOUT 600)
