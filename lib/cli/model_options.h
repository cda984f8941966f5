// Options for the model of a network tool and for its arithmetic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "cli/app.h"

namespace bert::cli {

// The directory given by -m, else $BERT_MODEL, else the default model, whose path is relative to the
// executable. If it does not exist, throws a UsageError that lists `ways` to specify a model.
std::string model_directory(const std::string& given, std::string_view ways);

// Registers --dtype under the current heading; nullopt means auto.
enum class Int8 { yes, no };
void dtype_option(App& app, Int8 int8, std::optional<Dtype>& dtype);

struct ModelOptions {
  explicit ModelOptions(App& app);
  ModelOptions(const ModelOptions&) = delete;

  std::string path;  // of the model directory; set before the body of App::run starts
  std::optional<Dtype> dtype = Dtype::f32;
};

}  // namespace bert::cli
