#include "base/output_directory.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/error.h"

using bert::Error;
using bert::OutputDirectory;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "bert-directory-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

void put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

// All entries below `path`, by relative path; directories end with "/".
std::map<std::string, std::string> tree(const std::string& path) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    const auto name = fs::relative(entry.path(), path).string();
    if (entry.is_directory()) {
      found[name + "/"] = "";
    } else {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      found[name] = text.str();
    }
  }
  return found;
}

using Tree = std::map<std::string, std::string>;

bool keeps_notes(const std::filesystem::path& entry) {
  return entry.filename().string().starts_with("notes");
}

void write(const std::string& path, const Tree& files) {
  OutputDirectory directory(path, keeps_notes);
  for (const auto& [name, text] : files) put(directory.file(name), text);
  directory.commit();
}

constexpr const char* kLeftover = "/.out.0123456789abcdef.tmp/";

}  // namespace

TEST_CASE("a directory appears only when it is committed") {
  const Folder folder;
  {
    OutputDirectory directory(folder / "a/out/", keeps_notes);
    put(directory.file("x"), "1");
    CHECK(!fs::exists(folder / "a/out"));
    directory.commit();
    CHECK(tree(folder / "a") == Tree{{"out/", ""}, {"out/x", "1"}});
  }
  CHECK(tree(folder / "a") == Tree{{"out/", ""}, {"out/x", "1"}});
}

TEST_CASE("without a commit nothing is created or changed") {
  const Folder folder;
  put(folder / "out/x", "old");
  {
    OutputDirectory directory(folder / "out", keeps_notes);
    put(directory.file("x"), "new");
  }
  CHECK(tree(folder.path) == Tree{{"out/", ""}, {"out/x", "old"}});
}

TEST_CASE("errors use the final file names and the directory as the user gave it") {
  const Folder folder;
  for (const std::string& given : {folder / "new", folder / "new/"}) {
    OutputDirectory output(given, keeps_notes);
    const auto path = output.file("a");
    CHECK_THROWS_WITH_AS(output.write([&] { throw Error(path, ": write error"); }),
                         (folder / "new/a: write error").c_str(), Error);
    CHECK_THROWS_WITH_AS(output.write([&] { throw Error("else: ", 7); }), "else: 7", Error);
  }
}

TEST_CASE("a directory replaces the existing one except for files that are kept") {
  const Folder folder;
  put(folder / "out/x", "old");
  put(folder / "out/stale", "old");
  put(folder / "out/notes/a/b", "mine");
  put(folder / "out/notes.txt", "mine");
  write(folder / "out", {{"x", "new"}});
  const Tree expected = {{"out/", ""},         {"out/notes.txt", "mine"}, {"out/notes/", ""},
                         {"out/notes/a/", ""}, {"out/notes/a/b", "mine"}, {"out/x", "new"}};
  CHECK(tree(folder.path) == expected);
}

TEST_CASE("an empty directory or a symbolic link to a directory is filled in place") {
  const Folder folder;
  fs::create_directory(folder / "empty");
  write(folder / "empty", {{"x", "1"}});
  CHECK(tree(folder / "empty") == Tree{{"x", "1"}});
  fs::create_directory_symlink(folder / "empty", folder / "link");
  write(folder / "link", {{"x", "2"}});
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(tree(folder / "empty") == Tree{{"x", "2"}});
}

TEST_CASE("an existing file with the directory's name is an error") {
  const Folder folder;
  put(folder / "out", "file");
  CHECK_THROWS_WITH_AS(OutputDirectory(folder / "out", keeps_notes),
                       (folder / "out" + ": is not a directory").c_str(), Error);
}

TEST_CASE("a name that leaves no room for the temporary one is an error before anything is made") {
  const Folder folder;
  const std::string longest(233, 'x'), longer = longest + 'x';
  CHECK_THROWS_WITH_AS(
      OutputDirectory::clear_leftovers(folder / longer + "/", keeps_notes),
      (folder / longer + "/: the name of the output directory has 234 bytes, expected at most 233").c_str(),
      Error);
  CHECK_THROWS_AS(OutputDirectory(folder / longer, keeps_notes), Error);
  CHECK(tree(folder.path).empty());
  OutputDirectory(folder / longest, keeps_notes).commit();
  CHECK(tree(folder.path) == Tree{{longest + "/", ""}});
}

TEST_CASE("leftovers of a killed process are removed, and kept files in them are restored") {
  const Folder folder;
  put(folder / "out/x", "new");
  put(folder.path + kLeftover + "x", "old");                // killed after the exchange
  put(folder.path + kLeftover + "notes/a", "mine");         // killed before this was moved
  put(folder / "out/.out.0123456789abcde0.tmp/x", "half");  // killed while moving entries one by one
  put(folder / ".out.0123456789abcdeX.tmp/x", "another's");
  put(folder / ".output.0123456789abcdef.tmp/x", "another's");
  OutputDirectory::clear_leftovers(folder / "out", keeps_notes);
  const Tree expected = {{".out.0123456789abcdeX.tmp/", ""},
                         {".out.0123456789abcdeX.tmp/x", "another's"},
                         {".output.0123456789abcdef.tmp/", ""},
                         {".output.0123456789abcdef.tmp/x", "another's"},
                         {"out/", ""},
                         {"out/notes/", ""},
                         {"out/notes/a", "mine"},
                         {"out/x", "new"}};
  CHECK(tree(folder.path) == expected);
}

TEST_CASE("a file that a killed process was writing is not kept") {
  const Folder folder;
  put(folder.path + kLeftover + ".x.0123456789abcdef", "half");
  put(folder.path + kLeftover + ".x.not-one", "mine");
  OutputDirectory::clear_leftovers(folder / "out", [](const std::string&) { return true; });
  CHECK(tree(folder.path) == Tree{{"out/", ""}, {"out/.x.not-one", "mine"}});
}

TEST_CASE("the directory of a running process is left alone") {
  const Folder folder;
  OutputDirectory directory(folder / "out", keeps_notes);
  put(directory.file("x"), "1");
  OutputDirectory::clear_leftovers(folder / "out", keeps_notes);
  directory.commit();
  CHECK(tree(folder / "out") == Tree{{"x", "1"}});
}

TEST_CASE("a directory and the files that are kept exist at every moment while it is being replaced") {
  const Folder folder;
  put(folder / "out/x", "0");
  put(folder / "out/notes/a", "mine");
  fs::create_symlink("nowhere", folder / "out/notes/b");
  std::atomic<bool> done = false;
  std::atomic<int64_t> looks = 0, misses = 0;
  std::thread watcher([&] {
    struct stat info;
    for (; !done; ++looks) {
      misses += ::stat((folder / "out/x").c_str(), &info) != 0;
      misses += ::stat((folder / "out/notes/a").c_str(), &info) != 0;
    }
  });
  for (int round = 0; round < 100 || looks < 1000; ++round) write(folder / "out", {{"x", "1"}});
  done = true;
  watcher.join();
  CHECK(misses == 0);
  CHECK(fs::is_symlink(folder / "out/notes/b"));
  fs::remove(folder / "out/notes/b");
  CHECK(tree(folder.path) == Tree{{"out/", ""}, {"out/x", "1"}, {"out/notes/", ""}, {"out/notes/a", "mine"}});
}

TEST_CASE("a signal at any moment leaves a complete directory with the kept files, and nothing beside it") {
  const Folder folder;
  put(folder / "out/x", "0");
  put(folder / "out/y", "0");
  put(folder / "out/notes/a", "mine");
  const auto of_doctest = std::signal(SIGTERM, SIG_DFL);
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) write(folder / "out", {{"x", std::to_string(i)}, {"y", std::to_string(i)}});
    }
    ::usleep(static_cast<useconds_t>(round * 97 % 5000));
    ::kill(child, SIGTERM);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    auto now = tree(folder / "out");
    CHECK(now["x"] == now["y"]);
    CHECK(now["notes/a"] == "mine");
    CHECK(now.size() == 4);
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  }
  std::signal(SIGTERM, of_doctest);
}

TEST_CASE("killing the process at any moment leaves a complete directory and never loses kept files") {
  const Folder folder;
  put(folder / "out/x", "0");
  put(folder / "out/y", "0");
  put(folder / "out/notes/a", "mine");
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) write(folder / "out", {{"x", std::to_string(i)}, {"y", std::to_string(i)}});
    }
    ::usleep(static_cast<useconds_t>(round * 97 % 5000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    auto now = tree(folder / "out");
    CHECK(now["x"] == now["y"]);
    CHECK(now["x"] != "");
    OutputDirectory::clear_leftovers(folder / "out", keeps_notes);
    now = tree(folder / "out");
    CHECK(now["notes/a"] == "mine");
    CHECK(now.size() == 4);
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  }
}

TEST_CASE("a mount point is filled in place") {
  const Folder folder;
  fs::create_directory(folder / "out");
  constexpr int kCannot = 77, kWrong = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(kCannot);
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("none", (folder / "out").c_str(), "tmpfs", 0, nullptr) != 0) ::_exit(kCannot);
    try {
      put(folder / "out/notes", "mine");
      put(folder / "out/stale", "old");
      write(folder / "out", {{"x", "1"}, {"y", "2"}});
      const bool right = tree(folder / "out") == Tree{{"notes", "mine"}, {"x", "1"}, {"y", "2"}};
      ::_exit(right ? 0 : kWrong);
    } catch (...) {
      ::_exit(kWrong);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kCannot) {
    MESSAGE("not tried: this process may not mount");
  } else {
    CHECK(WEXITSTATUS(status) == 0);
  }
}
