#include "base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"

extern char** environ;

namespace bert {
namespace {

// In-memory file for a child to read or write.
FileDescriptor memory_file(const std::string& program, std::string_view content) {
  FileDescriptor file(::memfd_create(program.c_str(), MFD_CLOEXEC));
  if (file.get() < 0) throw Error(program, ": cannot create a memory file: ", std::strerror(errno));
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno != EINTR) throw Error(program, ": ", std::strerror(errno));
    if (count > 0) content.remove_prefix(count);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const std::string& program, const FileDescriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  return read_rest(file, program);
}

}  // namespace

bool ProcessResult::succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string ProcessResult::how_it_ended() const {
  if (WIFSIGNALED(status)) return std::string("terminated by signal: ") + ::strsignal(WTERMSIG(status));
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string ProcessResult::complaint() const {
  std::string last = how_it_ended();
  if (WIFSIGNALED(status)) return last;
  for (std::string_view rest = error; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t^") != line.npos) last = line;
  }
  return last;
}

ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          const std::string& missing, ProcessErrors errors) {
  const auto& program = command.front();
  const std::array<FileDescriptor, 3> streams = {memory_file(program, input), memory_file(program, ""),
                                                 memory_file(program, "")};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < (errors == ProcessErrors::shown ? 2 : 3); ++i)
    ::posix_spawn_file_actions_adddup2(&actions, streams[i].get(), i);
  std::vector<const char*> arguments;
  for (const auto& word : command) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr,
                                   const_cast<char* const*>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) throw Error(missing);
  if (error != 0) throw Error(program, ": ", std::strerror(error));
  ProcessResult result;
  while (::waitpid(child, &result.status, 0) < 0) {
    if (errno != EINTR) throw Error(program, ": ", std::strerror(errno));
  }
  result.out = content_of(program, streams[1]);
  result.error = content_of(program, streams[2]);
  return result;
}

}  // namespace bert
