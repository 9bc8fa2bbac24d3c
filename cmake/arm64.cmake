# Compiles for arm64 on another machine, with Debian's cross compiler and the libraries of LOCKPROOF_SYSROOT, which
# ./dev bundle --arch arm64 fills.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LOCKPROOF_SYSROOT)
set(CMAKE_SYSROOT ${LOCKPROOF_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LOCKPROOF_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${LOCKPROOF_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${LOCKPROOF_SYSROOT}/usr/share/pkgconfig)
# What is compiled runs here in an emulator, if that is installed.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${LOCKPROOF_SYSROOT})
