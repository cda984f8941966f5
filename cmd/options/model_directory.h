// The directory of a tool's model.
#pragma once

#include <string>
#include <string_view>

#include "cli/app.h"

namespace bert::cmd {

// The directory given by -m, else $BERT_MODEL, else the default model, share/bert/default-model relative to
// the executable's folder. If there is no default model, throws a cli::UsageError that lists `ways` to
// specify a model. A name ORG/NAME that is no directory is a model of the Hugging Face Hub, whose directory
// is in its cache; if it is not there, the Error says how to get it.
std::string model_directory(const std::string& given, std::string_view ways);

// The same for a model that must be given.
std::string find_model_directory(const std::string& given);

// To be called by a check: the tool reads the files of this model, which are known by their names, so that
// output may go beside them.
void read_files_of(cli::App& app, const std::string& model, const std::string& option = "--model");

// The same for a file of a model, and those that may be read beside it.
void read_files_beside(cli::App& app, const std::string& path, const std::string& option);

}  // namespace bert::cmd
