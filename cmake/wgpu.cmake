# The WebGPU headers, which `./dev setup` unpacks.  The library beside them is loaded at run time,
# by its name: a link to it is laid beside our programs, where the WebGPU backend looks first, and
# what others link with vyre has the library's folder in its run path.
#
# Sets VYRE_HAS_WGPU, and VYRE_WGPU_LIBRARY_FILE if the library is here; the target
# `vyre_wgpu_headers` carries the include path.
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
    message(WARNING "The WebGPU backend is left out, so vyre runs on the CPU alone: "
      "${VYRE_WGPU_DIR} has no webgpu.h; run ./dev setup in ${vyre_SOURCE_DIR} to get it, or say "
      "VYRE_WGPU=OFF")
  endif()
endif()

set(VYRE_WGPU_LIBRARY_FILE)
if(VYRE_HAS_WGPU AND EXISTS ${VYRE_WGPU_DIR}/libwgpu_native-release.so)
  set(VYRE_WGPU_LIBRARY_FILE ${VYRE_WGPU_DIR}/libwgpu_native-release.so)
  if(PROJECT_IS_TOP_LEVEL)
    file(CREATE_LINK ${VYRE_WGPU_LIBRARY_FILE}
      ${vyre_BINARY_DIR}/libwgpu_native-release.so SYMBOLIC)
  endif()
endif()
