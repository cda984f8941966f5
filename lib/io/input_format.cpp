#include "io/input_format.h"

#include <array>
#include <utility>

namespace bert::io {
namespace {

constexpr std::array<std::pair<InputFormat, std::string_view>, 11> kNames = {{
    {InputFormat::automatic, "auto"},
    {InputFormat::text, "text"},
    {InputFormat::paragraphs, "paragraphs"},
    {InputFormat::file, "file"},
    {InputFormat::jsonl, "jsonl"},
    {InputFormat::tsv, "tsv"},
    {InputFormat::csv, "csv"},
    {InputFormat::documents, "documents"},
    {InputFormat::object, "object"},
    {InputFormat::conll, "conll"},
    {InputFormat::squad, "squad"},
}};

constexpr std::array<std::pair<std::string_view, InputFormat>, 6> kSuffixes = {{
    {".jsonl", InputFormat::jsonl},
    {".json", InputFormat::jsonl},
    {".tsv", InputFormat::tsv},
    {".csv", InputFormat::csv},
    {".conll", InputFormat::conll},
    {".txt", InputFormat::text},
}};

}  // namespace

std::string_view name_of(InputFormat format) { return kNames[static_cast<size_t>(format)].second; }

std::optional<InputFormat> input_format_named(std::string_view name) {
  for (const auto& [format, its_name] : kNames) {
    if (its_name == name) return format;
  }
  return std::nullopt;
}

std::optional<InputFormat> input_format_by_suffix(std::string_view path) {
  for (const auto& [suffix, format] : kSuffixes) {
    if (path.ends_with(suffix)) return format;
  }
  return std::nullopt;
}

}  // namespace bert::io
