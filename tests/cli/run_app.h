// Runs an App with a command line and captures its stdout and stderr.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/app.h"

namespace bert::test {

// Redirects descriptor `fd` to a new file during its lifetime.
class Captured {
 public:
  explicit Captured(int fd) : fd_(fd), kept_(dup(fd)) {
    const int file = mkstemp(path_.data());
    dup2(file, fd);
    close(file);
  }
  ~Captured() {
    dup2(kept_, fd_);
    close(kept_);
    unlink(path_.c_str());
  }
  std::string text() const { return read_file(path_); }

 private:
  std::string path_ = "/tmp/bert_cli_test.XXXXXX";
  int fd_;
  int kept_;
};

struct Outcome {
  int code = -1;
  std::string out, err;
  bool body_ran = false;
};

// `setup` registers options; `arguments` follow the program name. stdin is /dev/null.
inline Outcome run(
    const std::function<void(cli::App&)>& setup, std::vector<const char*> arguments,
    const std::function<void()>& body = [] {}) {
  cli::App app("bert-test", "Test the command line.");
  setup(app);
  arguments.insert(arguments.begin(), "bert-test");
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  close(null);
  const Captured out(STDOUT_FILENO), err(STDERR_FILENO);
  Outcome outcome;
  outcome.code = app.run(static_cast<int>(arguments.size()), arguments.data(), [&] {
    outcome.body_ran = true;
    body();
  });
  outcome.out = out.text();
  outcome.err = err.text();
  return outcome;
}

// The complete output of a usage error.
inline std::string usage_error(const std::string& message) {
  return "bert-test: " + message + "\nTry 'bert-test --help'.\n";
}

}  // namespace bert::test
