# Options with which clang compiles HIP, and what this installation lacks. Sets RANKLE_AMD_OPTIONS.
#
# Debian's device library stops short of gfx942, whose instruction set is that of gfx940; and each
# clang knows the devices of its time only: gfx950 needs a later one than Debian's.
find_path(RANKLE_AMD_BITCODE oclc_isa_version_90a.bc REQUIRED
  HINTS ${RANKLE_ROCM}/amdgcn/bitcode
  PATHS /usr/lib/x86_64-linux-gnu/amdgcn/bitcode
  DOC "AMD's device library")

set(RANKLE_AMD_LIBRARY ${PROJECT_BINARY_DIR}/amdgcn)
file(MAKE_DIRECTORY ${RANKLE_AMD_LIBRARY})
file(GLOB bitcodes ${RANKLE_AMD_BITCODE}/*.bc)
foreach(bitcode IN LISTS bitcodes)
  get_filename_component(name ${bitcode} NAME)
  file(CREATE_LINK ${bitcode} ${RANKLE_AMD_LIBRARY}/${name} SYMBOLIC)
endforeach()
if(NOT EXISTS ${RANKLE_AMD_BITCODE}/oclc_isa_version_942.bc)
  file(CREATE_LINK ${RANKLE_AMD_BITCODE}/oclc_isa_version_940.bc
       ${RANKLE_AMD_LIBRARY}/oclc_isa_version_942.bc SYMBOLIC)
endif()

set(RANKLE_AMD_OPTIONS -x hip --rocm-path=${RANKLE_ROCM}
    --rocm-device-lib-path=${RANKLE_AMD_LIBRARY} -mcode-object-version=4
    -Wno-unused-command-line-argument -Wno-pass-failed)
foreach(device IN LISTS RANKLE_DEVICES)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -x hip --offload-arch=${device} --cuda-device-only -nogpulib
            -nogpuinc -E -o /dev/null /dev/null
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR
            "RANKLE_DEVICES: ${CMAKE_CXX_COMPILER} does not know ${device}; take it out of the "
            "list or give a ROCm compiler that does (CMAKE_CXX_COMPILER)")
  endif()
  list(APPEND RANKLE_AMD_OPTIONS --offload-arch=${device})
endforeach()
