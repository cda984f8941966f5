// The texts of the records that are searched, to find the rows of a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "search/index.h"

namespace bert::search {

class IndexedTexts {
 public:
  // Reads all records, on all threads; 24 bytes for each. `field` is the first of IndexOptions::with.
  // `records` must outlive this object.
  IndexedTexts(const IndexedRecords& records, std::string field, Pool& pool);

  // Any thread may call these.
  std::string text(int64_t row) const;
  int64_t row_of(std::string_view text) const;  // the first with it; -1: there is none
  // The first row with the same text; texts of white space are all the same.
  int64_t first_of(int64_t row) const { return first_[row]; }

 private:
  const IndexedRecords& records_;
  const std::string field_;
  std::vector<std::pair<uint64_t, int64_t>> hashes_;  // of all texts, with their rows; ascending
  std::vector<int64_t> first_;
};

}  // namespace bert::search
