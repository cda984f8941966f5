// Training of sentence vectors: pooled hidden states, compared with each other by a loss of
// nn/similarity_losses.h.
//
// The loss compares all vectors of a step, those of other micro-batches and ranks included. With several
// micro-batches, a first pass computes the vectors, and a second one with the same dropout computes the
// gradients (gradient caching, Gao et al. 2021), so memory is that of one micro-batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/embed_example.h"
#include "model/sentence_transformers.h"
#include "model/training_network.h"
#include "nn/similarity_losses.h"
#include "train/learner.h"
#include "train/sentence_vectors.h"

namespace bert::train {

class EmbedLearning : public Learner {
 public:
  struct Options {
    nn::SimilarityOptions loss;
    std::vector<model::PoolingMode> pooling = {model::PoolingMode::mean};
    // Of the network's projection of pooled vectors, if it has one.
    SentenceVectors::Reads projection_reads = SentenceVectors::Reads::pooled;
    bool keeps_projection = true;  // after training
    Keep keep = Keep::activations;
  };

  // `network` needs no head and must outlive this object.
  EmbedLearning(model::TrainingNetwork& network, Options options)
      : Learner(network, options.keep),
        sentences_(network, options.pooling, options.projection_reads),
        options_(std::move(options)) {}

  task::Task task() const override { return task::Task::embed; }
  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  // Stores the vectors of all dev records. If the records are scored, the metrics are correlations of cosine
  // and label, otherwise those of retrieval: each text must find its own pair among the pairs and negatives
  // of all records. The loss is that of all dev records as one step.
  void begin_evaluation() override;
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override;

 protected:
  // The vectors of a step or a dev set, in the order of its sequences.
  struct Compared {
    nn::Tensor vectors;
    std::vector<int64_t> offsets;  // where the vectors of each sequence begin, and their number
    std::vector<nn::SimilarityGroup> groups;
    bool scored = false;  // the groups have labels
  };

  // Sets batch_, vectors_ and offsets_.
  virtual void forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep);
  // Passes the gradient of vectors_ on to the network.
  virtual void backward(const nn::Tensor& gradient) { sentences_.backward(gradient); }
  virtual nn::SimilarityResult loss(const nn::SimilarityOptions& options, const Compared& compared,
                                    nn::Tensor* gradient) const;
  // Of each group: the similarity of its first two texts; see nn::ranks_of_positives.
  virtual std::vector<double> similarities(const Compared& compared) const;
  virtual std::vector<int64_t> ranks_of_positives(const Compared& compared) const;
  virtual int64_t compared_width() const;  // numbers in a vector
  // Appends what end_evaluation() needs of the examples of the last forward. `sequences`: their numbers.
  virtual void append_evaluated(Part examples, std::span<const uint64_t> sequences, std::string& out) const {
    append_vectors(examples, sequences, out);
  }

  SentenceVectors sentences_;
  const nn::Tensor* vectors_ = nullptr;  // of the batch
  std::vector<int64_t> offsets_;         // where those of each sequence begin, and their number
  std::string evaluated_;                // what this rank has appended

 private:
  const nn::Tensor& compared() const;
  void append_vectors(Part examples, std::span<const uint64_t> sequences, std::string& out) const;
  Compared gather(const std::string& own) const;
  void backward_own(std::span<const uint64_t> sequences, const Compared& compared,
                    const nn::Tensor& gradient);
  nn::SimilarityOptions dev_loss(bool scored) const;

  const Options options_;
  nn::Tensor own_gradient_;
  uint64_t sequences_ = 0;  // in the dev set so far, of all ranks
};

}  // namespace bert::train
