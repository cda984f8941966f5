// The activation function, for models whose files do not name it or name a wrong one.
#pragma once

#include <string>

#include "cli/app.h"
#include "model/config.h"

namespace bert::cmd {

// --activation, in the current section of --help, for model::open_directory.
inline void activation_option(cli::App& app, std::string& activation) {
  app.custom(
      {"--activation", "NAME",
       "Activation function of the feed-forward layers; overrides config.json: gelu, gelu_new, relu, ..."},
      [&activation](const std::string& name, const std::string& value) {
        if (!model::activation_named(value))
          throw cli::UsageError(name, " must be ", model::kActivationNames, ", not \"", value, "\"");
        activation = value;
      });
}

}  // namespace bert::cmd
