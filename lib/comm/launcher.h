// How this process was started: alone, or by mpirun or srun as one of several ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "comm/transport.h"

namespace bert::comm {

struct Launch {
  std::string launcher;  // "mpirun", for messages
  int rank = 0;
  int size = 1;          // number of ranks
  std::string variable;  // of the environment, which has the size
};

// From the launcher's environment variables; nullopt if this process is the only one.
std::optional<Launch> environment_launch();
// Throws Error if srun has started several processes without connecting them.
std::optional<Launch> find_launch();

// Loads the plug-in `path` and connects to the other ranks. Call it on the thread that will use the
// transport. Throws Error if the plug-in is absent, or if it does not see as many ranks as were launched.
std::unique_ptr<Transport> open_transport(const std::string& path, const Launch& launch);

}  // namespace bert::comm
