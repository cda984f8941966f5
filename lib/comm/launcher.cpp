#include "comm/launcher.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace bert::comm {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // "2(x3)" of Slurm: 2
  return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<Launch> environment_launch() {
  struct Launcher {
    const char *name, *rank, *size;
  };
  constexpr Launcher kLaunchers[] = {{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
                                     {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                     {"mpiexec", "PMI_RANK", "PMI_SIZE"}};  // MPICH
  for (const auto& [name, rank, size] : kLaunchers) {
    const auto processes = number_in(size);
    if (!processes) continue;
    if (*processes == 1) return std::nullopt;
    return Launch{
        .launcher = name, .rank = number_in(rank).value_or(0), .size = *processes, .variable = size};
  }
  return std::nullopt;
}

std::optional<Launch> find_launch() {
  auto launch = environment_launch();
  if (launch && launch->launcher == "srun" && std::getenv("PMIX_RANK") == nullptr &&
      std::getenv("PMI_RANK") == nullptr)
    throw Error("srun has started ", launch->size,
                " processes that cannot find each other; use srun --mpi=pmix, or -n 1");
  return launch;
}

std::unique_ptr<Transport> open_transport(const std::string& path, const Launch& launch) {
  if (!std::filesystem::exists(path))
    throw Error(launch.launcher, " has started ", launch.size,
                " processes, but this build has no MPI: install libopenmpi-dev and build again (", path,
                " is missing)");
  // MPI's own plug-ins look up its symbols, so they must be global.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw Error("MPI cannot be loaded: ", ::dlerror());
  const auto open = reinterpret_cast<decltype(&bert_open_transport)>(::dlsym(library, "bert_open_transport"));
  if (open == nullptr) throw Error("MPI cannot be loaded: ", ::dlerror());
  std::unique_ptr<Transport> transport(open());
  if (transport->size() != launch.size)
    throw Error(launch.launcher, " has started ", launch.size, " processes, but MPI connects ",
                transport->size(), ": the launcher and the MPI library of ", path, " do not belong together");
  return transport;
}

}  // namespace bert::comm
