// The contents of a compressed FILE, decompressed by a program that runs as a child process, without a shell.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/file.h"
#include "io/byte_source.h"
#include "io/foreign.h"

namespace bert::io {

// Sends the bytes of `file` to the child and reads what it writes, in one thread. If this process ends in any
// way, the child loses its input and output, and ends, too.
class Decompressor : public ByteSource {
 public:
  // `begin`: bytes that were already read from `file`, which must outlive this object.
  Decompressor(FileBytes& file, const Compression& compression, std::string begin);
  ~Decompressor() override;  // ends the child
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Throws Error if the program fails, which it does if the contents are damaged or cut off.
  std::optional<size_t> read(std::span<char> to) override;
  bool ready() const override;

 private:
  void feed();
  void refill();
  void end();
  std::string complaint() const;

  FileBytes& file_;
  const Compression& compression_;
  std::string pending_;  // bytes of the FILE for the child
  size_t sent_ = 0;      // of pending_
  bool file_ended_ = false;
  FileDescriptor in_, out_, error_;  // the child's streams
  pid_t child_ = -1;                 // -1 before it starts and after it ended
};

}  // namespace bert::io
