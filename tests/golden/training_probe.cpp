// training_probe DIRECTORY STEP.json GRADIENTS.f32 [THREADS]
//
// One pre-training step without the optimizer, for check_training.py. It reads the model and
// {"micro_batches": [[record, ...], ...]}, writes the gradients one after another and prints {"mlm_loss",
// "next_loss", "masked_right", "next_right", "parameters": [{"name", "count"}, ...]} in that order.
#include <fstream>
#include <iostream>
#include <limits>

#include "base/pool.h"
#include "model/config.h"
#include "training_step.h"

namespace bert::golden {
namespace {

TrainingStep read_step(const std::string& path) {
  const json::File file(path);
  TrainingStep step;
  for (const json::Value& batch : file.find("micro_batches").value().elements()) {
    auto& records = step.emplace_back();
    for (const json::Value& record : batch.elements()) records.push_back(training_record(record));
  }
  return step;
}

void write_gradients(const nn::Params& gradients, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (size_t place = 0; place < gradients.layout().entries().size(); ++place) {
    const auto numbers = std::as_bytes(gradients.tensor(static_cast<int>(place)));
    file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size()));
  }
  if (!file.flush()) throw Error(path, ": cannot be written");
}

void print(const StepLosses& losses, const nn::Layout& layout) {
  std::cout.precision(std::numeric_limits<double>::max_digits10);
  std::cout << R"({"mlm_loss": )" << StepLosses::mean(losses.masked_lm) << R"(, "next_loss": )"
            << StepLosses::mean(losses.next) << R"(, "masked_right": )" << losses.masked_lm.correct
            << R"(, "next_right": )" << losses.next.correct << R"(, "parameters": [)";
  const char* separator = "";
  for (const auto& entry : layout.entries()) {
    std::cout << separator << R"({"name": ")" << entry.name << R"(", "count": )" << entry.count() << '}';
    separator = ", ";
  }
  std::cout << "]}\n";
}

void run(const std::string& directory, const std::string& step, const std::string& gradients, int threads) {
  Pool pool(threads);
  const auto config = model::load_config(directory);
  model::TrainingNetwork network(config, pretraining_heads(), pool);
  if (!network.load(ckpt::Checkpoint::open(directory)).empty())
    throw Error(directory, ": weights are missing");
  network.refresh();
  const auto losses = run_step(network, read_step(step), model::TrainingNetwork::Keep::activations);
  write_gradients(network.gradients(), gradients);
  print(losses, network.gradients().layout());
}

}  // namespace
}  // namespace bert::golden

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  try {
    bert::golden::run(argv[1], argv[2], argv[3], argc == 5 ? std::stoi(argv[4]) : 2);
  } catch (const std::exception& error) {
    std::cerr << "training_probe: " << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
