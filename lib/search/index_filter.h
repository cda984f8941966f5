// Writes records without their vectors, which become the rows of an array, and with their weights of words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "base/output_file.h"
#include "io/filter.h"
#include "io/missing_field.h"
#include "search/asked_fields.h"
#include "search/index_models.h"

namespace bert::search {

class IndexFilter final : public io::Filter {
 public:
  // References must outlive this object; `array` is an npy file. `text_field` is told which records have it
  // as their text.
  IndexFilter(const IndexModels& models, const std::string& array, const AskedFields& fields,
              io::FieldUse& text_field);

  // Written of a file.
  int64_t records_of(const std::string& file) const;
  int64_t empty() const { return empty_; }  // records without a text, which are left out

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void before_commit(const OutputFile& output) override;
  bool tells_of_none() const override { return true; }

 private:
  struct Indexed;
  void write(const io::Record& record, io::Output& out) const;
  void append_row(io::Record& record);

  const IndexModels& models_;
  const AskedFields& fields_;
  io::FieldUse& text_field_;
  OutputFile array_;
  int64_t rows_ = 0, empty_ = 0;
  std::unordered_map<std::string, int64_t> records_;
  std::string row_;
  io::Output tried_;
};

}  // namespace bert::search
