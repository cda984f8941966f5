// A stream as a process: its interaction with shell, terminal and other processes in a pipe.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>

#include "io/stream_run.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

// A child process that filters stdin to stdout like a tool, with pipes on stdin, stdout and stderr.
class Child {
 public:
  struct Options {
    StreamOptions stream;
    bool computes = false;
    int threads = 2;
    bool ignores_sigpipe = false;
    std::string stdout_path;  // used instead of the pipe
  };

  explicit Child(const Options& options) {
    std::signal(SIGPIPE, SIG_IGN);  // in the parent: the child may exit while the parent writes to it
    int in[2], out[2], said[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(said, O_CLOEXEC) != 0)
      throw Error("pipe");
    std::fflush(nullptr);  // otherwise the child might also write the test report
    pid_ = ::fork();
    if (pid_ == 0) {
      if (!options.stdout_path.empty()) ::dup2(::open(options.stdout_path.c_str(), O_WRONLY), out[1]);
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::dup2(said[1], 2);
      for (const int fd : {in[0], in[1], out[0], out[1], said[0], said[1]}) ::close(fd);
      ::_exit(run_tool(options));
    }
    in_ = FileDescriptor(in[1]);
    out_ = FileDescriptor(out[0]);
    said_ = FileDescriptor(said[0]);
    for (const int fd : {in[0], out[1], said[1]}) ::close(fd);
  }
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::write(in_.get(), text.data(), text.size());
      if (count <= 0) return;
      text.remove_prefix(static_cast<size_t>(count));
    }
  }
  void end_input() { in_ = FileDescriptor(); }
  void close_output() { out_ = FileDescriptor(); }

  // Returns one line of output, or a partial line if none is complete within ten seconds.
  std::string line() {
    std::string text;
    while (!text.ends_with('\n') && readable(out_.get())) {
      char c;
      if (::read(out_.get(), &c, 1) != 1) break;
      text += c;
    }
    return text;
  }
  std::string all_output() { return drain(out_.get()); }
  std::string messages() { return drain(said_.get()); }

  int wait() {
    int status = 0;
    ::wait4(pid_, &status, 0, &usage_);
    pid_ = -1;
    return status;
  }
  long peak_kib() const { return usage_.ru_maxrss; }
  pid_t pid() const { return pid_; }

  size_t thread_count() const {
    const auto tasks = "/proc/" + std::to_string(pid_) + "/task";
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(tasks), {}));
  }

 private:
  static bool readable(int fd) {
    struct pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, 10000) > 0;
  }
  static std::string drain(int fd) {
    std::string text;
    char block[4096];
    for (ssize_t count; readable(fd) && (count = ::read(fd, block, sizeof block)) > 0;) {
      text.append(block, static_cast<size_t>(count));
    }
    return text;
  }

  static int run_tool(const Options& options) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
      std::signal(signal, SIG_DFL);  // doctest installs its own handlers
    if (options.ignores_sigpipe) std::signal(SIGPIPE, SIG_IGN);
    Log log("test");
    try {
      Pool pool(options.threads);
      PassFilter::Options pass;
      pass.computes = options.computes;
      PassFilter filter(options.stream, pass);
      run_stream(options.stream, pool, log, filter);
    } catch (const Error& error) {
      if (*error.what() != '\0') log.error(error.what());
      return 1;
    }
    return 0;
  }

  pid_t pid_ = -1;
  FileDescriptor in_, out_, said_;
  struct rusage usage_ = {};
};

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

}  // namespace

TEST_CASE("each line of a slow producer is answered before the next one arrives") {
  for (const bool computes : {false, true}) {
    for (const int threads : {1, 3}) {
      Child::Options options;
      options.computes = computes;
      options.threads = threads;
      Child child(options);
      for (int i = 0; i < 20; ++i) {
        child.say(i % 2 == 0 ? "one\nt" : "wo\n");
        CHECK(child.line() == "{\"text\":\"" + std::string(i % 2 == 0 ? "one" : "two") +
                                  "\",\"length\":3,\"place\":" + std::to_string(i) + "}\n");
      }
      child.end_input();
      CHECK(exit_code(child.wait()) == 0);
    }
  }
}

TEST_CASE("the process runs the pool's threads, a reader and a writer") {
  if (kSanitized) {
    MESSAGE("skipped: sanitizers have threads of their own");
    return;
  }
  for (const int threads : {1, 2, 4}) {
    Child child({.threads = threads});
    child.say("a\n");
    child.line();
    CHECK(child.thread_count() == static_cast<size_t>(threads) + 2);
  }
}

TEST_CASE("a closed output pipe ends the process by SIGPIPE, or silently if SIGPIPE is ignored") {
  for (const bool ignored : {false, true}) {
    Child child({.ignores_sigpipe = ignored});
    child.say("a\n");
    child.line();
    child.close_output();
    child.say("b\n");
    CHECK(exit_code(child.wait()) == (ignored ? 1 : -SIGPIPE));
    CHECK(child.messages() == "");
  }
}

TEST_CASE("a full device is reported in one line and fails, even while the input is still open") {
  Child child({.stdout_path = "/dev/full"});
  child.say("a\n");
  CHECK(exit_code(child.wait()) == 1);
  CHECK(child.messages() == "test: stdout: write error: No space left on device\n");
}

TEST_CASE("a bad record ends the stream even if more input may follow") {
  Child child({});
  child.say("one\nbad\ntwo\n");
  CHECK(exit_code(child.wait()) == 1);
  CHECK(child.all_output() == "{\"text\":\"one\",\"length\":3,\"place\":0}\n");
  CHECK(child.messages() == "test: -:2: is bad\n");
}

TEST_CASE("an incomplete last line is read as a line") {
  Child child({});
  child.say("{\"text\":\"a\"}\n{\"te");
  child.end_input();
  CHECK(exit_code(child.wait()) == 1);
  CHECK(child.all_output() == "{\"text\":\"a\",\"length\":1,\"place\":0}\n");
  CHECK(child.messages().starts_with("test: -:2: not valid JSON"));
}

TEST_CASE("a signal removes the output file and then ends the process as usual") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryDirectory directory;
    StreamOptions stream;
    stream.output = directory / "out";
    Child child({.stream = stream});
    child.say("a\nb\n");
    for (int i = 0; i < 1000 && directory.names().empty(); ++i) ::usleep(1000);
    CHECK(directory.names().size() == 1);
    ::kill(child.pid(), signal);
    CHECK(exit_code(child.wait()) == -signal);
    CHECK(directory.names().empty());
  }
}

TEST_CASE("a failure leaves no output file") {
  const TemporaryDirectory directory;
  StreamOptions stream;
  stream.output = directory / "out";
  Child child({.stream = stream});
  child.say("a\nbad\n");
  CHECK(exit_code(child.wait()) == 1);
  CHECK(directory.names().empty());
}

TEST_CASE("a million lines need no more memory than ten thousand") {
  if (kSanitized) {
    MESSAGE("skipped: sanitizers keep memory of their own");
    return;
  }
  const TemporaryDirectory directory;
  const auto peak_kib = [&](int lines) {
    StreamOptions stream;
    stream.files = {directory / "in"};
    {
      std::ofstream in(stream.files[0]);  // on disk, because the child would inherit memory
      for (int i = 0; i < lines; ++i) in << "a line that is neither long nor short\n";
    }
    Child child({.stream = stream, .stdout_path = "/dev/null"});
    CHECK(exit_code(child.wait()) == 0);
    return child.peak_kib();
  };
  constexpr long kSlackKib = 24 << 10;
  const long many = peak_kib(1000000), few = peak_kib(10000);
  CAPTURE(many);
  CAPTURE(few);
  CHECK(many < few + kSlackKib);
}

TEST_CASE("a 10 MB line is processed, also among short lines") {
  const TemporaryDirectory directory;
  const std::string huge(10 << 20, 'x');
  for (const std::string& text : {"a\n" + huge + "\nb\n", "{\"text\":\"" + huge + "\"}\n{\"text\":\"b\"}"}) {
    StreamOptions stream;
    stream.files = {directory.write("in", text)};
    const Ran ran = run_and_catch(stream, 2);
    CHECK(ran.failure == "");
    CHECK(ran.out.size() > huge.size());
    CHECK(ran.out.ends_with(
        text[0] == 'a' ? "\",\"length\":10485760,\"place\":1}\n{\"text\":\"b\",\"length\":1,\"place\":2}\n"
                       : "\"length\":10485760,\"place\":0}\n{\"text\":\"b\",\"length\":1,\"place\":1}\n"));
  }
}
