#include "metric/entities.h"

#include <algorithm>

#include "base/error.h"

namespace bert::metric {
namespace {

struct Tag {
  char kind;  // O, B or I
  std::string_view type;
  bool operator==(const Tag&) const = default;
};

std::string_view kind_of(std::string_view tag) { return tag.substr(0, tag.find('-')); }

Tag parse(std::string_view tag) {
  if (!is_bio(tag)) throw Error("tag \"", tag, "\" is not O, B-TYPE or I-TYPE");
  if (tag == "O") return {'O', {}};
  const std::string_view kind = kind_of(tag);
  return {kind[0], tag.substr(std::min(tag.size(), kind.size() + 1))};
}

// The tags in BIO (IOB2): B at the start of each entity, I only inside one.
std::vector<Tag> as_bio(std::span<const std::string_view> tags) {
  std::vector<Tag> bio;
  Tag before{'O', {}};
  for (const auto text : tags) {
    Tag tag = parse(text);
    if (tag.kind == 'I' && (before.kind == 'O' || tag.type != before.type)) tag.kind = 'B';
    bio.push_back(before = tag);
  }
  return bio;
}

std::vector<Entity> entities_of(std::span<const Tag> bio) {
  std::vector<Entity> found;
  for (size_t i = 0; i < bio.size(); ++i) {
    if (bio[i].kind == 'B') found.push_back({.type = bio[i].type, .begin = i, .end = i + 1});
    if (bio[i].kind == 'I') found.back().end = i + 1;
  }
  return found;
}

}  // namespace

bool is_bio(std::string_view tag) { return tag == "O" || kind_of(tag) == "B" || kind_of(tag) == "I"; }

std::vector<Entity> entities(std::span<const std::string_view> tags) { return entities_of(as_bio(tags)); }

double EntityScore::Counts::f1() const {
  const double p = precision(), r = recall();
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}

void EntityScore::add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted) {
  if (gold.size() != predicted.size())
    throw Error("has ", predicted.size(), " predicted tags, expected ", gold.size(),
                ", one for each gold tag");
  const auto gold_tags = as_bio(gold), predicted_tags = as_bio(predicted);
  const auto gold_entities = entities_of(gold_tags);
  auto next = gold_entities.begin();  // both lists are in text order
  for (const Entity& entity : gold_entities) count(entity, &Counts::gold);
  for (const Entity& entity : entities_of(predicted_tags)) {
    count(entity, &Counts::predicted);
    while (next != gold_entities.end() && next->begin < entity.begin) ++next;
    if (next != gold_entities.end() && *next == entity) count(entity, &Counts::both);
  }
  tokens_ += static_cast<int64_t>(gold.size());
  for (size_t i = 0; i < gold.size(); ++i) correct_tokens_ += gold_tags[i] == predicted_tags[i];
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
  correct_tokens_ += other.correct_tokens_;
}

void EntityScore::count(const Entity& entity, int64_t Counts::*member) {
  ++(all_.*member);
  auto type = types_.find(entity.type);
  if (type == types_.end()) type = types_.emplace(entity.type, Counts()).first;
  ++(type->second.*member);
}

}  // namespace bert::metric
