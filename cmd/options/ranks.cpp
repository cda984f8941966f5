#include "options/ranks.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "options/installed.h"

namespace bert::cmd {
namespace {

// The processors that this process may use.
std::string cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  return {reinterpret_cast<const char*>(&set), sizeof set};
}

// What must be equal on all ranks, a line each: the version, then the arguments.
std::vector<std::string> lines_of(const cli::App& app) {
  std::vector<std::string> lines;
  std::istringstream version(app.version());
  for (std::string line; std::getline(version, line);) lines.push_back(line);
  for (auto& argument : app.common_arguments()) lines.push_back(std::move(argument));
  return lines;
}

}  // namespace

void Ranks::require_same_arguments(const cli::App& app) {
  auto& ranks = *communicator_;
  if (ranks.alone()) return;
  constexpr char kEnd = '\0';
  std::string text;
  for (const auto& line : lines_of(app)) text += line + kEnd;
  const std::string first = ranks.broadcast(text);
  for (size_t own = 0, other = 0; text != first;) {
    const auto own_end = std::min(text.find(kEnd, own), text.size());
    const auto other_end = std::min(first.find(kEnd, other), first.size());
    const auto here = text.substr(own, own_end - own), there = first.substr(other, other_end - other);
    if (here != there)
      throw Error(here.empty() ? "fewer arguments" : here, ", but ",
                  there.empty() ? "fewer arguments" : there, " on rank 0");
    own = own_end + 1;
    other = other_end + 1;
  }
}

Ranks::Ranks(cli::App& app) {
  app.before([this, &app] { connect(app); });
}

void Ranks::connect(cli::App& app) {
  const auto launch = comm::find_launch();
  if (!launch) {
    communicator_.emplace();
    return;
  }
  if (launch->rank > 0) app.log().mute();
  const auto plugin = installed(BERT_MPI_PLUGIN).string();
  communicator_.emplace(
      comm::EngineSettings{.open = [plugin, launch] { return comm::open_transport(plugin, *launch); },
                           .report =
                               [&app](const std::string& message) {
                                 app.log().unmute();
                                 app.log().error(message);
                               },
                           .end = [](int status) { ::_exit(status); }});
  app.report_errors_to(
      [this](int status, const std::string& message) { communicator_->fail(status, message); });
  const auto all = communicator_->all_gather(communicator_->host() + cores());
  on_same_cores_ = std::ranges::count(all, all[communicator_->rank()]);
}

std::string Ranks::mpi_version() {
  try {
    const bool found = std::filesystem::exists(installed(BERT_MPI_PLUGIN));
    return found ? "MPI: built in" : "MPI: not built in (mpirun needs it)";
  } catch (const std::exception&) {
    return "MPI: unknown without /proc";
  }
}

// The others end without a message. They wait, since a launcher ends all processes once one has failed, maybe
// before the first has spoken.
void one_process(cli::App& app) {
  app.check([] {
    const auto launch = comm::environment_launch();
    if (!launch) return;
    if (launch->rank > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      std::exit(2);
    }
    throw cli::UsageError(
        "runs as one process, but ", launch->launcher, " has started ", launch->size,
        ", each of which would do all the work; use --threads for more cores; to run it on different ",
        "FILEs in each process, set ", launch->variable, "=1");
  });
}

}  // namespace bert::cmd
