// Options for the model of a tool that runs a network, and for its arithmetic.
#pragma once

#include <optional>
#include <string>

#include "base/dtype.h"
#include "cli/app.h"
#include "model/directory.h"
#include "options/model_directory.h"

namespace bert::cmd {

// --dtype, under the current heading; nullopt means auto.
enum class Int8 { yes, no };
void dtype_option(cli::App& app, Int8 int8, std::optional<Dtype>& dtype);

// --activation, under the current heading, for models whose files do not name it or name a wrong one.
void activation_option(cli::App& app, std::string& activation);

// Options of tools that run a network.
struct ModelOptions {
  // if_needed: a missing model is an error only when open() is called.
  enum class Opened { always, if_needed };
  explicit ModelOptions(cli::App& app, Opened opened = Opened::always);
  ModelOptions(const ModelOptions&) = delete;

  model::Directory open() const;
  // How the records of the model were read in training; nothing if it cannot be opened.
  cli::Kept kept() const;

  std::string path;  // of the model directory; with Opened::always set before the body of App::run starts
  std::string activation;  // "": that of the model
  std::optional<Dtype> dtype = Dtype::f32;
};

// Tokens per forward pass.
void batch_option(cli::App& app, int64_t& batch_tokens);

}  // namespace bert::cmd
