# Compiling for real devices: HIP's clang for AMD, nvcc for NVIDIA. Included by CMakeLists.txt when
# RANKLE_PLATFORM is amd or nvidia.
#
#   rankle_device                     interface library: the provider of <hip/hip_runtime.h>
#   rankle_device_sources(target files...)   compiles those named *.hip.cpp for the device
#   rankle_device_plugin(target definitions...)   a plugin, all of whose sources have kernels
#
# RANKLE_DEVICES: gfx90a;gfx942 (AMD), 90-real (NVIDIA).

add_library(rankle_device INTERFACE)

# Every combination of type and world is a kernel of its own, and real device compilers are slow.
set(RANKLE_DEVICE_WORLDS 2,4,8 CACHE STRING "Worlds that clean targets are compiled for")

# All ranks of a run may share a device and wait for each other there, so the harness has to know
# how many threads are resident at once (harness/gpu/devices.h).
set(RANKLE_REGISTERS_MAX 64)

if(RANKLE_PLATFORM STREQUAL "nvidia")
  set(RANKLE_DEVICES 90-real
      CACHE STRING "Compute capabilities, as CMAKE_CUDA_ARCHITECTURES has them")
  set(CMAKE_CUDA_ARCHITECTURES ${RANKLE_DEVICES})
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  set(CMAKE_CUDA_VISIBILITY_PRESET default)
  if(RANKLE_CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${RANKLE_CCACHE})
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know that compilers which came after it take this.
  foreach(kind STANDARD EXTENSION)
    if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
      set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
    endif()
  endforeach()
  find_package(CUDAToolkit REQUIRED)
  target_include_directories(rankle_device INTERFACE ${PROJECT_SOURCE_DIR}/nvidia/include)
  # The host's compiler does not look there by itself.
  target_include_directories(rankle_device SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(rankle_device INTERFACE CUDA::cudart)
else()
  set(RANKLE_DEVICES gfx90a gfx942 CACHE STRING "AMD devices to compile for")
  set(RANKLE_ROCM /usr CACHE PATH "Where HIP is installed")
  find_library(RANKLE_AMDHIP NAMES amdhip64 HINTS ${RANKLE_ROCM}/lib REQUIRED)
  target_compile_definitions(rankle_device INTERFACE __HIP_PLATFORM_AMD__)
  target_include_directories(rankle_device INTERFACE ${PROJECT_SOURCE_DIR}/amd/include)
  if(NOT RANKLE_ROCM STREQUAL "/usr")  # which is searched anyway, and must be searched last
    target_include_directories(rankle_device SYSTEM INTERFACE ${RANKLE_ROCM}/include)
  endif()
  target_link_libraries(rankle_device INTERFACE ${RANKLE_AMDHIP})
  include(RankleAmdCompiler)
endif()

# Options of one device source. Set on files, since other files of the target are the host's.
function(rankle_device_options files)
  if(RANKLE_PLATFORM STREQUAL "nvidia")
    set_source_files_properties(${files} PROPERTIES LANGUAGE CUDA)
  else()
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${RANKLE_AMD_OPTIONS}")
  endif()
endfunction()

function(rankle_device_sources target)
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "\\.hip\\.cpp$")
  rankle_device_options("${files}")
endfunction()

# Definitions come in a header, because nvcc splits those of its command line at commas.
function(rankle_device_plugin target)
  get_target_property(files ${target} SOURCES)
  rankle_device_options("${files}")
  target_link_libraries(${target} PRIVATE rankle_device)
  set(definitions "// Generated for ${target}.\n")
  foreach(definition IN LISTS ARGN)
    string(REGEX REPLACE "^([A-Z_]+)=" "#define \\1 " line "${definition}")
    string(APPEND definitions "${line}\n")
  endforeach()
  set(header ${PROJECT_BINARY_DIR}/definitions/${target}.h)
  file(CONFIGURE OUTPUT ${header} CONTENT "${definitions}" @ONLY)
  target_compile_options(${target} PRIVATE -O3 "SHELL:-include ${header}")
  if(RANKLE_PLATFORM STREQUAL "nvidia")
    target_compile_options(${target} PRIVATE -Xcompiler=-fvisibility=hidden
                           --maxrregcount=${RANKLE_REGISTERS_MAX})
  else()
    target_compile_options(${target} PRIVATE -fvisibility=hidden)
  endif()
endfunction()
