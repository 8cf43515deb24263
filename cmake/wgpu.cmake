# The WebGPU headers, which `./dev setup` unpacks.  The library beside them is loaded at run time:
# a link to it is laid beside the programs, where the WebGPU backend looks first.
#
# Sets VYRE_HAS_WGPU; the target `vyre_wgpu_headers` carries the include path.
set(VYRE_WGPU_DIR ${vyre_SOURCE_DIR}/build/wgpu CACHE PATH
  "The folder of webgpu.h, wgpu.h and libwgpu_native-release.so")

set(VYRE_HAS_WGPU OFF)
if(NOT VYRE_WGPU STREQUAL "OFF")
  if(EXISTS ${VYRE_WGPU_DIR}/webgpu.h AND EXISTS ${VYRE_WGPU_DIR}/wgpu.h)
    set(VYRE_HAS_WGPU ON)
    add_library(vyre_wgpu_headers INTERFACE)
    target_include_directories(vyre_wgpu_headers SYSTEM INTERFACE $<BUILD_INTERFACE:${VYRE_WGPU_DIR}>)
  elseif(VYRE_WGPU STREQUAL "ON")
    message(FATAL_ERROR "VYRE_WGPU is ON, but ${VYRE_WGPU_DIR} has no webgpu.h; run ./dev setup")
  else()
    message(STATUS "The WebGPU backend is left out: ${VYRE_WGPU_DIR} has no webgpu.h; "
      "run ./dev setup to get it")
  endif()
endif()

set(wgpu_library ${VYRE_WGPU_DIR}/libwgpu_native-release.so)
if(VYRE_HAS_WGPU AND PROJECT_IS_TOP_LEVEL AND EXISTS ${wgpu_library})
  file(CREATE_LINK ${wgpu_library} ${vyre_BINARY_DIR}/libwgpu_native-release.so SYMBOLIC)
endif()
