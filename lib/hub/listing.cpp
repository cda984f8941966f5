#include "hub/listing.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/model_files.h"
#include "json/json.h"

namespace bert::hub {
namespace {

bool is_hexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Whether every part of the path is a name that stays below the directory.
bool is_inside(std::string_view path) {
  if (path.find_first_of("\\") != path.npos) return false;
  if (std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return false;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

RemoteFile parse_file(const json::Value& value, const std::string& name) {
  RemoteFile file;
  file.path = value.member("rfilename").string();
  if (!is_inside(file.path))
    throw Error(name, ": has a file ", json::in_quotes(file.path), ", which is not a name in its directory");
  const auto lfs = value.find("lfs");
  file.large = lfs && !lfs->is_null();
  file.size = (file.large ? *lfs : value).member("size").integer();
  file.etag = file.large ? lfs->member("sha256").string() : value.member("blobId").string();
  if (!is_hexadecimal(file.etag) || file.etag.size() != (file.large ? 64 : 40) || file.size < 0)
    throw Error(name, ": ", file.path, " has no checksum");
  return file;
}

// "1_Pooling/" of "1_Pooling/config.json", the folder of a module of sentence-transformers; "" at the top.
// nullopt for other folders, which have other forms of the model ("onnx/").
std::optional<std::string_view> module_of(std::string_view path) {
  const size_t slash = path.find('/');
  if (slash == path.npos) return "";
  const auto folder = path.substr(0, slash + 1);
  const size_t digits = folder.find_first_not_of("0123456789");
  const bool is_module = digits > 0 && folder[digits] == '_' && path.find('/', slash + 1) == path.npos;
  return is_module ? std::optional(folder) : std::nullopt;
}

bool is_text(std::string_view name) {
  return is_tokenizer_file(name) || is_settings_file(name) || name == "README.md" ||
         name.starts_with("LICENSE");
}

// "model.safetensors", its parts "model-00001-of-00002.safetensors" and their index.
bool is_weights(std::string_view name, std::string_view stem, std::string_view suffix) {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  return name == suffix || name == std::string(suffix) + ".index.json" ||
         (name.starts_with("-") && name.ends_with(suffix) && name.find("-of-") != name.npos);
}

bool is_safetensors(std::string_view name) { return is_weights(name, "model", ".safetensors"); }
bool is_pytorch(std::string_view name) { return is_weights(name, "pytorch_model", ".bin"); }

}  // namespace

Listing parse_listing(std::string_view text, const std::string& name) {
  try {
    json::Document document;
    const auto root = document.parse(text);
    Listing listing;
    listing.commit = root.member("sha").string();
    if (!is_hexadecimal(listing.commit)) throw Error("sha is not a commit");
    for (const auto& file : root.member("siblings").elements())
      listing.files.push_back(parse_file(file, name));
    return listing;
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.starts_with(name + ":") ? what : name + ": unexpected answer of the Hub: " + what);
  }
}

std::vector<RemoteFile> needed_files(const Listing& listing, const std::string& name) {
  const auto name_in = [](const RemoteFile& file, std::string_view folder) {
    return std::string_view(file.path).substr(folder.size());
  };
  std::vector<RemoteFile> needed;
  bool has_config = false, has_weights = false;
  for (const auto& file : listing.files) {
    const auto folder = module_of(file.path);
    if (!folder) continue;
    const auto own = name_in(file, *folder);
    const bool safe = std::ranges::any_of(listing.files, [&](const RemoteFile& other) {
      return module_of(other.path) == folder && is_safetensors(name_in(other, *folder));
    });
    const bool weights = safe ? is_safetensors(own) : is_pytorch(own);
    has_config |= own == "config.json" || own == "modules.json";
    has_weights |= weights;
    if (weights || is_text(own)) needed.push_back(file);
  }
  if (!has_config) throw Error(name, ": has no config.json, so it is no model that the tools read");
  if (!has_weights) throw Error(name, ": has no weights in safetensors or PyTorch's format");
  return needed;
}

}  // namespace bert::hub
