// Records of classify, regress and multilabel as training examples: a text or a pair, and what is said of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/example.h"
#include "data/features.h"

namespace bert::data {

struct SentenceExample : Example {
  int32_t label = 0;           // of classify: the class
  double value = 0;            // of regress, finite as a float
  std::vector<float> targets;  // of multilabel: 0 or 1 for each label
};

// Classes by id. Records name them by strings or integers; 1 and "1" are the same label.
class Labels {
 public:
  explicit Labels(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  int32_t size() const { return static_cast<int32_t>(names_.size()); }
  int32_t id(const std::string& name) const;  // Error `label "x" is none of …`

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int32_t> ids_;
};

enum class SentenceTask { classify, regress, multilabel };

// The label of a record's field as text: a string, or an integer as it is written. Error otherwise.
std::string label_of(const io::Fields& fields, const std::string& field);
// An array of these, of multilabel; an element that stands twice is an Error. TSV: separated by commas.
std::vector<std::string> labels_of(const io::Fields& fields, const std::string& field);

// Names in the order in which they get ids: integers by value when all are integers, else by bytes.
std::vector<std::string> in_order(std::vector<std::string> names);

class SentenceReader : public ExampleReader {
 public:
  // Of regress no labels are looked at. All outlive the reader.
  SentenceReader(SentenceTask task, const Featurizer& featurizer, std::string label_field,
                 const Labels& labels);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const SentenceTask task_;
  const Featurizer& featurizer_;
  const std::string label_field_;
  const Labels& labels_;
};

}  // namespace bert::data
