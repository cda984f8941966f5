#include "heads/embed_plan.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "heads/pooling.h"
#include "heads/vector_model.h"
#include "json/json.h"

namespace bert::heads {
namespace {

LayerMix::Recipe recipe_of(const VectorOptions& options) {
  const bool google = options.format == io::Format::google;
  LayerMix::Recipe recipe;
  recipe.numbering = google ? LayerNumbering::google : LayerNumbering::hugging_face;
  if (google) recipe.layers = {-1, -2, -3, -4};  // default of extract_features.py
  if (!options.layers.empty()) recipe.layers = options.layers;
  recipe.weights = options.layer_weights;
  recipe.combine = options.combine.value_or(recipe.weights.empty() ? Combine::concat : Combine::sum);
  return recipe;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

EmbedPlan::EmbedPlan(const VectorOptions& options, const model::Directory& directory)
    : recipe_(recipe_of(options)),
      mix_(recipe_, directory.config.layers, directory.config.hidden),
      prompt_(prompt_of(options.prompt, directory)),
      unit_length_(options.normalize) {
  take_prompt_name(directory);
  take_pooling(options, directory);
  take_width(options, directory);
  const int layers = directory.config.layers;
  for (const int layer : recipe_.layers)
    read_layers_.push_back(layer_number(layer, recipe_.numbering, layers));
  if (read_layers_ == std::vector{layers} && recipe_.weights.empty()) read_layers_.clear();
}

// truncate_dim belongs to the model's own pooling, as its modules do. sentence-transformers shortens after
// them.
void EmbedPlan::take_width(const VectorOptions& options, const model::Directory& directory) {
  width_ = whole_width_ = width_after_modules();
  if (options.dim && *options.dim > width_) {
    throw Error(opt::dim, " ", *options.dim, ": vectors have only ", width_, " numbers");
  }
  const bool as_model = kind_ == Kind::pooled && options.pooling.kind == Pooling::Kind::automatic;
  if (options.dim) {
    width_ = *options.dim;
  } else if (as_model && directory.sentence.truncate_dim) {
    width_ = std::min(width_, *directory.sentence.truncate_dim);
  }
}

void EmbedPlan::take_prompt_name(const model::Directory& directory) {
  const auto& prompts = directory.sentence.prompts;
  const auto named = std::ranges::find(prompts, prompt_, [](const auto& one) { return one.second; });
  if (!prompt_.empty()) prompt_name_ = named == prompts.end() ? quoted_prompt(prompt_) : named->first;
}

void EmbedPlan::take_pooling(const VectorOptions& options, const model::Directory& directory) {
  if (options.pooling.kind == Pooling::Kind::none || options.format == io::Format::google) {
    kind_ = Kind::tokens;
    return;
  }
  if (options.pooling.kind == Pooling::Kind::pooler) {
    kind_ = Kind::pooler;
    if (mix_.width() != directory.config.hidden)
      throw Error(opt::pooling, " pooler reads a single layer; combine several with ", opt::combine,
                  " sum or mean");
    return;
  }
  if (options.pooling.kind == Pooling::Kind::automatic && directory.sentence.sparse)
    throw Error(directory.root,
                ": is a SparseEncoder, which makes weights of words, not vectors; bert-embed ", opt::sparse,
                " model writes them");
  if (options.pooling.kind == Pooling::Kind::automatic && directory.sentence.late) {
    kind_ = Kind::tokens;
    modules_ = directory.sentence.modules;
    late_side_ = side_of(options.prompt);
    return;
  }
  if (options.pooling.kind != Pooling::Kind::automatic || !directory.sentence.pooling) {
    modes_ = {options.pooling.mode};
    return;
  }
  modes_ = directory.sentence.pooling->modes;
  modules_ = directory.sentence.modules;
  prompt_left_out_ = !directory.sentence.pooling->include_prompt;
}

std::string prompt_of(const std::optional<std::string>& asked, const model::Directory& directory) {
  const auto& prompts = directory.sentence.prompts;
  const auto name = directory.sentence.late ? asked.value_or(std::string(kDocument)) : asked;
  if (!name) return default_prompt_of(directory.sentence);
  if (const auto named = prompts.find(*name); named != prompts.end()) return named->second;
  const bool has_sides = directory.sentence.late || !directory.sentence.query_table.empty();
  if (has_sides && (name == kDocument || name == kQuery)) return "";
  if (!is_name(*name)) return *name;
  std::vector<std::string> names, quoted;
  for (const auto& [name, text] : prompts) {
    names.push_back(name);
    quoted.push_back(json::in_quotes(name));
  }
  throw Error(opt::prompt, " ", *name, ": the model has no ",
              names.empty() ? std::string("prompts") : "prompt of this name, only " + listed(quoted, "and"),
              " (a text to insert has a space or punctuation mark)", did_you_mean(*name, names));
}

std::string EmbedPlan::pooling() const {
  std::string names;
  for (const PoolingMode mode : modes_) names.append(names.empty() ? "" : "+").append(name_of(mode));
  if (kind_ != Kind::pooled) names = kind_ == Kind::pooler ? "pooler" : "none";
  for (const model::Module& module : modules_) {
    if (std::holds_alternative<model::Dense>(module)) names += "+dense";
  }
  for (size_t i = 0; i < read_layers_.size(); ++i)
    names.append(i == 0 ? "@" : ",").append(std::to_string(read_layers_[i]));
  if (read_layers_.empty() || recipe_.combine == Combine::concat) return names;
  names += recipe_.combine == Combine::sum ? ":sum" : ":mean";
  for (const double weight : recipe_.weights) json::append_double(names += ',', weight);
  return names;
}

bool EmbedPlan::normalized() const {
  return unit_length_ || (width_ == whole_width_ && !modules_.empty() &&
                          std::holds_alternative<model::Normalize>(modules_.back()));
}

std::string EmbedPlan::described() const {
  std::string size;
  if (late_side_) size = *late_side_ == Side::query ? " of a query" : " of a document";
  if (width_ < whole_width_)
    size += ", " + std::to_string(width_) + " of " + std::to_string(whole_width_) + " numbers";
  return "pooling " + pooling() + size + (prompt_.empty() ? "" : ", prompt \"" + prompt_ + "\"");
}

model::Needs EmbedPlan::needs() const {
  return {.layers = mix_.wanted().back(), .pooler = kind_ == Kind::pooler};
}

bool EmbedPlan::first_tokens_only() const {
  return kind_ == Kind::pooler || (kind_ == Kind::pooled && only_first_token(modes_));
}

int64_t EmbedPlan::pooled_width() const {
  return kind_ == Kind::pooled ? mix_.width() * std::ssize(modes_) : mix_.width();
}

int64_t EmbedPlan::width_after_modules() const {
  int64_t width = pooled_width();
  for (const model::Module& module : modules_) {
    const auto* dense = std::get_if<model::Dense>(&module);
    if (!dense) continue;
    if (dense->in != width) {
      throw Error("a Dense module of the model reads ", dense->in, " numbers, but the pooled vector has ",
                  width);
    }
    width = dense->out;
  }
  return width;
}

std::vector<float> EmbedPlan::finished(std::vector<float> vector) const {
  for (const model::Module& module : modules_) {
    if (const auto* dense = std::get_if<model::Dense>(&module)) {
      vector = project(*dense, vector);
    } else {
      normalize(vector);
    }
  }
  vector.resize(width_);
  if (unit_length_) normalize(vector);
  return vector;
}

}  // namespace bert::heads
