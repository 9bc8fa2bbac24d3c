# Turns the .lua files in SOURCE_DIR into one header of string constants, byte for byte. Usage: cmake -D SOURCE_DIR=… -D OUTPUT=… -P
file(GLOB scripts LIST_DIRECTORIES false ${SOURCE_DIR}/*.lua)
list(SORT scripts)
set(body "")
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "-" "_" identifier ${name})
  file(READ ${script} text)
  string(APPEND body "inline constexpr Script ${identifier}{\"${name}\", R\"lua(${text})lua\"};\n")
  string(APPEND all "  ${identifier},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[// Generated from algorithms/redis/scripts/*.lua. Do not edit.
#pragma once

#include "algorithms/port/command.hpp"

namespace lockproof::scripts {

@body@
inline constexpr Script all[] = {
@all@};

}  // namespace lockproof::scripts
]])
