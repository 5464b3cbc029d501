# Compiles several sources of a folder as one unit, and of src/ those of a module with its rooms: they share headers and
# template instances, which is most of the work of a build from nothing. Sources that define the same name differently go to
# different units, so a name in an unnamed namespace is the business of its own file alone.
#
# Rooms of steppers are apart. Each computes with scalars of its own, so they share few instances, and a unit takes longer than
# its parts when it has many: for every new Eigen expression GCC 12 walks through all names that expressions gave to `double`.
#
#     ricochet_units(target)    after the target has all its sources
#
# A source that takes long by itself is left alone with SKIP_UNITY_BUILD_INCLUSION, and one with a UNITY_GROUP stays there.
set(RICOCHET_UNIT_BYTES 120000)  # of source: about 25 s of processor time

# What `source` defines at the left margin, where clang-format puts the contents of a namespace: functions, types, constants
# and macros as "name@source", aliases as "name@type" (two files may have the same alias).
function(ricochet_definitions source out)
  file(READ ${source} text)
  string(REPLACE "[" "(" text "\n${text}")  # brackets and semicolons have a meaning in lists
  string(REPLACE ";" "" text "${text}")
  string(REGEX MATCHALL "\n([A-Za-z_][A-Za-z0-9_:<>,&* ]*[ *&])?[A-Za-z_][A-Za-z0-9_]* ?[({=]" values "${text}")
  string(REGEX MATCHALL "\n(struct|class|enum class|#define) [A-Za-z0-9_]+" types "${text}")
  string(REGEX MATCHALL " k[A-Z][A-Za-z0-9]* =" constants "${text}")  # also the second of a declaration
  string(REGEX MATCHALL "\nusing [A-Za-z0-9_]+ = [^\n]*" aliases "${text}")
  set(definitions)
  foreach(value IN LISTS values types constants)
    string(REGEX MATCH "([A-Za-z0-9_]+) ?[({=]?$" matched "${value}")
    set(name ${CMAKE_MATCH_1})
    if(NOT value MATCHES "^\n(using|namespace|TEST|TEST_F|TEST_P|INSTANTIATE_TEST_SUITE_P)[ (]")
      list(APPEND definitions "${name}@${source}")
    endif()
  endforeach()
  foreach(alias IN LISTS aliases)
    string(REGEX REPLACE "^\nusing ([A-Za-z0-9_]+) = (.*)" "\\1@\\2" alias "${alias}")
    list(APPEND definitions "${alias}")
  endforeach()
  set(${out} "${definitions}" PARENT_SCOPE)
endfunction()

function(ricochet_units target)
  get_target_property(sources ${target} SOURCES)
  set(count 0)
  foreach(source IN LISTS sources)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(group ${source} UNITY_GROUP)
    if(alone OR group OR NOT source MATCHES "\\.cc$")
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    if(NOT folder MATCHES "^src/steppers/")
      string(REGEX REPLACE "^(src/[^/]+)/.*" "\\1" folder ${folder})  # rooms of a module are together
    endif()
    string(REPLACE "/" "_" folder ${folder})
    file(SIZE ${source} size)
    ricochet_definitions(${source} definitions)

    # The first unit of the folder that has room and no other meaning of a name.
    set(unit 0)
    while(unit LESS count)
      math(EXPR bytes "${bytes_${unit}} + ${size}")
      if(folder STREQUAL folder_${unit} AND NOT bytes GREATER RICOCHET_UNIT_BYTES)
        set(clash FALSE)
        foreach(definition IN LISTS definitions)
          string(REGEX MATCH "^([^@]*)@(.*)" matched "${definition}")
          if(DEFINED meaning_${unit}_${CMAKE_MATCH_1} AND NOT "${meaning_${unit}_${CMAKE_MATCH_1}}" STREQUAL CMAKE_MATCH_2)
            set(clash TRUE)
            break()
          endif()
        endforeach()
        if(NOT clash)
          break()
        endif()
      endif()
      math(EXPR unit "${unit} + 1")
    endwhile()
    if(unit EQUAL count)
      math(EXPR count "${count} + 1")
      set(folder_${unit} ${folder})
      set(bytes ${size})
    endif()
    set(bytes_${unit} ${bytes})
    foreach(definition IN LISTS definitions)
      string(REGEX MATCH "^([^@]*)@(.*)" matched "${definition}")
      set(meaning_${unit}_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that is included for a header, whose types must not use unnamed namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
