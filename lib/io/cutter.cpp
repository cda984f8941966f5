#include "io/cutter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "io/conll.h"
#include "json/json.h"

namespace bert::io {

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_white); }

std::string_view without_line_end(std::string_view line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view json_part(std::string_view line) {
  while (!line.empty() && is_white(line.back())) line.remove_suffix(1);
  const size_t begin = line.find_first_not_of(" \t\r\n\f\v");
  const size_t foreign = line.substr(0, begin).find_last_of("\f\v");
  return foreign == std::string_view::npos ? line : line.substr(begin);
}

bool Cutter::fill(Chunk& chunk) {
  for (;;) {
    cut_complete(chunk);
    if (full(chunk) || (!chunk.cuts.empty() && !input_.ready())) break;
    if (chunk.cuts.empty()) consume_done();  // any number of blank lines
    try {
      if (input_.read_more()) continue;
      if (csv_.in_quotes() && cut_open_quote(chunk, input_.unread().substr(line_begin_), Cut::Quote::endless))
        continue;
      cut_last(chunk);
    } catch (const Error& error) {
      chunk.failure = error.what();  // reported after the records already read
    }
    break;
  }
  take_data(chunk);
  return !chunk.cuts.empty() || chunk.failure;
}

bool Cutter::full(const Chunk& chunk) const {
  return !chunk.cuts.empty() && (done_ >= limits_.bytes || chunk.cuts.size() >= limits_.records);
}

void Cutter::cut_complete(Chunk& chunk) {
  const auto unread = input_.unread();
  if (is_whole_file()) return;
  while (!full(chunk)) {
    const size_t end = line_end(unread);
    if (end == std::string_view::npos) {
      const auto quoted = unread.substr(line_begin_);
      if (!csv_.in_quotes() || quoted.size() <= kMostQuotedBytes ||
          !cut_open_quote(chunk, quoted, Cut::Quote::too_long))
        break;
    } else if (!csv_.take_followed() ||
               !cut_open_quote(chunk, without_line_end(unread.substr(line_begin_, end - line_begin_)),
                               Cut::Quote::followed)) {
      cut_line(chunk, unread, end);
    }
  }
  if (!full(chunk)) searched_ = unread.size();
}

// The offset behind the next line end that may end a record; npos if there is none yet.
size_t Cutter::line_end(std::string_view unread) {
  if (format_ == InputFormat::csv) return csv_.record_end(unread, searched_);
  const void* found = std::memchr(unread.data() + searched_, '\n', unread.size() - searched_);
  if (found == nullptr) return std::string_view::npos;
  return static_cast<const char*>(found) - unread.data() + 1;
}

// Cuts what follows the last line end, at the end of the input.
void Cutter::cut_last(Chunk& chunk) {
  const auto unread = input_.unread();
  if (is_whole_file()) {
    // Each named FILE is one record, even if empty; an empty stdin has no record.
    const bool is_record = line_ == 1 && (!unread.empty() || input_.name() != "-");
    if (is_record) chunk.cuts.push_back({.begin = 0, .size = unread.size(), .line = line_++});
    done_ = unread.size();
    return;
  }
  csv_.take_followed();
  if (line_begin_ < unread.size()) cut_line(chunk, unread, unread.size());
  if (ends_at_blank_lines()) end_paragraph(chunk);
}

bool Cutter::is_whole_file() const { return format_ == InputFormat::file || format_ == InputFormat::object; }

bool Cutter::ends_at_blank_lines() const {
  return format_ == InputFormat::paragraphs || format_ == InputFormat::documents || is_tagged(format_);
}

// Whether the line ends the paragraph before it without being part of any paragraph.
bool Cutter::separates(std::string_view line) const {
  if (is_blank(line)) return true;
  if (!is_tagged(format_)) return false;
  const bool universal = format_ == InputFormat::conllu;
  const bool comment = universal ? line.starts_with('#') : is_conll_comment(line);
  return is_conll_document(line) || (paragraph_begin_ == kNone && comment);
}

void Cutter::cut_line(Chunk& chunk, std::string_view unread, size_t line_end) {
  const auto line = without_line_end(unread.substr(line_begin_, line_end - line_begin_));
  const size_t begin = line_begin_;
  const int64_t number = line_++;
  if (format_ == InputFormat::csv) line_ += std::count(line.begin(), line.end(), '\n');
  line_begin_ = searched_ = line_end;
  if (ends_at_blank_lines()) {
    if (separates(line)) {
      end_paragraph(chunk);
      starts_document_ |= is_tagged(format_) && is_conll_document(line);
    } else {
      if (paragraph_begin_ == kNone) {
        paragraph_begin_ = begin;
        paragraph_line_ = number;
      }
      paragraph_end_ = begin + line.size();
    }
    return;
  }
  done_ = line_end;
  if (format_ == InputFormat::jsonl && is_blank(line)) return;
  if (format_ == InputFormat::csv && line.empty()) return;
  chunk.cuts.push_back({.begin = begin, .size = line.size(), .line = number});
}

// Cuts the first line of `quoted`, which begins at line_begin_. False if it is the only line.
bool Cutter::cut_open_quote(Chunk& chunk, std::string_view quoted, Cut::Quote quote) {
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

void Cutter::end_paragraph(Chunk& chunk) {
  if (paragraph_begin_ != kNone) {
    chunk.cuts.push_back({.begin = paragraph_begin_,
                          .size = paragraph_end_ - paragraph_begin_,
                          .line = paragraph_line_,
                          .starts_document = std::exchange(starts_document_, false)});
  }
  paragraph_begin_ = kNone;
  done_ = line_begin_;
}

// Moves the bytes of the records from the input to the chunk. Offsets stay the same.
void Cutter::take_data(Chunk& chunk) {
  chunk.data.reserve(done_ + json::kPadding);
  chunk.data.assign(input_.unread(), 0, done_);
  chunk.data.append(json::kPadding, '\0');
  chunk.data_size = done_;
  chunk.offset = input_.consumed();
  consume_done();
}

void Cutter::consume_done() {
  input_.consume(done_);
  line_begin_ -= done_;
  searched_ -= done_;
  if (paragraph_begin_ != kNone) {
    paragraph_begin_ -= done_;
    paragraph_end_ -= done_;
  }
  done_ = 0;
}

}  // namespace bert::io
