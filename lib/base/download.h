// What the files of a model are found to be after a download that went wrong.
#pragma once

#include <string_view>

namespace bert {

// Throws Error if the text of the file `path` is a Git LFS pointer, or what a web server sent instead of the
// file, which curl saves without -f.
void refuse_failed_download(std::string_view path, std::string_view text);

// The same for a text file that is compressed by gzip.
void refuse_gzip(std::string_view path, std::string_view text);

}  // namespace bert
