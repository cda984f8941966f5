// bert-tokenize: converts text to BERT's input ids or back, or summarizes a corpus.
#include "base/option.h"
#include "corpus/tokenize_filter.h"
#include "options/feature_options.h"
#include "options/tokenizer_options.h"
#include "text/sentences.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using bert::cli::App;
using bert::cli::UsageError;
using bert::corpus::TokenizeOptions;
using bert::io::Format;
using bert::io::FormatGroup;
using Offsets = bert::text::Offsets;

// Options that are interpreted after the whole command line has been read.
struct Flags {
  bool no_specials = false, decode = false, stats = false, sentences = false;
};

void result_options(App& app, TokenizeOptions& tokenize, Flags& flags) {
  auto& features = tokenize.features;
  app.section("Result");
  app.flag({"--tokens", "", "Add the tokens of each text as field tokens."}, tokenize.tokens);
  app.choice<Offsets>({"--offsets", "", "Add offsets, the [start,end) of each token in the original text."},
                      {{"chars", Offsets::chars}, {"bytes", Offsets::bytes}}, features.wanted.offsets);
  app.flag({"--word-ids", "", "Add word_ids, the index of each token's word."}, features.wanted.words);
  app.flag({"--no-special-tokens", "", "Do not add [CLS] and [SEP]."}, flags.no_specials);
  bert::cmd::format_option(
      app, bert::io::formats_of({FormatGroup::json, FormatGroup::table}, {Format::ids, Format::tokens}),
      tokenize.format, "Write records as JSONL or as a table, or lines of space-separated ids or tokens.");
  app.flag({"--decode", "", "Convert input_ids back to text, without special tokens."}, flags.decode);
  app.flag({"--stats", "", "Print statistics of all records as one JSON object instead of the records."},
           flags.stats);
  app.flag({opt::sentences, "", "Split documents into sentences; add sentences, the ids of each sentence."},
           flags.sentences);
  app.exclusive({"--decode", "--stats", opt::sentences});
  for (const auto option : {opt::keep, opt::drop}) bert::cmd::needs_fields(app, option);
  app.option({"--locale", "TAG", "Language for sentence boundaries, such as el; root is language-neutral."},
             tokenize.locale);
}

void settle(TokenizeOptions& tokenize, const Flags& flags, bert::io::StreamOptions& stream) {
  stream.format = tokenize.format;
  const bool lines = entry(tokenize.format).group == FormatGroup::own;
  const auto& wanted = tokenize.features.wanted;
  const bool fields = tokenize.tokens || wanted.words || wanted.offsets != Offsets::none;
  const bool records = !flags.decode && !flags.stats && !flags.sentences;
  if (fields && !records) throw UsageError("--tokens, --offsets and --word-ids need records with input_ids");
  if (fields && lines)
    throw UsageError("--tokens, --offsets and --word-ids are fields of records, which --format ",
                     entry(tokenize.format).name, " does not write");
  if (!records && lines)
    throw UsageError("--format ids and tokens are not for --decode, --stats and --sentences");
  tokenize.features.specials = !flags.no_specials;
  if (flags.decode) tokenize.result = TokenizeOptions::Result::decoded;
  if (flags.stats) tokenize.result = TokenizeOptions::Result::stats;
  if (flags.sentences) tokenize.result = TokenizeOptions::Result::sentences;
}

void check_locale(const std::string& locale) {
  try {
    const bert::text::SentenceSplitter splitter(locale);
  } catch (const bert::Error& error) {
    throw UsageError("--locale: ", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  App app("bert-tokenize", "Tokenize texts and add the token ids to each record.");
  TokenizeOptions tokenize;
  Flags flags;
  result_options(app, tokenize, flags);
  const bert::cmd::TokenizerOptions tokenizing(app);
  const bert::cmd::LengthOptions length(app);
  bert::cmd::StreamOptions stream(app, {.more = bert::io::formats_of({bert::io::RecordKind::tagged},
                                                                     {bert::io::InputFormat::documents})});
  app.version_of(bert::text::version);
  app.examples(
      {{"Add the token ids to each line", "bert-tokenize reviews.txt"},
       {"Show the tokens of a text", "echo 'It was the best of times.' | bert-tokenize --format tokens"}});
  app.check([&] {
    settle(tokenize, flags, stream.settings);
    bert::cmd::set_input(tokenize.features, stream, length);
    tokenize.drop = stream.settings.drop;
    if (flags.sentences && (length.max_length || app.given(opt::overflow)))
      throw UsageError("--sentences does not truncate: --max-length and --overflow cannot be used with it");
    if (!flags.sentences && app.given("--locale")) throw UsageError("--locale is for --sentences");
    if (flags.sentences) check_locale(tokenize.locale);
  });
  return app.run(argc, argv, [&] {
    const auto tokenizer = tokenizing.load();
    const auto limit = bert::features::with_settings_of(tokenizer, tokenize.features).max_length;
    if (tokenize.features.overflow != bert::features::Overflow::truncate && limit == bert::features::kNoLimit)
      throw UsageError(opt::overflow,
                       " needs --max-length: the tokenizer has no limit, so no text is too long");
    const auto filter = make_tokenize_filter(tokenizer, tokenize, app.log());
    stream.transform(*filter);
  });
}
