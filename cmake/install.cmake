# cmake --install makes a tree that can be moved: the program finds its files from where it is itself, and its libraries
# are inside, so that it runs wherever the C library is new enough. cpack makes a Debian package of it (./dev package)
# and an archive (./dev bundle); ./dev wheel packs it, too.
include(GNUInstallDirs)
set(libraries lib/lockproof/libraries)
# DT_RPATH, unlike DT_RUNPATH, also holds for the libraries of libraries.
set_target_properties(lockproof PROPERTIES INSTALL_RPATH "$ORIGIN/../${libraries}")
target_link_options(lockproof PRIVATE -Wl,--disable-new-dtags)
install(TARGETS lockproof RUNTIME DESTINATION bin)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(triplet ${CMAKE_LIBRARY_ARCHITECTURE})
set(library_folders ${CMAKE_SYSROOT}/lib/${triplet} ${CMAKE_SYSROOT}/usr/lib/${triplet})
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/libraries.py
  $<TARGET_FILE:lockproof> \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${libraries} ${library_folders}
  COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS lockproof_clock lockproof_program_clock lockproof_shim LIBRARY DESTINATION lib/lockproof)
install(DIRECTORY scenarios reports DESTINATION share/lockproof PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/lockproof RENAME copyright)
# The documentation, with the pages that the program makes, and with links that hold there.
# A program that was compiled for another machine has the pages of one that runs here.
set(LOCKPROOF_PAGES_PROGRAM $<TARGET_FILE:lockproof> CACHE STRING "The lockproof that makes the pages")
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/docs.py ${LOCKPROOF_PAGES_PROGRAM}
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
    COMMAND ${LOCKPROOF_PAGES_PROGRAM} manual ${page} > ${pages}/${page})
endforeach()
add_custom_target(lockproof_pages ALL DEPENDS ${pages}/man ${pages}/bash ${pages}/zsh)
install(FILES ${pages}/man DESTINATION share/man/man1 RENAME lockproof.1)
install(FILES ${pages}/bash DESTINATION share/bash-completion/completions RENAME lockproof)
install(FILES ${pages}/zsh DESTINATION share/zsh/vendor-completions RENAME _lockproof)

set(architecture ${CMAKE_SYSTEM_PROCESSOR})  # in Debian's word
string(REPLACE x86_64 amd64 architecture ${architecture})
string(REPLACE aarch64 arm64 architecture ${architecture})
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
