# What a kernel's text depends on, apart from the program and the device: the sources of the stages
# that make it.  Their hash is part of the key of every kernel that is kept on disk, so that no change
# to them meets a text of before.
#
# Included, it sets `vyre_emitter_sources`.  Run as a script with ROOT and OUT, it writes the hash as
# a string literal.
if(CMAKE_SCRIPT_MODE_FILE)
  set(depends)
else()
  set(ROOT ${vyre_SOURCE_DIR})
  set(depends CONFIGURE_DEPENDS)
endif()
file(GLOB vyre_emitter_sources ${depends} RELATIVE ${ROOT}
  ${ROOT}/include/vyre/*.def ${ROOT}/include/vyre/program.h ${ROOT}/include/vyre/type.h
  ${ROOT}/src/ir/*.h ${ROOT}/src/ir/*.cpp ${ROOT}/src/lower/*.h ${ROOT}/src/lower/*.cpp
  ${ROOT}/src/emit/*.h ${ROOT}/src/emit/*.cpp ${ROOT}/src/backend/wgpu/*.h
  ${ROOT}/src/backend/wgpu/*.cpp ${ROOT}/src/runtime/compiled.* ${ROOT}/src/runtime/saved_variant.*)
list(SORT vyre_emitter_sources)

if(CMAKE_SCRIPT_MODE_FILE)
  set(hashes)
  foreach(source IN LISTS vyre_emitter_sources)
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND hashes "${source} ${hash}\n")
  endforeach()
  string(SHA256 hash "${hashes}")
  file(WRITE ${OUT} "\"${hash}\"\n")
endif()
