#include "base/index_files.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/output_file.h"

namespace bert {

bool is_of_index(std::string_view name) {
  return name == kIndexManifest || name == kIndexLock || name.starts_with(kIndexPart) ||
         name.starts_with("vectors-") || name.starts_with("records-") || is_temporary_name(name);
}

bool is_index(const std::vector<std::string>& names) {
  const auto is_manifest = [](const std::string& name) {
    return name == kIndexManifest || name.starts_with(kIndexPart);
  };
  return std::ranges::all_of(names, is_of_index) && std::ranges::any_of(names, is_manifest) &&
         std::ranges::find(names, kIndexLock) != names.end();
}

bool is_in_index(const std::string& file) {
  if (file.empty()) return false;
  const auto folder = std::filesystem::absolute(file).parent_path().string();
  return is_directory(folder) && is_index(names_in_directory(folder));
}

}  // namespace bert
