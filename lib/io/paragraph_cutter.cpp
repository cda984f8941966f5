#include <utility>

#include "io/conll.h"
#include "io/line_cutter.h"

namespace bert::io {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// Records are separated by blank lines.
class ParagraphCutter : public LineCutter {
 public:
  using LineCutter::LineCutter;

 protected:
  bool is_open() const { return begin_ != kNone; }

 private:
  // Whether the line ends the paragraph before it without being part of any paragraph.
  virtual bool separates(std::string_view line) const { return is_blank(line); }
  virtual bool starts_document(std::string_view) const { return false; }

  void take(Chunk& chunk, const Line& line) override {
    if (separates(line.text)) {
      end(chunk);
      starts_document_ |= starts_document(line.text);
      return;
    }
    if (!is_open()) {
      begin_ = line.begin;
      begin_line_ = line.number;
    }
    end_ = line.begin + line.text.size();
  }

  void end(Chunk& chunk) override {
    if (is_open())
      chunk.cuts.push_back({.begin = begin_,
                            .size = end_ - begin_,
                            .line = begin_line_,
                            .starts_document = std::exchange(starts_document_, false)});
    begin_ = kNone;
    done_ = line_begin_;
  }

  void consume_done() override {
    if (is_open()) {
      begin_ -= done_;
      end_ -= done_;
    }
    LineCutter::consume_done();
  }

  size_t begin_ = kNone, end_ = 0;  // of the open paragraph
  int64_t begin_line_ = 0;
  bool starts_document_ = false;  // such a line was read after the last paragraph
};

class ConllCutter final : public ParagraphCutter {
 public:
  explicit ConllCutter(const CutterOptions& options)
      : ParagraphCutter(options),
        universal_(options.source.conll.universal),
        row_(options.source.conll.row) {}

 private:
  bool separates(std::string_view line) const override {
    const bool comment = universal_ ? line.starts_with('#') : is_conll_comment(line, row_);
    return is_blank(line) || is_conll_document(line) || (!is_open() && comment);
  }
  bool starts_document(std::string_view line) const override { return is_conll_document(line); }

  const bool universal_;
  const std::string row_;
};

}  // namespace

std::unique_ptr<RecordCutter> make_paragraph_cutter(const CutterOptions& options) {
  return std::make_unique<ParagraphCutter>(options);
}

std::unique_ptr<RecordCutter> make_conll_cutter(const CutterOptions& options) {
  return std::make_unique<ConllCutter>(options);
}

}  // namespace bert::io
