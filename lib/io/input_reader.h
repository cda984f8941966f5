// Reader thread: opens the FILEs one after another, detects their formats and fills chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"
#include "io/record.h"
#include "io/record_cutter.h"
#include "io/ring.h"
#include "io/stream.h"

namespace bert::io {

// Throws Error if a FILE does not exist or cannot be read, so that a wrong name is reported before any work
// is done; unless such FILEs are left out.
void check_files(const StreamOptions& options);

class InputReader {
 public:
  // `stop`: a descriptor that becomes readable when the stream has stopped. `on_chunk` is called with each
  // chunk.
  InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
              std::function<void(Chunk&)> on_chunk);

  // Returns after the last FILE or when the stream has stopped. A failure is stored in the last chunk.
  void run();

  const NotTextFiles& not_text() const { return not_text_; }
  int64_t left_out() const { return left_out_; }  // see FolderWalk

 private:
  bool read_or_leave_out(const std::string& name);  // false: the stream has stopped
  bool read_folder(const std::string& folder);
  bool read_found(const std::string& name);
  void warn(const std::string& message) const;
  bool read(const std::string& name);
  void convert(Input& input) const;
  std::shared_ptr<const Source> open_source(Input& input, int64_t& line);
  bool reads(InputFormat format) const;
  bool is_raw(std::string_view name) const;
  InputFormat format_of(Input& input, bool& guessed) const;
  InputFormat format_of_found(Input& input) const;
  bool has_columns(Input& input, InputFormat table) const;
  std::optional<InputFormat> table_of(Input& input, std::optional<InputFormat> by_suffix) const;
  void check_mail(Input& input, InputFormat format);
  void read_columns(Input& input, Source& source, int64_t& line) const;
  void refuse_header(Input& input, const Source& source, int64_t line) const;
  std::vector<std::string> read_header(Input& input, Source& source, bool is_known, int64_t& line) const;
  void note(const Input& input, const std::string& message) const;
  bool take_chunk();

  const StreamOptions& options_;
  ChunkLimits limits_;
  Ring& ring_;
  int stop_;
  std::function<void(Chunk&)> on_chunk_;
  Chunk* chunk_ = nullptr;  // being filled
  int64_t place_;
  const std::vector<std::string> header_fields_;  // one of them identifies a header line
  int64_t chunks_ = 0;
  bool mail_noted_ = false;
  bool is_found_ = false;  // whether nobody has named the current FILE
  NotTextFiles not_text_;
  int64_t left_out_ = 0;
  uint64_t read_ = 0;  // bytes of the FILEs before the current one
};

}  // namespace bert::io
