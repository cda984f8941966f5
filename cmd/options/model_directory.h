// The directory of a tool's model.
#pragma once

#include <string>
#include <string_view>

namespace bert::cmd {

enum class DefaultModel {
  pretrained,  // share/bert/default-model
  vectors,     // share/bert/default-vectors, for tools that compute sentence vectors
};

// The directory given by -m, else $BERT_MODEL, else the default model, whose path is relative to the
// executable. If it does not exist, throws a cli::UsageError that lists `ways` to specify a model.
std::string model_directory(const std::string& given, std::string_view ways,
                            DefaultModel model = DefaultModel::pretrained);

}  // namespace bert::cmd
