# Makes the source tree of one mutant: copies kernels/ (SOURCE) to ROOT/kernels and applies PATCH to
# the copy. No fuzz: a patch that does not fit exactly fails, because a bug planted elsewhere is
# another bug.
file(REMOVE_RECURSE ${ROOT})
file(COPY ${SOURCE} DESTINATION ${ROOT} FILES_MATCHING PATTERN "*.h" PATTERN mutants EXCLUDE)
execute_process(
  COMMAND ${PATCH_PROGRAM} --strip=1 --fuzz=0 --batch --silent --no-backup-if-mismatch
          --reject-file=- --directory=${ROOT} --input=${PATCH}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  file(REMOVE_RECURSE ${ROOT})  # never leave a clean tree under a mutant's name
  message(FATAL_ERROR "${PATCH} does not apply to ${SOURCE}: rebase the mutant")
endif()

# Copies keep the time stamps of their originals; outputs must be newer than inputs.
file(GLOB_RECURSE headers ${ROOT}/kernels/*.h)
file(TOUCH ${headers})
