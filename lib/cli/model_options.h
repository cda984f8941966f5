// Which model a network tool runs, and in which arithmetic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "cli/app.h"

namespace bert::cli {

// The directory that -m names, else $BERT_MODEL, else the default model, which is found from where the
// running executable stands. UsageError when it is not there, which names the `ways` there are to give a
// model.
std::string model_directory(const std::string& given, std::string_view ways);

// --dtype, under the heading that is open; nullopt is auto.
enum class Int8 { yes, no };
void dtype_option(App& app, Int8 int8, std::optional<Dtype>& dtype);

struct ModelOptions {
  explicit ModelOptions(App& app);
  ModelOptions(const ModelOptions&) = delete;

  std::string path;  // of the model directory; set once the body of App::run runs
  std::optional<Dtype> dtype = Dtype::f32;
};

}  // namespace bert::cli
