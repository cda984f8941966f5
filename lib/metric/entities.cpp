#include "metric/entities.h"

#include <algorithm>

#include "base/error.h"
#include "io/conll.h"

namespace bert::metric {
namespace {

struct Tag {
  char kind = 'O';  // O, B, I, E or S
  std::string_view type = {};
  bool operator==(const Tag&) const = default;
};

// The tags of a scheme, for messages; the letters are those of BILOU and of the others in Tag::kind.
struct Alphabet {
  std::string_view letters, kinds, shown;
};

Alphabet alphabet_of(Scheme scheme) {
  constexpr Alphabet kBio = {"BI", "BI", "O, B-TYPE or I-TYPE"};
  if (scheme == Scheme::iobes) return {"BIES", "BIES", "O, B-, I-, E- or S-TYPE"};
  if (scheme == Scheme::ioe1 || scheme == Scheme::ioe2) return {"IE", "IE", "O, I-TYPE or E-TYPE"};
  if (scheme == Scheme::bilou) return {"BILU", "BIES", "O, B-, I-, L- or U-TYPE"};
  return scheme == Scheme::lenient ? Alphabet{"BIESLU", "BIESES", kBio.shown} : kBio;
}

Tag parse(std::string_view tag, Scheme scheme) {
  if (tag == "O") return {};
  const auto alphabet = alphabet_of(scheme);
  const size_t letter = io::is_entity_tag(tag) ? alphabet.letters.find(tag[0]) : tag.npos;
  if (letter == tag.npos) throw Error("tag \"", tag, "\" is not ", alphabet.shown);
  return {alphabet.kinds[letter], tag.substr(std::min<size_t>(tag.size(), 2))};
}

std::vector<Tag> parse(std::span<const std::string_view> texts, Scheme scheme) {
  std::vector<Tag> tags;
  for (const auto text : texts) tags.push_back(parse(text, scheme));
  return tags;
}

bool is_inside(const Tag& tag) { return tag.kind == 'I' || tag.kind == 'E'; }
bool is_last(const Tag& tag) { return tag.kind == 'E' || tag.kind == 'S'; }
bool is_open(const Tag& tag) { return tag.kind == 'B' || tag.kind == 'I'; }  // may be continued

// Whether the tag continues the entity of the tag before.
bool continues(const Tag& before, const Tag& tag) {
  return is_inside(tag) && is_open(before) && tag.type == before.type;
}

// Whether an entity starts at the tag. In IOB1, B- only separates entities of one type, and in IOE1 E-.
bool starts(Scheme scheme, const Tag& before, const Tag& tag) {
  using enum Scheme;
  const bool same_type = tag.type == before.type;
  const bool is_first = tag.kind == 'I' && (before.kind != 'I' || !same_type);
  switch (scheme) {
    case lenient:
      return tag.kind != 'O' && !continues(before, tag);
    case iob1:
      return is_first || (tag.kind == 'B' && is_open(before) && same_type);
    case ioe1:
      return is_first || (tag.kind == 'E' && before.kind == 'E' && same_type);
    case ioe2:
      return is_inside(tag) && !continues(before, tag);
    case iob2:
    case iobes:
    case bilou:
      return tag.kind == 'B' || tag.kind == 'S';
  }
  return false;
}

// Whether an entity whose last tag is `tag` is complete.
bool ends(Scheme scheme, const Tag& tag, const Tag& after) {
  using enum Scheme;
  if (scheme == iobes || scheme == bilou || scheme == ioe2) return is_last(tag);
  const bool same_type = tag.type == after.type;
  if (scheme == ioe1) return tag.kind != 'E' || (is_inside(after) && same_type);
  return scheme != iob1 || tag.kind != 'B' || after.kind != 'B' || same_type;
}

std::vector<Entity> entities_of(std::span<const Tag> tags, Scheme scheme) {
  const auto at = [&](size_t i) { return i < tags.size() ? tags[i] : Tag(); };
  std::vector<Entity> found;
  for (size_t i = 0; i < tags.size();) {
    const size_t begin = i++;
    if (!starts(scheme, begin == 0 ? Tag() : tags[begin - 1], tags[begin])) continue;
    while (i < tags.size() && continues(tags[i - 1], tags[i])) ++i;
    if (ends(scheme, tags[i - 1], at(i))) found.push_back({tags[begin].type, begin, i});
  }
  return found;
}

// Tags in BIO (IOB2): B at the start of each entity. The other tags are unchanged.
void make_bio(std::vector<Tag>& tags) {
  Tag before;
  for (Tag& tag : tags) {
    if (tag.kind == 'I' && starts(Scheme::lenient, before, tag)) tag.kind = 'B';
    before = tag;
  }
}

}  // namespace

std::vector<Entity> entities(std::span<const std::string_view> tags, Scheme scheme) {
  return entities_of(parse(tags, scheme), scheme);
}

std::vector<std::string> bio_tags(std::span<const std::string_view> texts, Scheme scheme) {
  auto tags = parse(texts, scheme);
  make_bio(tags);
  std::vector<std::string> written;
  for (size_t i = 0; i < tags.size(); ++i) {
    const auto& [kind, type] = tags[i];
    auto& tag = written.emplace_back(1, kind == 'B' ? 'B' : texts[i][0]);
    if (!type.empty()) tag.append("-").append(type);
  }
  return written;
}

void require_one_for_each(std::span<const std::string_view> gold,
                          std::span<const std::string_view> predicted) {
  if (gold.size() != predicted.size())
    throw Error("has ", counted(predicted.size(), "predicted tag", "predicted tags"), ", expected ",
                gold.size(), ", one for each gold tag");
}

void EntityScore::add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted,
                      Scheme scheme) {
  require_one_for_each(gold, predicted);
  auto gold_tags = parse(gold, scheme), predicted_tags = parse(predicted, scheme);
  const auto gold_entities = entities_of(gold_tags, scheme);
  auto next = gold_entities.begin();  // both lists are in text order
  for (const Entity& entity : gold_entities) count(entity, &Counts::gold);
  for (const Entity& entity : entities_of(predicted_tags, scheme)) {
    count(entity, &Counts::predicted);
    while (next != gold_entities.end() && next->begin < entity.begin) ++next;
    if (next != gold_entities.end() && *next == entity) count(entity, &Counts::both);
  }
  make_bio(gold_tags), make_bio(predicted_tags);
  tokens_ += gold.size();
  for (size_t i = 0; i < gold.size(); ++i) correct_tokens_ += gold_tags[i] == predicted_tags[i];
}

void EntityScore::merge(const EntityScore& other) {
  all_ += other.all_;
  for (const auto& [type, counts] : other.types_) types_[type] += counts;
  tokens_ += other.tokens_;
  correct_tokens_ += other.correct_tokens_;
}

bool EntityScore::disjoint() const {
  return all_.gold > 0 && all_.predicted > 0 && std::ranges::none_of(types_, [](const auto& type) {
           return type.second.gold > 0 && type.second.predicted > 0;
         });
}

void EntityScore::count(const Entity& entity, int64_t Counts::*member) {
  ++(all_.*member);
  auto type = types_.find(entity.type);
  if (type == types_.end()) type = types_.emplace(entity.type, Counts()).first;
  ++(type->second.*member);
}

}  // namespace bert::metric
