// A minimal filter for tests and benchmarks of the stream itself. It adds the length of the text, fails where
// the text asks for it, and counts compute batches.
#pragma once

#include <atomic>
#include <string>

#include "base/error.h"
#include "io/filter.h"
#include "io/stream.h"
#include "json/json.h"

namespace bert::io {

class PassFilter : public Filter {
 public:
  struct Options {
    std::string field = "length";  // name of the added field
    bool computes = false;         // each record with a text of odd length costs that many tokens
    int64_t budget = 2048;
  };

  PassFilter(const StreamOptions& stream, const Options& options)
      : options_(options), field_(stream.text_field), drop_(stream.drop) {}

  void prepare(const Fields& fields, Record& record) const override {
    const auto text = fields.required_text(field_);
    if (text.find("bad") != std::string_view::npos) throw Error("is bad");
    auto work = std::make_unique<Kept>();
    work->length = static_cast<int64_t>(text.size());
    work->worse = text.find("worse") != std::string_view::npos;
    work->computed = !options_.computes || work->length % 2 == 0;
    record.work = std::move(work);
  }

  int64_t cost(const Record& record) const override {
    const auto length = record.work_as<Kept>().length;
    return options_.computes && length % 2 == 1 ? length : 0;
  }

  void compute(std::span<Record* const> records) override {
    int64_t tokens = 0;
    for (Record* record : records) {
      record->work_as<Kept>().computed = true;
      tokens += cost(*record);
      if (record->place() <= last_place_) throw Error("compute is out of order");
      last_place_ = record->place();
    }
    if (tokens > options_.budget && records.size() > 1) throw Error("compute is over its budget");
    ++batches;
  }

  void finish(Record& record, Output& out) const override {
    const auto& work = record.work_as<Kept>();
    if (!work.computed || work.worse) out.text() += "half of it";  // must not be written
    if (!work.computed) throw Error("was not computed");
    if (work.worse) throw Error("is worse");
    Added added;
    added.integer(options_.field, work.length);
    added.integer("place", record.place());
    out.record(record, added, drop_);
  }

  int64_t batches = 0;

 private:
  struct Kept : Work {
    int64_t length = 0;
    bool worse = false, computed = false;
  };

  Options options_;
  std::string field_;
  DropList drop_;
  int64_t last_place_ = -1;
};

}  // namespace bert::io
