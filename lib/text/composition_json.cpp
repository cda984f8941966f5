#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "text/json_block.h"
#include "text/tokenizer_files.h"

namespace bert::text {
namespace {

// The members of a Sequence of steps, or the only step.
std::vector<Block> steps_of(const json::File& file, const Block& block, std::string_view list) {
  if (block.string("type", "") != "Sequence") return {block};
  std::vector<Block> steps;
  const auto found = block.find(list);
  if (!found) throw Error(file.path(), ": ", block.name(), " has no ", list);
  size_t number = 0;
  for (const json::Value& step : found->elements()) {
    const Block inner(file, block.name() + "[" + std::to_string(number++) + "]", step);
    for (auto& part : steps_of(file, inner, list)) steps.push_back(std::move(part));
  }
  return steps;
}

std::vector<Block> steps_of(const json::File& file, const std::string& name, std::string_view list) {
  const auto found = file.find(name);
  return found ? steps_of(file, Block(file, name, *found), list) : std::vector<Block>();
}

// {"String": "``"} or {"Regex": " {2,}"}
void read_pattern(const Block& block, NormalizerStep& step) {
  static constexpr std::array<std::pair<std::string_view, Pattern>, 5> kPatterns = {
      {{" +", Pattern::spaces},
       {" {2,}", Pattern::repeated_spaces},
       {"\\s+", Pattern::white_space},
       {"[\\n\\r\\t]", Pattern::breaks},
       {"\\s{2,}|[\\n\\r\\t]", Pattern::repeated_white_breaks}}};
  const auto pattern = block.find("pattern");
  const auto kind = [&](std::string_view key) {
    return pattern && pattern->kind() == json::Value::Kind::object ? pattern->find(key) : std::nullopt;
  };
  if (const auto literal = kind("String")) {
    step.from = literal->string();
    if (step.from.empty()) block.refuse("has an empty pattern", "a pattern with characters");
    return;
  }
  const auto regex = kind("Regex");
  if (!regex) block.refuse("has no pattern", "a pattern with String or Regex");
  for (const auto& [text, value] : kPatterns) {
    if (text != regex->string()) continue;
    step.pattern = value;
    return;
  }
  block.refuse("has the pattern " + std::string(regex->string()),
               R"( +,  {2,}, \s+, [\n\r\t] or \s{2,}|[\n\r\t])");
}

constexpr std::array<std::pair<std::string_view, NormalizerStep::Kind>, 11> kNormalizers = {
    {{"NFC", NormalizerStep::Kind::nfc},
     {"NFD", NormalizerStep::Kind::nfd},
     {"NFKC", NormalizerStep::Kind::nfkc},
     {"NFKD", NormalizerStep::Kind::nfkd},
     {"Nmt", NormalizerStep::Kind::nmt},
     {"Precompiled", NormalizerStep::Kind::precompiled},
     {"Replace", NormalizerStep::Kind::replace},
     {"Lowercase", NormalizerStep::Kind::lowercase},
     {"StripAccents", NormalizerStep::Kind::strip_accents},
     {"Strip", NormalizerStep::Kind::strip},
     {"Prepend", NormalizerStep::Kind::prepend}}};

NormalizerStep read_step(const Block& block) {
  using Kind = NormalizerStep::Kind;
  const std::string type = block.string("type", "");
  NormalizerStep step;
  const auto found =
      std::find_if(kNormalizers.begin(), kNormalizers.end(), [&](auto& kind) { return kind.first == type; });
  if (found == kNormalizers.end())
    block.refuse(
        "is " + type,
        "Sequence, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Replace, Lowercase, StripAccents, Strip or "
        "Prepend");
  step.kind = found->second;
  if (step.kind == Kind::precompiled)
    step.charsmap = block.named("precompiled_charsmap", [&] {
      return std::make_shared<const Charsmap>(decode_base64(block.string("precompiled_charsmap", "")));
    });
  if (step.kind == Kind::replace) {
    read_pattern(block, step);
    step.to = block.string("content", "");
  }
  if (step.kind == Kind::prepend) step.to = block.string("prepend", "");
  step.left = block.boolean("strip_left", true);
  step.right = block.boolean("strip_right", true);
  return step;
}

// The form before tokenizers 0.15 has add_prefix_space, the later one prepend_scheme and split.
Metaspace read_metaspace(const Block& block) {
  if (const auto mark = block.string("replacement", kMetaspace); mark != kMetaspace)
    block.refuse("has the replacement " + mark, kMetaspace);
  const std::string scheme =
      block.string("prepend_scheme", block.boolean("add_prefix_space", true) ? "always" : "never");
  Metaspace metaspace{.split = block.boolean("split", true)};
  if (scheme == "first") metaspace.prepend = Metaspace::Prepend::first;
  if (scheme == "never") metaspace.prepend = Metaspace::Prepend::never;
  if (scheme != "always" && scheme != "first" && scheme != "never")
    block.refuse("has the prepend_scheme " + scheme, "always, first or never");
  return metaspace;
}

void read_pre_tokenizer(const json::File& file, const std::string& type, Composition& composition) {
  const std::string spaces = "Metaspace or WhitespaceSplit and Metaspace";
  const std::string expected = type == "BPE" ? "ByteLevel, " + spaces : spaces;
  for (const Block& step : steps_of(file, "pre_tokenizer", "pretokenizers")) {
    const std::string name = step.string("type", "");
    const bool last = composition.metaspace || composition.byte_level;
    if (name == "WhitespaceSplit" && !last)
      composition.white_space_split = true;
    else if (name == "Metaspace" && !last)
      composition.metaspace = read_metaspace(step);
    else if (type == "BPE" && name == "ByteLevel" && !last && !composition.white_space_split)
      composition.byte_level = ByteLevel{.add_prefix_space = step.boolean("add_prefix_space", true),
                                         .split = step.boolean("use_regex", true)};
    else
      step.refuse("is " + name + " with the model " + type, expected);
  }
  if (!composition.metaspace && !composition.byte_level)
    throw Error(file.path(), ": pre_tokenizer is missing; with the model ", type, ", only ", expected,
                " is supported");
}

void read_composed_decoder(const json::File& file, Composition& composition) {
  const auto steps = steps_of(file, "decoder", "decoders");
  if (steps.empty()) return;
  if (steps.size() > 1) steps[1].refuse("is a second step", "one step");
  const std::string type = steps[0].string("type", "");
  if (type == "Metaspace" && composition.metaspace) {
    const bool kept = read_metaspace(steps[0]).prepend == Metaspace::Prepend::never;
    composition.decoder = kept ? DecoderKind::metaspace_kept : DecoderKind::metaspace;
  } else if (type == "ByteLevel" && composition.byte_level) {
    composition.decoder = DecoderKind::byte_level;
  } else {
    steps[0].refuse("is " + type, composition.metaspace ? "Metaspace" : "ByteLevel");
  }
}

// [["<unk>", 0.0], ["▁the", -3.1], ...]
void read_unigram(const json::File& file, const Block& model, TokenizerParts& parts) {
  UnigramData data;
  const auto vocab = model.find("vocab");
  if (!vocab) throw Error(file.path(), ": model has no vocab");
  model.named("vocab", [&] {
    for (const json::Value& entry : vocab->elements()) {
      const auto pair = entry.elements();
      if (pair.size() != 2) throw Error("has an entry that is not a token and its score");
      parts.subwords.emplace_back(pair[0].string());
      data.scores.push_back(pair[1].number());
    }
    if (data.scores.empty()) throw Error("is empty");
  });
  const int64_t unk = model.integer("unk_id", -1);
  if (unk < 0 || unk >= std::ssize(data.scores))
    model.refuse("has the unk_id " + std::to_string(unk), "the id of a token");
  data.unk = unk;
  data.byte_fallback = model.boolean("byte_fallback", false);
  parts.config.unk = parts.subwords[unk];
  parts.composition->unigram = std::move(data);
}

// ["a b", ...] or, since tokenizers 0.20, [["a", "b"], ...]
BpeData read_merges(const Block& model) {
  BpeData data;
  const auto merges = model.find("merges");
  if (!merges) return data;
  model.named("merges", [&] {
    for (const json::Value& merge : merges->elements()) {
      if (merge.is_array()) {
        const auto pair = merge.strings();
        if (pair.size() != 2) throw Error("has an entry that is not a pair");
        data.merges.emplace_back(pair[0], pair[1]);
      } else {
        data.merges.push_back(merge_of(merge.string()));
      }
    }
  });
  return data;
}

void read_bpe(const json::File& file, const Block& model, TokenizerParts& parts) {
  for (const auto* flag : {"byte_fallback", "ignore_merges"})
    if (model.boolean(flag, false)) model.refuse("has " + std::string(flag) + " true", "false");
  for (const auto* text : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.string(text, "").empty()) model.refuse("has a " + std::string(text), "none");
  if (const auto dropout = model.find("dropout"); dropout && dropout->number() != 0)
    model.refuse("has a dropout", "0");
  parts.subwords = read_ids(file, model);
  parts.config.unk = model.string("unk_token", "");
  BpeData data = read_merges(model);
  data.bytes = parts.composition->byte_level.has_value();
  data.fuse_unk = model.boolean("fuse_unk", false);
  if (!data.bytes) {
    const auto unk = std::ranges::find(parts.subwords, parts.config.unk);
    if (parts.config.unk.empty() || unk == parts.subwords.end())
      model.refuse("has no unk_token in its vocabulary", "a BPE model of characters with one");
    data.unk = static_cast<int32_t>(unk - parts.subwords.begin());
  }
  parts.composition->bpe = std::move(data);
}

}  // namespace

std::string_view name_of(NormalizerStep::Kind kind) {
  return std::find_if(kNormalizers.begin(), kNormalizers.end(), [&](auto& one) { return one.second == kind; })
      ->first;
}

std::pair<std::string, std::string> merge_of(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
    throw Error("has \"", text, "\", which is not two tokens and a space");
  return {std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
}

std::vector<std::string> read_ids(const json::File& file, const Block& model) {
  const std::optional<json::Value> vocab = model.find("vocab");
  if (!vocab) throw Error(file.path(), ": model has no vocab");
  return model.named("vocab", [&] { return ids_of(*vocab); });
}

std::vector<std::string> ids_of(const json::Value& vocab) {
  std::vector<std::string> subwords;
  const auto members = vocab.members();
  subwords.resize(members.size());
  for (const auto& [subword, json] : members) {
    const int64_t id = json.integer();
    if (id < 0 || id > static_cast<int64_t>(members.size() + kMaxIdGap)) {
      throw Error("gives ", subword, " the id ", id, " among ", members.size(), " tokens");
    }
    if (static_cast<size_t>(id) >= subwords.size()) subwords.resize(id + 1);
    std::string& place = subwords[id];
    if (!place.empty()) throw Error("gives ", place, " and ", subword, " the same id ", id);
    place = subword;
  }
  return subwords;
}

void read_composition(const json::File& file, const std::string& type, TokenizerParts& parts) {
  const Block model = required(file, "model");
  parts.composition.emplace();
  Composition& composition = *parts.composition;
  parts.config.model = type == "Unigram" ? ModelKind::unigram : ModelKind::bpe;
  for (const Block& step : steps_of(file, "normalizer", "normalizers"))
    composition.normalizer.push_back(read_step(step));
  read_pre_tokenizer(file, type, composition);
  read_composed_decoder(file, composition);
  if (type == "Unigram")
    read_unigram(file, model, parts);
  else
    read_bpe(file, model, parts);
}

}  // namespace bert::text
