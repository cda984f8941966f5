// The options of bert-train that are about what a model is trained for.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.h"
#include "options/answer_options.h"
#include "options/feature_options.h"
#include "options/generator_options.h"
#include "options/mask_options.h"
#include "options/model_directory.h"
#include "options/sparse_training_options.h"
#include "options/stream_options.h"
#include "options/task_choices.h"
#include "options/vector_options.h"
#include "train/training_task.h"

namespace bert::cmd {

// What a name of --loss means: for embed, of texts that are compared with each other, or of vectors and those
// of a teacher; for rank; for distill.
struct NamedLoss {
  std::optional<nn::SimilarityLoss> compared;
  std::optional<nn::VectorLoss> taught;
  std::optional<nn::RankLoss> ranked;
  std::optional<nn::LayerLoss> of_layers;

  bool is_of(task::Task task) const {
    if (task == task::Task::distill) return of_layers.has_value();
    return task == task::Task::rank ? ranked.has_value() : compared || taught;
  }
  bool operator==(const NamedLoss&) const = default;
};

inline cli::Choices<NamedLoss> named_losses() {
  cli::Choices<NamedLoss> losses;
  const auto add = [&](const auto& table, auto NamedLoss::*meaning) {
    for (const auto& entry : table) {
      auto same = std::ranges::find(losses, entry.name, [](const auto& choice) { return choice.first; });
      if (same == losses.end()) same = losses.insert(same, {entry.name, {}});
      same->second.*meaning = entry.loss;
    }
  };
  add(nn::kSimilarityLosses, &NamedLoss::compared);
  add(nn::kVectorLosses, &NamedLoss::taught);
  add(nn::kRankLosses, &NamedLoss::ranked);
  add(nn::layer_losses(), &NamedLoss::of_layers);
  return losses;
}

class TrainingTaskOptions {
 public:
  // The options go to `task`.
  TrainingTaskOptions(cli::App& app, train::TrainingTaskOptions& task);
  TrainingTaskOptions(const TrainingTaskOptions&) = delete;

  // To be called by a check, when the input's options are known.
  void settle(train::TrainingTaskOptions& task, StreamOptions& stream) const;

 private:
  void add_labels(cli::App& app, train::TrainingTaskOptions& task);
  void add_loss(cli::App& app, train::TrainingTaskOptions& task);
  void add_embed(cli::App& app, train::EmbedTaskOptions& embed);
  void add_teacher(cli::App& app, train::EmbedTaskOptions& embed);
  void add_distill(cli::App& app, train::DistillTaskOptions& distill);
  void check_embed(cli::App& app, train::EmbedTaskOptions& embed) const;
  void check_ratings(cli::App& app, const nn::SimilarityOptions& loss) const;
  std::string_view name_of_loss() const {
    const auto losses = named_losses();
    return std::ranges::find(losses, loss_, [](const auto& choice) { return std::optional(choice.second); })
        ->first;
  }

  cli::App& app_;
  std::optional<task::Task> kind_;
  std::optional<MaskOptions> masking_;
  std::optional<NamedLoss> loss_;
  std::optional<float> margin_, relative_margin_;
  std::vector<double> flops_;
};

// "balanced", or "spam=3,ham=0.5". A label may have = in it. A repeated option adds weights.
inline void add_class_weights(const std::string& name, const std::string& value,
                              train::ClassWeights& weights) {
  const bool balanced = value == "balanced";
  if (weights.balanced != balanced && !(weights.given.empty() && !weights.balanced))
    throw cli::UsageError(name, " balanced cannot be combined with other weights");
  weights.balanced = balanced;
  if (balanced) return;
  std::vector<std::string> labels;
  for (const auto& [label, weight] : weights.given) labels.push_back(label);
  for (const auto& item : cli::App::split(name, value)) {
    if (item == "balanced") throw cli::UsageError(name, " balanced cannot be combined with other weights");
    const size_t equals = item.rfind('=');
    if (equals == item.npos || equals == 0)
      throw cli::UsageError(name, " is \"", item, "\", expected balanced or LABEL=WEIGHT,...");
    const auto weight = cli::App::real_number(name, item.substr(equals + 1), {.min = 0, .max = 1e6});
    labels.push_back(item.substr(0, equals));
    weights.given.emplace_back(labels.back(), static_cast<float>(weight));
  }
  require_different(name, labels);
}

// For the operands "classify train.tsv".
inline std::string task_hint(const cli::App& app) {
  for (const auto task : task::tasks_with(&task::Entry::trained)) {
    const std::string name(task::name_of(task));
    if (std::ranges::find(app.operands(), name) != app.operands().end())
      return "; did you mean --task " + name + "?";
  }
  return "";
}

inline TrainingTaskOptions::TrainingTaskOptions(cli::App& app, train::TrainingTaskOptions& task) : app_(app) {
  app.section("Task");
  app.choice<task::Task>({opt::task, "", "Task to train for (required)."},
                         task_choices(&task::Entry::trained), kind_);
  generator_options(app, task);
  add_labels(app, task);
  context_option(app, task.features);
  answer_options(app, task.answer);
  add_loss(app, task);
  add_embed(app, task.embed);
  add_distill(app, task.distill);
  app.section("Masking for --task pretrain and replaced, unless the records are masked");
  masking_.emplace(app, task.mask);
  app.check([this, &task] {
    if (!kind_)
      throw cli::UsageError(
          "no --task: pretrain, replaced, classify, regress, multilabel, tag, answer, choose, embed, rank or "
          "distill",
          task_hint(app_));
    task.kind = *kind_;
    select_task(app_, task.kind);
    check_text_fields(app_, task.kind);
    if (task.kind == task::Task::replaced) find_generator(app_, task);
  });
}

inline void TrainingTaskOptions::add_labels(cli::App& app, train::TrainingTaskOptions& task) {
  auto& label_field = app.option(
      {opt::label_field, "NAME", "Field with the gold label (default label; tag: tags)."}, task.label_field);
  label_field.is_kept = true;
  label_field.only_for = tasks({task::Task::classify, task::Task::regress, task::Task::multilabel,
                                task::Task::tag, task::Task::choose, task::Task::embed, task::Task::rank});
  app.list(
         {opt::labels, "NAME,...", "Labels in the order of their ids (default: the labels in the records)."},
         task.labels)
      .only_for = tasks({task::Task::classify, task::Task::multilabel, task::Task::tag});
  app.custom({opt::class_weights, "balanced|LABEL=W,...",
              "Weight of each label in the loss; balanced: inversely proportional to its frequency."},
             [&task](const std::string& name, const std::string& value) {
               add_class_weights(name, value, task.class_weights);
             })
      .only_for = tasks({task::Task::classify, task::Task::tag});
  app.real(
         {opt::soft_labels, "SHARE",
          "Also learn what a teacher predicts, scores (regress: prediction) of bert-predict, with this share "
          "of the loss, from 0 to 1; with 1, records need no label."},
         {.min = 0, .max = 1}, task.soft_labels)
      .only_for = tasks({task::Task::classify, task::Task::regress, task::Task::multilabel, task::Task::tag});
  app.real({opt::temperature, "T", "Temperature of soft labels and of --loss kl."}, {.min = 1e-2, .max = 1e3},
           task.temperature)
      .only_for = tasks(
      {task::Task::classify, task::Task::multilabel, task::Task::tag, task::Task::embed, task::Task::rank});
  app.check([this, &app, &task] {
    const bool of_loss = kind_ == task::Task::embed || kind_ == task::Task::rank;
    if (app.given(opt::temperature) && !of_loss && !task.soft_labels)
      throw cli::UsageError("--temperature needs --soft-labels");
    if (task.soft_labels == 1.0 && app.given(opt::label_field) && !app.given(opt::dev) &&
        !app.given(opt::split) && !app.given(opt::fold))
      throw cli::UsageError("--label-field needs --dev, since --soft-labels 1 leaves labels out");
    if (task.soft_labels && task.class_weights.balanced)
      throw cli::UsageError("--class-weights balanced cannot be combined with --soft-labels");
  });
  auto& threshold =
      app.real({"--threshold", "P", "Minimum probability of a predicted label when multilabel is evaluated."},
               {.min = 0, .max = 1}, task.threshold);
  threshold.is_kept = true;
  threshold.only_for = tasks({task::Task::multilabel});
}

inline void TrainingTaskOptions::add_loss(cli::App& app, train::TrainingTaskOptions& task) {
  app.section("Sentence vectors for --task embed, and rankers for --task rank");
  app.choice(
         {opt::loss, "",
          "Loss of embed: in-batch negatives for pairs (ranking, symmetric in both directions, or gist, "
          "without "
          "those that a guide finds similar), cosent or cosine for pairs with a label, triplet for "
          "negatives; margin-mse or kl for negatives with a "
          "teacher's scores; mse, cosine or l2 between the vectors of the model and a teacher's (default: "
          "cosent for records with a label, cosine for texts with an embedding, else ranking). Loss of rank: "
          "binary for labels from 0 to 1, softmax, listnet or lambda for lists of candidates, mse, "
          "margin-mse "
          "or kl for a teacher's scores (default: softmax for lists, else binary). Loss of distill: minilm "
          "(MiniLMv2), minilm-v1 or tinybert (default: minilm)."},
         named_losses(), loss_)
      .only_for = tasks({task::Task::embed, task::Task::rank, task::Task::distill});
  app.check([this, &app, &task] {
    if (kind_ != task::Task::embed && kind_ != task::Task::rank && kind_ != task::Task::distill) return;
    if (loss_ && !loss_->is_of(*kind_)) {
      std::vector<std::string> names;
      for (const auto& [name, loss] : named_losses())
        if (loss.is_of(*kind_)) names.emplace_back(name);
      throw cli::UsageError("--loss ", name_of_loss(), " is not for --task ", task::name_of(*kind_),
                            ", expected ", listed(names, "or"));
    }
    if (loss_) task.rank_loss = loss_->ranked;
    if (loss_ && loss_->of_layers) task.distill.loss = *loss_->of_layers;
    if (app.given(opt::temperature) && (!loss_ || name_of_loss() != "kl"))
      throw cli::UsageError("--temperature is for --loss kl");
  });
}

inline void TrainingTaskOptions::add_embed(cli::App& app, train::EmbedTaskOptions& embed) {
  const auto only = tasks({task::Task::embed});
  app.real(
         {opt::scale, "S",
          "Factor of the cosines in ranking, symmetric, gist, cosent, margin-mse and kl; with --sparse or a "
          "vector of each token 1."},
         {.min = 1e-3, .max = 1e6}, embed.loss.scale)
      .only_for = only;
  app.real({opt::margin, "M",
            "Margin of triplet (default 5; for --distance cosine 0.5) and of gist (default 0)."},
           {.min = 0, .max = 1e6}, margin_)
      .only_for = only;
  app.option({opt::guide_vectors, "FILE",
              "Vectors of another model for gist, npy or f32: a row for each text of each record, "
              "text_pair and negatives included."},
             embed.guide_vectors)
      .only_for = only;
  app.real({opt::relative_margin, "R", "Margin of gist as a share of the guide's similarity."},
           {.min = 0, .max = 1}, relative_margin_)
      .only_for = only;
  app.choice<nn::Distance>({opt::distance, "", "Distance of triplet."},
                           {{"euclidean", nn::Distance::euclidean}, {"cosine", nn::Distance::cosine}},
                           embed.loss.distance)
      .only_for = only;
  app.choice<nn::Similarity>(
         {opt::similarity, "", "Similarity in margin-mse and kl; dot: of vectors of any length."},
         {{"cosine", nn::Similarity::cosine}, {"dot", nn::Similarity::dot}}, embed.loss.similarity)
      .only_for = only;
  app.numbers({opt::dims, "N,...", "Also train the first N numbers of each vector (Matryoshka)."},
              {.min = 1, .max = 1'000'000}, embed.loss.dims)
      .only_for = only;
  pooling_option(app, embed.pooling, PoolingOf::training).only_for = only;
  sparse_training_options(app, embed, flops_);
  app.excludes({opt::pooling}, opt::sparse, ", which makes no vectors");
  add_teacher(app, embed);
  app.exclusive({opt::margin, opt::relative_margin});
  app.check([this, &app, &embed] { check_embed(app, embed); });
}

inline void TrainingTaskOptions::add_teacher(cli::App& app, train::EmbedTaskOptions& embed) {
  const auto only = tasks({task::Task::embed});
  app.option({opt::teacher_vectors, "FILE",
              "Read the teacher's vectors from this npy or f32 file, a row for each record, instead of the "
              "field embedding."},
             embed.teacher_vectors)
      .only_for = only;
  app.option({opt::dev_vectors, "FILE", "The same for the records of --dev."}, embed.dev_vectors).only_for =
      only;
  app.choice<bool>(
         {opt::projection, "",
          "What to do after training with the projection that is learned if the teacher's vectors have "
          "another size: keep it as a Dense module of the model, or drop it, so that vectors keep their "
          "size."},
         {{"keep", false}, {"drop", true}}, embed.drops_projection)
      .only_for = only;
  app.check([&app, &embed] {
    reads_vectors(app, opt::guide_vectors, embed.guide_vectors);
    reads_vectors(app, opt::teacher_vectors, embed.teacher_vectors);
    reads_vectors(app, opt::dev_vectors, embed.dev_vectors);
  });
}

inline void TrainingTaskOptions::add_distill(cli::App& app, train::DistillTaskOptions& distill) {
  const auto only = tasks({task::Task::distill});
  app.section("Distillation for --task distill");
  app.option({opt::teacher, "DIR", "For distill: the model whose layers are learned (required)."},
             distill.teacher)
      .only_for = only;
  app.custom({opt::teacher_layers, "N,...",
              "Layers of the teacher, from 1: one for minilm and minilm-v1 (default: the last), for tinybert "
              "one for each layer of the model (default: evenly spaced)."},
             [&distill](const std::string& name, const std::string& value) {
               distill.layers.clear();
               for (const auto& item : cli::App::split(name, value))
                 distill.layers.push_back(cli::App::whole_number(name, item, {.min = 1}));
             })
      .only_for = only;
  app.number({opt::relation_heads, "N",
              "Divide queries, keys and values into N heads for minilm (default: as the teacher, else as the "
              "model)."},
             {.min = 1}, distill.relation_heads)
      .only_for = only;
  app.check([this, &app, &distill] {
    if (kind_ != task::Task::distill) return;
    if (distill.teacher.empty()) throw cli::UsageError("--task distill needs --teacher DIR");
    distill.teacher = find_model_directory(distill.teacher);
    read_files_of(app_, distill.teacher, opt::teacher);
    const auto& loss = nn::entry(distill.loss);
    if (loss.compares_attention() && distill.relation_heads)
      throw cli::UsageError("--relation-heads is for --loss minilm, not ", loss.name);
    for (const char* option : {"--recompute", "--freeze"})
      if (!loss.last_layer && app.given(option))
        throw cli::UsageError(option, " is not for --loss ", loss.name, ", which compares all layers");
  });
}

inline void TrainingTaskOptions::check_embed(cli::App& app, train::EmbedTaskOptions& embed) const {
  const auto compared = loss_ && loss_->compared ? *loss_->compared : nn::SimilarityLoss::ranking;
  embed.loss_given = loss_.has_value();
  embed.loss.loss = compared;
  embed.scale_given = app.given(opt::scale);
  if (!flops_.empty() && flops_.size() != 2)
    throw cli::UsageError("--flops needs two numbers, of documents and of queries");
  if (!flops_.empty()) embed.flops.emplace(flops_[0], flops_[1]);
  embed.teacher_loss = loss_ ? loss_->taught : std::nullopt;
  const bool triplet = compared == nn::SimilarityLoss::triplet;
  const bool euclidean = embed.loss.distance == nn::Distance::euclidean;
  embed.loss.margin = margin_.value_or(euclidean ? 5.0f : 0.5f);
  const bool gist = compared == nn::SimilarityLoss::gist;
  if (!triplet && app.given(opt::distance)) throw cli::UsageError("--distance is for --loss triplet");
  if (!triplet && !gist && margin_) throw cli::UsageError("--margin is for --loss triplet and gist");
  if (gist) embed.loss.guide_margin = relative_margin_.value_or(margin_.value_or(0));
  embed.loss.relative_margin = relative_margin_.has_value();
  for (const Option option : {opt::guide_vectors, opt::relative_margin})
    if (!gist && app.given(option)) throw cli::UsageError(option, " is for --loss gist");
  if (gist && embed.guide_vectors.empty()) throw cli::UsageError("--loss gist needs --guide-vectors FILE");
  if (triplet && euclidean && !embed.loss.dims.empty())
    throw cli::UsageError("--dims with --loss triplet needs --distance cosine");
  if ((triplet || embed.teacher_loss) && app.given(opt::scale))
    throw cli::UsageError("--scale is not for --loss ", name_of_loss());
  for (const Option option : {opt::teacher_vectors, opt::dev_vectors, opt::projection})
    if (loss_ && !embed.teacher_loss && app.given(option))
      throw cli::UsageError(option, " is for --loss mse, cosine and l2, not ", name_of_loss());
  if (app.given(opt::dev_vectors) && !app.given(opt::dev)) throw cli::UsageError("--dev-vectors needs --dev");
  check_ratings(app, embed.loss);
}

// The options of the losses that compare ratings.
inline void TrainingTaskOptions::check_ratings(cli::App& app, const nn::SimilarityOptions& loss) const {
  const bool dot = loss.similarity == nn::Similarity::dot;
  if (!nn::compares_ratings(loss.loss) && app.given(opt::similarity))
    throw cli::UsageError("--similarity is for --loss margin-mse and kl");
  if (dot && app.given(opt::scale)) throw cli::UsageError("--scale is not for --similarity dot");
  if (dot && !loss.dims.empty()) throw cli::UsageError("--dims needs --similarity cosine");
}

inline void TrainingTaskOptions::settle(train::TrainingTaskOptions& task, StreamOptions& stream) const {
  require_different(opt::labels, task.labels);
  const bool has_label =
      !task::reads_masks(task.kind) && task.kind != task::Task::answer && task.kind != task::Task::distill;
  const io::FieldOption label = {task.gold_field(), opt::label_field};
  if (has_label) {
    stream.name_field(label.field, label.option);
    require_different({stream.settings.text_field, opt::text_field}, label);
    require_different({stream.settings.pair_field, opt::pair_field}, label);
  }
  task.features.text_field = stream.settings.text_field;
  task.features.pair_field = stream.settings.pair_field;
  task.features.take_ids =
      stream.text_field_given() ? features::TakeIds::never : features::TakeIds::where_present;
}

}  // namespace bert::cmd
