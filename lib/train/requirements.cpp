#include "train/requirements.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/gnuplot.h"
#include "base/option.h"
#include "model/card.h"
#include "model/save.h"
#include "train/training_checkpoint.h"

namespace bert::train {
namespace {

constexpr const char* kCheckpoints = "checkpoints";  // in the output directory

}  // namespace

std::string checkpoints_of(const std::string& directory) {
  return (std::filesystem::path(directory) / kCheckpoints).string();
}

void require_possible(const TrainingOptions& options, const InitialModel& initial,
                      const comm::Communicator& ranks, Log& log) {
  const std::string besides[] = {kCheckpoints,
                                 std::string(model::kCard)};  // a card is kept, see model_card()
  const auto out = options.steps == 0 ? "" : options.run.out;
  const auto beside = (std::filesystem::path(out) / model::kGenerator).string();
  using Read = std::pair<std::string, std::string>;
  for (const auto& [read, name] :
       {Read(initial.path, "that training starts from"), Read(options.task.generator, "of " + opt::generator),
        Read(options.task.distill.teacher, "of " + opt::teacher)})
    if (!read.empty() && !out.empty() && (same_file(read, out) || is_inside(read, out)))
      throw Error(out, ": contains the model ", name, "; -o must be another directory");
  if (!out.empty() && options.task.generator_size && is_directory(beside) &&
      !is_file(beside + "/config.json"))
    throw Error(beside, ": is no model, and would be replaced by the generator; move it away");
  if (!out.empty() && ranks.is_first()) {
    require_space(out, 0);
    model::require_output(out, model::Existing::replace, besides);
    // Checkpoints show that a model, if there is one, is of their run; what is done with them is decided
    // later.
    if (!options.run.force && !has_checkpoints(checkpoints_of(out)))
      model::require_output(out, model::Existing::refuse, besides);
  }
  if (options.baseline && (options.reads_stdin() || !io::can_read_again(options.stream.files)))
    throw Error(opt::baseline, " needs FILEs: a pipe can be read only once");
  for (const auto& [asked, option] :
       {std::pair(options.baseline, opt::baseline), {!options.held_out.empty(), opt::held_out}})
    if (asked && !ranks.alone())
      throw Error(option, " is for one process; run it with ", opt::check, " before");
  if (initial.tokenizer.size() > initial.config.vocab_size)
    throw Error("the vocabulary has ", initial.tokenizer.size(), " tokens, the model ",
                initial.config.vocab_size);
  if (initial.config.type->words_only && options.task.kind != task::Task::embed)
    throw Error(initial.path, ": is a table of the vectors of words, which only ", opt::task, " ",
                task::name_of(task::Task::embed), " trains");
  if (const auto frozen = options.run.optimizer.frozen; frozen > initial.config.layers)
    throw Error(opt::freeze, " ", *frozen, ": the model has ",
                counted(initial.config.layers, "layer", "layers"));
  if (options.run.plot && options.steps != 0 && ranks.is_first()) require_gnuplot(*options.run.plot);
  if (!options.dev.empty() && !io::can_read_again({options.dev}))
    throw Error(options.dev, ": ", opt::dev, " must be a regular FILE");
  if (options.rate == 0 && options.steps != 0) log.warn(opt::lr + " 0: nothing is learned");
}

}  // namespace bert::train
