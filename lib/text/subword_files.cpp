#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "text/sentencepiece_file.h"
#include "text/tokenizer_files.h"

namespace bert::text {
namespace {

bool has_file(const std::string& directory, std::string_view name) {
  return kind_of(path_in(directory, name)) != FileKind::absent;
}

std::optional<json::File> json_beside(const std::string& directory, std::string_view name) {
  if (!has_file(directory, name)) return std::nullopt;
  return std::optional<json::File>(std::in_place, path_in(directory, name));
}

void refuse_family(const std::string& path, const std::string& family, std::string_view expected) {
  throw Error(path, ": belongs to a ", family, "Tokenizer; only ", expected, " is supported");
}

std::vector<std::pair<std::string, std::string>> read_merges_txt(const std::string& path) {
  const std::string content = read_text(path);
  std::vector<std::pair<std::string, std::string>> merges;
  size_t number = 0;
  for (std::string_view rest = content; !rest.empty();) {
    const size_t size = rest.find('\n');
    std::string_view line = rest.substr(0, size);
    rest.remove_prefix(size == std::string_view::npos ? rest.size() : size + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    try {
      merges.push_back(merge_of(line));
    } catch (const Error& error) {
      throw Error(path, ":", number, ": ", error.what());
    }
  }
  return merges;
}

// The merges.txt of a vocab.json, or the PREFIX-merges.txt of a PREFIX-vocab.json.
std::string merges_beside(const std::string& vocab) {
  constexpr std::string_view kVocab = "vocab.json", kMerges = "merges.txt";
  if (!vocab.ends_with(kVocab)) return path_in(directory_of(vocab), kMerges);
  return vocab.substr(0, vocab.size() - kVocab.size()).append(kMerges);
}

// RoBERTa's vocab.json and merges.txt.
TokenizerParts read_vocab_and_merges(const std::string& path) {
  const std::string directory = directory_of(path);
  const json::File file(path);
  const std::string family = family_of(directory, "Roberta");
  if (family != "Roberta") refuse_family(path, family, "RobertaTokenizer");
  TokenizerParts parts;
  use_roberta_names(parts.config);
  parts.config.model = ModelKind::bpe;
  try {
    parts.subwords = ids_of(file.root());
  } catch (const Error& error) {
    throw Error(path, ": ", error.what());
  }
  const auto settings = json_beside(directory, "tokenizer_config.json");
  const bool prefix = settings && settings->boolean("add_prefix_space", false);
  if (!settings || settings->boolean("trim_offsets", true))
    parts.config.trim_offsets = TrimOffsets{.add_prefix_space = prefix};
  parts.composition = Composition{.byte_level = ByteLevel{.add_prefix_space = prefix},
                                  .bpe = BpeData{.merges = read_merges_txt(merges_beside(path))},
                                  .decoder = DecoderKind::byte_level};
  return parts;
}

// The pieces in the order of fairseq, whose first ids are fixed.
void add_pieces(const SentencePieceModel& model, const std::string& family, TokenizerParts& parts) {
  UnigramData data;
  const auto add = [&](std::string_view piece, double score) {
    parts.subwords.emplace_back(piece);
    data.scores.push_back(score);
  };
  size_t first = 0;
  if (family == "XLMRoberta") {
    for (const auto* piece : {"<s>", "<pad>", "</s>", "<unk>"}) add(piece, 0);
    first = 3;  // <unk>, <s>, </s>
  } else if (family == "Camembert") {
    for (const auto* piece : {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"}) add(piece, 0);
    add("<unk>NOTUSED", -100);
    first = 1;  // <unk>
  }
  for (size_t i = first; i < model.pieces.size(); ++i) {
    if (first == 0 && model.pieces[i].kind == SentencePieceModel::kUnknown) data.unk = i;
    add(model.pieces[i].text, model.pieces[i].score);
  }
  for (const auto& piece : model.pieces)
    if (piece.kind == SentencePieceModel::kControl || piece.kind == SentencePieceModel::kUserDefined)
      add_token({.content = piece.text, .special = piece.kind == SentencePieceModel::kControl}, parts.config);
  if (first > 0) {
    data.unk = 3;
    add("<mask>", 0);
  }
  if (family == "DebertaV2" && std::ranges::find(parts.subwords, parts.config.mask) == parts.subwords.end())
    add(parts.config.mask, 0);
  data.byte_fallback = model.byte_fallback;
  parts.composition->unigram = std::move(data);
}

// ALBERT normalizes before the charsmap.
void add_albert_steps(const std::string& directory, Composition& composition) {
  using Kind = NormalizerStep::Kind;
  const auto settings = json_beside(directory, "tokenizer_config.json");
  const auto flag = [&](std::string_view key, bool otherwise) {
    return settings ? settings->boolean(key, otherwise) : otherwise;
  };
  auto& steps = composition.normalizer;
  for (const auto* quotes : {"``", "''"})
    steps.push_back({.kind = Kind::replace, .from = quotes, .to = "\""});
  if (!flag("keep_accents", false)) {
    steps.push_back({.kind = Kind::nfkd});
    steps.push_back({.kind = Kind::strip_accents});
  }
  if (flag("do_lower_case", true)) steps.push_back({.kind = Kind::lowercase});
}

// DeBERTa divides texts at spaces alone: its charsmap has replaced other white space.
void add_deberta_steps(const std::string& directory, const std::string& path, Composition& composition) {
  using Kind = NormalizerStep::Kind;
  const auto settings = json_beside(directory, "tokenizer_config.json");
  if (settings && settings->boolean("split_by_punct", false))
    throw Error(path, ": split_by_punct is true in tokenizer_config.json; only false is supported");
  composition.white_space_split = false;
  if (settings && settings->boolean("do_lower_case", false))
    composition.normalizer.push_back({.kind = Kind::lowercase});
  composition.normalizer.push_back({.kind = Kind::strip, .left = true, .right = true});
}

constexpr std::string_view kFamilies =
    "XLMRobertaTokenizer, CamembertTokenizer, AlbertTokenizer or DebertaV2Tokenizer";

TokenizerParts read_pieces(const std::string& path, const std::string& family) {
  const SentencePieceModel model = read_sentencepiece(path);
  if (family.empty())
    throw Error(path,
                ": nothing says whose ids it has; name its tokenizer_class in tokenizer_config.json beside "
                "it: ",
                kFamilies);
  if (family != "XLMRoberta" && family != "Camembert" && family != "Albert" && family != "DebertaV2")
    refuse_family(path, family, kFamilies);
  if (model.type != SentencePieceModel::Type::unigram)
    throw Error(path, ": the model type is ", static_cast<int>(model.type),
                "; only 1, unigram, is supported");
  TokenizerParts parts;
  parts.config.model = ModelKind::unigram;
  parts.composition =
      Composition{.white_space_split = true, .metaspace = Metaspace(), .decoder = DecoderKind::metaspace};
  if (family == "Albert") {
    parts.config.unk = "<unk>";
    parts.config.pad = "<pad>";
    add_albert_steps(directory_of(path), *parts.composition);
  } else if (family == "DebertaV2") {
    add_deberta_steps(directory_of(path), path, *parts.composition);
  } else {
    use_roberta_names(parts.config);
  }
  if (!model.charsmap.empty())
    parts.composition->normalizer.push_back({.kind = NormalizerStep::Kind::precompiled,
                                             .charsmap = std::make_shared<const Charsmap>(model.charsmap)});
  if (family == "DebertaV2")
    parts.composition->normalizer.push_back(
        {.kind = NormalizerStep::Kind::replace, .pattern = Pattern::repeated_spaces, .to = " "});
  add_pieces(model, family, parts);
  return parts;
}

// The names of SentencePiece models, and whose they usually are.
constexpr std::array<std::array<std::string_view, 2>, 3> kModels = {
    {{"sentencepiece.bpe.model", "XLMRoberta"}, {"spiece.model", "Albert"}, {"spm.model", "DebertaV2"}}};
constexpr std::string_view kSentencePiece = ".model";

std::string family_of_pieces(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  const auto usual = std::ranges::find(kModels, name, [](const auto& model) { return model[0]; });
  return family_of(directory_of(path), usual == kModels.end() ? "" : std::string((*usual)[1]));
}

// Whether a JSON file is an object {"token": id, ...}.
bool is_vocab_json(const std::string& path) {
  const json::File file(path);
  const auto members = file.root().members();
  return !members.empty() && members.front().second.kind() == json::Value::Kind::number;
}

}  // namespace

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

VocabularyFile vocabulary_file(const std::string& path) {
  if (path.ends_with(kSentencePiece)) {
    const auto family = family_of_pieces(path);
    const auto usual = std::ranges::find(kModels, family, [](const auto& model) { return model[1]; });
    return {.name = usual == kModels.end() ? kModels[0][0] : (*usual)[0], .family = family};
  }
  if (!path.ends_with(".json")) return {.name = "vocab.txt"};
  if (!is_vocab_json(path)) return {.name = "tokenizer.json"};
  return {.name = "vocab.json", .merges = merges_beside(path)};
}

std::optional<std::string> find_subword_file(const std::string& directory) {
  for (const auto& [name, usual] : kModels)
    if (has_file(directory, name)) return path_in(directory, name);
  if (has_file(directory, "vocab.json") && has_file(directory, "merges.txt"))
    return path_in(directory, "vocab.json");
  return std::nullopt;
}

TokenizerParts read_subword_file(const std::string& path) {
  const std::string directory = directory_of(path);
  const bool pieces = path.ends_with(kSentencePiece);
  const std::string family = pieces ? family_of_pieces(path) : "";
  TokenizerParts parts = pieces ? read_pieces(path, family) : read_vocab_and_merges(path);
  read_names_and_settings(directory, parts.config);
  TokenizerConfig& config = parts.config;
  for (const std::string& token : {config.unk, config.cls, config.sep, config.pad, config.mask})
    add_token({.content = token, .lstrip = token == config.mask && family == "Camembert"}, config);
  read_added_tokens(directory, config);
  read_more_special_tokens(directory, config);
  return parts;
}

}  // namespace bert::text
