# Installs the build to a folder of its own, then configures, builds and runs a stranger's project and the example programs
# against it.
foreach(step
    "${CMAKE_COMMAND};--install;${BUILD_DIR};--prefix;${WORK_DIR}/prefix"
    "${CMAKE_COMMAND};-S;${SOURCE_DIR}/tests/package/consumer;-B;${WORK_DIR}/build;-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix;-DEXAMPLES_DIR=${SOURCE_DIR}/examples/cpp"
    "${CMAKE_COMMAND};--build;${WORK_DIR}/build"
    "${WORK_DIR}/build/stranger;${SOURCE_DIR}/examples/ellipse_throw.yaml"
    "${WORK_DIR}/prefix/bin/ricochet;--version")
  execute_process(COMMAND ${step} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${step} failed:\n${output}")
  endif()
endforeach()

file(GLOB examples ${SOURCE_DIR}/examples/cpp/*.cc)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  set(SOURCE ${source})
  set(PROGRAM ${WORK_DIR}/build/${name})
  include(${SOURCE_DIR}/tests/examples/check.cmake)
endforeach()
