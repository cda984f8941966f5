// Training examples for classify, regress and multilabel: a text or a pair, and its label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "examples/example.h"
#include "features/features.h"

namespace bert::examples {

struct SentenceExample : Example {
  int32_t label = 0;           // classify: id of the class
  double value = 0;            // regress: finite as a float
  std::vector<float> targets;  // multilabel: 0 or 1 for each label
};

// Classes by id. Records name them by strings or integers; 1 and "1" are the same label.
class Labels {
 public:
  explicit Labels(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  int32_t size() const { return static_cast<int32_t>(names_.size()); }
  std::optional<int32_t> find(const std::string& name) const;
  int32_t id(const std::string& name) const;  // throws Error `label "x" is not one of …`

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int32_t> ids_;
};

enum class SentenceTask { classify, regress, multilabel };

// Reads an array of labels, for multilabel; in a table they are as in io::Fields::labels. Throws Error for
// duplicates.
std::vector<std::string> labels_of(const io::Fields& fields, const std::string& field);

// Sorts names in the order of their ids: by value if all are integers, otherwise by bytes.
std::vector<std::string> in_order(std::vector<std::string> names);

class SentenceReader : public ExampleReader {
 public:
  // regress ignores `labels`. References must outlive the reader.
  SentenceReader(SentenceTask task, const features::Featurizer& featurizer, std::string label_field,
                 const Labels& labels);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const SentenceTask task_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  const Labels& labels_;
};

}  // namespace bert::examples
