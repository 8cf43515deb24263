# How everything of ours is compiled.  `vyre_options` is linked privately by every target of ours
# and never by users of the library.
add_library(vyre_options INTERFACE)
target_compile_features(vyre_options INTERFACE cxx_std_20)
target_compile_options(vyre_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror=switch
  -ffp-contract=off  # each operation of a program is rounded by itself, also where we evaluate it
  # GCC 12 finds such faults in std::string itself once that comes precompiled.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>
  $<$<BOOL:${VYRE_WERROR}>:-Werror>)

# Taken in by a project that names no build type, the library is optimised all the same.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  target_compile_options(vyre_options INTERFACE -O2)
  target_compile_definitions(vyre_options INTERFACE NDEBUG)
endif()

if(VYRE_SANITIZE)
  list(JOIN VYRE_SANITIZE "," sanitizers)
  target_compile_options(vyre_options INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -fno-sanitize=vptr)  # it needs RTTI, which the library has not
  target_link_options(vyre_options INTERFACE -fsanitize=${sanitizers})
endif()

# Release is -O2: speed comes from the kernel files of the CPU machine, which choose their own flags.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
