// bert-vocab: learns the vocabulary of a tokenizer from text.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/file.h"
#include "base/model_files.h"
#include "base/option.h"
#include "base/output_directory.h"
#include "base/output_file.h"
#include "corpus/vocab_filter.h"
#include "options/stream_options.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using bert::names_stdout;
using bert::cli::App;
using bert::cli::UsageError;
using bert::cmd::StreamOptions;
using bert::corpus::VocabularyOptions;
using bert::text::Criterion;
using bert::text::ModelKind;

// Options that are interpreted after the whole command line has been read.
struct Flags {
  bool cased = false, uncased = false, force = false;
  std::string counts;
  std::optional<int64_t> alphabet_limit;
};

bert::cli::Choices<ModelKind> kinds() {
  return {{"wordpiece", ModelKind::wordpiece}, {"unigram", ModelKind::unigram}, {"bpe", ModelKind::bpe}};
}

void vocabulary_options(App& app, VocabularyOptions& vocabulary, Flags& flags) {
  auto& learner = vocabulary.learner;
  app.section("Vocabulary");
  app.choice<ModelKind>(
      {"--kind", "",
       "Kind of vocabulary: WordPiece (BERT), Unigram (XLM-RoBERTa) or byte-level BPE (RoBERTa)."},
      kinds(), vocabulary.tokenizer.model);
  app.number({"--size", "N", "Vocabulary size; 0 learns nothing and only writes --counts."}, {},
             learner.size);
  app.number(
      {"--min-frequency", "N",
       "Merge two subword tokens, or start from a Unigram token, only if they occur at least N times."},
      {.min = 1, .max = INT64_MAX}, learner.min_frequency);
  app.choice<Criterion>(
         {"--criterion", "", "Merge the pair that increases the likelihood most, or the most frequent pair."},
         {{"likelihood", Criterion::likelihood}, {"frequency", Criterion::frequency}}, learner.criterion)
      .only_for = {"wordpiece"};
  app.number({"--alphabet-limit", "N", "Keep only the N most frequent characters (default: all)."},
             {.min = 1}, flags.alphabet_limit)
      .only_for = {"wordpiece", "unigram"};
  app.number({"--unused", "N", "Add [unused0] to [unusedN-1] after the special tokens."}, {}, learner.unused)
      .only_for = {"wordpiece"};
  app.flag({"--cased", "", "Keep case and accents (default for unigram and bpe)."}, flags.cased);
  app.flag({"--uncased", "", "Lower-case and strip accents (default for wordpiece)."}, flags.uncased);
  app.exclusive({"--cased", "--uncased"});
  app.flag({opt::force, "", "Replace a vocabulary that -o names."}, flags.force);
  app.section("Counting");
  app.option({"--counts", "FILE",
              "Write the words and their counts to FILE; without text input, learn "
              "from the counts in FILE."},
             flags.counts);
  app.number({"--max-words", "N", "Maximum number of different words in memory; the rarest are discarded."},
             {.min = 2, .max = 1'000'000'000}, vocabulary.max_words);
}

// Refuses options that the kind of vocabulary has no use for.
void check_kind(const App& app, ModelKind kind) {
  for (const auto& [name, value] : kinds())
    if (value == kind) app.select("--kind", name);
}

bool lowers_case(const Flags& flags, ModelKind kind) {
  return flags.uncased || (kind == ModelKind::wordpiece && !flags.cased);
}

// If no text is given, the counts file is the input.
void settle_input(const App& app, const Flags& flags, StreamOptions& stream, VocabularyOptions& vocabulary) {
  auto& settings = stream.settings;
  auto& tokenizer = vocabulary.tokenizer;
  tokenizer.lowercase = tokenizer.strip_accents = lowers_case(flags, tokenizer.model);
  vocabulary.learner.alphabet_limit = flags.alphabet_limit.value_or(-1);
  vocabulary.text_field = settings.text_field;
  vocabulary.pair_field = settings.pair_field;
  const bool only_counts = vocabulary.learner.size == 0;
  if (only_counts && flags.counts.empty())
    throw UsageError("--size 0 only counts words: it needs --counts FILE");
  if (flags.counts.empty() || !settings.files.empty()) {
    vocabulary.write_counts = flags.counts;
    return;
  }
  if (only_counts) throw UsageError("--size 0 counts the words of texts, and none are given");
  for (const auto name :
       {opt::text_field, opt::pair_field, opt::input_format, opt::columns, opt::delimiter, opt::cut})
    if (app.given(name))
      throw UsageError(name, " is for texts; without any, the words of --counts ", flags.counts, " are read");
  vocabulary.records = VocabularyOptions::Records::counts;
  settings.files = {flags.counts};
  settings.input_format = bert::io::InputFormat::tsv;
  settings.columns = {"word", "count"};
}

// Whether -o is DIR/ or an existing directory.
bool names_directory(const std::string& output) {
  return output != "-" && (output.ends_with('/') || bert::is_directory(output));
}

std::string folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

// The weights of a model need the vocabulary that they were trained with.
void require_no_model(const std::string& output) {
  const std::filesystem::path path(output);
  const bool is_folder = bert::is_directory(output);
  const auto folder = is_folder ? output : folder_of(path);
  if (!bert::is_directory(folder) || (!is_folder && !bert::is_tokenizer_file(path.filename().string())))
    return;
  const auto names = bert::names_in_directory(folder);
  if (std::ranges::none_of(names, bert::is_settings_file)) return;
  for (const auto& name : names)
    if (name.ends_with(".safetensors") || name.ends_with(".bin"))
      throw bert::Error(output, ": belongs to a model, whose weights (", name,
                        ") need the vocabulary that they were trained with; write to another directory");
}

// All tools read the settings beside a vocabulary.
void require_no_settings_beside(const std::string& output) {
  if (output == "-" || names_directory(output)) return;
  const std::filesystem::path folder = folder_of(output);
  for (const auto* name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"})
    if (exists(folder / name))
      throw bert::Error(
          output, ": ", (folder / name).string(),
          " would be read with it, but describes another vocabulary; write to another directory, "
          "or name this one with -o ",
          folder.string(), "/");
}

void require_new(const std::string& output) {
  using bert::FileKind;
  const auto kind = output == "-" ? FileKind::other : bert::kind_of(output);
  if (kind == FileKind::regular && std::filesystem::file_size(output) > 0)
    throw bert::Error(output, ": exists already: replace it with --force, or write to another file");
  if (kind != FileKind::directory) return;
  auto names = bert::names_in_directory(output);
  std::erase_if(names, [](const auto& name) { return !bert::is_tokenizer_file(name); });
  if (!names.empty())
    throw bert::Error(output, ": holds a vocabulary (", bert::listed(names, "and"),
                      "): replace it with --force, or write to another directory");
}

// Counts may replace counts, no other file.
void require_counts(const std::string& path) {
  if (path.empty() || path == "-" || bert::kind_of(path) != bert::FileKind::regular) return;
  std::string line;
  if (!std::getline(std::ifstream(path), line)) return;  // empty
  const auto tab = line.find('\t');
  if (tab != line.npos && tab + 1 < line.size() && line.find_first_not_of("0123456789", tab + 1) == line.npos)
    return;
  throw bert::Error(path,
                    ": exists and has no counts: replace it with --force, or write --counts to another file");
}

const char* vocabulary_file(ModelKind kind) {
  return kind == ModelKind::wordpiece ? "vocab.txt" : "tokenizer.json";
}

void check_outputs(App& app, const std::string& output, const VocabularyOptions& vocabulary) {
  if (vocabulary.learner.size > 0 && names_stdout(vocabulary.write_counts) && names_stdout(output))
    throw UsageError(
        "--counts - and the vocabulary would both go to stdout; write the vocabulary to a file with -o");
  app.writes("--counts", vocabulary.write_counts);
  if (!names_directory(output)) return;
  for (const auto* name : {vocabulary_file(vocabulary.tokenizer.model), "tokenizer_config.json"})
    app.writes("--output", (std::filesystem::path(output) / name).string());
}

// The directory of -o, if it is one. Its other files are kept.
std::unique_ptr<bert::OutputDirectory> open_directory(StreamOptions& stream, VocabularyOptions& vocabulary) {
  std::string& output = stream.settings.output;
  if (!names_directory(output)) return nullptr;
  if (vocabulary.learner.size == 0)
    throw UsageError("--size 0 only writes --counts: -o ", output, " would have an empty vocabulary");
  auto directory = std::make_unique<bert::OutputDirectory>(output, [](const std::filesystem::path& entry) {
    return !bert::is_tokenizer_file(entry.filename().string());
  });
  vocabulary.write_config = directory->file("tokenizer_config.json");
  if (const auto& written = vocabulary.write_counts; !written.empty() && written != "-") {
    const auto place_of = [](const std::filesystem::path& path) { return absolute(path).lexically_normal(); };
    const auto counts = place_of(written);
    if (counts.parent_path() == place_of(output + "/.").parent_path())
      vocabulary.write_counts = directory->file(counts.filename().string());
  }
  output = directory->file(vocabulary_file(vocabulary.tokenizer.model));
  return directory;
}

}  // namespace

int main(int argc, char** argv) {
  App app("bert-vocab", "Learn a WordPiece, Unigram or BPE vocabulary from text.");
  VocabularyOptions vocabulary;
  Flags flags;
  vocabulary_options(app, vocabulary, flags);
  StreamOptions stream(app, {.records = false});
  app.version_of(bert::text::version);
  app.examples(
      {{"Learn a vocabulary and write a tokenizer's files", "bert-vocab --size 80 -o subwords/ reviews.txt"},
       {"Count words", "bert-vocab --size 0 --counts words.tsv reviews.txt"}});
  app.check([&] {
    check_kind(app, vocabulary.tokenizer.model);
    settle_input(app, flags, stream, vocabulary);
    check_outputs(app, stream.settings.output, vocabulary);
  });
  return app.run(argc, argv, [&] {
    require_no_model(stream.settings.output);
    require_no_settings_beside(stream.settings.output);
    if (!flags.force) {
      require_new(stream.settings.output);
      require_counts(vocabulary.write_counts);
    }
    const auto directory = open_directory(stream, vocabulary);
    bert::corpus::VocabFilter filter(vocabulary, app.log());
    const auto learn = [&] { stream.transform(filter); };
    if (!directory) return learn();
    directory->write(learn);
    directory->commit();
  });
}
