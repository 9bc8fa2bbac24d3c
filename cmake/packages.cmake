# Third-party libraries, all of them Debian packages; ./dev setup installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tomlplusplus REQUIRED)
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
