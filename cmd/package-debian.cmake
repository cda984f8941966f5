# Completes the tree of the Debian package by what Debian's policy asks for: compressed manual pages, zsh completions
# in the folder for packages, a copyright file and a changelog. Determines the packages that it needs.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/${CPACK_PACKAGE_NAME})
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}

Files: *
Copyright: 2026, the authors of the BERT filters
License: Apache-2.0
 On Debian systems, the text of the licence is in
 /usr/share/common-licenses/Apache-2.0.
")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../man/bert.7 day REGEX "^\\.Dd ")
string(REGEX REPLACE "^\\.Dd " "" day "${day}")
execute_process(COMMAND date -u -R -d "${day}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * The changes of each version are in bert(7).

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB pages ${share}/man/man*/*)
execute_process(COMMAND gzip -9 -n ${pages} ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/usr/share
     FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
     DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# CPack's own way (CPACK_DEBIAN_PACKAGE_SHLIBDEPS) would depend on Open MPI, which only the plug-in needs, and call
# ldconfig for it. dpkg-shlibdeps needs a file debian/control.
set(scratch ${CPACK_TEMPORARY_DIRECTORY}/../shlibdeps)
file(WRITE ${scratch}/debian/control "")
file(GLOB tools ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/*)
foreach(tool ${tools})
  file(RPATH_REMOVE FILE ${tool})
endforeach()
file(GLOB_RECURSE plugins ${CPACK_TEMPORARY_DIRECTORY}/usr/lib/*.so)
list(TRANSFORM plugins PREPEND -e)
execute_process(COMMAND dpkg-shlibdeps -O --ignore-missing-info -dDepends ${tools} -dSuggests ${plugins}
                WORKING_DIRECTORY ${scratch} OUTPUT_VARIABLE found ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${scratch})
string(REGEX MATCH "shlibs:Depends=([^\n]*)" needed "${found}")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
if(found MATCHES "shlibs:Suggests=([^\n]*)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "${CPACK_DEBIAN_PACKAGE_SUGGESTS}, openmpi-bin, ${CMAKE_MATCH_1}")
endif()
