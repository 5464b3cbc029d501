# Builds the report page again and compares it with web/dist/report.html. Without Node, or without `npm ci` in web/, it is
# skipped; unit.ReportPage.* still compares the hash of the sources.
find_program(NODE node)
if(NOT NODE OR NOT EXISTS ${WEB_DIR}/node_modules/vite)
  message("skipped: Node or web/node_modules (npm install) is not there")
  return()
endif()
execute_process(COMMAND ${NODE} node_modules/typescript/bin/tsc --noEmit WORKING_DIRECTORY ${WEB_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NODE} node_modules/vite/bin/vite.js build --logLevel error --outDir ${WORK_DIR} --emptyOutDir
  WORKING_DIRECTORY ${WEB_DIR} COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 ${WORK_DIR}/report.html BUILT)
file(SHA256 ${WEB_DIR}/dist/report.html COMMITTED)
if(NOT BUILT STREQUAL COMMITTED)
  message(FATAL_ERROR "web/dist/report.html is not what web/ builds: run `npm ci && npm run build` in web/ and commit it")
endif()
