# Writes generated/ricochet_version.h with version and commit; touched only when the commit changes.
add_custom_target(ricochet_version
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DVERSION=${PROJECT_VERSION}
    -DOUTPUT=${PROJECT_BINARY_DIR}/generated/ricochet_version.h
    -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/ricochet_version.h
  COMMENT "")
