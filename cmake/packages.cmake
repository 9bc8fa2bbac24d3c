# Third-party libraries, all of them Debian packages; ./dev setup installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
option(LOCKPROOF_OLD_C_LIBRARY "Use no shared library that is newer than Debian 11" OFF)
if(LOCKPROOF_OLD_C_LIBRARY)
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
else()
  find_package(fmt REQUIRED)
  find_package(tomlplusplus REQUIRED)
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# A search makes and forgets small worlds all the time: jemalloc takes three quarters of the time that libc's malloc does.
# Sanitizers bring an allocator of their own.
pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)
add_library(lockproof_allocator INTERFACE)
if(NOT LOCKPROOF_SANITIZE)
  target_link_libraries(lockproof_allocator INTERFACE PkgConfig::jemalloc)
endif()
# Debian's own CMake file for hiredis raises an error, so all of these go through pkg-config.
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(libuv REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(lua REQUIRED IMPORTED_TARGET lua5.1-c++)  # errors are C++ exceptions there, and unwind
