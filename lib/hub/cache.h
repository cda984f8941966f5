// The cache of Hugging Face's Python libraries (huggingface.co/docs/huggingface_hub/guides/manage-cache):
//
//   CACHE/models--ORG--NAME/refs/main                  the commit that the branch or tag was at
//   CACHE/models--ORG--NAME/snapshots/COMMIT/FILE      a symbolic link to a blob
//   CACHE/models--ORG--NAME/blobs/ETAG                 the contents, named by SHA-256 or git's SHA-1
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bert::hub {

// A model on the Hub: "ORG/NAME" or "NAME", with "@REVISION" if it is not the branch main.
struct ModelName {
  std::string name, revision = "main";

  // nullopt if `text` cannot be such a name.
  static std::optional<ModelName> parse(std::string_view text);
};

// CACHE: $HF_HUB_CACHE, else $HF_HOME/hub, else ~/.cache/huggingface/hub ($XDG_CACHE_HOME is obeyed). nullopt
// if none of the variables is set, not even HOME.
std::optional<std::string> cache_directory();

// $HF_TOKEN, else the first line of $HF_TOKEN_PATH or of $HF_HOME/token; "" if there is none.
std::string access_token();

// CACHE/models--ORG--NAME. Throws Error if there is no CACHE.
std::string directory_of(const ModelName& model);

// "ORG/NAME" if `directory` is that of a model in a cache, else "".
std::string name_of_snapshot(const std::filesystem::path& directory);

// The directory of the model's files; nullopt if they are not in the cache.
std::optional<std::string> cached_snapshot(const ModelName& model);

}  // namespace bert::hub
