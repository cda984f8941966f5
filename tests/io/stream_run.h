// Runs a stream in a test and captures its output and messages.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/pool.h"
#include "io/pass_filter.h"
#include "io/stream.h"

namespace bert::io {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "bert-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(name, ": cannot be made");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      found.push_back(entry.path().filename());
    return found;
  }

 private:
  std::string path_;
};

// A FIFO whose other end delivers `bytes` in blocks of random size, at most `largest`.
class Fifo {
 public:
  Fifo(std::string path, std::string bytes, size_t largest, uint64_t seed) : path_(std::move(path)) {
    ::mkfifo(path_.c_str(), 0600);
    // Opening for writing blocks until the stream opens the FIFO, so this is done in a thread.
    feeder_ = std::thread([this, bytes = std::move(bytes), largest, seed] {
      const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      std::mt19937_64 random(seed);
      for (std::string_view rest = bytes; !rest.empty();) {
        const size_t size = std::min(rest.size(), 1 + random() % largest);
        if (::write(fd, rest.data(), size) < 0) break;  // the stream has stopped
        rest.remove_prefix(size);
        if (random() % 4 == 0) std::this_thread::yield();
      }
      ::close(fd);
    });
  }
  ~Fifo() {
    // If the stream never opened the FIFO, this releases the feeder thread.
    const int fd = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    feeder_.join();
    ::close(fd);
  }

 private:
  std::string path_;
  std::thread feeder_;
};

struct Ran {
  std::string out, messages, failure;
  bool failed = false;
  RunResult result;
};

// `options.output` is replaced: the output, up to a failure, is collected in Ran::out.
inline Ran run_and_catch(StreamOptions options, int threads, Filter& filter) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("pipe");
  options.output = "/dev/fd/" + std::to_string(ends[1]);
  Ran ran;
  std::thread drain([&] {
    char block[4096];
    for (ssize_t count; (count = ::read(ends[0], block, sizeof block)) > 0;) {
      ran.out.append(block, static_cast<size_t>(count));
    }
  });
  const FileDescriptor said(::memfd_create("messages", MFD_CLOEXEC));
  const FileDescriptor stderr_copy(::dup(STDERR_FILENO));
  ::dup2(said.get(), STDERR_FILENO);
  try {
    Pool pool(threads);
    Log log("test");
    ran.result = run_stream(options, pool, log, filter);
  } catch (const Error& error) {
    ran.failed = true;
    ran.failure = error.what();
  }
  ::dup2(stderr_copy.get(), STDERR_FILENO);
  ::close(ends[1]);
  drain.join();
  ::close(ends[0]);
  ran.messages = read_file("/dev/fd/" + std::to_string(said.get()));
  return ran;
}

inline Ran run_and_catch(const StreamOptions& options, int threads, const PassFilter::Options& pass = {}) {
  PassFilter filter(options, pass);
  return run_and_catch(options, threads, filter);
}

}  // namespace bert::io
