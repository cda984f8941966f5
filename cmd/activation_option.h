// The activation that a model's files do not say, or say wrongly.
#pragma once

#include <string>

#include "cli/app.h"
#include "model/config.h"

namespace bert::cmd {

// --activation, under the heading that is open, for model::open_directory.
inline void activation_option(cli::App& app, std::string& activation) {
  app.custom({"--activation", "NAME",
              "Between the encoder's layers, whatever config.json says: gelu, gelu_new, relu, ..."},
             [&activation](const std::string& name, const std::string& value) {
               if (!model::activation_named(value))
                 throw cli::UsageError(name, " ", value, " is not known; use ", model::kActivationNames);
               activation = value;
             });
}

}  // namespace bert::cmd
