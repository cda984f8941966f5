// The processes that mpirun or srun has started together. No options: the launcher's environment tells.
#pragma once

#include <optional>
#include <string>

#include "cli/app.h"
#include "comm/communicator.h"
#include "comm/launcher.h"

namespace bert::cmd {

class Ranks {
 public:
  // When the app runs, connects to the other processes, if there are any. Then an error ends all of them,
  // with one message, and messages other than errors are shown by rank 0 only.
  explicit Ranks(cli::App& app);
  Ranks(const Ranks&) = delete;

  // In the body of App::run, before the ranks do anything else together: throws Error on ranks whose version
  // or arguments differ from those of rank 0, except for threads, messages and output.
  void require_same_arguments(const cli::App& app);

  comm::Communicator& communicator() { return *communicator_; }
  int on_same_cores() const { return on_same_cores_; }  // number of ranks, including this one
  void close() { communicator_->close(); }

  static std::string mpi_version();  // for --version: whether this installation has MPI

 private:
  void connect(cli::App& app);

  std::optional<comm::Communicator> communicator_;
  int on_same_cores_ = 1;
};

// For tools that are no ranks: if several processes were started together, each of which would do all the
// work, run() ends them with an error from the first one.
void one_process(cli::App& app);

}  // namespace bert::cmd
