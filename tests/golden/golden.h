// Expected outputs of every small model in tests/golden/models, computed in float64 by bert_reference.py:
//
//   for (const auto& expected : golden::load("pretraining").cases) {
//     const auto& want = expected.outputs.at("hidden.2");
//     ... values = output of the network in encoder_directory("pretraining") for expected.input_ids ...
//     CHECK(want.error(values) <= want.bound);
//   }
//
// Outputs, named after the tensors that produce them, with T = input_ids.size():
//   hidden.0 ... hidden.L      [T,H]  embeddings, then each layer
//   pooled                     [1,H]
//   cls.predictions.transform  [M,H]  at the M positions of `masked` (absent without masked tokens)
//   cls.predictions            [M,V]  logits, as for all heads
//   cls.seq_relationship       [1,2]
//   classifier                 [1,K] from the pooled vector, [T,K] if the model has no pooler
//   qa_outputs                 [T,2]
//   embedding                  [1,D]  of a sentence-transformers model with all its modules, without prompt
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"

namespace bert::golden {

struct Array {
  int64_t rows = 0;
  int64_t width = 0;
  std::vector<float> values;  // [rows, width], the float64 values rounded once
  double bound = 0;           // for error(): 2e-6, or twice the error of PyTorch's own f32 if that is larger

  // For head logits only: |w| of each of the `width` weight rows, |h| of each of the `rows` inputs.
  std::vector<float> weight_norms;
  std::vector<float> input_norms;

  // The error of `actual` [rows, width]. Vectors: the largest |actual - expected| / |expected| over rows.
  // Logits: the largest |actual - expected| / (|w|·|h|). NaN or a different size gives infinity.
  double error(std::span<const float> actual) const;

 private:
  double error_of_row(int64_t row, std::span<const float> actual) const;
};

struct Case {
  std::string name;  // "length 17", "pair 9 + 13"
  std::vector<int32_t> input_ids;
  std::vector<int32_t> token_type_ids;
  std::vector<int32_t> masked;  // positions of [MASK]
  std::map<std::string, Array> outputs;
};

struct Model {
  std::string name;
  std::vector<Case> cases;
};

// tests/golden, found next to this file.
inline std::filesystem::path directory() { return std::filesystem::path(__FILE__).parent_path(); }

inline std::string model_directory(const std::string& model) { return directory() / "models" / model; }

// The directory of config.json and weights: in older sentence-transformers models a subfolder.
inline std::string encoder_directory(const std::string& model) {
  const std::filesystem::path deeper = directory() / "models" / model / "0_BERT";
  return std::filesystem::is_directory(deeper) ? deeper.string() : model_directory(model);
}

// All models, sorted by name.
inline std::vector<std::string> model_names() {
  const json::File manifest(directory() / "expected" / "manifest.json");
  std::vector<std::string> names;
  for (const auto& [name, error] : manifest.find("torch_f32_error").value().members())
    names.emplace_back(name);
  return names;
}

inline double Array::error_of_row(int64_t row, std::span<const float> actual) const {
  double difference_squared = 0, truth_squared = 0, worst_logit = 0;
  for (int64_t column = 0; column < width; ++column) {
    const double truth = values[row * width + column];
    const double difference = std::abs(actual[row * width + column] - truth);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    difference_squared += difference * difference;
    truth_squared += truth * truth;
    if (!weight_norms.empty()) {
      const double scale = static_cast<double>(weight_norms[column]) * input_norms[row];
      worst_logit = std::max(worst_logit, difference / scale);
    }
  }
  return weight_norms.empty() ? std::sqrt(difference_squared / truth_squared) : worst_logit;
}

inline double Array::error(std::span<const float> actual) const {
  if (actual.size() != values.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row) worst = std::max(worst, error_of_row(row, actual));
  return worst;
}

// Reads `count` numbers at index `offset` of a file of f32 and advances `offset` past them.
inline std::vector<float> read_numbers(std::span<const std::byte> data, int64_t& offset, int64_t count) {
  const size_t begin = offset * sizeof(float), size = count * sizeof(float);
  if (begin + size > data.size()) throw Error("tests/golden/expected: the index points behind the numbers");
  std::vector<float> numbers(count);
  std::memcpy(numbers.data(), data.data() + begin, size);
  offset += count;
  return numbers;
}

inline Array read_array(const json::Value& entry, std::span<const std::byte> data) {
  const auto shape = entry.find("shape").value().integers();
  Array array{.rows = shape.at(0), .width = shape.at(1), .bound = entry.find("bound").value().number()};
  int64_t offset = entry.find("offset").value().integer();
  array.values = read_numbers(data, offset, array.rows * array.width);
  if (entry.find("kind")) {
    array.weight_norms = read_numbers(data, offset, array.width);
    array.input_norms = read_numbers(data, offset, array.rows);
  }
  return array;
}

inline Model load(const std::string& name) {
  const auto path = directory() / "expected" / name;
  const json::File index(path.string() + ".json");
  const MappedFile numbers(path.string() + ".f32");
  Model model{.name = name};
  for (const json::Value& entry : index.find("cases").value().elements()) {
    Case one{.name = std::string(entry.find("name").value().string()),
             .input_ids = entry.find("input_ids").value().integers(),
             .token_type_ids = entry.find("token_type_ids").value().integers(),
             .masked = entry.find("masked").value().integers()};
    for (const auto& [output, array] : entry.find("outputs").value().members())
      one.outputs.emplace(output, read_array(array, numbers.bytes()));
    model.cases.push_back(std::move(one));
  }
  return model;
}

}  // namespace bert::golden
