# The library is made of layers, one OBJECT library a folder of src/.
#
#   vyre_layer(NAME [RTTI] SOURCES file… [DEPENDS layer…] [LINKS library…])
#   vyre_backend(NAME SOURCES file… [DEPENDS layer…] [LINKS library…])
#
# DEPENDS names lower layers; LINKS names libraries from outside; RTTI leaves that on.  `vyre_closure(LAYERS OUT)` gives the targets of these layers and of all below them.

# What nearly every file includes is compiled once: half of a file's time went into these.
set(vyre_common_headers <algorithm> <array> <bit> <charconv> <cmath> <functional> <limits> <memory>
  <optional> <string> <unordered_map> <unordered_set> <utility> <variant> <vector> <vyre/program.h>
  <vyre/result.h>)

function(vyre_compile_as_library target)
  target_compile_options(${target} PRIVATE -fno-rtti)
  vyre_compile_as_ours(${target})
endfunction()

function(vyre_compile_as_ours target)
  target_include_directories(${target} PRIVATE
    ${vyre_SOURCE_DIR}/include ${vyre_SOURCE_DIR}/src ${vyre_BINARY_DIR}/generated)
  target_link_libraries(${target} PRIVATE vyre_options)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

add_library(vyre_library_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers.cpp)
vyre_compile_as_library(vyre_library_headers)
target_precompile_headers(vyre_library_headers PRIVATE ${vyre_common_headers})

function(vyre_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "RTTI" "" "SOURCES;DEPENDS;LINKS")
  set(target vyre_${name})
  if(ARG_SOURCES)
    add_library(${target} OBJECT ${ARG_SOURCES})
    if(ARG_RTTI)
      if(NOT TARGET vyre_program_headers)
        add_library(vyre_program_headers OBJECT ${vyre_SOURCE_DIR}/cmake/headers.cpp)
        vyre_compile_as_ours(vyre_program_headers)
        target_precompile_headers(vyre_program_headers PRIVATE ${vyre_common_headers})
      endif()
      vyre_compile_as_ours(${target})
      target_precompile_headers(${target} REUSE_FROM vyre_program_headers)
    else()
      vyre_compile_as_library(${target})
      target_precompile_headers(${target} REUSE_FROM vyre_library_headers)
    endif()
    target_link_libraries(${target} PRIVATE ${ARG_LINKS})
  else()
    add_library(${target} INTERFACE)
  endif()
  vyre_closure("${ARG_DEPENDS}" below)
  set_target_properties(${target} PROPERTIES VYRE_CLOSURE "${target};${below}" VYRE_LINKS "${ARG_LINKS}")
  set_property(GLOBAL APPEND PROPERTY VYRE_LAYERS ${name})
endfunction()

function(vyre_backend name)
  vyre_layer(backend_${name} ${ARGN})
  get_target_property(type vyre_backend_${name} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    set_property(GLOBAL APPEND PROPERTY VYRE_BACKENDS ${name})
  endif()
endfunction()

function(vyre_closure layers out)
  set(targets)
  foreach(layer IN LISTS layers)
    get_target_property(below vyre_${layer} VYRE_CLOSURE)
    list(APPEND targets ${below})
  endforeach()
  list(REMOVE_DUPLICATES targets)
  set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# Adds the object files of layer targets, and the libraries they need, to `consumer`.
function(vyre_add_objects consumer)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      target_sources(${consumer} PRIVATE $<TARGET_OBJECTS:${target}>)
    endif()
    get_target_property(links ${target} VYRE_LINKS)
    if(links)
      target_link_libraries(${consumer} PRIVATE ${links})
    endif()
  endforeach()
endfunction()
