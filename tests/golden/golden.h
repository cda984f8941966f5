// What every small model of tests/golden/models must answer, as computed in float64 by bert_reference.py:
//
//   for (const auto& expected : golden::load("pretraining").cases) {
//     const auto& want = expected.outputs.at("hidden.2");
//     ... values = what the network of encoder_directory("pretraining") makes of expected.input_ids ...
//     CHECK(want.error(values) <= want.bound);
//   }
//
// Outputs, by the names of the tensors that make them, T = input_ids.size():
//   hidden.0 ... hidden.L      [T,H]  embeddings, then each layer
//   pooled                     [1,H]
//   cls.predictions.transform  [M,H]  at the M places of `masked` (absent when there are none)
//   cls.predictions            [M,V]  logits, as all heads
//   cls.seq_relationship       [1,2]
//   classifier                 [1,K] of the pooled vector, [T,K] when the model has no pooler
//   qa_outputs                 [T,2]
//   embedding                  [1,D]  of a sentence-transformers directory, all its modules, without prompt
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
#include "io/json.h"

namespace bert::golden {

struct Array {
  int64_t rows = 0;
  int64_t width = 0;
  std::vector<float> values;  // [rows, width], the float64 values rounded once
  double bound = 0;           // of error(): 2e-6, or twice the error of PyTorch's own f32 where that is more

  // Of a head's logits only: |w| of each of its `width` weight rows, |h| of each of the `rows` inputs.
  std::vector<float> weight_norms;
  std::vector<float> input_norms;

  // How far `actual` [rows, width] is from the truth. Vectors: the largest |actual - truth| / |truth| over
  // rows. Logits: the largest |actual - truth| / (|w|·|h|). NaN or another size is infinitely far.
  double error(std::span<const float> actual) const;

 private:
  double error_of_row(int64_t row, std::span<const float> actual) const;
};

struct Case {
  std::string name;  // "length 17", "pair 9 + 13"
  std::vector<int32_t> input_ids;
  std::vector<int32_t> token_type_ids;
  std::vector<int32_t> masked;  // places of [MASK]
  std::map<std::string, Array> outputs;
};

struct Model {
  std::string name;
  std::vector<Case> cases;
};

// tests/golden, found beside this file.
inline std::filesystem::path directory() { return std::filesystem::path(__FILE__).parent_path(); }

inline std::string model_directory(const std::string& model) { return directory() / "models" / model; }

// Where its config.json and weights are: an older sentence-transformers directory keeps them one folder
// deeper.
inline std::string encoder_directory(const std::string& model) {
  const std::filesystem::path deeper = directory() / "models" / model / "0_BERT";
  return std::filesystem::is_directory(deeper) ? deeper.string() : model_directory(model);
}

// All models, sorted.
inline std::vector<std::string> model_names() {
  const io::JsonFile manifest(directory() / "expected" / "manifest.json");
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

// `count` numbers from place `offset` of a file of f32; moves `offset` behind them.
inline std::vector<float> read_numbers(std::span<const std::byte> data, int64_t& offset, int64_t count) {
  const size_t begin = offset * sizeof(float), size = count * sizeof(float);
  if (begin + size > data.size()) throw Error("tests/golden/expected: the index points behind the numbers");
  std::vector<float> numbers(count);
  std::memcpy(numbers.data(), data.data() + begin, size);
  offset += count;
  return numbers;
}

inline Array read_array(const io::Json& entry, std::span<const std::byte> data) {
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
  const io::JsonFile index(path.string() + ".json");
  const MappedFile numbers(path.string() + ".f32");
  Model model{.name = name};
  for (const io::Json& entry : index.find("cases").value().elements()) {
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
