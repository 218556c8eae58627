# Targets as plugins: one shared object per kernel, per mutant and per test target, loaded at run
# time. Never linked together, because two versions of one template in one link silently become
# one.
#
#   rankle_plugin(NAME name SOURCE file [OUTPUT file-name] [DIRECTORY dir] ...)   any plugin
#   rankle_target(FAMILY family NAME algorithm SOURCE file)                       a clean target
#   rankle_mutants(FAMILY family)      every kernels/mutants/*/*.patch against a target of it
#
# Build targets: rankle_targets (all clean ones, in `all`), rankle_mutants (not in `all`).

# The simulator's flags. The compiler's ThreadSanitizer calls are the simulator's hooks: its runtime
# is not linked, the worker provides the functions. At -O2 neighbouring loads merge; without the
# -mllvm options volatile accesses and the read half of `*p += 1` have no hook. Emulated
# thread-locals are how shared memory reaches the simulator; --wrap keeps libgcc's copy of the
# function from being bound. A tail call would hide the line of a barrier or an atomic behind its
# caller's. The compilation folder is left out of debug information, or every relative path in it
# would begin with the build folder.
set(RANKLE_KERNEL_OPTIONS
    -O1 -g -fsanitize=thread -femulated-tls -fno-vectorize -fno-slp-vectorize -fno-finite-loops
    -fno-exceptions -fdeclspec -fvisibility=hidden -fno-optimize-sibling-calls
    -ffile-compilation-dir=.
    "SHELL:-mllvm -tsan-distinguish-volatile=1"
    "SHELL:-mllvm -tsan-instrument-read-before-write=1"
    "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
if(RANKLE_COVERAGE)
  list(APPEND RANKLE_KERNEL_OPTIONS -fsanitize=fuzzer-no-link -fno-sanitize-coverage=stack-depth)
endif()
set(RANKLE_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/plugin_exports.map)
set(RANKLE_APPLY_MUTANT ${CMAKE_CURRENT_LIST_DIR}/ApplyMutant.cmake)

add_custom_target(rankle_targets ALL)
add_custom_target(rankle_mutants)

# rankle_plugin(NAME <CMake target> SOURCE <file> [OUTPUT <file name without .so>]
#               [DIRECTORY <dir, default RANKLE_TARGET_DIR>]
#               [KERNELS <root to search before the sources>] [DEFINES ...])
# The plugin is in `all` unless its CMake target is excluded from it.
function(rankle_plugin)
  cmake_parse_arguments(P "" "NAME;SOURCE;OUTPUT;DIRECTORY;KERNELS" "DEFINES" ${ARGN})
  if(NOT P_OUTPUT)
    set(P_OUTPUT ${P_NAME})
  endif()
  if(NOT P_DIRECTORY)
    set(P_DIRECTORY ${RANKLE_TARGET_DIR})
  endif()
  add_library(${P_NAME} MODULE ${P_SOURCE})
  set_target_properties(${P_NAME} PROPERTIES
    PREFIX "" SUFFIX ".so" OUTPUT_NAME "${P_OUTPUT}" LIBRARY_OUTPUT_DIRECTORY ${P_DIRECTORY})
  target_link_options(${P_NAME} PRIVATE -Wl,--version-script=${RANKLE_PLUGIN_EXPORTS})
  if(RANKLE_PLATFORM STREQUAL "sim")
    target_include_directories(${P_NAME} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/sim/include)
    target_compile_options(${P_NAME} PRIVATE ${RANKLE_KERNEL_OPTIONS})
    target_compile_definitions(${P_NAME} PRIVATE ${P_DEFINES})
    target_link_options(${P_NAME} PRIVATE -Wl,--wrap=__emutls_get_address)
  else()
    rankle_device_plugin(${P_NAME} ${P_DEFINES})
  endif()
  set_property(TARGET ${P_NAME} APPEND PROPERTY LINK_DEPENDS ${RANKLE_PLUGIN_EXPORTS})
  if(P_KERNELS)
    # Ahead of the sources, so that "kernels/..." is the patched copy everywhere; and named like the
    # original in debug information, so that a report on a mutant reads kernels/...
    target_include_directories(${P_NAME} BEFORE PRIVATE ${P_KERNELS})
    file(RELATIVE_PATH from_build ${PROJECT_BINARY_DIR} ${P_KERNELS})
    set(maps -ffile-prefix-map=${P_KERNELS}/= -ffile-prefix-map=${from_build}/=)
    target_compile_options(${P_NAME} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${maps}>")
  endif()
endfunction()

function(rankle_target)
  cmake_parse_arguments(T "" "FAMILY;NAME;SOURCE" "" ${ARGN})
  set(plugin target_${T_FAMILY}_${T_NAME})
  get_filename_component(source ${T_SOURCE} ABSOLUTE)
  if(NOT RANKLE_PLATFORM STREQUAL "sim")
    set(worlds DEFINES "RANKLE_INSTANTIATE_WORLDS=${RANKLE_DEVICE_WORLDS}")
  endif()
  rankle_plugin(NAME ${plugin} SOURCE ${source} OUTPUT ${T_FAMILY}.${T_NAME} ${worlds})
  add_dependencies(rankle_targets ${plugin})
  # Mutants of this target compile the same file.
  set_property(GLOBAL PROPERTY RANKLE_SOURCE_${T_FAMILY}/${T_NAME} ${source})
endfunction()

# Reads "Field: text" from a patch header into <variable>; stops if it is missing.
function(rankle_patch_field variable patch field)
  file(READ ${patch} text)
  if(NOT "\n${text}" MATCHES "\n${field}: ([^\n]+)")
    message(FATAL_ERROR "${patch}: the header lacks '${field}: ...'")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# "bf16,fp32; worlds 2,4" as the macros of harness/targets/instantiate.h.
function(rankle_instantiates variable patch)
  rankle_patch_field(field ${patch} Instantiates)
  if(NOT field MATCHES "^([a-z0-9]+(,[a-z0-9]+)*) *; *worlds ([2-8](,[2-8])*)$")
    message(FATAL_ERROR
            "${patch}: 'Instantiates: ${field}' is not of the form 'bf16,fp32; worlds 2,4'")
  endif()
  set(dtypes "DType::${CMAKE_MATCH_1}")
  set(worlds "${CMAKE_MATCH_3}")
  string(REPLACE "," ",DType::" dtypes "${dtypes}")
  set(${variable} "RANKLE_INSTANTIATE_DTYPES=${dtypes}" "RANKLE_INSTANTIATE_WORLDS=${worlds}"
      PARENT_SCOPE)
endfunction()

# One mutant: a copy of kernels/ with the patch applied at build time, and the target's own source
# file compiled against that copy.
function(rankle_mutant patch)
  rankle_patch_field(target ${patch} Target)
  rankle_patch_field(class ${patch} Class)
  rankle_patch_field(plants ${patch} Plants)
  if(plants MATCHES "['\"]")
    message(FATAL_ERROR "${patch}: 'Plants: ${plants}' may not hold quotation marks")
  endif()
  rankle_instantiates(instantiates ${patch})
  get_filename_component(name ${patch} NAME_WE)
  get_property(source GLOBAL PROPERTY RANKLE_SOURCE_${target})
  if(NOT source)
    message(FATAL_ERROR "${patch}: 'Target: ${target}' is not a target")
  endif()
  string(REPLACE "/" "." output "${target}@${name}")
  string(REGEX REPLACE "[/@.]" "_" id "${target}@${name}")
  set(root ${PROJECT_BINARY_DIR}/mutants/${id})

  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/kernels/*.h)
  list(TRANSFORM headers PREPEND ${root}/ OUTPUT_VARIABLE patched)
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE originals)
  add_custom_command(
    OUTPUT ${patched}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/kernels -DPATCH=${patch} -DROOT=${root}
            -DPATCH_PROGRAM=${RANKLE_PATCH} -P ${RANKLE_APPLY_MUTANT}
    DEPENDS ${originals} ${patch} ${RANKLE_APPLY_MUTANT}
    COMMENT "Planting ${target}@${name}"
    VERBATIM)
  add_custom_target(mutant_tree_${id} DEPENDS ${patched})

  rankle_plugin(NAME mutant_${id} SOURCE ${source} OUTPUT ${output} KERNELS ${root}
    DEFINES "RANKLE_MUTANT_NAME=\"@${name}\"" "RANKLE_MUTANT_CLASS=\"${class}\""
            "RANKLE_MUTANT_PLANTS=\"${plants}\"" ${instantiates})
  set_target_properties(mutant_${id} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(mutant_${id} mutant_tree_${id})
  add_dependencies(rankle_mutants mutant_${id})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
endfunction()

function(rankle_mutants)
  cmake_parse_arguments(M "" "FAMILY" "" ${ARGN})
  find_program(RANKLE_PATCH patch REQUIRED)
  file(GLOB patches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/mutants/*/*.patch)
  foreach(patch IN LISTS patches)
    rankle_patch_field(target ${patch} Target)
    if(target MATCHES "^${M_FAMILY}/")
      rankle_mutant(${patch})
    endif()
  endforeach()
endfunction()

add_subdirectory(harness/targets)
# The planted bug that proves that the harness sees is always there: campaign/canary.h.
add_dependencies(rankle_targets mutant_allreduce_two_stage_uniform_divergent_barrier)
