# Compiles for arm64 on another machine, with Debian's cross compiler and the libraries of LOCKPROOF_SYSROOT, which
# ./dev bundle --arch arm64 fills.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/sysroot.cmake)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${LOCKPROOF_SYSROOT})
