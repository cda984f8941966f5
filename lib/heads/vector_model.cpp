#include "heads/vector_model.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/checksum.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "hub/cache.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::heads {
namespace {

constexpr std::string_view kArray = "array", kWidth = "width";
constexpr std::string_view kNormalize = "+normalize";  // after the pooling
constexpr size_t kEnds = 64 << 10;                     // bytes at the beginning and at the end of an array

bool is_fingerprint(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

constexpr std::string_view kOf = "of ";

// A name, as a JSON string if it has a character that ends one.
std::string shown_field(const std::string& name) {
  if (!name.empty() && name.find_first_of(" ,\"") == name.npos) return name;
  std::string text;
  json::append_string(text, name);
  return text;
}

// The end of the JSON string that `text` begins with.
size_t end_of_string(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// "" if the field is missing or is no string.
std::string string_in(const io::Fields& fields, std::string_view name) {
  const auto value = fields.json(name);
  return value && value->kind() == json::Value::Kind::string ? std::string(value->string()) : "";
}

// The names after "of ", which `rest` begins with, and the space after them; it then begins with the prompt.
// nullopt if one cannot be read.
std::optional<std::vector<std::string>> take_fields(std::string_view& rest) {
  std::vector<std::string> fields;
  if (!rest.starts_with(kOf)) return fields;
  rest.remove_prefix(kOf.size() - 1);
  do {
    rest.remove_prefix(1);
    const bool is_string = rest.starts_with('"');
    const size_t end = is_string ? end_of_string(rest) : std::min(rest.find_first_of(" ,"), rest.size());
    const auto name = rest.substr(0, end);
    rest.remove_prefix(end);
    try {
      fields.push_back(is_string ? std::string(json::Document().parse(name).string()) : std::string(name));
    } catch (const Error&) {
      return std::nullopt;
    }
  } while (rest.starts_with(','));
  rest.remove_prefix(std::min<size_t>(1, rest.size()));
  return fields;
}

bool exists(const std::string& path) { return kind_of(path) != FileKind::absent; }

std::string checksum_of(const std::string& array) {
  const MappedFile file(array);
  const auto size = file.bytes().size(), part = std::min(size, kEnds);
  std::vector<std::byte> bytes(part);
  Checksum checksum;
  for (const size_t begin : {size_t{0}, size - part}) {
    file.read(begin, bytes);
    checksum.add(bytes);
  }
  return std::to_string(size) + "-" + hexadecimal(checksum.value());
}

// A member of a sidecar; nullopt if the file is not a sidecar.
std::optional<std::string> member_of(const std::string& path, std::string_view name) {
  try {
    return json::File(path).string(name);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<int64_t> width_of(const std::string& path) {
  const json::File file(path);
  return file.find(kWidth) ? std::optional(file.integer(kWidth)) : std::nullopt;
}

}  // namespace

std::string VectorModel::text() const {
  std::string text = name + ' ' + fingerprint + ' ' + pooling;
  if (normalized) text += kNormalize;
  text += ' ' + std::to_string(max_length);
  for (const auto& field : fields)
    text += (&field == &fields.front() ? ' ' + std::string(kOf) : ",") + shown_field(field);
  return prompt.empty() ? text : text + ' ' + prompt;
}

std::optional<VectorModel> VectorModel::parse(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (auto& part : parts) {
    const size_t end = std::min(text.find(' '), text.size());
    part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  auto fields = take_fields(text);
  const bool normalized = parts[2].ends_with(kNormalize);
  if (normalized) parts[2].remove_suffix(kNormalize.size());
  VectorModel model = {.name = std::string(parts[0]),
                       .fingerprint = std::string(parts[1]),
                       .pooling = std::string(parts[2]),
                       .normalized = normalized,
                       .prompt = std::string(text)};
  const auto [end, failure] =
      std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), model.max_length);
  if (!fields || !is_fingerprint(parts[1]) || failure != std::errc() ||
      end != parts[3].data() + parts[3].size())
    return std::nullopt;
  model.fields = *std::move(fields);
  return model;
}

std::vector<std::string> fields_of(std::string_view vector_model) {
  if (vector_model.find(kOf) == vector_model.npos) return {};
  auto model = VectorModel::parse(vector_model);
  return model ? std::move(model->fields) : std::vector<std::string>();
}

std::string name_of_model(const std::string& directory) {
  std::error_code failure;
  auto path = std::filesystem::canonical(directory, failure);
  if (failure) path = directory;
  auto name = hub::name_of_snapshot(path);
  if (name.empty()) name = path.filename().string();
  const bool utf8 = json::is_utf8(name);
  const auto is_bad = [&](char c) { return static_cast<unsigned char>(c) <= ' ' || (c < 0 && !utf8); };
  std::ranges::replace_if(name, is_bad, '_');
  return name.empty() ? "_" : name;
}

std::string quoted_prompt(std::string_view text) { return text.empty() ? "" : "'" + std::string(text) + "'"; }

std::optional<ModelDifference> difference(const VectorModel& first, const VectorModel& second) {
  using enum ModelDifference::Kind;
  const auto model_of = [](const VectorModel& one) { return one.name + " (" + one.fingerprint + ")"; };
  const auto normalization_of = [](const VectorModel& one) { return one.normalized ? "L2" : "none"; };
  const auto prompt_of = [](const VectorModel& one) { return one.prompt.empty() ? "none" : one.prompt; };
  if (first.fingerprint != second.fingerprint)
    return ModelDifference{.kind = model, .first = model_of(first), .second = model_of(second)};
  if (first.pooling != second.pooling)
    return ModelDifference{.kind = pooling, .first = first.pooling, .second = second.pooling};
  if (first.max_length != second.max_length)
    return ModelDifference{.kind = max_length,
                           .first = std::to_string(first.max_length),
                           .second = std::to_string(second.max_length)};
  if (first.normalized != second.normalized)
    return ModelDifference{
        .kind = normalization, .first = normalization_of(first), .second = normalization_of(second)};
  if (first.prompt != second.prompt)
    return ModelDifference{.kind = prompt, .first = prompt_of(first), .second = prompt_of(second)};
  return std::nullopt;
}

std::string_view name_of(ModelDifference::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"model", "pooling", "maximum length", "normalization",
                                                      "prompt"};
  return kNames[static_cast<size_t>(kind)];
}

std::string read_vector_model(const io::Fields& fields) { return string_in(fields, kVectorModel); }
std::string read_weights_model(const io::Fields& fields) { return string_in(fields, io::kSparseModel); }

io::DropList with_vector_model(io::DropList drop) {
  const auto names = drop.names();
  for (const auto& [values, model] :
       {std::pair(io::kEmbedding, kVectorModel), {io::kSparse, io::kSparseModel}})
    if (std::ranges::find(names, values) != names.end()) drop.add(std::string(model));
  return drop;
}

Sidecar::Sidecar(const std::string& array, Content content)
    : array_(array), path_(sidecar_of(array)), content_(std::move(content)) {
  if (exists(path_) && !member_of(path_, kVectorModel))
    throw Error(path_, ": would be replaced by the description of ", array,
                ", but is something else; move it away, or name another output");
}

void Sidecar::remove_old() const { ::unlink(path_.c_str()); }

void Sidecar::write() const {
  std::string text;
  json::Object object(text);
  object.string(kVectorModel, content_.model);
  if (content_.width) object.integer(kWidth, *content_.width);
  object.string(kArray, checksum_of(array_));
  object.end();
  OutputFile file(path_);
  file.write(text += '\n');
  file.commit();
}

Sidecar::Content Sidecar::read(const std::string& array, std::optional<int64_t> width) {
  const auto path = sidecar_of(array);
  if (array == "-" || !exists(path) || !is_file(array)) return {};
  auto model = member_of(path, kVectorModel);
  if (!model) return {};
  if (member_of(path, kArray) != checksum_of(array))
    throw Error(path, ": was written for other vectors than ", array, " has now; remove it");
  Content content = {.model = std::move(*model), .width = width_of(path)};
  if (width && content.width && *width != *content.width)
    throw Error(array, ": has rows of ", *content.width, " numbers, says ", path, "; expected ", *width);
  return content;
}

}  // namespace bert::heads
