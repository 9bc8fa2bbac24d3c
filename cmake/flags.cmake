# Flags of every target of ours: lockproof_flags.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(lockproof_flags INTERFACE)
target_compile_features(lockproof_flags INTERFACE cxx_std_20)
target_include_directories(lockproof_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# Coroutines that finish synchronously hand over by tail calls, which an unoptimised build would not make.
target_compile_options(lockproof_flags INTERFACE -foptimize-sibling-calls)
target_compile_options(lockproof_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi -Wold-style-cast -Woverloaded-virtual -Wnon-virtual-dtor>
  # An Event names the fields that it sets; the others have their defaults.
  -Wno-missing-field-initializers
  # In a batch (a unity build) the file with a class's members is not the one that the compiler was called with.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
  # GCC 12 sees overlaps in "text" + std::string that are not there (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${LOCKPROOF_WERROR}>:-Werror>)
# There, char has no sign and a product is rounded with the sum behind it: results would differ from those on amd64.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(lockproof_flags INTERFACE -fsigned-char -ffp-contract=off)
endif()
target_compile_definitions(lockproof_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# lockproof reads what others wrote, and what strange servers answer. Sanitizers have checks of their own.
if(NOT LOCKPROOF_SANITIZE)
  add_compile_options(-fstack-protector-strong
                      $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-D_FORTIFY_SOURCE=2>)
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -Wl,-z,relro -Wl,-z,now")
endif()
if(LOCKPROOF_SANITIZE)
  add_compile_options(-fsanitize=${LOCKPROOF_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKPROOF_SANITIZE})
  # What sanitizers add makes GCC see uninitialised values that are not there, as its manual says.
  target_compile_options(lockproof_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(LOCKPROOF_FUZZ)
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()
