# cmake --install makes a tree that can be moved: the program finds its files from where it is itself, and its libraries
# are inside, so that it runs wherever the C library is new enough. cpack makes a Debian package of it (./dev package)
# and an archive (./dev bundle); ./dev wheel packs it, too.
include(GNUInstallDirs)
set(libraries lib/lockproof/libraries)
# DT_RPATH, unlike DT_RUNPATH, also holds for the libraries of libraries.
set_target_properties(lockproof PROPERTIES INSTALL_RPATH "$ORIGIN/../${libraries}")
target_link_options(lockproof PRIVATE -Wl,--disable-new-dtags)
install(TARGETS lockproof
  RUNTIME_DEPENDENCIES PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so" RUNTIME DESTINATION bin
  LIBRARY DESTINATION ${libraries})
install(TARGETS lockproof_clock lockproof_program_clock lockproof_shim LIBRARY DESTINATION lib/lockproof)
install(DIRECTORY scenarios reports DESTINATION share/lockproof PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/lockproof RENAME copyright)
# The documentation, with the pages that the program makes, and with links that hold there.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/docs.py $<TARGET_FILE:lockproof>
  ${PROJECT_SOURCE_DIR} \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/lockproof COMMAND_ERROR_IS_FATAL ANY)")

# The pytest plug-in, where Debian's Python finds packages; python/wheel.py makes a wheel of the whole tree.
set(python_packages lib/python3/dist-packages)
configure_file(python/METADATA.in ${PROJECT_BINARY_DIR}/python/METADATA @ONLY)
install(DIRECTORY python/lockproof DESTINATION ${python_packages} PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA python/entry_points.txt
  DESTINATION ${python_packages}/lockproof-${PROJECT_VERSION}.dist-info)

# The man page and the completions are made by the program, of the definitions of its options.
set(pages ${PROJECT_BINARY_DIR}/pages)
foreach(page IN ITEMS man bash zsh)
  add_custom_command(OUTPUT ${pages}/${page} DEPENDS lockproof VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND lockproof manual ${page} > ${pages}/${page})
endforeach()
add_custom_target(lockproof_pages ALL DEPENDS ${pages}/man ${pages}/bash ${pages}/zsh)
install(FILES ${pages}/man DESTINATION share/man/man1 RENAME lockproof.1)
install(FILES ${pages}/bash DESTINATION share/bash-completion/completions RENAME lockproof)
install(FILES ${pages}/zsh DESTINATION share/zsh/vendor-completions RENAME _lockproof)

execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CPACK_PACKAGE_FILE_NAME lockproof-${PROJECT_VERSION}-linux-${architecture})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the lockproof authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")  # of Debian 12, on which it is built; the others are inside
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "redis-server, memcached, postgresql, python3-matplotlib, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "zookeeper, default-jre-headless, etcd-server")  # a JVM is large
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
