// The training task of sentence vectors: which loss fits the records, and what the model's directory gets.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "io/embedding.h"
#include "json/json.h"
#include "model/parts.h"
#include "train/compared_texts.h"
#include "train/distill.h"
#include "train/embed.h"
#include "train/label_watch.h"
#include "train/projection.h"
#include "train/teacher.h"
#include "train/training_task.h"

namespace bert::train {

using examples::EmbedRecords;
using nn::SimilarityLoss;

namespace {

class EmbedTask final : public TrainingTask {
 public:
  explicit EmbedTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        sentence_(inputs.sentence),
        path_(inputs.path),
        featurizer_(tokenizer_, options_.features),
        dense_(dense_of(inputs.sentence)),
        loss_(options_.embed.loss) {
    const auto& embed = options_.embed;
    loss_.temperature = options_.temperature;
    if (embed.pooling.kind == heads::Pooling::Kind::mode) {
      pooling_ = {embed.pooling.mode};
    } else if (inputs.sentence.pooling) {
      pooling_ = inputs.sentence.pooling->modes;
      include_prompt_ = inputs.sentence.pooling->include_prompt;
      std::ranges::sort(pooling_);  // the order in which they are written
    }
    const int64_t pooled = config_.hidden * std::ssize(pooling_);
    if (dense_ && dense_->in != pooled)
      throw Error(opt::pooling, " gives ", pooled, " numbers, but the model's Dense module reads ",
                  dense_->in);
    if (dense_) projection_ = projection_of(*dense_);
    width_ = dense_ ? dense_->out : pooled;
  }

  void peek(examples::RecordSource& source) override {
    bool pair = false, label = false;
    Teacher::First first;
    source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
      pair = examples::has_pair(featurizer_, fields);
      label = pair && examples::has_value(fields, options_.gold_field());
      if (pair && !label && options_.label_field) unlabelled_ = *options_.label_field;
      lacks_text_ = !featurizer_.takes_ids(fields) && !fields.has(options_.features.text_field);
      for (const char* name : {"score", "similarity", "similarity_score"})
        if (pair && !label && fields.has(name)) unused_ = name;
      for (const char* name : {"negative", "hard_negative"})
        if (pair && !fields.has("negatives") && fields.has(name)) unused_ = name;
      const auto vector = io::read_embedding(fields);
      for (const char* name : {"embedding_0", "embeddings"})
        if (!vector && examples::has_value(fields, name)) unread_ = name;
      first = {.width = vector ? std::ssize(*vector) : 0, .model = heads::read_vector_model(fields)};
    });
    if (has_teacher({.pair = pair, .label = label, .embedding = first.width > 0})) {
      learn_from_teacher(first);
    } else {
      compare_texts(pair, label);
      ignores_vector_ = first.width > 0;
    }
    for (const int64_t d : loss_.dims)
      if (d >= width_)
        throw Error(opt::dims, " ", d, ": the vectors have ", width_, " numbers, which are always trained");
  }

  void prepare(const Preparation& preparation) override {
    if (!unlabelled_.empty())
      throw Error("the first record has no field ", json::in_quotes(unlabelled_), " of ", opt::label_field);
    if (teacher_) return prepare_to_distill(preparation);
    if (!unread_.empty())
      preparation.log.warn(
          json::in_quotes(unread_) + " is not read: the vectors of a teacher are the field " +
          json::in_quotes(std::string(io::kEmbedding)) + " of JSONL, or in " + opt::teacher_vectors);
    if (!unused_.empty())
      preparation.log.warn(json::in_quotes(unused_) + " is not used: the pairs are taken as similar; " +
                           (unused_.ends_with("negative")
                                ? "negatives are the field " + json::in_quotes("negatives")
                                : opt::label_field + " " + unused_ + " learns it"));
    if (ignores_label_)
      preparation.log.warn(opt::loss + " " + std::string(name_of(loss_.loss)) +
                           " takes all pairs as similar: " + json::in_quotes(options_.gold_field()) +
                           " is not used");
    if (ignores_vector_)
      preparation.log.warn(json::in_quotes(std::string(io::kEmbedding)) + " is not used by " + opt::loss +
                           " " + std::string(name_of(loss_.loss)) + "; " + opt::loss +
                           " cosine learns such vectors");
    if (compares_in_step() && preparation.records_in_step == 1)
      preparation.log.warn("a step of one record has nothing to compare it with but its negatives; raise " +
                           opt::batch_size + " or " + opt::accumulate);
    if (guide_) find_rows_of_guide(preparation.source);
    examples::LabelRange range;
    const bool checked = preparation.check(reader_of(records_, &range));
    if (checked && loss_.loss == SimilarityLoss::cosent) require_different(range, preparation.ranks);
  }

  void prepare_to_evaluate() override {
    if (teacher_ && teacher_->needs_projection())
      throw Error("the vectors of the model have ", width_before_projection(), " numbers, the teacher's ",
                  teacher_->width(), ": it was not trained to have these");
  }

  void check_dev_set(const examples::RecordSource& records) const override {
    if (teacher_) teacher_->require_dev_rows(records);
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.projection = projection_;
  }

  std::string_view complete(nn::Params& parameters) const override {
    fill_projection(dense_, parameters);
    return model::kProjection;
  }

  void add_settings(Settings& settings) const override {
    if (teacher_) {
      teacher_->add_settings(settings);
      settings.emplace_back(opt::projection, !teacher_->needs_projection()     ? "not set"
                                             : options_.embed.drops_projection ? "drop"
                                                                               : "keep");
    } else {
      settings.emplace_back(opt::loss, std::string(name_of(loss_.loss)));
      settings.emplace_back(opt::scale, setting(loss_.scale));
      if (!guide_) settings.emplace_back(opt::margin, setting(loss_.margin));
      if (guide_) {
        settings.emplace_back(loss_.relative_margin ? opt::relative_margin : opt::margin,
                              setting(loss_.guide_margin));
        settings.emplace_back(opt::guide_vectors, std::to_string(guide_->checksum()));
      }
      settings.emplace_back(opt::distance, loss_.distance == nn::Distance::cosine ? "cosine" : "euclidean");
      if (nn::compares_ratings(loss_.loss)) {
        settings.emplace_back(opt::similarity, loss_.similarity == nn::Similarity::dot ? "dot" : "cosine");
        settings.emplace_back(opt::temperature, setting(loss_.temperature));
      }
    }
    std::string dims, modes;
    for (const int64_t d : loss_.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
    for (const auto mode : pooling_) modes += (modes.empty() ? "" : ",") + std::string(model::name_of(mode));
    settings.emplace_back(opt::dims, dims.empty() ? "not set" : dims);
    settings.emplace_back(opt::pooling, modes);
  }

  model::ModuleFiles modules() const override {
    const bool euclidean =
        !teacher_ && loss_.loss == SimilarityLoss::triplet && loss_.distance == nn::Distance::euclidean;
    const bool dot = !teacher_ && nn::compares_ratings(loss_.loss) && loss_.similarity == nn::Similarity::dot;
    const bool unit = teacher_ ? teacher_->loss().unit_length : !euclidean && !dot;
    using Scale = model::ModuleFiles::Scale;
    return model::ModuleFiles::of_vectors(
        {.pooling = {.modes = pooling_, .include_prompt = include_prompt_},
         .hidden = config_.hidden,
         .words_only = config_.type->words_only,
         .projection = drops_projection() ? model::Config::Projection() : projection_,
         .scale = unit ? Scale::unit : Scale::no,
         .similarity = euclidean ? "euclidean"
                       : dot     ? "dot"
                                 : sentence_.similarity.value_or("cosine"),
         .max_length = options_.features.max_length},
        sentence_);
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override { return reader_of(records_); }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    if (!teacher_)
      return reader_of(nn::compares_ratings(loss_.loss) ? EmbedRecords::rated_dev : EmbedRecords::dev);
    return reader_of(EmbedRecords::taught_dev, nullptr, teacher_->dev_vectors());
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    EmbedLearning::Options options = {.loss = loss_, .pooling = pooling_, .keep = keep};
    if (!teacher_) return std::make_unique<EmbedLearning>(network, std::move(options));
    auto loss = teacher_->loss();
    options.loss.loss = SimilarityLoss::ranking;  // of a dev set without a teacher
    options.keeps_projection = !drops_projection();
    if (drops_projection() && loss.unit_length) {
      options.projection_reads = SentenceVectors::Reads::unit_length;
      loss.unit_length = false;
    }
    return std::make_unique<DistillLearning>(network, std::move(options), std::move(loss));
  }

 private:
  // What the first record has.
  struct Fields {
    bool pair, label, embedding;
  };

  // The only Dense module that can be trained: that of the pooled vector.
  static const model::Dense* dense_of(const model::SentenceTransformer& sentence) {
    const model::Dense* found = nullptr;
    for (size_t i = 0; i < sentence.modules.size(); ++i) {
      const auto* const dense = std::get_if<model::Dense>(&sentence.modules[i]);
      if (dense == nullptr) continue;
      if (i > 0)
        throw Error("the model has a Dense module that does not follow the pooling, which ", opt::task,
                    " embed cannot train");
      found = dense;
    }
    return found;
  }

  bool has_teacher(const Fields& first) const {
    const auto& embed = options_.embed;
    if (!embed.teacher_vectors.empty() || !embed.dev_vectors.empty()) return true;
    if (!embed.loss_given) return first.embedding && !first.pair;
    return embed.teacher_loss &&
           (embed.teacher_loss != nn::VectorLoss::cosine || (first.embedding && !first.label));
  }

  void learn_from_teacher(const Teacher::First& first) {
    const bool unit = std::ranges::any_of(sentence_.modules, [](const auto& module) {
      return std::holds_alternative<model::Normalize>(module);
    });
    teacher_.emplace(options_.embed,
                     Teacher::Student{.width = width_, .unit_length = unit, .projected = dense_ != nullptr},
                     first);
    records_ = EmbedRecords::taught;
    if (!teacher_->needs_projection()) return;
    projection_ = {.in = width_, .out = teacher_->width()};
    width_ = projection_.out;
  }

  // Chooses a loss that compares the texts with each other.
  void compare_texts(bool pair, bool label) {
    if (options_.embed.drops_projection)
      throw Error(opt::projection, " is for the vectors of a teacher, and the records have none");
    if (!options_.embed.loss_given && label) loss_.loss = SimilarityLoss::cosent;
    const bool is_scored = loss_.loss == SimilarityLoss::cosent || loss_.loss == SimilarityLoss::cosine;
    ignores_label_ = label && !is_scored;
    switch (loss_.loss) {
      case SimilarityLoss::cosent:
        records_ = EmbedRecords::scored;
        return;
      case SimilarityLoss::cosine:
        records_ = EmbedRecords::cosines;
        return;
      case SimilarityLoss::triplet:
        records_ = EmbedRecords::triplets;
        return;
      case SimilarityLoss::margin_mse:
      case SimilarityLoss::kl:
        records_ = EmbedRecords::rated;
        return;
      case SimilarityLoss::gist:
        records_ = EmbedRecords::guided;
        guide_ = open_vectors(options_.embed.guide_vectors, std::nullopt);
        return;
      case SimilarityLoss::ranking:
      case SimilarityLoss::symmetric:
        break;
    }
    records_ = pair ? EmbedRecords::pairs : EmbedRecords::texts;
    const bool dropout = config_.hidden_dropout > 0 || config_.attention_dropout > 0;
    if (!pair && !dropout && !lacks_text_)
      throw Error(options_.features.pair_field.empty()
                      ? "the records have no pairs"
                      : "the records have no field " + json::in_quotes(options_.features.pair_field),
                  ": each text would be compared with itself, for which the model needs dropout, such as ",
                  opt::dropout, " 0.1");
  }

  void prepare_to_distill(const Preparation& preparation) {
    teacher_->require_rows(preparation.source);
    examples::LabelRange lengths;
    const bool checked = preparation.check(reader_of(records_, &lengths));
    if (!checked) return;
    if (teacher_->is(path_, tokenizer_))
      preparation.log.warn("the teacher's vectors are those of the model that is trained");
    const auto [least, most] = range_of_all(lengths, preparation.ranks);
    teacher_->compare_lengths(least, most, preparation.log);
  }

  // Throws Error if all labels are equal.
  static void require_different(const examples::LabelRange& own, comm::Communicator& ranks) {
    const auto [least, most] = range_of_all(own, ranks);
    if (least == most)
      throw Error("all labels are ", least, ", but ", opt::loss, " cosent learns from labels that differ; ",
                  opt::loss, " ranking takes all pairs as similar");
  }

  // Whether the loss compares the records of a step with each other.
  bool compares_in_step() const {
    return nn::finds_positives(loss_.loss) || loss_.loss == SimilarityLoss::cosent;
  }
  // Of a new one, which is not part of the initial model.
  bool drops_projection() const {
    return teacher_ && teacher_->needs_projection() && options_.embed.drops_projection;
  }
  int64_t width_before_projection() const { return teacher_->needs_projection() ? projection_.in : width_; }
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records,
                                                     examples::LabelRange* range = nullptr) const {
    return reader_of(records, range,
                     teacher_ ? teacher_->training_vectors()
                     : guide_ ? examples::TeacherVectors{&*guide_, guide_->width(), guide_rows_}
                              : examples::TeacherVectors());
  }
  std::unique_ptr<examples::ExampleReader> reader_of(EmbedRecords records, examples::LabelRange* range,
                                                     examples::TeacherVectors vectors) const {
    auto reader =
        std::make_unique<examples::EmbedReader>(records, featurizer_, options_.gold_field(), range, vectors);
    if (!teacher_ || vectors.file != nullptr) return reader;
    return teacher_->of_one(std::move(reader));
  }
  // The guide has a row for each text, and all records have equally many texts.
  void find_rows_of_guide(const examples::RecordSource& source) {
    const int64_t records = source.records();
    if (records == 0)
      throw Error(opt::guide_vectors, " has rows for each record, so the records must be in regular FILEs");
    guide_rows_ = guide_->rows() / records;
    if (guide_rows_ < 2 || guide_->rows() % records != 0)
      throw Error(guide_->path(), ": has ", counted(guide_->rows(), "row", "rows"), " for ",
                  counted(records, "record", "records"),
                  ", expected one for each text: ", options_.features.text_field, ", ",
                  options_.features.pair_field, " and the negatives, of which all records have equally many");
  }

  const model::SentenceTransformer& sentence_;  // settings of the initial model
  const std::string& path_;                     // its directory
  const features::Featurizer featurizer_;
  const model::Dense* const dense_;  // of the initial model; may be nullptr
  nn::SimilarityOptions loss_;
  std::optional<Teacher> teacher_;        // if the records have vectors of one
  std::optional<io::ArrayFile> guide_;    // of the loss gist
  int64_t guide_rows_ = 0;                // of each record
  model::Config::Projection projection_;  // that is trained
  int64_t width_ = 0;                     // of the vectors
  std::vector<model::PoolingMode> pooling_ = {model::PoolingMode::mean};
  bool include_prompt_ = true;
  EmbedRecords records_ = EmbedRecords::pairs;
  bool ignores_label_ = false, ignores_vector_ = false;  // that the first record has
  bool lacks_text_ = false;
  std::string unused_;      // a field of the first record
  std::string unlabelled_;  // the field with the label, if it was named and the first record lacks it
  std::string unread_;      // its field with vectors in another form
};

}  // namespace

// Each is defined in the file of its name.
std::unique_ptr<TrainingTask> make_late_task(const TaskInputs& inputs);
std::unique_ptr<TrainingTask> make_sparse_task(const TaskInputs& inputs);

std::unique_ptr<TrainingTask> make_embed_task(const TaskInputs& inputs) {
  using Kind = heads::Pooling::Kind;
  const auto& sentence = inputs.sentence;
  const auto& embed = inputs.options.embed;
  if (embed.sparse || (sentence.sparse && embed.pooling.kind == Kind::automatic))
    return make_sparse_task(inputs);
  if (embed.freezes_queries.has_value())
    throw Error(opt::query_table, " is for weights of words: use it with ", opt::sparse);
  if (sentence.late || embed.pooling.kind == Kind::none) return make_late_task(inputs);
  return std::make_unique<EmbedTask>(inputs);
}

}  // namespace bert::train
