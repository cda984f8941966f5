#include "io/line_cutter.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
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

// Offsets stay the same.
void take_data(Input& input, size_t size, Chunk& chunk) {
  chunk.data.reserve(size + json::kPadding);
  chunk.data.assign(input.unread(), 0, size);
  chunk.data.append(json::kPadding, '\0');
  chunk.data_size = size;
  chunk.offset = input.consumed();
  chunk.characters = input.characters();
}

bool LineCutter::fill(Chunk& chunk) {
  for (;;) {
    cut_complete(chunk);
    if (full(chunk) || (!chunk.cuts.empty() && !input_.ready())) break;
    if (chunk.cuts.empty() && keeps_lines_ && done_ > 0) break;
    if (chunk.cuts.empty()) consume_done();  // any number of blank lines
    try {
      if (input_.read_more()) continue;
      const auto unread = input_.unread();
      if (cut_instead(chunk, unread.substr(line_begin_), Reached::end)) continue;
      if (line_begin_ < unread.size()) cut_line(chunk, unread, unread.size());
      end(chunk);
    } catch (const Error& error) {
      chunk.failure = error.what();  // reported after the records already read
    }
    break;
  }
  take_data(input_, done_, chunk);
  consume_done();
  return !chunk.cuts.empty() || chunk.failure || (keeps_lines_ && chunk.data_size > 0);
}

bool LineCutter::full(const Chunk& chunk) const {
  return !chunk.cuts.empty() && (done_ >= limits_.bytes || chunk.cuts.size() >= limits_.records);
}

void LineCutter::cut_complete(Chunk& chunk) {
  const auto unread = input_.unread();
  while (!full(chunk)) {
    const size_t end = line_end(unread);
    const auto reached = end == std::string_view::npos ? Reached::all_read : Reached::line_end;
    const auto bytes = unread.substr(line_begin_, reached == Reached::all_read ? end : end - line_begin_);
    if (cut_instead(chunk, bytes, reached)) continue;
    if (reached == Reached::all_read) break;
    cut_line(chunk, unread, end);
  }
  if (!full(chunk)) searched_ = unread.size();
}

size_t LineCutter::line_end(std::string_view unread) {
  const void* found = std::memchr(unread.data() + searched_, '\n', unread.size() - searched_);
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - unread.data()) + 1;
}

void LineCutter::cut_line(Chunk& chunk, std::string_view unread, size_t line_end) {
  const Line line = {.text = without_line_end(unread.substr(line_begin_, line_end - line_begin_)),
                     .begin = line_begin_,
                     .number = line_++};
  line_begin_ = searched_ = line_end;
  take(chunk, line);
}

void LineCutter::take(Chunk& chunk, const Line& line) {
  done_ = line_begin_;
  if (skips_blank_ && is_blank(line.text)) return;
  chunk.cuts.push_back({.begin = line.begin, .size = line.text.size(), .line = line.number});
}

void LineCutter::consume_done() {
  input_.consume(done_);
  line_begin_ -= done_;
  searched_ -= done_;
  done_ = 0;
}

std::unique_ptr<RecordCutter> make_line_cutter(const CutterOptions& options) {
  return std::make_unique<LineCutter>(options);
}

}  // namespace bert::io
