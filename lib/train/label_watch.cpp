#include "train/label_watch.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "comm/message.h"

namespace bert::train {

class LabelWatch::Reader final : public examples::ExampleReader {
 public:
  Reader(LabelWatch& watch, std::unique_ptr<examples::ExampleReader> reader, LabelOf label_of)
      : watch_(watch), reader_(std::move(reader)), label_of_(std::move(label_of)) {}

  void begin(const io::Fields& fields) override { reader_->begin(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override {
    const size_t before = examples.size();
    reader_->read(fields, record, epoch, examples);
    if (examples.size() > before && !watch_.differ_) watch_.add(label_of_(fields, *examples[before]));
  }
  void check(const examples::Outline& example) override { reader_->check(example); }

 private:
  LabelWatch& watch_;
  const std::unique_ptr<examples::ExampleReader> reader_;
  const LabelOf label_of_;
};

std::unique_ptr<examples::ExampleReader> LabelWatch::watched(std::unique_ptr<examples::ExampleReader> reader,
                                                             LabelOf label_of) {
  return std::make_unique<Reader>(*this, std::move(reader), std::move(label_of));
}

void LabelWatch::add(std::string label) {
  const std::lock_guard lock(mutex_);
  if (records_ > 0 && label != label_) differ_ = true;
  if (records_++ == 0) label_ = std::move(label);
}

std::optional<std::string> LabelWatch::only_label(comm::Communicator& ranks) const {
  std::string message;
  {
    const std::lock_guard lock(mutex_);
    comm::append(message, records_);
    comm::append(message, int64_t{differ_ ? 1 : 0});
    comm::append(message, std::string_view(label_));
  }
  int64_t records = 0;
  bool differ = false;
  std::string label;
  for (const auto& of_rank : ranks.all_gather(message)) {
    std::string_view in = of_rank;
    const auto count = comm::take_number(in);
    if (count == 0) continue;
    differ |= comm::take_number(in) != 0;
    auto its = comm::take_text(in);
    differ |= records > 0 && its != label;
    records += count;
    label = std::move(its);
  }
  return records > 1 && !differ ? std::optional(std::move(label)) : std::nullopt;
}

std::pair<double, double> range_of_all(const examples::LabelRange& own, comm::Communicator& ranks) {
  std::string text;
  comm::append_real(text, own.least());
  comm::append_real(text, own.most());
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const auto& one : ranks.all_gather(text)) {
    std::string_view rest = one;
    least = std::min(least, comm::take_real(rest));
    most = std::max(most, comm::take_real(rest));
  }
  return {least, most};
}

}  // namespace bert::train
