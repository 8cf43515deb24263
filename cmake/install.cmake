# The library, its headers, the program, the WebGPU library with its licence, and what
# `find_package(vyre)` and pkg-config read.  All of it may be moved afterwards.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vyre)
install(TARGETS vyre EXPORT vyre-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${vyre_SOURCE_DIR}/include/vyre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT vyre-targets NAMESPACE vyre:: DESTINATION ${package_dir})
if(VYRE_CLI)
  install(TARGETS vyre_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(FILES ${vyre_SOURCE_DIR}/LICENSE-APACHE ${vyre_SOURCE_DIR}/LICENSE-MIT
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(run_path)
if(VYRE_WGPU_LIBRARY_FILE)
  install(FILES ${VYRE_WGPU_LIBRARY_FILE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${VYRE_WGPU_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE-WGPU
    OPTIONAL)
  set(run_path "-Wl,-rpath,\${libdir}")
endif()

file(CONFIGURE OUTPUT vyre-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_library(VYRE_SLEEF_LIBRARY sleef)
if(NOT VYRE_SLEEF_LIBRARY)
  set(vyre_FOUND FALSE)
  set(vyre_NOT_FOUND_MESSAGE "vyre needs the library sleef (on Debian: libsleef-dev)")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/vyre-targets.cmake)
]])
write_basic_package_version_file(vyre-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/vyre-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/vyre-config-version.cmake
  DESTINATION ${package_dir})

# Everything is linked statically, so all that the library needs is public here.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE from_here)
file(CONFIGURE OUTPUT vyre.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@from_here@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: vyre
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -std=c++20 -I${includedir}
Libs: -L${libdir} @run_path@ -lvyre -lsleef -ldl -pthread
]])
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vyre.pc DESTINATION ${pkgconfig_dir})
