#include "model/calibration.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "ckpt/column_major.h"
#include "json/json.h"
#include "model/heads.h"
#include "model/stored_tensors.h"

namespace bert::model {
namespace {

struct Scaling {
  double scale, offset;
};

// One for each label of the model.
std::vector<Scaling> read_scalings(const std::string& path, const Config& config) {
  std::vector<std::optional<Scaling>> scalings(config.labels.size());
  const std::string text = read_file(path);
  size_t line_number = 0;
  bool for_all = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto where = path + ":" + std::to_string(line_number);
    const json::File record(where, line);
    const Scaling scaling = {record.number("scale"), record.number("offset")};
    const bool is_for_all = !record.find("label");
    if (is_for_all && !(scaling.scale > 0))
      throw Error(where, ": \"scale\" is ", scaling.scale, ", expected a number above 0");
    if (for_all) throw Error(where, ": the record before it was for all labels");
    if (is_for_all) {
      if (line_number > 1) throw Error(where, ": has no \"label\", but the record before it had one");
      for_all = true;
      std::ranges::fill(scalings, scaling);
      continue;
    }
    const auto label = record.string("label");
    const auto found = std::ranges::find(config.labels, label);
    if (found == config.labels.end()) throw Error(where, ": the model has no label ", json::in_quotes(label));
    auto& place = scalings[found - config.labels.begin()];
    if (place) throw Error(where, ": label ", json::in_quotes(label), " is there twice");
    place = scaling;
  }
  const auto other = for_all ? ProblemType::multi_label : ProblemType::single_label;
  if (line_number > 0 && config.problem_type == other)
    throw Error(path, ": is not for a model with the problem_type ", name_of(other));
  std::vector<Scaling> all;
  for (size_t i = 0; i < scalings.size(); ++i) {
    if (!scalings[i]) throw Error(path, ": has no scale for label ", json::in_quotes(config.labels[i]));
    all.push_back(*scalings[i]);
  }
  return all;
}

// Replaces the numbers of a tensor, which keeps its format in the file.
void replace(ckpt::TensorToWrite& tensor, std::vector<float> values) {
  if (tensor.dtype != Dtype::f64) tensor.store = tensor.dtype;
  tensor.dtype = Dtype::f32;
  tensor.transposed = false;
  tensor.data = {};
  auto kept = std::make_shared<const std::vector<float>>(std::move(values));
  tensor.load = [kept] { return std::as_bytes(std::span(*kept)); };
}

}  // namespace

void calibrate(const std::string& file, const Directory& source, Parts& parts) {
  const auto& head = *head_of(task::Task::classify);
  if (!has_head(source.config, head) || source.config.labels.size() < 2)
    throw Error(source.root, ": the model does not classify texts, so that there is nothing to calibrate");
  const auto scalings = read_scalings(file, source.config);
  for (auto& tensor : parts.tensors) {
    const bool is_bias = tensor.name == std::string(head.tensors(*source.config.type)) + ".bias";
    if (tensor.name != head.mark && !is_bias) continue;
    if (tensor.shape.empty() || tensor.shape.front() != std::ssize(scalings))
      throw Error(source.path, ": tensor ", tensor.name, " has another number of rows than ",
                  counted(scalings.size(), "label", "labels"));
    auto values = floats_of(tensor);
    const size_t width = values.size() / scalings.size();
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& [scale, offset] = scalings[i / width];
      values[i] = static_cast<float>(scale * values[i] + (is_bias ? offset : 0));
    }
    replace(tensor, std::move(values));
  }
}

}  // namespace bert::model
