#include "model/rotary_json.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace bert::model {
namespace {

using Scaling = nn::RotaryConfig::Scaling;

constexpr std::pair<std::string_view, Scaling> kScalings[] = {{"default", Scaling::none},
                                                              {"linear", Scaling::linear},
                                                              {"dynamic", Scaling::dynamic},
                                                              {"ntk", Scaling::ntk}};

constexpr double kMostFactor = 1024;  // that texts may be longer than in training

std::string_view name_of(Scaling scaling) {
  return std::ranges::find(kScalings, scaling, [](const auto& entry) { return entry.second; })->first;
}

// Settings of rotary positions: "rope_parameters", a part of it, or "rope_scaling".
class Settings {
 public:
  Settings(const json::File& file, std::string_view key, std::optional<json::Value> value)
      : file_(file), key_(key), value_(std::move(value)) {}

  std::optional<json::Value> find(std::string_view key) const {
    if (!value_) return std::nullopt;
    const auto found = within([&] { return value_->find(key); });
    return found && !found->is_null() ? found : std::nullopt;
  }
  double number(std::string_view key, double otherwise) const {
    const auto found = find(key);
    return found ? within([&] { return found->number(); }) : otherwise;
  }
  Scaling scaling() const {
    auto found = find("rope_type");
    if (!found) found = find("type");
    if (!found) return Scaling::none;
    const auto name = within([&] { return found->string(); });
    for (const auto& [known, scaling] : kScalings)
      if (known == name) return scaling;
    throw Error(file_.path(), ": ", json::in_quotes(key_), " has the type ", json::in_quotes(name),
                ", expected default, linear, dynamic or ntk");
  }

 private:
  template <class Function>
  std::invoke_result_t<Function> within(Function f) const {
    try {
      return f();
    } catch (const Error& error) {
      throw Error(file_.path(), ": ", json::in_quotes(key_), " ", error.what());
    }
  }

  const json::File& file_;
  std::string key_;
  std::optional<json::Value> value_;
};

double positive(const json::File& file, std::string_view key, double value) {
  if (value > 0) return value;
  throw Error(file.path(), ": ", json::in_quotes(key), " is ", value, ", expected a number above 0");
}

nn::RotaryConfig rotary_of(const json::File& file, const Settings& settings, double theta,
                           const Config& config) {
  nn::RotaryConfig rotary = {.theta = positive(file, "rope_theta", settings.number("rope_theta", theta)),
                             .scaling = settings.scaling(),
                             .factor = positive(file, "factor", settings.number("factor", 1)),
                             .positions = config.positions};
  if (file.find("rotary_scaling_factor")) {
    rotary.scaling = Scaling::dynamic;
    rotary.factor = positive(file, "rotary_scaling_factor", file.number("rotary_scaling_factor"));
    rotary.positions = file.integer("max_trained_positions", config.positions);
    positive(file, "max_trained_positions", static_cast<double>(rotary.positions));
  }
  const double share = settings.number("partial_rotary_factor", file.number("rotary_emb_fraction", 1));
  if (!(share > 0 && share <= 1))
    throw Error(file.path(), ": the share of a head that rotary positions turn is ", share,
                ", expected above 0 and at most 1");
  rotary.size = static_cast<int64_t>(config.head_size() * share);
  if (rotary.size < 2 || rotary.size % 2 != 0)
    throw Error(file.path(), ": rotary positions turn ", rotary.size, " of the ", config.head_size(),
                " numbers of a head, expected an even number of them");
  if (rotary.scaling == Scaling::dynamic && rotary.size == 2)
    throw Error(file.path(), ": dynamic scaling needs heads of more than 2 numbers");
  return rotary;
}

// Which layers have a window, by config.json.
std::vector<bool> layers_with_window(const json::File& file, int64_t layers) {
  std::vector<bool> near;
  const auto types = file.find("layer_types");
  if (!types) {
    const int64_t every = file.integer("global_attn_every_n_layers", 3);
    if (every < 1)
      throw Error(file.path(), ": \"global_attn_every_n_layers\" is ", every, ", expected 1 or more");
    for (int64_t i = 0; i < layers; ++i) near.push_back(i % every != 0);
    return near;
  }
  try {
    for (const auto& type : types->elements()) {
      near.push_back(type.string() == kNearLayer);
      if (!near.back() && type.string() != kFullLayer)
        throw Error("has ", json::in_quotes(type.string()), ", expected ", kFullLayer, " or ", kNearLayer);
    }
  } catch (const Error& error) {
    throw Error(file.path(), ": \"layer_types\" ", error.what());
  }
  if (std::ssize(near) != layers)
    throw Error(file.path(), ": \"layer_types\" has ", near.size(), " layers, \"num_hidden_layers\" is ",
                layers);
  return near;
}

void read_window(const json::File& file, Config& config) {
  constexpr int64_t kMost = 1 << 20;
  const int64_t width = file.integer("local_attention", 128);
  if (width < 0 || width > kMost)
    throw Error(file.path(), ": \"local_attention\" is ", width, ", expected 0 to ", kMost);
  config.window = width / 2;
  config.in_window = layers_with_window(file, config.layers);
}

void write_settings(const nn::RotaryConfig& rotary, int64_t head_size, json::Object& object) {
  if (rotary.scaling != Scaling::none) json::append_double(object.key("factor"), rotary.factor);
  if (rotary.size != head_size)
    json::append_double(object.key("partial_rotary_factor"), static_cast<double>(rotary.size) / head_size);
  json::append_double(object.key("rope_theta"), rotary.theta);
  object.string("rope_type", name_of(rotary.scaling));
  object.end();
}

}  // namespace

void read_rotary(const json::File& file, Config& config) {
  const auto& type = *config.type;
  if (!type.theta) return;
  const auto parameters = file.find("rope_parameters"), scaling = file.find("rope_scaling");
  const Settings whole(file, parameters ? "rope_parameters" : "rope_scaling",
                       parameters ? parameters : scaling);
  double theta = file.number("rope_theta", type.theta);
  if (const auto other = type.other_key("rope_theta"); !other.empty()) theta = file.number(other, theta);
  if (!type.window_theta) {
    config.rotary = {rotary_of(file, whole, theta, config)};
  } else {
    read_window(file, config);
    const auto part = [&](std::string_view name) {
      return Settings(file, "rope_parameters", parameters ? whole.find(name) : scaling);
    };
    config.rotary = {
        rotary_of(file, part(kFullLayer), file.number("global_rope_theta", theta), config),
        rotary_of(file, part(kNearLayer), file.number("local_rope_theta", *type.window_theta), config)};
  }
  const auto& first = config.rotary.front();
  if (first.scaling == Scaling::dynamic && first.positions == config.positions)
    config.positions = static_cast<int64_t>(static_cast<double>(first.positions) *
                                            std::clamp(first.factor, 1.0, kMostFactor));
}

void write_rotary(const Config& config, json::Object& object) {
  if (config.rotary.empty()) return;
  const auto& first = config.rotary.front();
  if (config.type->writes_rope_scaling) {
    json::append_double(object.key("rope_theta"), first.theta);
    if (first.scaling == Scaling::none) return;
    json::Object settings(object.key("rope_scaling"), 1);
    json::append_double(settings.key("factor"), first.factor);
    settings.string("type", name_of(first.scaling));
    return settings.end();
  }
  if (config.in_window.empty()) {
    json::Object settings(object.key("rope_parameters"), 1);
    return write_settings(first, config.head_size(), settings);
  }
  json::Object both(object.key("rope_parameters"), 1);
  for (const auto& [name, rotary] : {std::pair(kFullLayer, first), {kNearLayer, config.rotary.back()}}) {
    json::Object settings(both.key(name), 2);
    write_settings(rotary, config.head_size(), settings);
  }
  both.end();
}

int64_t trained_positions(const Config& config) {
  if (config.rotary.empty() || config.rotary.front().scaling != Scaling::dynamic) return config.positions;
  return config.rotary.front().positions;
}

}  // namespace bert::model
