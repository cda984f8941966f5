// Other programs that a tool runs, without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert {

struct ProcessResult {
  int status = 0;  // from waitpid
  std::string out, error;

  bool succeeded() const;
  // "exit status 3" or "terminated by signal: Killed".
  std::string how_it_ended() const;
  // The last line of stderr that is more than white space and ^, else how_it_ended().
  std::string complaint() const;
};

enum class ProcessErrors { collected, shown };  // shown: stderr is that of this process

// Runs `command`, whose first word is searched for on the PATH, with `input` on stdin, and waits for its end.
// The streams are files in memory, so that neither side waits for the other. `missing`: the Error if there is
// no such program.
ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          const std::string& missing, ProcessErrors errors = ProcessErrors::collected);

}  // namespace bert
