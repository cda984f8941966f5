#include "search/indexed_texts.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/option.h"
#include "io/line_cutter.h"
#include "json/json.h"

namespace bert::search {
namespace {

constexpr std::hash<std::string_view> kHash;

// All empty texts are the same.
std::string_view compared(std::string_view text) { return io::is_blank(text) ? "" : text; }

}  // namespace

IndexedTexts::IndexedTexts(const IndexedRecords& records, std::string field, Pool& pool)
    : records_(records), field_(std::move(field)), hashes_(records.size()), first_(records.size()) {
  pool.run_grid(records.size(), [&](int64_t row, int) { hashes_[row] = {kHash(compared(text(row))), row}; });
  std::ranges::sort(hashes_);
  for (size_t i = 0; i < hashes_.size(); ++i) {
    const auto [hash, row] = hashes_[i];
    const int64_t before = i > 0 && hashes_[i - 1].first == hash ? first_[hashes_[i - 1].second] : row;
    first_[row] = before != row && compared(text(before)) == compared(text(row)) ? before : row;
  }
}

std::string IndexedTexts::text(int64_t row) const {
  const auto json = records_.values(row)[1];
  json::Document document;
  const auto value = json.empty() ? std::nullopt : std::optional(document.parse(json));
  if (value && value->kind() == json::Value::Kind::string) return std::string(value->string());
  throw Error(records_.where(row), ": field ", json::in_quotes(field_),
              value ? " is not a text" : " is missing", "; ", opt::with, " names the field of the texts");
}

int64_t IndexedTexts::row_of(std::string_view text) const {
  const uint64_t hash = kHash(compared(text));
  auto same = std::ranges::lower_bound(hashes_, std::pair(hash, int64_t{0}));
  for (; same != hashes_.end() && same->first == hash; ++same)
    if (compared(this->text(same->second)) == compared(text)) return same->second;
  return -1;
}

}  // namespace bert::search
