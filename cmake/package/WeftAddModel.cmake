# weft_add_model(TARGET MODEL [ENTRY NAME] [WEIGHTS PATH] [CONFIG FILE] [FLAGS flags...])
#
# Compiles MODEL, a .weft text or a folder with a config.json, to a static library. Who links to TARGET can include
# "TARGET.h", whose functions begin with TARGET_, and has the runtime. WEIGHTS (a checkpoint), CONFIG and FLAGS are flags
# of weftc; relative paths, but for those in FLAGS, are of the current source folder. When any file that weftc read
# changes, the model is compiled again.
#
# The weights, if there are any, are in the file that the property WEFT_WEIGHTS of the target names, and the macro
# TARGET_WEIGHTS (in capitals) in what links to it.
function(weft_add_model target model)
  cmake_parse_arguments(ARG "" "ENTRY;WEIGHTS;CONFIG" "FLAGS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weft_add_model(${target}): unknown or incomplete: "
      "${ARG_UNPARSED_ARGUMENTS} ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET Weft::weftc)
    message(FATAL_ERROR "weft_add_model(${target}): weftc is not installed beside Weft's CMake package")
  endif()
  get_filename_component(model "${model}" ABSOLUTE)
  if(NOT EXISTS "${model}")
    message(FATAL_ERROR "weft_add_model(${target}): there is no ${model}")
  endif()
  set(flags ${ARG_FLAGS})
  if(ARG_ENTRY)
    list(APPEND flags --entry=${ARG_ENTRY})
  endif()
  foreach(file WEIGHTS CONFIG)
    if(ARG_${file})
      get_filename_component(path "${ARG_${file}}" ABSOLUTE)
      string(TOLOWER ${file} flag)
      list(APPEND flags --${flag}=${path})
    endif()
  endforeach()

  # A folder of its own, so that its header is found by its name and no other is.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.model)
  file(MAKE_DIRECTORY ${folder})
  set(object ${folder}/${target}.o)
  add_custom_command(OUTPUT ${object} ${folder}/${target}.h
    COMMAND Weft::weftc ${model} ${flags} -o ${object} -MD -MF ${folder}/${target}.d
    DEPENDS Weft::weftc DEPFILE ${folder}/${target}.d
    COMMENT "Compiling the model ${target}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC ${object} ${folder}/${target}.h)

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(language CXX)
  if("C" IN_LIST languages)
    set(language C)
  endif()
  set(weights ${folder}/${target}.weights)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language} WEFT_WEIGHTS ${weights}
    ADDITIONAL_CLEAN_FILES ${weights})
  set(runtime Weft::runtime)
  if("--target=nvptx" IN_LIST flags)
    set(runtime Weft::cuda)
  endif()
  target_link_libraries(${target} PUBLIC ${runtime})
  target_include_directories(${target} INTERFACE ${folder})
  string(MAKE_C_IDENTIFIER ${target} macro)
  string(TOUPPER ${macro} macro)
  target_compile_definitions(${target} INTERFACE ${macro}_WEIGHTS="${weights}")
endfunction()
