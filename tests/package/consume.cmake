# Builds the consumer with an installed library, or with the library as a subdirectory and without
# the WebGPU backend, and runs it.
set(work ${BUILD}/package/${WAY})
file(REMOVE_RECURSE ${work}/prefix)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(WAY STREQUAL "installed")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
  set(options -D CMAKE_PREFIX_PATH=${work}/prefix)
  run(${work}/prefix/bin/vyre --version)
else()
  set(options -D VYRE_SOURCE=${SOURCE} -D VYRE_WGPU=OFF -D CMAKE_UNITY_BUILD=ON)
endif()

if(SANITIZE AND WAY STREQUAL "installed")
  list(APPEND options -D CMAKE_EXE_LINKER_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/tests/package/consumer -B ${work}/build
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${options})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
