#include "io/field_part.h"

#include <algorithm>
#include <charconv>

#include "json/members.h"

namespace bert::io {
namespace {

// The member with this name, or "user.name" in the member "user".
std::optional<std::string_view> member_named(std::string_view name, std::string_view object) {
  if (!object.starts_with('{')) return std::nullopt;
  std::optional<std::string_view> part;
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    const auto value = object.substr(member.value_begin, member.value_end - member.value_begin);
    const std::string_view key = member.key;
    if (key == name) return value;
    if (!part && name.starts_with(key) && name.substr(key.size()).starts_with('.'))
      part = member_named(name.substr(key.size() + 1), value);
  }
  return part;
}

std::optional<std::string_view> number_at(std::string_view digits, std::string_view array) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || index >= width_of(array))
    return std::nullopt;
  array = array.substr(1, array.size() - 2);
  for (; index > 0; --index) array.remove_prefix(array.find(',') + 1);
  return trimmed(array.substr(0, array.find(',')));
}

}  // namespace

std::string_view trimmed(std::string_view json) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t begin = json.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return json.substr(begin, json.find_last_not_of(kWhite) + 1 - begin);
}

size_t width_of(std::string_view array) {
  if (!array.starts_with('[')) return 0;
  const auto inside = trimmed(array.substr(1, array.size() - 2));
  const auto has = [inside](char c) { return inside.find(c) != std::string_view::npos; };  // fast: memchr
  if (inside.empty() || std::ranges::any_of(std::string_view("\"[{tfn"), has)) return 0;
  return std::count(inside.begin(), inside.end(), ',') + 1;
}

std::vector<std::string> members_of(std::string_view object) {
  std::vector<std::string> names;
  if (!object.starts_with('{')) return names;
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) names.emplace_back(member.key);
  return names;
}

std::optional<FieldValue> value_named(std::string_view name, const OutputRow& fields) {
  const auto json_of = [&](std::string_view field) {  // "" of a text
    const auto i = fields.find(field);
    return i && !fields.is_plain(*i) ? fields.value(*i) : std::string_view();
  };
  if (const auto i = fields.find(name)) return FieldValue{fields.value(*i), fields.is_plain(*i)};
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (const auto member = member_named(name.substr(dot + 1), json_of(name.substr(0, dot))))
      return FieldValue{*member};
  }
  const size_t end = name.rfind('_');
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = number_at(name.substr(end + 1), json_of(name.substr(0, end)));
  return number ? std::optional(FieldValue{*number}) : std::nullopt;
}

}  // namespace bert::io
