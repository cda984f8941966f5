# The files of the top level, for the archive of the sources; see package-generators.cmake.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH sources)
foreach(file .clang-format .clang-tidy .editorconfig .gitignore CHANGELOG.md CMakeLists.txt CMakePresets.json
    CONTRIBUTING.md LICENSE README.md)
  file(COPY ${sources}/${file} DESTINATION ${CMAKE_INSTALL_PREFIX})
endforeach()
