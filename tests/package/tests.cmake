# The tree that is installed, and the Debian package of it.
add_test(NAME package.install
  COMMAND ${LOCKPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/install.py ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
set_tests_properties(package.install PROPERTIES LABELS needs-redis TIMEOUT 480 PROCESSORS 4)  # a sweep must decide
add_test(NAME package.bare_root
  COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/package/bare_root.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(package.bare_root PROPERTIES LABELS slow TIMEOUT 2400 SKIP_RETURN_CODE 77)
# The Python wheel, its pytest plug-in, and what continuous integration makes of the archive. Each skips itself where
# Debian's python3-pytest, python3-redis or python3-yaml is missing.
foreach(part ci plugin wheel)
  add_test(NAME package.${part}
    COMMAND ${LOCKPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/${part}.py ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
  set_tests_properties(package.${part} PROPERTIES LABELS services TIMEOUT 900 SKIP_RETURN_CODE 77)
endforeach()
