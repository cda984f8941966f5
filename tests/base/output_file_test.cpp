#include "base/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"

using bert::Error;
using bert::OutputFile;
namespace fs = std::filesystem;

namespace {

struct Directory {
  Directory() {
    std::string name = (fs::temp_directory_path() / "bert-output-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path), {})); }
  std::string path;
};

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

unsigned permissions(const std::string& path) {
  struct stat info;
  ::stat(path.c_str(), &info);
  return info.st_mode & 07777;
}

// Runs `body` in a child process and returns its wait status.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a file appears only when it is committed") {
  const Directory directory;
  {
    OutputFile file(directory / "x");
    CHECK(file.can_rewrite());
    file.write("hello");
    file.write(" world");
    file.rewrite(0, "J");
    CHECK(file.size() == 11);
    CHECK(!fs::exists(directory / "x"));
    file.commit();
  }
  CHECK(bert::read_file(directory / "x") == "Jello world");
  CHECK(directory.files() == 1);
}

TEST_CASE("without a commit the old file is unchanged and no other file remains") {
  const Directory directory;
  put(directory / "x", "old");
  { OutputFile(directory / "x").write("new"); }
  CHECK(bert::read_file(directory / "x") == "old");
  CHECK(directory.files() == 1);
}

TEST_CASE("a replaced file keeps its permissions; a new one follows the umask") {
  const Directory directory;
  put(directory / "x", "old");
  ::chmod((directory / "x").c_str(), 0640);
  OutputFile(directory / "x").commit();
  CHECK(permissions(directory / "x") == 0640);
  const mode_t before = ::umask(027);
  OutputFile(directory / "y").commit();
  ::umask(before);
  CHECK(permissions(directory / "y") == 0640);
}

TEST_CASE("a symbolic link remains a link, even when its target does not exist yet") {
  const Directory directory;
  fs::create_directory(directory / "to");
  put(directory / "to/a", "old");
  fs::create_symlink("to/a", directory / "link");
  fs::create_symlink(directory / "to/b", directory / "to/c");
  fs::create_symlink("to/c", directory / "dangling");
  for (const auto* name : {"link", "dangling"}) {
    OutputFile file(directory / name);
    file.write("new");
    file.commit();
    CHECK(fs::is_symlink(directory / name));
  }
  CHECK(bert::read_file(directory / "to/a") == "new");
  CHECK(bert::read_file(directory / "to/b") == "new");
  CHECK(fs::is_symlink(directory / "to/c"));
}

TEST_CASE("devices and FIFOs are written directly; a full device is reported") {
  OutputFile file("/dev/full");
  CHECK(!file.can_rewrite());
  CHECK_THROWS_WITH(file.write("x"), "/dev/full: write error: No space left on device");
  OutputFile null("/dev/null");
  null.write("x");
  null.commit();
}

TEST_CASE("an error names the file that cannot be written") {
  const Directory directory;
  CHECK_THROWS_WITH(OutputFile(directory / "no/x"),
                    (directory / "no/x: the directory " + (directory / "no does not exist")).c_str());
  CHECK_THROWS_WITH(OutputFile{directory.path},
                    (directory.path + ": is a directory, expected the name of a file").c_str());
  CHECK_THROWS_AS(OutputFile{""}, Error);
}

TEST_CASE("a failed rename leaves no temporary file behind") {
  const Directory directory;
  {
    OutputFile file(directory / "x");
    file.write("new");
    fs::create_directory(directory / "x");  // blocks the rename
    CHECK_THROWS_WITH(file.commit(), (directory / "x: cannot be renamed into place: Is a directory").c_str());
  }
  CHECK(directory.files() == 1);
}

TEST_CASE("a closed pipe is not reported as an error") {
  const int status = status_of_child([] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(2);
    ::close(ends[0]);
    std::signal(SIGPIPE, SIG_IGN);
    OutputFile file("/dev/fd/" + std::to_string(ends[1]));
    try {
      file.write("x");
    } catch (const Error& error) {
      ::_exit(*error.what() == '\0' ? 10 : 11);
    }
  });
  CHECK((WIFEXITED(status) ? WEXITSTATUS(status) : -1) == 10);
}

TEST_CASE("a signal that ends the process removes the temporary file first") {
  const Directory directory;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_child([&] {
      for (const int restored : {SIGINT, SIGTERM, SIGHUP})
        std::signal(restored, SIG_DFL);  // doctest installs its own handlers
      OutputFile file(directory / "x");
      file.write("half");
      if (directory.files() != 1) ::_exit(3);
      std::raise(signal);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(directory.files() == 0);
  }
}

TEST_CASE("an ignored signal remains ignored") {
  const Directory directory;
  const int status = status_of_child([&] {
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGHUP, SIG_IGN);
    OutputFile file(directory / "x");
    file.write("whole");
    std::raise(SIGHUP);
    file.commit();
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(bert::read_file(directory / "x") == "whole");
}
