// Where a tool's output goes: stdout, a device, or a file that appears only when it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/signals.h"

namespace bert {

// A regular or not yet existing FILE is written under a temporary name beside it, and takes its name (through
// symbolic links) and the permissions of what it replaces in commit(). Without commit nothing appears: the
// destructor, or a signal that ends the process, removes the temporary. Anything else is written directly.
//
// All failures throw Error("write error: No space left on device"), with the path in front where there is
// one; when the reader of a pipe has gone and SIGPIPE is ignored, an Error without text, since there is
// nobody to tell.
class OutputFile {
 public:
  explicit OutputFile(std::string path);  // "-" is stdout
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Replaces bytes already written, beginning at `offset`. Only when is_regular().
  void rewrite(int64_t offset, std::string_view bytes);
  int64_t size() const { return size_; }  // bytes written so far

  bool is_regular() const { return !temporary_.empty(); }  // has a temporary name, so bytes can be rewritten
  bool is_terminal() const;

  // Makes sure that every byte has arrived, and gives the file its name. Nothing may be written afterwards.
  void commit();

 private:
  void open_aside(std::optional<uint32_t> permissions);  // those of the file it replaces
  void write_at(int64_t offset, std::string_view bytes, bool positioned);
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::string path_;       // as the user gave it
  std::string target_;     // what it names after symbolic links
  std::string temporary_;  // empty when written directly
  std::unique_ptr<RemoveOnSignal> removal_;
  FileDescriptor file_;  // not for stdout, which is not ours to close
  int fd_ = -1;
  int64_t size_ = 0;
};

// Whether the name of a file, without its directory, is such a temporary one; killed processes leave them.
bool is_temporary_name(std::string_view name);

}  // namespace bert
