# Language level, warnings and paths that every library of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)

# Binaries people type sit at the root of the build tree: build/sim/rankle.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(RANKLE_TARGET_DIR ${PROJECT_BINARY_DIR}/targets)

# Debug information names sources relative to the repository, so that reports, signatures and
# trace hashes do not change with the folder that the build lies in.
# Warnings are errors with the compiler that we develop with; others see other things, and GCC's
# -Wshadow means parameters of constructors too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(RANKLE_WARNINGS -Wall -Wextra -Wshadow -Werror -ffile-compilation-dir=.)
else()
  set(RANKLE_WARNINGS -Wall -Wextra)
endif()
# Also for a ccache that makes paths relative (base_dir).
file(RELATIVE_PATH RANKLE_SOURCE_FROM_BUILD ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake)
string(REGEX REPLACE "cmake$" "" RANKLE_SOURCE_FROM_BUILD "${RANKLE_SOURCE_FROM_BUILD}")
set(RANKLE_CXX_OPTIONS ${RANKLE_WARNINGS} -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -ffile-prefix-map=${RANKLE_SOURCE_FROM_BUILD}= -fno-omit-frame-pointer)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${RANKLE_CXX_OPTIONS}>")
include_directories(${PROJECT_SOURCE_DIR})

find_program(RANKLE_CCACHE ccache)
if(RANKLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RANKLE_CCACHE})
endif()
find_program(RANKLE_LLD NAMES ld.lld-19)
if(RANKLE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(rapidcheck REQUIRED)

# rankle_test(NAME name SOURCES ... LIBS ... [TIMEOUT s]): one GoogleTest executable, one ctest
# entry.
function(rankle_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  set_target_properties(${T_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${T_NAME} PRIVATE ${T_LIBS} GTest::gmock GTest::gtest GTest::gtest_main)
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT})
endfunction()
