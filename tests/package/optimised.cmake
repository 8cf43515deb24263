# Configures the consumer with the library as a subdirectory, once without a build type and once for
# debugging, and looks at how the library would be compiled.
set(work ${BUILD}/package/optimised)
file(REMOVE_RECURSE ${work})

function(count_flag type expected)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/tests/package/consumer
    -B ${work}/${type} -D CMAKE_CXX_COMPILER=${COMPILER} -D VYRE_SOURCE=${SOURCE} -D VYRE_WGPU=OFF
    -D CMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${work}/${type}/compile_commands.json commands REGEX "\"command\".* ${SOURCE}/src/")
  list(LENGTH commands all)
  list(FILTER commands INCLUDE REGEX " -O2 ")
  list(LENGTH commands optimised)
  if(all LESS 100)
    message(FATAL_ERROR "only ${all} files of the library are compiled")
  endif()
  if(expected AND NOT optimised EQUAL all)
    message(FATAL_ERROR "${type}: only ${optimised} of ${all} files are optimised")
  elseif(NOT expected AND optimised GREATER all/4)
    message(FATAL_ERROR "${type}: ${optimised} of ${all} files are optimised")
  endif()
endfunction()

count_flag(none TRUE)
count_flag(debug FALSE -D CMAKE_BUILD_TYPE=Debug)
