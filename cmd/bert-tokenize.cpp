// bert-tokenize: text to the ids that BERT reads, ids to text, or a summary of a corpus.
#include "data/tokenize_filter.h"
#include "text/version.h"
#include "text_options.h"

namespace {

using bert::cli::App;
using bert::cli::UsageError;
using bert::data::TokenizeOptions;
using Format = TokenizeOptions::Format;
using Offsets = bert::text::Offsets;

// What the flags say, until the whole command line has been read.
struct Flags {
  bool no_specials = false, decode = false, stats = false, sentences = false;
};

void result_options(App& app, TokenizeOptions& tokenize, Flags& flags) {
  auto& features = tokenize.features;
  app.section("Result");
  app.flag({"--tokens", "", "Add the field tokens."}, tokenize.tokens);
  app.choice<Offsets>({"--offsets", "", "Add offsets, where each token lies in the original text."},
                      {{"chars", Offsets::chars}, {"bytes", Offsets::bytes}}, features.wanted.offsets);
  app.flag({"--word-ids", "", "Add word_ids, the index of each token's word."}, features.wanted.words);
  app.flag({"--no-special-tokens", "", "Leave out [CLS] and [SEP]."}, flags.no_specials);
  app.choice<Format>({"--format", "", "Records, or lines of ids or tokens alone with spaces between."},
                     {{"jsonl", Format::jsonl}, {"ids", Format::ids}, {"tokens", Format::tokens}},
                     tokenize.format);
  app.flag({"--decode", "", "Turn input_ids back into text; special tokens are left out."}, flags.decode);
  app.flag({"--stats", "", "Print one JSON object about all records instead of them."}, flags.stats);
  app.flag({"--sentences", "", "Add sentences instead, the ids of each sentence of a document."},
           flags.sentences);
  app.option({"--locale", "TAG", "Language whose sentence boundaries hold, such as el; root is any."},
             tokenize.locale);
}

void settle(TokenizeOptions& tokenize, const Flags& flags) {
  const auto& wanted = tokenize.features.wanted;
  if (flags.decode + flags.stats + flags.sentences > 1)
    throw UsageError("--decode, --stats and --sentences exclude each other");
  const bool fields = tokenize.tokens || wanted.words || wanted.offsets != Offsets::none;
  const bool records = !flags.decode && !flags.stats && !flags.sentences;
  if (fields && !(records && tokenize.format == Format::jsonl))
    throw UsageError("--tokens, --offsets and --word-ids add fields, which only records of ids have");
  if (!records && tokenize.format != Format::jsonl)
    throw UsageError("--format is not for --decode, --stats and --sentences");
  tokenize.features.specials = !flags.no_specials;
  if (flags.decode) tokenize.result = TokenizeOptions::Result::decoded;
  if (flags.stats) tokenize.result = TokenizeOptions::Result::stats;
  if (flags.sentences) tokenize.result = TokenizeOptions::Result::sentences;
}

}  // namespace

int main(int argc, char** argv) {
  App app("bert-tokenize", "Add to each record the ids of its text, as BERT reads them.");
  TokenizeOptions tokenize;
  Flags flags;
  result_options(app, tokenize, flags);
  app.check([&] { settle(tokenize, flags); });
  const bert::cli::VocabOptions vocab(app);
  const bert::cli::LengthOptions length(app, bert::cli::LengthOptions::Overflow::truncate, "truncate");
  bert::cli::StreamOptions stream(app, bert::cli::StreamOptions::Load::text,
                                  {bert::io::InputFormat::documents});
  app.version_of(bert::text::version);
  app.check([&] {
    bert::cmd::set_input(tokenize.features, stream, length);
    tokenize.drop = stream.settings.drop;
    if (const auto wrong = impossible_length(tokenize.features)) throw UsageError(*wrong);
    if (flags.sentences && (length.max_length || app.given("--overflow")))
      throw UsageError("--sentences takes them whole: no --max-length, no --overflow");
    if (!flags.sentences && app.given("--locale")) throw UsageError("--locale is for --sentences");
  });
  return app.run(argc, argv, [&] {
    const auto tokenizer = bert::cmd::load_tokenizer(vocab);
    const auto filter = make_tokenize_filter(tokenizer, tokenize, app.log());
    stream.transform(*filter);
  });
}
