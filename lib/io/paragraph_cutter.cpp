#include <algorithm>
#include <string>
#include <utility>

#include "base/spelling.h"
#include "io/conll.h"
#include "io/foreign.h"
#include "io/line_cutter.h"

namespace bert::io {
namespace {

constexpr size_t kNone = -1;

// Records are separated by blank lines.
class ParagraphCutter : public LineCutter {
 public:
  using LineCutter::LineCutter;

 protected:
  bool is_open() const { return begin_ != kNone; }
  size_t size() const { return is_open() ? line_begin_ - begin_ : 0; }  // of the open paragraph, up to here

  // A separator ends the paragraph before it and is part of none; a gap does neither. A lead stays in the
  // input until the paragraph after it is cut, so that both are in one chunk.
  enum class Kind { part, beginning, separator, gap, lead };

  size_t pending() const { return line_begin_ - done_; }  // bytes of leads

 private:
  virtual Kind kind_of(std::string_view line) { return is_blank(line) ? Kind::separator : Kind::part; }
  virtual bool starts_document(std::string_view) const { return false; }

  void take(Chunk& chunk, const Line& line) override {
    const auto kind = kind_of(line.text);
    if (kind == Kind::gap || kind == Kind::lead) return;
    if (kind != Kind::part) end(chunk);
    if (kind == Kind::separator) {
      starts_document_ |= starts_document(line.text);
      return;
    }
    if (!is_open()) {
      done_ = std::min(done_, line.begin);  // earlier if there are leads
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
      : ParagraphCutter(options), columns_(options.source.conll) {}

 private:
  Kind kind_of(std::string_view line) override {
    constexpr size_t kMostBytes = 1 << 20;
    if (is_blank(line) || is_conll_document(line)) return Kind::separator;
    const bool comment =
        columns_.universal ? is_conllu_comment(line, columns_) : is_conll_comment(line, columns_.row);
    if (is_open() || !comment) return Kind::part;
    return keeps_lines_ && pending() < kMostBytes ? Kind::lead : Kind::separator;
  }
  bool starts_document(std::string_view line) const override { return is_conll_document(line); }

  const ConllColumns columns_;
};

bool is_markdown(std::string_view path) {
  const auto name = lower_case(without_compression_suffix(path));
  return name.ends_with(".md") || name.ends_with(".markdown");
}

// "## Heading"; no comment of a program between fences.
bool is_heading(std::string_view line) {
  const size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && (level == line.size() || is_white(line[level]));
}

// Paragraphs for search. A heading of Markdown begins one, which has the headings that follow and the first
// paragraph after them. A long paragraph is divided at a line end, so that memory is bounded.
class PassageCutter final : public ParagraphCutter {
 public:
  explicit PassageCutter(const CutterOptions& options)
      : ParagraphCutter(options), markdown_(is_markdown(options.source.name)) {}

 private:
  Kind kind_of(std::string_view line) override {
    constexpr size_t kMostBytes = 64 << 10;
    const bool full = size() > kMostBytes;
    if (is_blank(line)) return is_open() && headings_only_ && !full ? Kind::gap : Kind::separator;
    if (markdown_) follow_fence(line);
    const bool heading = markdown_ && fence_.empty() && is_heading(line);
    const bool begins = (heading && !headings_only_) || full;
    headings_only_ = heading;
    return begins ? Kind::beginning : Kind::part;
  }

  // A fence of code ends at a line of the same character that is as long or longer and has nothing else
  // (CommonMark, section 4.5).
  void follow_fence(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with("```") && !line.starts_with("~~~")) return;
    const auto fence = line.substr(0, line.find_first_not_of(line.front()));
    const auto rest = line.substr(fence.size());
    if (!fence_.empty()) {
      if (fence.starts_with(fence_) && is_blank(rest)) fence_.clear();
    } else if (fence.front() == '~' || rest.find('`') == rest.npos) {
      fence_ = fence;
    }
  }

  const bool markdown_;
  std::string fence_;           // that opened the code around this line; "": none
  bool headings_only_ = false;  // the open passage has no other lines
};

}  // namespace

std::unique_ptr<RecordCutter> make_passage_cutter(const CutterOptions& options) {
  return std::make_unique<PassageCutter>(options);
}

std::unique_ptr<RecordCutter> make_paragraph_cutter(const CutterOptions& options) {
  return std::make_unique<ParagraphCutter>(options);
}

std::unique_ptr<RecordCutter> make_conll_cutter(const CutterOptions& options) {
  return std::make_unique<ConllCutter>(options);
}

}  // namespace bert::io
