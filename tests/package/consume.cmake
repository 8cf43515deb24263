# Builds the consumer and runs it: with a library that was installed and then moved, by CMake and by
# pkg-config, or with the library as a subdirectory, taken in by FetchContent, and without the WebGPU
# backend.
set(work ${BUILD}/package/${WAY})
set(consumer ${SOURCE}/tests/package/consumer)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(consume expected)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${consumer} -B ${work}/build
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${ARGN})
  run(${CMAKE_COMMAND} --build ${work}/build)
  run(${work}/build/consumer ${expected})
endfunction()

# The flags of pkg-config, and nothing else, build the consumer.
function(consume_by_pkg_config expected)
  find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
  file(GLOB_RECURSE file ${work}/moved/*/vyre.pc)
  cmake_path(GET file PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  execute_process(COMMAND ${pkg_config} --cflags --libs vyre
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} ${consumer}/main.cpp -o ${work}/plain ${flags} ${sanitized})
  run(${work}/plain ${expected})
endfunction()

set(sanitized)
if(SANITIZE)
  set(sanitized -fsanitize=${SANITIZE})
endif()
if(HAS_WGPU)
  set(expected)
else()
  set(expected absent)
endif()
unset(ENV{VYRE_WGPU_LIBRARY})

if(WAY STREQUAL "installed")
  file(REMOVE_RECURSE ${work})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
  file(RENAME ${work}/prefix ${work}/moved)
  execute_process(COMMAND ${work}/moved/bin/vyre devices
    OUTPUT_VARIABLE devices COMMAND_ERROR_IS_FATAL ANY)
  if(HAS_WGPU AND devices MATCHES "looked at")
    message(FATAL_ERROR "the installed program does not find the WebGPU library: ${devices}")
  endif()
  if(HAS_WGPU AND NOT EXISTS ${work}/moved/share/doc/vyre/LICENSE-WGPU)
    message(FATAL_ERROR "the WebGPU library is installed without its licence")
  endif()
  consume("${expected}" -D CMAKE_PREFIX_PATH=${work}/moved
    "-DCMAKE_EXE_LINKER_FLAGS=${sanitized}")
  consume_by_pkg_config("${expected}")
else()
  set(options -D VYRE_SOURCE=${SOURCE} -D CMAKE_UNITY_BUILD=ON)
  consume("${expected}" ${options} -D VYRE_WGPU=AUTO -D VYRE_FETCH=OFF)
  consume("${expected}" ${options} -D VYRE_WGPU=AUTO -D VYRE_FETCH=ON)
  consume(absent ${options} -D VYRE_WGPU=OFF -D VYRE_FETCH=OFF)
endif()
