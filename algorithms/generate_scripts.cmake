# Turns the files in SOURCE_DIR with this ENDING into one header of string constants, byte for byte. Usage:
# cmake -D SOURCE_DIR=… -D ENDING=lua -D NAMESPACE=scripts -D OUTPUT=… -P
file(GLOB scripts LIST_DIRECTORIES false ${SOURCE_DIR}/*.${ENDING})
list(SORT scripts)
set(body "")
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "-" "_" identifier ${name})
  file(READ ${script} text)
  string(APPEND body "inline constexpr Script ${identifier}{\"${name}\", R\"${ENDING}(${text})${ENDING}\"};\n")
  string(APPEND all "  ${identifier},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[// Generated from *.@ENDING@ files in algorithms/. Do not edit.
#pragma once

#include "algorithms/port/command.hpp"

namespace lockproof::@NAMESPACE@ {

@body@
inline constexpr Script all[] = {
@all@};

}  // namespace lockproof::@NAMESPACE@
]])
