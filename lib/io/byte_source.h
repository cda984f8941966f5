// Where the bytes of an Input come from: its FILE, or what another program or a Decoder makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace bert::io {

// A failure to read a FILE. The message names the FILE.
class ReadError : public Error {
 public:
  using Error::Error;
};

// The FILE cannot be opened or is not text; none of its records were read. With --on-error skip, other FILEs
// are read without it.
class UnreadableFile : public ReadError {
 public:
  using ReadError::ReadError;
};

// Its contents are not text.
class NotText : public UnreadableFile {
 public:
  using UnreadableFile::UnreadableFile;
};

// They may be text in another encoding.
class NotUtf8 : public NotText {
 public:
  using NotText::NotText;
};

// In two encodings, so that no option names the encoding.
class PartlyUtf8 : public NotUtf8 {
 public:
  using NotUtf8::NotUtf8;
};

// Mail whose bytes are not UTF-8.
class MailNotUtf8 : public NotText {
 public:
  using NotText::NotText;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Waits for bytes and stores at least one; 0 at the end, nullopt if no more are wanted. Throws Error.
  virtual std::optional<size_t> read(std::span<char> to) = 0;
  // Whether read() would return without waiting.
  virtual bool ready() const = 0;
};

// The bytes of one FILE, or of stdin for "-".
class FileBytes : public ByteSource {
 public:
  // `stop` is a descriptor that becomes readable when no more bytes are wanted. Throws Error for a directory.
  FileBytes(std::string name, int stop);

  std::optional<size_t> read(std::span<char> to) override;
  bool ready() const override;

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }
  bool is_regular() const { return regular_; }  // not a pipe or a terminal
  int stop() const { return stop_; }
  uint64_t count() const { return count_; }  // bytes read so far

 private:
  std::string name_;
  FileDescriptor file_;  // not used for stdin, which this class does not own
  int fd_;
  int stop_;
  bool regular_;
  uint64_t count_ = 0;
  bool ended_ = false;
};

}  // namespace bert::io
