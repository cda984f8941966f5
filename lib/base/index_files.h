// The files of an index, which bert-search keeps in a folder (see search/index_folder.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert {

// kIndexPart begins the names of manifests of an unfinished run.
constexpr std::string_view kIndexManifest = "index.jsonl", kIndexLock = "lock", kIndexPart = "part-";

bool is_of_index(std::string_view name);

// Whether a folder with these names is an index, perhaps an unfinished one.
bool is_index(const std::vector<std::string>& names);
// Whether the file is, or would be, in the folder of an index.
bool is_in_index(const std::string& file);

}  // namespace bert
