// Numbered records as input for tests of the training data source.
#pragma once

#include <string>
#include <vector>

#include "examples/record_source.h"
#include "io/stream_run.h"

namespace bert::examples {

// "0\n1\n2\n…"; every `bad_each`-th line is not valid UTF-8.
inline std::string numbered(int64_t count, int64_t bad_each = 0) {
  std::string lines;
  for (int64_t i = 0; i < count; ++i)
    lines += (bad_each > 0 && i % bad_each == 0 ? "\xff" : "") + std::to_string(i) + "\n";
  return lines;
}

inline io::StreamOptions stream_of(std::vector<std::string> files) {
  io::StreamOptions options;
  options.files = std::move(files);
  options.chunk_bytes = 100;
  return options;
}

struct Seen {
  int64_t number, epoch;
  bool operator==(const Seen&) const = default;
};

// The next `most` records, or all.
inline std::vector<Seen> draw(RecordSource& source, int64_t most = -1) {
  std::vector<Seen> seen;
  for (Drawn record; static_cast<int64_t>(seen.size()) != most;) {
    if (!source.draw(record)) {
      if (!source.interrupted()) source.require_valid();
      break;
    }
    const auto bad = source.read(record, [&](const io::Fields& fields, const io::Record&, int64_t epoch) {
      seen.push_back({std::stoll(std::string(fields.required_text("text"))), epoch});
    });
    if (bad) source.skip(record, *bad);
  }
  return seen;
}

inline std::vector<int64_t> numbers(const std::vector<Seen>& seen) {
  std::vector<int64_t> numbers;
  for (const auto& one : seen) numbers.push_back(one.number);
  return numbers;
}

// Captures stderr.
template <class Work>
std::string messages_of(Work work) {
  const FileDescriptor said(::memfd_create("messages", MFD_CLOEXEC));
  const FileDescriptor kept(::dup(STDERR_FILENO));
  ::dup2(said.get(), STDERR_FILENO);
  try {
    work();
  } catch (...) {
    ::dup2(kept.get(), STDERR_FILENO);
    throw;
  }
  ::dup2(kept.get(), STDERR_FILENO);
  return read_file("/dev/fd/" + std::to_string(said.get()));
}

}  // namespace bert::examples
