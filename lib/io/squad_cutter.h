// Cuts an original SQuAD file, {"version": …, "data": [article, …]}, into one JSON record for each question:
//
//   {"id","title","context","question","answers":{"text":[…],"answer_start":[…]}}
//
// and "is_impossible" where the file has it. Holds one article at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/chunk.h"
#include "io/cutter.h"
#include "io/input.h"
#include "io/json.h"

namespace bert::io {

class SquadCutter {
 public:
  SquadCutter(Input& input, int64_t line, ChunkLimits limits) : input_(input), limits_(limits), line_(line) {}

  // As Cutter::fill. What is wrong with the file is left in chunk.failure.
  bool fill(Chunk& chunk);

 private:
  enum class State { open, key, colon, skipped, array, article, end };
  enum class Step { done, wait };  // wait: more bytes are needed

  bool advance(const Chunk& chunk);  // to the next article; false when there is none now
  Step step();
  Step key(char mark);
  Step article(char mark);
  bool value_is_complete();
  std::string_view take(size_t size);
  void read_article(std::string_view text);
  void cut(Chunk& chunk);

  Input& input_;
  ChunkLimits limits_;
  int64_t line_;  // of the next byte that is not consumed

  State state_ = State::open;
  bool comma_ = false;     // an element came before: the next wants a comma
  bool dangling_ = false;  // a comma came before: there has to be a next
  std::string key_;
  size_t scanned_ = 0;  // of the value that begins the unread bytes, with what was seen there
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;

  JsonDocument document_;
  std::vector<std::string> records_;  // of the article, in order
  size_t next_ = 0;
  int64_t article_line_ = 1;
  int64_t articles_ = 0;
};

}  // namespace bert::io
