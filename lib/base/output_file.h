// Destination of a tool's output: stdout, a device, or a file that appears only when it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/signals.h"

namespace bert {

// A FILE that is regular or does not exist yet is written under a temporary name beside it. commit() renames
// it to FILE (symbolic links followed) with the permissions of the file it replaces. Without commit nothing
// appears: the destructor, or a signal that ends the process, removes the temporary file. Anything else is
// written directly.
//
// All failures throw Error("write error: No space left on device"), prefixed with the path if there is one.
// If the reader of a pipe has exited and SIGPIPE is ignored, the Error has an empty message.
class OutputFile {
 public:
  explicit OutputFile(std::string path);  // "-" is stdout
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Overwrites bytes already written, starting at `offset`. Requires can_rewrite().
  void rewrite(int64_t offset, std::string_view bytes);
  int64_t size() const { return size_; }  // bytes written so far

  bool can_rewrite() const { return start_ >= 0; }  // a regular file, which stdout does not append to
  bool is_terminal() const;

  // Syncs the file to disk and renames it to its final name. Nothing may be written afterwards.
  void commit();

 private:
  void open_aside(std::optional<uint32_t> permissions);  // of the replaced file
  void write_at(int64_t offset, std::string_view bytes, bool positioned);
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::string path_;       // as given by the user
  std::string target_;     // after following symbolic links
  std::string temporary_;  // empty if written directly
  std::unique_ptr<RemoveOnSignal> removal_;
  FileDescriptor file_;  // not used for stdout, which this class does not own
  int fd_ = -1;
  int64_t size_ = 0;
  int64_t start_ = -1;  // position in the file of the first byte written; -1: none
};

// Whether the name of an output means stdout: "-", "/dev/stdout" or another name of its descriptor; that of
// an input, stdin.
bool names_stdout(std::string_view path);
bool names_stdin(std::string_view path);

// Whether a file name (without directory) is that of such a temporary file; killed processes leave them.
bool is_temporary_name(std::string_view name);

}  // namespace bert
