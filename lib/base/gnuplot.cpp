#include "base/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"

extern char** environ;

namespace bert {
namespace {

// Output and exit status of a child process.
struct Result {
  int status = 0;  // from waitpid
  std::string out, error;
};

// In-memory file for a child to read or write.
FileDescriptor memory_file(std::string_view content) {
  FileDescriptor file(::memfd_create("gnuplot", MFD_CLOEXEC));
  if (file.get() < 0) throw Error("gnuplot: cannot create a memory file: ", std::strerror(errno));
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno != EINTR) throw Error("gnuplot: ", std::strerror(errno));
    if (count > 0) content.remove_prefix(count);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const FileDescriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string text;
  char block[1 << 14];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("gnuplot: ", std::strerror(errno));
    if (count == 0) return text;
    text.append(block, count);
  }
}

// Runs gnuplot with `input` on stdin. All three streams are in-memory files, so there are no deadlocks. No
// shell is used, so no quoting is needed.
Result run_gnuplot(std::vector<const char*> arguments, std::string_view input) {
  const std::array<FileDescriptor, 3> streams = {memory_file(input), memory_file(""), memory_file("")};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, streams[i].get(), i);
  arguments.insert(arguments.begin(), "gnuplot");
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, "gnuplot", &actions, nullptr,
                                   const_cast<char* const*>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw Error(opt::plot,
                " needs gnuplot, which is not installed or not on the PATH (on Debian and Ubuntu, the "
                "package gnuplot-nox)");
  if (error != 0) throw Error("gnuplot: ", std::strerror(error));
  Result result;
  while (::waitpid(child, &result.status, 0) < 0) {
    if (errno != EINTR) throw Error("gnuplot: ", std::strerror(errno));
  }
  result.out = content_of(streams[1]);
  result.error = content_of(streams[2]);
  return result;
}

// The last nonempty line of stderr; gnuplot prints the line of the script before it.
std::string complaint(const Result& result) {
  if (WIFSIGNALED(result.status))
    return std::string("terminated by signal: ") + ::strsignal(WTERMSIG(result.status));
  std::string last = "exit status " + std::to_string(WEXITSTATUS(result.status));
  for (std::string_view rest = result.error; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t^") != line.npos) last = line;
  }
  return last;
}

bool succeeded(const Result& result) { return WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0; }

}  // namespace

void require_gnuplot(const std::string& path) {
  if (path.empty() || path == "-") throw Error(opt::plot, " is \"", path, "\", expected the name of a file");
  const auto result = run_gnuplot({"--version"}, "");
  if (!succeeded(result) || !result.out.starts_with("gnuplot"))
    throw Error(opt::plot, " needs gnuplot, which fails: ", complaint(result));
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (!is_directory(folder.string())) throw Error(path, ": no such directory");
  if (is_directory(path)) throw Error(path, ": is a directory, expected the name of a file");
}

std::string gnuplot_version() {
  try {
    const auto result = run_gnuplot({"--version"}, "");
    if (succeeded(result) && result.out.starts_with("gnuplot"))
      return result.out.substr(0, result.out.find('\n'));
  } catch (const Error&) {  // NOLINT: the answer below
  }
  return "gnuplot: not found (" + opt::plot + " needs it)";
}

void draw_plot(std::string_view script, const std::string& path) {
  const auto result = run_gnuplot({"--default-settings", "-"}, script);
  if (!succeeded(result) || result.out.find("</svg>") == result.out.npos)
    throw Error(path, ": gnuplot failed: ", complaint(result));
  OutputFile file(path);
  file.write(result.out);
  file.commit();
}

void append_plot_number(std::string& script, double value) {
  char digits[32];
  script.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace bert
