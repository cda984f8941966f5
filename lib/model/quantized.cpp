#include "model/quantized.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "ckpt/quantized.h"
#include "model/parts.h"
#include "model/stored_tensors.h"
#include "nn/kernels/kernels.h"

namespace bert::model {
namespace {

constexpr std::string_view kMethod = "compressed-tensors", kFormat = "int-quantized";
constexpr float kMost = 127;

struct Rows {
  std::vector<int8_t> integers;
  std::vector<float> scales;
};

Rows quantized(const ckpt::TensorToWrite& tensor) {
  const auto numbers = floats_of(tensor);
  const size_t rows = tensor.shape.front(), width = numbers.size() / rows;
  const auto& kernels = nn::usable_kernels();
  Rows found{.integers = std::vector<int8_t>(numbers.size()), .scales = {}};
  for (size_t row = 0; row < rows; ++row) {
    const auto column =
        kernels.quantize_column(width, &numbers[row * width], kMost, &found.integers[row * width]);
    if (!std::isfinite(column.scale)) throw Error("tensor ", tensor.name, " has a number that is not finite");
    found.scales.push_back(column.scale);
  }
  return found;
}

// The matrices whose products may be those of integers.
std::set<std::string> names_of_matrices(const Config& config) {
  nn::Layout layout;
  const NetworkLayers layers(config, {}, layout);
  std::set<std::string> names;
  for (const auto& entry : layout.entries())
    if (entry.packed && entry.shape.size() == 2 && entry.name.starts_with("encoder."))
      names.insert(entry.name);
  return names;
}

// The name of a module as a regular expression for all layers.
std::string pattern_of(std::string_view module) {
  std::string pattern = "re:.*";
  for (size_t i = std::min(module.find("layer"), module.size()); i < module.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(module[i]))) {
      if (!pattern.ends_with("d+")) pattern += "\\d+";
    } else {
      if (module[i] == '.') pattern += '\\';
      pattern += module[i];
    }
  }
  return pattern + "$";
}

void expect(const json::Value& object, std::string_view key, std::string_view value) {
  const auto found = object.member(key).string();
  if (found != value) throw Error(key, " is ", json::in_quotes(found), ", expected ", json::in_quotes(value));
}

void append_arguments(std::string& out, std::string_view strategy, bool symmetric, bool dynamic) {
  json::Object object(out, 3);
  object.integer("num_bits", 8);
  object.string("type", "int");
  object.boolean("symmetric", symmetric);
  object.string("strategy", strategy);
  object.boolean("dynamic", dynamic);
  object.end();
}

void append_group(std::string& out, const std::vector<std::string>& targets) {
  json::Object object(out, 2);
  json::append_strings(object.key("targets"), targets);
  append_arguments(object.key("weights"), "channel", true, false);
  append_arguments(object.key("input_activations"), "token", false, true);
  object.end();
}

void append_groups(std::string& out, const std::vector<std::string>& targets) {
  json::Object object(out, 2);
  append_group(object.key("group_0"), targets);
  object.end();
}

}  // namespace

std::vector<std::string> read_quantization(const json::File& config) {
  const auto object = config.find("quantization_config");
  if (!object) return {};
  try {
    expect(*object, "quant_method", kMethod);
    expect(*object, "format", kFormat);
    std::vector<std::string> targets;
    for (const auto& [name, group] : object->member("config_groups").members()) {
      const auto weights = group.member("weights");
      expect(weights, "type", "int");
      if (weights.member("num_bits").integer() != 8) throw Error("num_bits is not 8");
      if (!weights.member("symmetric").boolean()) throw Error("symmetric is false");
      const auto strategy = weights.member("strategy").string();
      if (strategy != "channel" && strategy != "tensor")
        throw Error("strategy is ", json::in_quotes(strategy), ", expected \"channel\" or \"tensor\"");
      for (const auto target : group.member("targets").strings()) targets.emplace_back(target);
    }
    return targets;
  } catch (const Error& error) {
    throw Error(config.path(), ": quantization_config: ", error.what(),
                "; only 8-bit integers with a scale for each row can be read");
  }
}

void append_quantization(std::string& out, const std::vector<std::string>& targets) {
  json::Object object(out, 1);
  append_groups(object.key("config_groups"), targets);
  object.string("format", kFormat);
  json::append_strings(object.key("ignore"), {});
  object.string("quant_method", kMethod);
  object.string("quantization_status", "compressed");
  object.end();
}

void store_as_integers(const Config& config, std::vector<ckpt::TensorToWrite>& tensors) {
  const auto names = names_of_matrices(config);
  for (auto& tensor : tensors) {
    if (!names.contains(tensor.name) || !tensor.scales.empty()) continue;
    auto source = std::make_shared<const ckpt::TensorToWrite>(tensor);
    auto rows = std::make_shared<Rows>();
    tensor.scales = quantized(*source).scales;
    tensor.dtype = Dtype::i8;
    tensor.data = {};
    tensor.transposed = false;
    tensor.load = [source, rows] {
      *rows = quantized(*source);
      return std::as_bytes(std::span(std::as_const(rows->integers)));
    };
  }
}

std::vector<std::string> add_scales(std::vector<ckpt::TensorToWrite>& tensors) {
  std::vector<ckpt::TensorToWrite> scales;
  std::set<std::string> patterns;
  for (const auto& tensor : tensors) {
    if (tensor.scales.empty()) continue;
    auto kept = std::make_shared<const std::vector<float>>(tensor.scales);
    scales.push_back({.name = tensor.name + std::string(ckpt::kScale),
                      .shape = {std::ssize(*kept), 1},
                      .load = [kept] { return std::as_bytes(std::span(*kept)); }});
    patterns.insert(pattern_of(std::string_view(tensor.name).substr(0, tensor.name.rfind('.'))));
  }
  std::ranges::move(scales, std::back_inserter(tensors));
  return {patterns.begin(), patterns.end()};
}

}  // namespace bert::model
