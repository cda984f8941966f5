// The bytes of one FILE or of stdin, in the order they arrive.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/byte_source.h"
#include "io/decoder.h"
#include "json/utf8.h"

namespace bert::io {

struct Compression;
class Decompressor;

class Input {
 public:
  // "-" is stdin. `stop` is a descriptor that becomes readable when no more bytes are wanted.
  Input(std::string name, int stop);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return file_.name(); }

  // Bytes read but not consumed; valid until the next read_more or consume.
  std::string_view unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(size_t count) {
    if (counts_) characters_ += json::count_code_points(unread().substr(0, count));
    begin_ += count;
    consumed_ += count;
  }
  uint64_t consumed() const { return consumed_; }  // total so far: the position of unread()

  // Starts counting the characters that are consumed, whose bytes are those of UTF-8.
  void count_characters() { counts_ = true; }
  int64_t characters() const { return characters_; }

  // Waits for bytes and appends them to unread(). False at the end or when `stop` is readable. Throws Error.
  bool read_more();
  // Whether read_more would return without waiting.
  bool ready() const { return ended_ || source_->ready(); }

  // Make unread() and all later bytes the decompressed or decoded ones. Call before any is consumed, at most
  // once each, in this order.
  void decompress(const Compression& compression);
  void decode(std::unique_ptr<Decoder> decoder);

  bool is_regular() const { return file_.is_regular(); }
  bool converted() const { return source_ != &file_; }
  // The part of the FILE that was read, for showing progress.
  uint64_t position() const { return converted() ? file_.count() : consumed_; }

 private:
  void make_room();

  FileBytes file_;
  std::unique_ptr<Decompressor> decompressor_;
  std::unique_ptr<DecodedBytes> decoded_;
  ByteSource* source_ = &file_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  uint64_t consumed_ = 0;
  int64_t characters_ = 0;
  bool counts_ = false;
  bool ended_ = false;
};

}  // namespace bert::io
