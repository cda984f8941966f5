#include "text/version.h"

#include <unicode/uchar.h>
#include <unicode/uversion.h>

namespace bert::text {
namespace {

std::string dotted(const UVersionInfo version) {
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return text;
}

}  // namespace

std::string version() {
  UVersionInfo icu, unicode;
  u_getVersion(icu);
  u_getUnicodeVersion(unicode);
  return "ICU " + dotted(icu) + ", Unicode " + dotted(unicode);
}

}  // namespace bert::text
