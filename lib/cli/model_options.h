// Which model a network tool runs, and in which arithmetic.
#pragma once

#include <string>
#include <string_view>

#include "base/dtype.h"
#include "cli/app.h"

namespace bert::cli {

// The directory that -m names, else $BERT_MODEL; UsageError when there is neither, which names the `ways`
// there are to give a model.
std::string model_directory(const std::string& given, std::string_view ways);

// --dtype, under the heading that is open; f32 is all that is built.
void dtype_option(App& app);

struct ModelOptions {
  explicit ModelOptions(App& app);
  ModelOptions(const ModelOptions&) = delete;

  std::string path;  // of the model directory; set once the body of App::run runs
  Dtype dtype = Dtype::f32;
};

}  // namespace bert::cli
