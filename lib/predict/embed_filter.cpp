#include "predict/embed_filter.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "features/features.h"
#include "heads/version.h"
#include "io/text_position.h"
#include "json/json.h"
#include "model/fingerprint.h"
#include "predict/vector_writer.h"
#include "text/utf8.h"

namespace bert::predict {

struct EmbedFilter::Prepared : heads::Windows<heads::EmbeddedSequence> {
  std::vector<features::TokenPlace> places;  // for token vectors: where to read each token of the record
  std::vector<features::TruncatedField> cut;
  bool takes_ids = false;
  std::vector<std::string_view> stale;  // see Vectors
  std::string own_model;                // the VectorModel with the fields of the record, if they are unusual
};

namespace {

// The fields of the input that records of windows do not repeat.
io::DropList dropped_fields(const EmbedOptions& options) {
  auto fields = options.drop;
  if (!options.windows_apart) return fields;
  for (const auto* field : {"words", "input_ids", "token_type_ids", "tokens", "offsets", "word_ids"})
    fields.add(field);
  fields.add(options.features.text_field);
  fields.add(options.features.pair_field);
  return fields;
}

std::unique_ptr<VectorWriter> make_writer(const EmbedOptions& options, const heads::EmbedPlan& plan,
                                          const text::Tokenizer& tokenizer) {
  if (options.vectors.format == io::Format::jsonl)
    return make_json_writer(tokenizer, dropped_fields(options),
                            {.precision = options.precision, .base64 = options.vectors.base64});
  if (options.vectors.format != io::Format::google) return make_row_writer(options.precision);
  return make_google_writer(tokenizer, plan.layers(), options.precision < 0 ? 6 : options.precision);
}

heads::VectorModel vector_model_of(const heads::EmbedPlan& plan, const model::Directory& directory,
                                   const text::Tokenizer& tokenizer, int64_t max_length) {
  return {.name = heads::name_of_model(directory.root),
          .fingerprint = hexadecimal(model::fingerprint(directory, tokenizer, plan.needs())),
          .pooling = plan.pooling(),
          .normalized = plan.normalized(),
          .max_length = max_length,
          .prompt = plan.prompt_name()};
}

std::optional<heads::LateTexts> late_texts(const heads::EmbedPlan& plan, const model::Directory& directory,
                                           const text::Tokenizer& tokenizer) {
  if (!plan.late_side()) return std::nullopt;
  return heads::LateTexts(directory, tokenizer, *plan.late_side());
}

// Other formats need no Sidecar: nothing reads arrays of text, and the JSON of Google's script has a fixed
// form.
bool has_sidecar(const EmbedOptions& options) {
  if (!io::entry(options.vectors.format).is_array() || names_stdout(options.output)) return false;
  std::error_code error;
  const auto type = std::filesystem::status(options.output, error).type();  // a broken link names a new file
  if (type == std::filesystem::file_type::none) throw Error(options.output, ": ", error.message());
  return type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
}

}  // namespace

features::FeatureOptions feature_options(const EmbedOptions& options, std::string prompt,
                                         const model::Directory& directory, int64_t max_length) {
  features::FeatureOptions features = options.features;
  features.max_length = heads::sequence_limit(options.max_length, max_length, directory.config);
  features.prompt = std::move(prompt);
  if (options.windows_apart) features.wanted.offsets = text::Offsets::chars;
  return features;
}

// Text records have no token fields to truncate.
std::vector<features::TruncatedField> cut_fields(const features::Featurizer& featurizer,
                                                 const io::Fields& fields, const features::Features& features,
                                                 const io::DropList& dropped) {
  if (!features.truncated || !featurizer.takes_ids(fields)) return {};
  return features::truncated_fields(fields, std::vector{&features}, dropped);
}

std::vector<std::string_view> stale_vector_fields(const io::Fields& fields, bool of_ids) {
  std::vector<std::string_view> names;
  // Vectors of other software have no embedding_model. In a table of bert-embed, it is optional.
  if (fields.has(heads::kVectorModel) || fields.has("embedding_0"))
    names = {"embedding", heads::kVectorModel};
  const bool had_tokens = fields.has(kTokens) && (fields.has(kTokenVectors) || fields.has(kAttention));
  if (had_tokens) names.insert(names.end(), {kTokenVectors, kAttention});
  if (of_ids) return names;
  if (had_tokens) names.emplace_back(kTokens);
  if (!names.empty() || fields.has("embedding") || fields.has(kTokenVectors)) names.emplace_back("truncated");
  return names;
}

EmbedFilter::EmbedFilter(const model::Directory& directory, const text::Tokenizer& tokenizer,
                         EmbedOptions options, Pool& pool, Log& log, Weights weights)
    : directory_(directory),
      options_(std::move(options)),
      log_(log),
      embedder_(directory, options_.vectors, options_.compute, pool),
      late_(late_texts(embedder_.plan(), directory, tokenizer)),
      featurizer_(tokenizer, feature_options(options_, embedder_.plan().prompt(), directory,
                                             late_ ? late_->max_length() : directory.max_length)),
      writer_(make_writer(options_, embedder_.plan(), tokenizer)) {
  if (late_ && options_.windows_apart)
    throw Error(opt::overflow, " windows cannot be used with ", directory.root,
                ", which has a vector for each token; ", opt::overflow, " split writes each once");
  model::check_vocabulary(directory, tokenizer, log_);
  log_.info(heads::described({.model = directory.root,
                              .purpose = embedder_.plan().described(),
                              .max_length = featurizer_.options().max_length,
                              .dtype = embedder_.dtype(),
                              .threads = pool.size()}));
  // Queries of late interaction are compared with documents, which have another length.
  auto vector_model =
      vector_model_of(embedder_.plan(), directory, tokenizer,
                      late_ ? options_.max_length.value_or(
                                  heads::LateTexts(directory, tokenizer, heads::Side::document).max_length())
                            : featurizer_.options().max_length);
  vector_model_ = vector_model.text();
  if (has_sidecar(options_))
    sidecar_.emplace(options_.output,
                     heads::Sidecar::Content{.model = vector_model_, .width = embedder_.plan().width()});
  parts_ = vector_model;
  vector_model.prompt.clear();
  unprompted_model_ = vector_model.text();
  if (weights == Weights::now) embedder_.load();
}

const std::string& EmbedFilter::vector_model(const io::Work& texts) const {
  const auto& prepared = static_cast<const Prepared&>(texts);
  if (!prepared.own_model.empty()) return prepared.own_model;
  return prepared.takes_ids ? unprompted_model_ : vector_model_;
}

void EmbedFilter::before_commit(const OutputFile& output) {
  if (sidecar_) sidecar_->remove_old();
  lacks_sidecar_ = !sidecar_ && io::entry(options_.vectors.format).is_array() && output.can_rewrite();
}

void EmbedFilter::committed() {
  if (!sidecar_) return;
  if (first_ && !first_->own_model.empty()) sidecar_->set_model(first_->own_model);
  sidecar_->write();
}

void EmbedFilter::report(Log& log) const {
  if (has_pairs_ && !options_.expects_pairs && options_.vectors.format != io::Format::google)
    log.warn("records have a second text, so vectors are of pairs; " + opt::pair_field +
             " '' makes those of the texts alone");
  if (empty_ > 0)
    log.warn(counted(empty_, "text is empty; its vector says", "texts are empty; their vectors say") +
             " nothing");
  empty_seconds_.report(log);
  foreign_.report(log);
  if (lacks_sidecar_)
    log.warn("the file does not name the model, which bert-search checks; -o FILE writes it to FILE.json");
}

void EmbedFilter::prepare(const io::Fields& fields, io::Record& record) const {
  record.work = read(fields);
  using Origin = features::ForeignTexts::Origin;
  foreign_.add(fields, record, options_.features.text_field, options_.features.pair_field,
               record.work_as<Prepared>().takes_ids ? Origin::ids : Origin::text);
}

std::unique_ptr<io::Work> EmbedFilter::read(const io::Fields& fields) const {
  auto prepared = std::make_unique<Prepared>();
  prepared->takes_ids = featurizer_.takes_ids(fields);
  prepared->stale = stale_vector_fields(fields, prepared->takes_ids);
  prepared->own_model = own_model(fields, prepared->takes_ids);
  auto sequences = windows(fields);
  if (late_ && sequences.size() == 1) late_->expand(sequences.front());
  if (embedder_.makes_token_vectors()) prepared->places = features::sequence_places(sequences);
  using Origin = features::ForeignTexts::Origin;
  foreign_.add(sequences.front().ids, prepared->takes_ids ? Origin::ids : Origin::text);
  if (sequences.front().pair && !prepared->takes_ids) {
    has_pairs_ = true;
    empty_seconds_.add(sequences.front());
  }
  if (options_.vectors.format == io::Format::jsonl)
    prepared->cut = cut_fields(featurizer_, fields, sequences.front(), options_.drop);
  const auto json = fields.json(options_.features.text_field);
  const bool has_text = !(json && json->is_array()) && fields.text(options_.features.text_field);
  for (features::Features& features : sequences) {
    if (!has_text) features.offsets.clear();  // those of words, each from 0
    heads::require_readable(features, directory_.config);
    prepared->windows.push_back({.features = std::move(features)});
  }
  return prepared;
}

// With the names of the fields; "" if they are the usual ones.
std::string EmbedFilter::own_model(const io::Fields& fields, bool takes_ids) const {
  const auto& [text_field, pair_field] = std::tie(options_.features.text_field, options_.features.pair_field);
  const auto text = fields.own_name(text_field), pair = fields.own_name(pair_field);
  const bool has_pair = !pair_field.empty() && fields.pair_text(pair_field).has_value();
  if (takes_ids || (text == io::kTextField && (!has_pair || pair == io::kPairField))) return "";
  auto model = parts_;
  model.fields.emplace_back(text);
  if (has_pair) model.fields.emplace_back(pair);
  return model.text();
}

std::vector<features::Features> EmbedFilter::windows(const io::Fields& fields) const {
  const std::string& field = options_.features.text_field;
  const bool is_line =
      !fields.json(field) && fields.text(field) && !fields.pair_text(options_.features.pair_field);
  if (options_.vectors.format != io::Format::google || !is_line) return featurizer_.windows(fields);
  const GoogleTexts texts = google_texts(*fields.text(field));
  return featurizer_.windows(texts.first, texts.pair ? std::optional(texts.second) : std::nullopt);
}

int64_t EmbedFilter::tokens(const io::Work& texts) const {
  return static_cast<const Prepared&>(texts).tokens();
}

void EmbedFilter::compute(std::span<io::Record* const> records) {
  std::vector<io::Work*> texts;
  for (io::Record* record : records) texts.push_back(record->work.get());
  compute(texts);
}

void EmbedFilter::compute(std::span<io::Work* const> texts) {
  std::vector<heads::Windows<heads::EmbeddedSequence>*> prepared;
  for (io::Work* work : texts) prepared.push_back(static_cast<Prepared*>(work));
  embedder_.compute(prepared);
}

std::vector<float> EmbedFilter::vector(const io::Work& texts) const {
  return embedder_.vector(static_cast<const Prepared&>(texts).windows);
}

bool EmbedFilter::truncated(const io::Work& texts) const {
  return static_cast<const Prepared&>(texts).windows.front().features.truncated;
}

void EmbedFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  if (sidecar_) name_fields(record.place(), prepared);
  const auto& first = prepared.windows.front().features;
  const bool truncated = first.truncated;
  if (!prepared.takes_ids && features::is_empty(first)) empty_.fetch_add(1, std::memory_order_relaxed);
  if (embedder_.makes_token_vectors()) {
    write_tokens(record, prepared, out);
  } else if (options_.windows_apart) {
    write_windows(record, prepared, out);
  } else {
    const auto vector = this->vector(prepared);
    writer_->write(record,
                   {.values = vector,
                    .width = embedder_.plan().width(),
                    .model = vector_model(prepared),
                    .truncated = truncated,
                    .stale = prepared.stale,
                    .cut = prepared.cut},
                   out);
  }
  record.truncated = truncated;
}

// A sidecar has those of the first record.
void EmbedFilter::name_fields(int64_t place, const Prepared& prepared) const {
  const std::lock_guard lock(naming_);
  if (!first_ || place < first_->place) first_ = First{.place = place, .own_model = prepared.own_model};
}

// The text that is split is the only one, or the second of a pair.
WindowPlace EmbedFilter::place_of(const io::Record& record, const heads::EmbeddedSequence& window) const {
  const auto& features = window.features;
  WindowPlace place = {.record = record.place(), .window = features.window, .characters = {}};
  if (features.offsets.empty()) return place;
  const auto part = features.pair ? features.second : features.first;
  if (part.begin == part.end) {
    place.characters = text::Span{0, 0};
    return place;
  }
  const auto before =
      features.pair ? 0 : static_cast<uint32_t>(text::count_code_points(embedder_.plan().prompt()));
  const auto without = [&](uint32_t offset) { return offset > before ? offset - before : 0; };
  place.characters =
      text::Span{without(features.offsets[part.begin].begin), without(features.offsets[part.end - 1].end)};
  return place;
}

void EmbedFilter::write_windows(const io::Record& record, const Prepared& prepared, io::Output& out) const {
  const auto text_begin = record.location().begin;
  io::TextPosition position(record.raw(), record.line());
  for (const auto& window : prepared.windows) {
    const auto vector = embedder_.vector(window);
    auto place = place_of(record, window);
    if (text_begin && place.characters) {
      const auto [begin, end] = *place.characters;
      const auto first = position.line_of(begin);
      place.text_begin = *text_begin;
      place.lines.emplace(first, io::TextPosition(position).line_of(std::max(begin + 1, end) - 1));
    }
    writer_->write(record,
                   {.values = vector,
                    .width = embedder_.plan().width(),
                    .model = vector_model(prepared),
                    .stale = prepared.stale,
                    .window = &place},
                   out);
  }
}

// One vector for each token of the record, however many windows there are.
EmbedFilter::Tokens EmbedFilter::tokens_of(const Prepared& prepared) const {
  const auto width = static_cast<size_t>(embedder_.plan().width());
  Tokens tokens;
  auto& [ids, values] = tokens;
  ids.reserve(prepared.places.size());
  values.reserve(prepared.places.size() * width);
  for (const auto& [w, position] : prepared.places) {
    const heads::EmbeddedSequence& window = prepared.windows[w];
    const int32_t id = window.features.ids[position];
    if (late_ && !late_->has_vector(id)) continue;
    ids.push_back(id);
    const auto vector = std::span(window.values).subspan(position * width, width);
    values.insert(values.end(), vector.begin(), vector.end());
  }
  embedder_.require_finite(values);
  return tokens;
}

std::vector<float> EmbedFilter::token_vectors(const io::Work& texts) const {
  return tokens_of(static_cast<const Prepared&>(texts)).values;
}

void EmbedFilter::write_tokens(const io::Record& record, const Prepared& prepared, io::Output& out) const {
  const auto tokens = tokens_of(prepared);
  writer_->write(record,
                 {.values = tokens.values,
                  .width = embedder_.plan().width(),
                  .model = late_ ? vector_model(prepared) : std::string_view(),
                  .ids = &tokens.ids,
                  .truncated = prepared.windows.front().features.truncated,
                  .stale = prepared.stale,
                  .cut = prepared.cut},
                 out);
}

void EmbedFilter::report_truncated(int64_t records) const {
  heads::report_truncated_texts(log_, records, featurizer_.options().max_length);
}

}  // namespace bert::predict
