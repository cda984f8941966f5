#include "base/file.h"

#include <doctest/doctest.h>
#include <unistd.h>

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

TEST_CASE("only a name that is not there is absent") {
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

TEST_CASE("names of a directory are sorted; one that cannot be listed is an error") {
  const Folder folder;
  for (const char* name : {"b", "a", ".c"}) std::ofstream(folder / name) << "x";
  CHECK(names_in_directory(folder.path) == std::vector<std::string>{".c", "a", "b"});
  CHECK_THROWS_WITH_AS(names_in_directory(folder / "nothing"),
                       (folder / "nothing: cannot be listed: No such file or directory").c_str(), Error);
}
