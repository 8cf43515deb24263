# The library, its headers, the program, and what `find_package(vyre)` reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vyre)
install(TARGETS vyre EXPORT vyre-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${vyre_SOURCE_DIR}/include/vyre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT vyre-targets NAMESPACE vyre:: DESTINATION ${package_dir})
if(VYRE_CLI)
  install(TARGETS vyre_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

file(CONFIGURE OUTPUT vyre-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/vyre-targets.cmake)
]])
write_basic_package_version_file(vyre-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/vyre-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/vyre-config-version.cmake
  DESTINATION ${package_dir})
