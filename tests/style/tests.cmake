# The tests that are written in Python: the style of the tree, and the pictures.
set(folder ${PROJECT_SOURCE_DIR}/tests)
add_test(NAME style.tree COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/style/check_style.py ${PROJECT_SOURCE_DIR})
add_test(NAME style.rules COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/style/test_check_style.py)
add_test(NAME reports.pictures COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_spacetime.py)
add_test(NAME reports.keys COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_keys.py)
add_test(NAME reports.agrees COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_agrees.py $<TARGET_FILE:lockproof>
                                     ${PROJECT_SOURCE_DIR})
add_test(NAME reports.states COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_states.py $<TARGET_FILE:lockproof>
                                     ${PROJECT_SOURCE_DIR})
add_test(NAME reports.what_if COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_what_if.py $<TARGET_FILE:lockproof>
                                      ${PROJECT_SOURCE_DIR})
add_test(NAME reports.page COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_page.py)
# In headless Chromium, with the Debian packages that ./dev test --services installs.
add_test(NAME services.page COMMAND /usr/bin/python3 -B ${folder}/reports/page_in_browser.py $<TARGET_FILE:lockproof>
                                    ${PROJECT_SOURCE_DIR})
add_test(NAME services.walk COMMAND /usr/bin/python3 -B ${folder}/reports/walk_in_browser.py $<TARGET_FILE:lockproof>
                                    ${PROJECT_SOURCE_DIR})
add_test(NAME reports.walk COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_walk.py)
add_test(NAME services.lesson COMMAND /usr/bin/python3 -B ${folder}/reports/lesson_in_browser.py $<TARGET_FILE:lockproof>
                                      ${PROJECT_SOURCE_DIR})
add_test(NAME services.mermaid COMMAND /usr/bin/python3 -B ${folder}/reports/mermaid_in_browser.py
         $<TARGET_FILE:lockproof> ${PROJECT_SOURCE_DIR})
set_tests_properties(services.page services.walk services.lesson services.mermaid PROPERTIES LABELS services TIMEOUT 900)
set_tests_properties(services.mermaid PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME reports.images COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_images.py ${PROJECT_SOURCE_DIR})
add_test(NAME reports.outputs COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_outputs.py)
add_test(NAME reports.bench COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_bench.py)
add_test(NAME reports.cases COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_cases.py)
add_test(NAME reports.matrix COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_matrix.py)
add_test(NAME reports.frontier COMMAND ${LOCKPROOF_PYTHON} -B ${folder}/reports/test_frontier.py)
# What lockproof says of faults is part of the histories that they make by hand.
set_tests_properties(reports.pictures reports.keys reports.page reports.matrix services.page PROPERTIES
  ENVIRONMENT LOCKPROOF=$<TARGET_FILE:lockproof>)
