#include "base/file.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.h"

using namespace bert;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "bert-file-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

}  // namespace

TEST_CASE("only a missing path is absent") {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  fs::create_directory(folder / "directory");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("nothing", folder / "broken");
  fs::create_symlink("itself", folder / "itself");
  CHECK(kind_of(folder / "file") == FileKind::regular);
  CHECK(kind_of(folder / "link") == FileKind::regular);
  CHECK(kind_of(folder / "directory") == FileKind::directory);
  CHECK(kind_of("/dev/null") == FileKind::other);
  CHECK(kind_of(folder / "nothing") == FileKind::absent);
  CHECK(kind_of(folder / "nothing/in/it") == FileKind::absent);
  CHECK_THROWS_WITH_AS(kind_of(folder / "broken"), (folder / "broken: is a broken symbolic link").c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(kind_of(folder / "itself"),
                       (folder / "itself: Too many levels of symbolic links").c_str(), Error);
  CHECK_THROWS_WITH_AS(kind_of(folder / "file/in/it"), (folder / "file/in/it: Not a directory").c_str(),
                       Error);
}

TEST_CASE("two paths name the same file also through links, and only if it exists") {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  std::ofstream(folder / "other") << "x";
  fs::create_symlink("file", folder / "link");
  CHECK(same_file(folder / "file", folder / "link"));
  CHECK(same_file(folder / "file", folder / "./file"));
  CHECK_FALSE(same_file(folder / "file", folder / "other"));
  CHECK_FALSE(same_file(folder / "file", folder / "absent"));
  CHECK_FALSE(same_file(folder / "absent", folder / "absent"));
  CHECK_FALSE(same_file("-", "-"));
}

TEST_CASE("reading past the end of a truncated mapped file names the file and removes unfinished output") {
  const Folder folder;
  const std::string path = folder / "weights", unfinished = folder / "unfinished";
  std::ofstream(path) << std::string(1 << 20, 'x');
  std::ofstream(unfinished) << "x";
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    const RemoveOnSignal removal(unfinished);
    const MappedFile file(path);
    fs::resize_file(path, 4096);
    const volatile std::byte last = file.bytes().back();
    ::_exit(last == std::byte{0} ? 2 : 3);
  }
  ::close(ends[1]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  char text[4096];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(std::string(text, static_cast<size_t>(std::max<ssize_t>(size, 0))) ==
        "base_test: " + path + ": cannot be read: the file was truncated, or the disk failed\n");
  CHECK_FALSE(fs::exists(unfinished));
}

TEST_CASE("a mapped file can be read at any offset up to its current end") {
  const Folder folder;
  const std::string path = folder / "weights";
  std::ofstream(path) << "0123456789";
  MappedFile opened(path);
  const MappedFile file(std::move(opened));
  std::string part(4, ' ');
  file.read(3, std::as_writable_bytes(std::span(part)));
  CHECK(part == "3456");
  file.read(6, std::as_writable_bytes(std::span(part)));
  CHECK(part == "6789");
  fs::resize_file(path, 8);
  CHECK_THROWS_WITH_AS(file.read(6, std::as_writable_bytes(std::span(part))),
                       (path + ": cannot be read: the file was truncated").c_str(), Error);
}

TEST_CASE("a signal removes an unfinished directory with its contents and ends the process") {
  const Folder folder;
  const fs::path unfinished = folder / "unfinished", beside = folder / "beside";
  fs::create_directories(unfinished / "in/it");
  for (int i = 0; i < 500; ++i) std::ofstream(unfinished / "in" / std::to_string(i)) << "x";
  std::ofstream(beside) << "x";
  fs::create_symlink(folder.path, unfinished / "in/it/link");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);  // doctest installs its own handler
    const RemoveOnSignal removal(unfinished);
    std::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK_FALSE(fs::exists(unfinished));
  CHECK(fs::exists(beside));
}

TEST_CASE("directory listings are sorted; a directory that cannot be listed is an error") {
  const Folder folder;
  for (const char* name : {"b", "a", ".c"}) std::ofstream(folder / name) << "x";
  CHECK(names_in_directory(folder.path) == std::vector<std::string>{".c", "a", "b"});
  CHECK_THROWS_WITH_AS(names_in_directory(folder / "nothing"),
                       (folder / "nothing: cannot be listed: No such file or directory").c_str(), Error);
}
