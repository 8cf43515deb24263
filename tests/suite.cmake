# The suites: an executable each, linked with the whole library and the helpers of support/.

# vyre_suite(NAME SOURCES file…): the executable `vyre_<NAME>`
function(vyre_suite name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES")
  add_executable(vyre_${name} ${ARG_SOURCES})
  target_precompile_headers(vyre_${name} REUSE_FROM vyre_test_headers)
  target_link_libraries(vyre_${name} PRIVATE vyre_test_support GTest::gtest_main)
endfunction()

# vyre_suite_test(SUITE PART FILTER [LABEL]): the test <SUITE>.<PART> of it, what a GoogleTest
# filter selects.  The label is the suite's name if none is given.
function(vyre_suite_test suite part filter)
  set(label ${suite})
  if(ARGC GREATER 3)
    set(label ${ARGV3})
  endif()
  add_test(NAME ${suite}.${part} COMMAND vyre_${suite} --gtest_brief=1 --gtest_filter=${filter})
  set_tests_properties(${suite}.${part} PROPERTIES LABELS ${label})
  if(VYRE_SANITIZE)  # a tenth of the random programs, at many times the price of each
    set_tests_properties(${suite}.${part} PROPERTIES ENVIRONMENT "VYRE_FUZZ_PERCENT=10")
  endif()
endfunction()

add_subdirectory(support)
add_subdirectory(conformance)
add_subdirectory(dispatch)
add_subdirectory(faults)
add_subdirectory(fuzz)
add_subdirectory(memory)
