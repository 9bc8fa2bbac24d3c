# cmake --install makes a tree that can be moved: the program finds its files from where it is itself. cpack makes a
# Debian package of it; ./dev package does both.
include(GNUInstallDirs)
install(TARGETS lockproof RUNTIME DESTINATION bin)
install(TARGETS lockproof_clock lockproof_program_clock lockproof_shim LIBRARY DESTINATION lib/lockproof)
install(DIRECTORY scenarios reports DESTINATION share/lockproof PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/lockproof RENAME copyright)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/lockproof)
install(FILES docs/reference/line-protocol.md docs/reference/lua.md docs/reference/scenario.md DESTINATION share/doc/lockproof)

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

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the lockproof authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "redis-server, memcached, postgresql-15, python3-matplotlib, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "zookeeper, default-jre-headless, etcd-server")  # a JVM is large
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
