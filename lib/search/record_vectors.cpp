#include "search/record_vectors.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "io/embedding.h"
#include "json/json.h"
#include "search/index.h"
#include "text/tokenizer.h"

namespace bert::search {
namespace {

constexpr int64_t kVectorCost = 16;  // kBudget / 1024

}  // namespace

void SameModel::require(std::string_view model, std::string whose) {
  required_ = heads::VectorModel::parse(model);
  if (!required_) return;
  whose_ = std::move(whose);
  same_ = model;
}

void SameModel::allow_prompts(std::optional<std::string> asked) {
  queries_ = true;
  asked_ = std::move(asked);
}

std::string SameModel::mismatch(std::string_view model, Of of) {
  if (model.empty() || model == same_) return {};
  auto parsed = heads::VectorModel::parse(model);
  if (!parsed) return {};
  if (!required_) require(model, "an earlier one has");
  if (metric_ == Metric::cosine) parsed->normalized = required_->normalized;
  const auto difference = heads::difference(*parsed, *required_);
  const bool fits = !difference || (difference->kind == heads::ModelDifference::Kind::prompt &&
                                    is_other_prompt(*parsed, of));
  if (!fits)
    return Error(name_of(difference->kind), " ", difference->first, ", ", whose_, " ", difference->second,
                 advice(*difference, of))
        .what();
  same_ = model;
  return {};
}

// Whether the query has that prompt on purpose.
bool SameModel::is_other_prompt(const heads::VectorModel& query, Of of) const {
  if (!queries_) return false;
  return heads::is_named_prompt(query.prompt) || (asked_ && (of == Of::text || query.prompt == *asked_ ||
                                                             query.prompt == heads::quoted_prompt(*asked_)));
}

std::string SameModel::advice(const heads::ModelDifference& difference, Of of) const {
  using enum heads::ModelDifference::Kind;
  if (difference.kind == prompt && !queries_)
    return of == Of::text ? "; give " + opt::prompt + " with that of the vectors (\"\": no prompt)" : "";
  if (difference.kind == prompt)
    return of == Of::text
               ? "; give " + opt::prompt + ", also if they are meant to differ (\"\": no prompt)"
               : "; if they are meant to differ, give " + opt::prompt + " with that of the queries";
  if (difference.kind == normalization)
    return "; use " + opt::metric + " cosine, or normalize all vectors or none (bert-embed " +
           opt::normalize + ")";
  if (of == Of::vector) return {};
  const auto text = option_advice(difference);
  return "; " + (remedy_.empty() ? text : remedy_ + ", or " + text);
}

std::string SameModel::option_advice(const heads::ModelDifference& difference) {
  using enum heads::ModelDifference::Kind;
  if (difference.kind == model) {
    const auto name_of = [](const std::string& shown) { return shown.substr(0, shown.rfind(" (")); };
    return name_of(difference.first) == name_of(difference.second)
               ? "give the options with which these vectors were made, such as " + opt::pooling + " or " +
                     opt::activation
               : "give the model of these vectors with -m";
  }
  if (difference.kind == max_length) return "give " + opt::max_length + " " + difference.second;
  const std::string& wanted = difference.second;
  if (wanted.find('@') != std::string::npos)
    return "embed the texts with bert-embed and the same " + opt::layers;
  return wanted.find('+') != std::string::npos ? "leave " + opt::pooling + " out"
                                               : "give " + opt::pooling + " " + wanted;
}

bool makes_token_vectors(const model::Directory& directory, const predict::EmbedOptions& embed) {
  return directory.sentence.late && embed.vectors.pooling.kind == heads::Pooling::Kind::automatic;
}

void require_one_vector(const model::Directory& directory, const predict::EmbedOptions& embed) {
  if (makes_token_vectors(directory, embed))
    throw Error(directory.root, ": makes a vector for each token, but a search needs one for each text; ",
                opt::rerank, " orders what another model has found");
}

struct RecordVectors::TextModel {
  TextModel(const TextOptions& options, bool of_tokens, const std::string& whose, Pool& pool, Log& log)
      : directory(checked(options.open_model(), options, of_tokens, whose)),
        tokenizer(model::load_tokenizer(directory)),
        filter(directory, tokenizer, options.embed, pool, log, predict::EmbedFilter::Weights::later) {}

  static model::Directory checked(model::Directory directory, const TextOptions& options, bool of_tokens,
                                  const std::string& whose) {
    if (!of_tokens) require_one_vector(directory, options.embed);
    if (of_tokens && !makes_token_vectors(directory, options.embed))
      throw Error(directory.root, ": makes one vector for each text, ", whose, " one for each token");
    return directory;
  }

  model::Directory directory;
  text::Tokenizer tokenizer;
  predict::EmbedFilter filter;
};

RecordVectors::RecordVectors(TextOptions options, Metric metric, Pool& pool, Log& log)
    : options_(std::move(options)), metric_(metric), pool_(pool), log_(log), same_model_(metric) {}

RecordVectors::~RecordVectors() = default;

void RecordVectors::require_width(int64_t width, std::string whose) {
  width_ = width;
  whose_ = std::move(whose);
}

void RecordVectors::require_tokens(int64_t width, std::string whose) {
  require_width(width, std::move(whose));
  of_tokens_ = true;
  auto& prompt = options_.embed.vectors.prompt;
  if (!prompt) prompt = heads::kQuery;
}

void RecordVectors::require_model(std::string_view model, std::string whose, std::string remedy) {
  const auto parsed = heads::VectorModel::parse(model);
  if (!parsed) return same_model_.reset();
  if (parsed->normalized && metric_ != Metric::cosine) options_.embed.vectors.normalize = true;
  knows_model_ = true;
  same_model_->require(model, std::move(whose));
  same_model_->allow_prompts(options_.embed.vectors.prompt);
  same_model_->advise(std::move(remedy));
}

// nullptr if it cannot be opened.
RecordVectors::TextModel* RecordVectors::text_model() const {
  const std::lock_guard lock(opening_);
  if (text_model_ || !open_failure_.empty()) return text_model_.get();
  try {
    text_model_ = std::make_unique<TextModel>(options_, of_tokens_, whose_, pool_, log_);
  } catch (const Error& error) {
    open_failure_ = error.what();
  }
  return text_model_.get();
}

// The columns that bert-embed writes: their texts are not to be embedded once more, by another model perhaps.
void refuse_vectors_in_table(const io::Fields& fields) {
  for (const std::string name : {"embedding", "embedding_0"})
    if (!fields.json(name) && fields.text(name))
      throw Error("has vectors in the column \"", name, "\", but vectors are read from JSONL, npy or f32; ",
                  opt::text_field, " names the text to embed instead");
}

// A line of bert-embed --format tsv or csv, which is read as text.
bool is_row_of_numbers(std::string_view text) {
  constexpr int kFewest = 8;
  int count = 0;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find_first_of("\t,"));
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return false;
    ++count;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return count >= kFewest;
}

void refuse_vectors_in_text(const io::Fields& fields, const io::Record& record) {
  if (record.source().format != io::InputFormat::text) return;
  const auto text = fields.text(io::kTextField);
  if (text && is_row_of_numbers(*text))
    throw Error("is a row of numbers, not a text; vectors are read from JSONL, npy or f32");
}

void RecordVectors::prepare_other(const io::Fields& fields, WithVector& work) const {
  const auto& features = options_.embed.features;
  work.is_empty = has_empty_text(fields, TextFields{features.text_field, features.pair_field}.of(work.model));
}

// Returns false if the record has none.
bool RecordVectors::prepare_vector(const io::Fields& fields, const io::Record& record,
                                   WithVector& work) const {
  if (of_tokens_) {
    auto vectors = io::read_embeddings(fields);
    if (!vectors) return false;
    if (vectors->width != *width_)
      throw Error("field \"", io::kEmbeddings, "\" has vectors of ",
                  counted(vectors->width, "number", "numbers"), ", ", whose_, " ", *width_);
    work.vector = std::move(vectors->values);
  } else {
    auto vector = io::read_embedding(fields);
    if (!vector) return false;
    work.vector = std::move(*vector);
  }
  work.cost = kVectorCost;
  work.model = model_of(fields, record, std::ssize(work.vector));
  return true;
}

void RecordVectors::prepare(const io::Fields& fields, io::Record& record, WithVector& work) const {
  if (!options_.prefer_text && prepare_vector(fields, record, work)) return prepare_other(fields, work);
  prepare_other(fields, work);
  if (!options_.prefer_text) {
    refuse_vectors_in_table(fields);
    refuse_vectors_in_text(fields, record);
  }
  work.is_text = true;
  const TextModel* const model = text_model();
  if (model == nullptr) {
    work.cost = 1;
    return;
  }
  work.text = model->filter.read(fields);
  work.model = model->filter.vector_model(*work.text);
  work.cost = model->filter.tokens(*work.text);
}

void RecordVectors::compute(std::span<io::Record* const> records) {
  {
    const std::lock_guard lock(opening_);
    if (!open_failure_.empty()) throw Error(open_failure_);
  }
  for (io::Record* record : records) check_model(record->work_as<WithVector>());
  compute_texts(records);
  for (io::Record* record : records) check_width(record->work_as<WithVector>());
}

void RecordVectors::compute_texts(std::span<io::Record* const> records) {
  std::vector<io::Record*> with_text;
  std::vector<io::Work*> texts;
  for (io::Record* record : records) {
    const auto& text = record->work_as<WithVector>().text;
    if (text == nullptr) continue;
    with_text.push_back(record);
    texts.push_back(text.get());
  }
  if (texts.empty()) return;
  auto& filter = text_model()->filter;
  if (of_tokens_ && filter.width() != *width_)
    throw Error("the vectors of texts have ", filter.width(), " numbers, ", whose_, " ", *width_,
                "; they are of another model");
  filter.compute(texts);
  pool_.run_grid(texts.size(), [&](int64_t i, int) {
    io::Record& record = *with_text[i];
    auto& work = record.work_as<WithVector>();
    try {
      record.truncated = filter.truncated(*work.text);
      work.vector = of_tokens_ ? filter.token_vectors(*work.text) : filter.vector(*work.text);
    } catch (const Error& error) {
      work.failure = error.what();
    }
    work.text.reset();
  });
}

void RecordVectors::check_width(WithVector& work) {
  if (!work.failure.empty() || of_tokens_) return;
  const auto width = static_cast<int64_t>(work.vector.size());
  if (!width_) require_width(width, "the first record has");
  if (width == *width_) return;
  work.failure = Error(work.is_text ? "the vector of the text" : "field \"embedding\"", " has ",
                       counted(width, "number", "numbers"), ", ", whose_, " ", *width_,
                       work.is_text && *width_ < width && knows_model_
                           ? "; give " + opt::dim + " " + std::to_string(*width_)
                       : work.is_text ? "; they are of another model"
                                      : "")
                     .what();
}

// A wrong model of texts concerns all of them.
void RecordVectors::check_model(WithVector& work) {
  if (!same_model_) return;
  const auto mismatch =
      same_model_->mismatch(work.model, work.is_text ? SameModel::Of::text : SameModel::Of::vector);
  if (mismatch.empty()) return;
  if (work.is_text) throw Error("the vectors of texts have the ", mismatch);
  work.failure = "the vector has the " + mismatch;
}

std::string RecordVectors::model_of(const io::Fields& fields, const io::Record& record, int64_t width) const {
  if (!io::is_row(record.source().format)) return heads::read_vector_model(fields);
  const std::lock_guard lock(opening_);
  const auto known = sidecars_.find(record.file());
  if (known != sidecars_.end()) return known->second;
  std::string model;
  try {
    model = heads::Sidecar::read(record.file(), width).model;
  } catch (const Error& error) {
    open_failure_ = error.what();  // of the FILE, not of each of its records
  }
  return sidecars_.emplace(record.file(), std::move(model)).first->second;
}

void RecordVectors::report(Log& log) const {
  if (text_model_) text_model_->filter.report(log);
}

void RecordVectors::report_truncated(int64_t records) const {
  text_model()->filter.report_truncated(records);
}

}  // namespace bert::search
