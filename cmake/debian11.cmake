# Compiles for Debian 11, whose C library is older, with this machine's compiler and the libraries of LOCKPROOF_SYSROOT,
# which ./dev bundle --glibc 2.31 fills. The compiler's own library is linked into the program: that of this machine
# would ask for this machine's C library.
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/sysroot.cmake)
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
