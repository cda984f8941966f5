// Training examples for rankers: a text, and candidates whose relevance for it is to be learned.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "examples/example.h"
#include "features/features.h"

namespace bert::examples {

// A sequence for each candidate: [CLS] text [SEP] candidate [SEP].
struct RankExample : SequencesExample {
  bool is_list = false;       // otherwise one candidate, whose text other examples may have, too
  std::vector<float> labels;  // relevance of each candidate; empty: unknown
  std::vector<float> scores;  // of each candidate, by a teacher; empty: there are none
  std::string text = {};      // in a dev set, if it is no list
};

// What training learns.
struct RankTargets {
  std::string loss;                                     // its name
  bool is_list = false;                                 // records are lists
  bool taught = false;                                  // scores, otherwise labels
  double least, most;                                   // of labels
  std::function<bool(std::span<const float>)> teaches;  // whether something can be learned from these
};

// Reads records of one form, in a dev set that of the first:
//
//   text, text_pair, label                   one candidate; the label is also the score
//   text, text_pair, negatives, scores       a list whose first candidate is the relevant one
//   text, documents, labels, scores          a list
//
// Training records need labels, or scores if the loss learns them. Those of a dev set may have one or both.
class RankReader : public ExampleReader {
 public:
  enum class Purpose { training, dev };

  // `featurizer` must outlive the reader.
  RankReader(RankTargets targets, const features::Featurizer& featurizer, std::string label_field,
             Purpose purpose);

  void begin(const io::Fields& fields) override;
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  void read_pair(const io::Fields& fields, RankExample& example) const;
  void read_list(const io::Fields& fields, RankExample& example) const;
  void require_label(std::string_view field, double label) const;

  const RankTargets targets_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  const Purpose purpose_;
  bool is_list_, has_labels_, has_scores_;
};

}  // namespace bert::examples
