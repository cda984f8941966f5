#include "io/folder_walk.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "io/stream_run.h"

using namespace bert::io;
namespace fs = std::filesystem;

namespace {

class Tree : public TemporaryDirectory {
 public:
  void add(const std::string& path, std::string_view bytes = "x\n") const {
    fs::create_directories(fs::path(*this / path).parent_path());
    write(path, bytes);
  }
  // Joined by spaces, without the name of the tree.
  std::string files(FolderOptions options = {}, const std::string& folder = "") const {
    warnings.clear();
    const auto root = *this / folder;
    FolderWalk walk(root, options, [this](const std::string& message) { warnings.push_back(message); });
    std::string found;
    while (const auto file = walk.next())
      found += (found.empty() ? "" : " ") + file->substr(root.size() + (root.ends_with('/') ? 0 : 1));
    return found;
  }
  mutable std::vector<std::string> warnings;
};

}  // namespace

TEST_CASE("files are found in the order of their paths, without hidden ones and links") {
  const Tree tree;
  for (const auto* path : {"b", "a.txt", "a/z", "a/b/c", "a-b", ".hidden", ".git/config", "a/.x/y"})
    tree.add(path);
  fs::create_directory_symlink(tree / "a", tree / "link");
  fs::create_directory_symlink("..", tree / "a/loop");
  fs::create_symlink("b", tree / "other");
  fs::create_symlink("absent", tree / "broken");
  ::mkfifo((tree / "pipe").c_str(), 0600);
  CHECK(tree.files() == "a-b a.txt a/b/c a/z b");
  CHECK(tree.files({}, "a/") == "b/c z");
  CHECK(tree.files({}, "link") == "b/c z");  // named by the user
  CHECK(tree.warnings.empty());
}

TEST_CASE("patterns choose files") {
  const Tree tree;
  for (const auto* path : {"a.md", "b.txt", "c/a.md", "c/d/e.md", "x/a.md"}) tree.add(path);
  CHECK(tree.files({.include = {"*.md"}}) == "a.md c/a.md c/d/e.md x/a.md");
  CHECK(tree.files({.include = {"*.md"}, .exclude = {"x"}}) == "a.md c/a.md c/d/e.md");
  CHECK(tree.files({.include = {"c/*.md", "b.*"}}) == "b.txt c/a.md");
  CHECK(tree.files({.exclude = {"/a.md", "d/"}}) == "b.txt c/a.md x/a.md");
  CHECK(tree.files({.leave_out = {tree / "c/../a.md", tree / "absent"}}) == "b.txt c/a.md c/d/e.md x/a.md");
}

TEST_CASE("patterns match paths as they are written, too") {
  const Tree tree;
  for (const auto* path : {"a/b/x", "a/c/x", "d"}) tree.add(path);
  CHECK(tree.files({.exclude = {tree / "a/b"}}) == "a/c/x d");
  CHECK(tree.files({.include = {tree / "a/*/x"}}) == "a/b/x a/c/x");
  CHECK(tree.files({.exclude = {"/b"}}, "a") == "c/x");
  CHECK(tree.files({.exclude = {tree / "a/b"}}, "a") == "c/x");
}

TEST_CASE("patterns that match nothing are known after all walks") {
  const Tree tree;
  for (const auto* path : {"a/x.md", "b/y.md", ".git/x", "b/z.log"}) tree.add(path);
  tree.add("b/.gitignore", "*.log\n");
  FolderOptions options = {.include = {"*.md", "x*", "*.txt"},
                           .exclude = {"y.md", "y.*", ".git", "z.log", "/x"},
                           .use = std::make_shared<GlobUse>()};
  CHECK(tree.files(options, "a") == "x.md");
  CHECK(tree.files(options, "b").empty());
  CHECK(tree.files(options) == "a/x.md");
  CHECK(options.notes() == std::vector<std::string>{"--include '*.txt' matches no file",
                                                    "--exclude /x matches no file or folder"});
}

TEST_CASE(".gitignore files count, the nearest first, those above the folder too") {
  const Tree tree;
  for (const auto* path : {"a.log", "keep.log", "build/x", "c/build", "c/a.log", "c/d/a.log", "c/d/b"})
    tree.add(path);
  tree.add(".gitignore", "*.log\n!keep.log\nbuild/\n");
  tree.add("c/.gitignore", "!a.log\r\n/d/a.log\r\n");
  CHECK(tree.files() == "c/a.log c/build c/d/b keep.log");
  CHECK(tree.files({}, "c") == "a.log build d/b");
  CHECK(tree.files({}, "c/d") == "a.log b");  // no repository: only .gitignore files of the folder
  tree.add(".git/info/exclude", "b\n");
  CHECK(tree.files({}, "c/d").empty());
  CHECK(tree.files({}, "c") == "a.log build");
}

TEST_CASE("what cannot be read is reported, and the others are found") {
  const Tree tree;
  CHECK(tree.files().empty());
  tree.files({}, "absent");
  CHECK(tree.warnings.size() == 1);
  tree.add("a/b");
  tree.add("c");
  FolderWalk walk(tree / "", {}, [](const std::string&) {});
  fs::remove_all(tree / "a");
  CHECK(walk.next() == tree / "c");
  CHECK(!walk.next());
}
