#include "base/download.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/spelling.h"

namespace bert {

void refuse_failed_download(std::string_view path, std::string_view text) {
  if (text.starts_with("version https://git-lfs"))
    throw Error(path, ": is a Git LFS pointer; fetch the file with git lfs pull");
  constexpr std::string_view kPages[] = {"<!doctype html", "<html", "entry not found"};
  const auto begin =
      lower_case(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).substr(0, 16));
  if (std::ranges::any_of(kPages, [&](auto page) { return begin.starts_with(page); }))
    throw Error(path, ": is a page of a web site, not the file; download it again with curl -fL");
}

void refuse_gzip(std::string_view path, std::string_view text) {
  if (text.starts_with("\x1f\x8b"))
    throw Error(path, ": is compressed by gzip; decompress it first, as gzip -dc does");
}

}  // namespace bert
