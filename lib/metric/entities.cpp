#include "metric/entities.h"

#include <algorithm>

#include "base/error.h"

namespace bert::metric {
namespace {

struct Tag {
  char kind;  // O, B or I
  std::string_view type;
};

std::string_view kind_of(std::string_view tag) { return tag.substr(0, tag.find('-')); }

Tag parse(std::string_view tag) {
  if (!is_bio(tag)) throw Error("tag \"", tag, "\" is not O, B-TYPE or I-TYPE");
  if (tag == "O") return {'O', {}};
  const std::string_view kind = kind_of(tag);
  return {kind[0], tag.substr(std::min(tag.size(), kind.size() + 1))};
}

}  // namespace

bool is_bio(std::string_view tag) { return tag == "O" || kind_of(tag) == "B" || kind_of(tag) == "I"; }

std::vector<Entity> entities(std::span<const std::string_view> tags) {
  std::vector<Entity> found;
  bool open = false;
  for (size_t i = 0; i < tags.size(); ++i) {
    const Tag tag = parse(tags[i]);
    const bool goes_on = open && tag.kind == 'I' && tag.type == found.back().type;
    open = tag.kind != 'O';
    if (goes_on) {
      found.back().end = i + 1;
    } else if (open) {
      found.push_back({.type = tag.type, .begin = i, .end = i + 1});
    }
  }
  return found;
}

double EntityScore::Counts::f1() const {
  const double p = precision(), r = recall();
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}

void EntityScore::add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted) {
  if (gold.size() != predicted.size())
    throw Error("has ", predicted.size(), " predicted tags, the truth has ", gold.size());
  const auto truth = entities(gold), guess = entities(predicted);
  auto next = truth.begin();  // both go from left to right
  for (const Entity& entity : truth) count(entity, &Counts::gold);
  for (const Entity& entity : guess) {
    count(entity, &Counts::predicted);
    while (next != truth.end() && next->begin < entity.begin) ++next;
    if (next != truth.end() && *next == entity) count(entity, &Counts::both);
  }
  tokens_ += static_cast<int64_t>(gold.size());
  for (size_t i = 0; i < gold.size(); ++i) right_tokens_ += gold[i] == predicted[i];
}

void EntityScore::merge(const EntityScore& other) {
  const auto merge = [](Counts& counts, const Counts& more) {
    counts.gold += more.gold;
    counts.predicted += more.predicted;
    counts.both += more.both;
  };
  merge(all_, other.all_);
  for (const auto& [type, counts] : other.types_) merge(types_[type], counts);
  tokens_ += other.tokens_;
  right_tokens_ += other.right_tokens_;
}

void EntityScore::count(const Entity& entity, int64_t Counts::*member) {
  ++(all_.*member);
  auto type = types_.find(entity.type);
  if (type == types_.end()) type = types_.emplace(entity.type, Counts()).first;
  ++(type->second.*member);
}

}  // namespace bert::metric
