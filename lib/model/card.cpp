#include "model/card.h"

#include <algorithm>
#include <utility>

namespace bert::model {
namespace {

constexpr std::string_view kBegin = "<!-- bert-train: written anew with the model -->",
                           kEnd = "<!-- bert-train: end -->", kFence = "---";

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const auto line = text.substr(0, end == text.npos ? end : end + 1);
  text.remove_prefix(line.size());
  return line;
}

std::string_view without_end(std::string_view line) { return line.substr(0, line.find_first_of("\r\n")); }

// A card without its front matter, and the lines of that.
struct CardParts {
  std::vector<std::string_view> lines;
  std::string_view text;
};

CardParts parts_of(std::string_view card) {
  CardParts parts = {.text = card};
  auto rest = card;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  if (without_end(take_line(rest)) != kFence) return parts;
  while (!rest.empty()) {
    const auto line = take_line(rest);
    if (without_end(line) == kFence) return {.lines = std::move(parts.lines), .text = rest};
    parts.lines.push_back(line);
  }
  return {.text = card};  // a rule, not a front matter
}

// "base_model" of "base_model: x"; "" of lines that belong to the key above.
std::string_view key_of(std::string_view line) {
  const auto name = line.substr(0, line.find(':'));
  if (name.size() == line.size() || name.empty() || name.find_first_of(" \t#-[]{}\"'") == 0) return "";
  return name;
}

std::string front_matter(const std::vector<Card::Key>& keys, const std::vector<std::string_view>& previous) {
  std::string text;
  bool ours = false;
  for (const auto line : previous) {
    if (const auto name = key_of(line); !name.empty())
      ours = std::ranges::find(keys, name, &Card::Key::name) != keys.end();
    if (!ours || line.starts_with('#')) text += line;
  }
  for (const auto& [name, value] : keys)
    if (!value.empty()) text.append(name).append(":").append(value).append("\n");
  return text.empty() ? "" : "---\n" + text + "---\n";
}

}  // namespace

std::string merged(const Card& card, std::string_view previous) {
  const auto [lines, text] = parts_of(previous);
  std::string merged = front_matter(card.keys, lines);
  const auto ours = std::string(kBegin) + "\n" + card.text + std::string(kEnd);
  const size_t begin = text.rfind(kBegin), end = text.find(kEnd, begin == text.npos ? 0 : begin);
  if (begin != text.npos && end != text.npos)
    return merged.append(text.substr(0, begin)).append(ours).append(text.substr(end + kEnd.size()));
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return merged + "# " + card.title + "\n\n" + ours + "\n";
  merged += text;
  return merged + (text.ends_with('\n') ? "\n" : "\n\n") + ours + "\n";
}

bool has_key(std::string_view card, std::string_view key) {
  return std::ranges::any_of(parts_of(card).lines,
                             [&](std::string_view line) { return key_of(line) == key; });
}

}  // namespace bert::model
