// Splits an original SQuAD file, {"version": …, "data": [article, …]}, into one JSON record per question:
//
//   {"id","title","context","question","answers":{"text":[…],"answer_start":[…]}}
//
// plus "is_impossible" if the file has it. Keeps one article in memory at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/cutter.h"
#include "io/input.h"
#include "io/record.h"
#include "json/json.h"

namespace bert::io {

class SquadCutter {
 public:
  SquadCutter(Input& input, int64_t line, ChunkLimits limits) : input_(input), limits_(limits), line_(line) {}

  // As Cutter::fill. An invalid file is reported in chunk.failure.
  bool fill(Chunk& chunk);

 private:
  enum class State { open, key, colon, skipped, array, article, end };
  enum class Step { done, wait };  // wait: more bytes are needed

  bool advance(const Chunk& chunk);  // to the next article; false if there is none yet, or none left
  Step step();
  Step key(char mark);
  Step article(char mark);
  bool value_is_complete();
  std::string_view take(size_t size);
  void read_article(std::string_view text);
  void cut(Chunk& chunk);

  Input& input_;
  ChunkLimits limits_;
  int64_t line_;  // line of the next byte to consume

  State state_ = State::open;
  bool comma_ = false;     // after an element: a comma must follow before the next one
  bool dangling_ = false;  // after a comma: an element must follow
  std::string key_;
  size_t scanned_ = 0;  // bytes already scanned of the value that starts the unread bytes
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;

  json::Document document_;
  std::vector<std::string> records_;  // of the current article, in order
  size_t next_ = 0;
  int64_t article_line_ = 1;
  int64_t articles_ = 0;
  bool has_data_ = false;
};

}  // namespace bert::io
