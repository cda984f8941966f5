#include "io/raw_record.h"

#include "base/error.h"
#include "io/filter.h"

namespace bert::io {
namespace {

// A filter without output.
class Use : public Filter {
 public:
  explicit Use(const UseRecord& use) : use_(use) {}
  void prepare(const Fields& fields, Record& record) const override { use_(fields, record); }
  void finish(Record&, std::string&) const override {}

 private:
  const UseRecord& use_;
};

}  // namespace

std::optional<std::string> RawRecordReader::read(RawRecord& raw, const UseRecord& use) {
  chunk_.clear();
  if (reader_.oversized()) reader_ = RecordReader(invalid_utf8_);
  chunk_.source = raw.source;
  chunk_.data_size = raw.size();
  chunk_.data = std::move(raw.bytes);
  chunk_.cuts.push_back({.begin = 0, .size = chunk_.data_size, .line = raw.line});
  chunk_.first_place = raw.place;
  reader_.prepare(chunk_, Use(use), on_error_);
  if (chunk_.failure) throw Error(*chunk_.failure);
  if (chunk_.skipped.empty()) return std::nullopt;
  return std::move(chunk_.skipped.front().second);
}

}  // namespace bert::io
