# `cmake --install`: the program, its workers and targets where cli/installed_files.h looks for
# them, the corpus, the kernels' sources (for explanations), documents, licence and completion.
# Nothing in it knows its prefix, so an installation may be moved.
install(TARGETS rankle RUNTIME DESTINATION bin)
foreach(platform IN ITEMS sim amd nvidia)
  if(TARGET rankle-worker-${platform})
    install(TARGETS rankle-worker-${platform} RUNTIME DESTINATION lib/rankle)
  endif()
endforeach()

# All clean targets, and the planted bug that proves that the harness sees.
get_target_property(plugins rankle_targets MANUALLY_ADDED_DEPENDENCIES)
if(NOT plugins)
  set(plugins "")
endif()
foreach(plugin IN LISTS plugins)
  install(FILES $<TARGET_FILE:${plugin}> DESTINATION lib/rankle/targets)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/corpus DESTINATION share/rankle)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels DESTINATION share/rankle
        FILES_MATCHING PATTERN "*.h" PATTERN mutants EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
        DESTINATION share/doc/rankle USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION share/doc/rankle)

set(completion ${PROJECT_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${completion})
add_custom_command(
  OUTPUT ${completion}/rankle ${completion}/_rankle
  COMMAND rankle completion bash > ${completion}/rankle
  COMMAND rankle completion zsh > ${completion}/_rankle
  DEPENDS rankle
  COMMENT "Writing completion for shells"
  VERBATIM)
add_custom_target(rankle_completion ALL DEPENDS ${completion}/rankle ${completion}/_rankle)
install(FILES ${completion}/rankle DESTINATION share/bash-completion/completions)
install(FILES ${completion}/_rankle DESTINATION share/zsh/site-functions)
