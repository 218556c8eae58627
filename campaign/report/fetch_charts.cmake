# Puts the chart library (uPlot, MIT licence) as the report's page needs it into FOLDER: charts.js,
# led by the licence, and charts.css. The lock file in page/ pins version and hash. Without npm,
# or where npm cannot fetch it, both files are empty and reports have tables alone.
# Arguments: PAGE, FOLDER, NPM (may be empty).
cmake_minimum_required(VERSION 3.25)
set(scripts "")
set(style "")
set(reason "npm is missing")
if(NPM)
  file(COPY ${PAGE}/package.json ${PAGE}/package-lock.json DESTINATION ${FOLDER})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                          --fetch-retries=1 --fetch-timeout=30000
                  WORKING_DIRECTORY ${FOLDER} TIMEOUT 120 RESULT_VARIABLE failed
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(reason "npm ci failed: ${output}")
  set(library ${FOLDER}/node_modules/uplot)
  if(failed EQUAL 0 AND EXISTS ${library}/dist/uPlot.iife.min.js)
    file(READ ${library}/LICENSE licence)
    file(READ ${library}/dist/uPlot.iife.min.js scripts)
    file(READ ${library}/dist/uPlot.min.css style)
    set(scripts "/*\n${licence}\n*/\n${scripts}")
    set(reason "")
  endif()
endif()
file(WRITE ${FOLDER}/charts.js "${scripts}")
file(WRITE ${FOLDER}/charts.css "${style}")
if(reason)
  message(WARNING "reports will have tables and no charts (${reason}). To try again, remove "
                  "${FOLDER}/charts.js and build.")
endif()
