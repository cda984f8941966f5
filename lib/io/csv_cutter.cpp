#include <algorithm>

#include "io/csv.h"
#include "io/line_cutter.h"

namespace bert::io {
namespace {

// If a quote is not closed, or closed by a quote that text follows, the line where it opens is a record by
// itself, and the next record begins at the next line.
class CsvCutter final : public LineCutter {
 public:
  explicit CsvCutter(const CutterOptions& options) : LineCutter(options), csv_(options.source.delimiter) {}

 private:
  size_t line_end(std::string_view unread) override { return csv_.record_end(unread, searched_); }

  bool cut_instead(Chunk& chunk, std::string_view bytes, Reached reached) override {
    switch (reached) {
      case Reached::line_end:
        return csv_.take_followed() && cut_open_quote(chunk, without_line_end(bytes), Cut::Quote::followed);
      case Reached::all_read:
        return csv_.in_quotes() && bytes.size() > kMostQuotedBytes &&
               cut_open_quote(chunk, bytes, Cut::Quote::too_long);
      case Reached::end:
        break;
    }
    if (csv_.in_quotes() && cut_open_quote(chunk, bytes, Cut::Quote::endless)) return true;
    csv_.take_followed();
    return false;
  }

  void take(Chunk& chunk, const Line& line) override {
    line_ += std::count(line.text.begin(), line.text.end(), '\n');
    done_ = line_begin_;
    if (line.text.empty()) return;
    chunk.cuts.push_back({.begin = line.begin, .size = line.text.size(), .line = line.number});
  }

  // Cuts the first line of `quoted`, which begins at line_begin_. False if it is the only line.
  bool cut_open_quote(Chunk& chunk, std::string_view quoted, Cut::Quote quote) {
    const size_t size = quoted.find('\n') + 1;
    if (size == 0 || size == quoted.size()) return false;
    const auto ends = std::count(quoted.begin(), quoted.end(), '\n');
    chunk.cuts.push_back({.begin = line_begin_,
                          .size = without_line_end(quoted.substr(0, size)).size(),
                          .line = line_++,
                          .quote = quote,
                          .quoted_lines = ends + (quoted.ends_with('\n') ? 0 : 1)});
    done_ = searched_ = line_begin_ += size;
    csv_ = csv_.fresh();
    return true;
  }

  CsvScanner csv_;
};

}  // namespace

std::unique_ptr<RecordCutter> make_csv_cutter(const CutterOptions& options) {
  return std::make_unique<CsvCutter>(options);
}

}  // namespace bert::io
