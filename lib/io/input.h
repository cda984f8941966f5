// The bytes of one FILE or of stdin, in the order they arrive.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace bert::io {

class Input {
 public:
  // "-" is stdin. `stop` is a descriptor that becomes readable when no more bytes are wanted.
  Input(std::string name, int stop);

  const std::string& name() const { return name_; }

  // Bytes read but not consumed; valid until the next read_more or consume.
  std::string_view unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(size_t count) {
    begin_ += count;
    consumed_ += count;
  }
  uint64_t consumed() const { return consumed_; }  // total so far: the position of unread() in the FILE

  // Waits for bytes and appends them to unread(). False at the end or when `stop` is readable. Throws Error.
  bool read_more();
  // Whether read_more would return without waiting.
  bool ready() const;

 private:
  void make_room();

  std::string name_;
  FileDescriptor file_;  // not used for stdin, which this class does not own
  int fd_;
  int stop_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  uint64_t consumed_ = 0;
  bool ended_ = false;
};

}  // namespace bert::io
