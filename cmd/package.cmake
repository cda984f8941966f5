# Packages, made in the build directory: `cpack -G DEB` makes a Debian package of the tools and all that is installed
# with them, `cpack -G TGZ` an archive of the sources, and the target bundle an archive that runs without installation.
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_CONTACT "BERT filters <bert@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tokens, vectors and predictions from text by BERT, as Unix filters")
set(CPACK_PACKAGE_DESCRIPTION
    "Command-line tools around BERT (Devlin et al. 2018) that read text or JSONL and
write JSONL: tokenize, embed, classify, tag, answer questions, pre-train and
fine-tune models on the CPU. A small English model is included; models in the
formats of Hugging Face and Google are read as well.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "curl, gnuplot-nox, jq, make, parallel")

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package-generators.cmake)
set(BERT_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

cmake_path(GET BERT_MPI_PLUGIN PARENT_PATH libraries)
add_custom_target(bundle
  sh ${PROJECT_SOURCE_DIR}/cmd/bundle.sh ${PROJECT_BINARY_DIR} ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR} ${libraries}
  USES_TERMINAL VERBATIM)
get_property(tools GLOBAL PROPERTY BERT_TOOLS)
add_dependencies(bundle ${tools} man completions)
